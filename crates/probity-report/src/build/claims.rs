//! Claims with their verdicts, passages and checks, and what the sources disagree about.

use std::collections::BTreeMap;

use probity_types::{
    ledger::{self, AttentionGroup, CheckAspect, CheckAuthor, ClaimVerdict, Ledger, Opinion},
    report::TextPlaces,
    text,
};

use super::{
    REMARKS_MAX,
    ledger_labels::{not_checked_reason, stored_name},
    passages::StoredTexts,
    remark,
    sources::SourceTable,
};
use crate::{
    DocumentInput,
    document::{
        DisplayVerdict, EvidencePassage, PassageRole, ReportCheck, ReportClaim, ReportConflict,
        ReportDerivation, UncheckedClaims, VerdictCount,
    },
};

/// Checks listed per claim: as many as there are aspects, rounded up. The strictest come first.
const CHECKS_PER_CLAIM_MAX: usize = 16;
/// Passages listed per claim: the decisive one and two more.
const EVIDENCE_PER_CLAIM_MAX: usize = 3;
const WORDS_CHARACTERS_MAX: usize = 1_000;
const NAME_CHARACTERS_MAX: usize = 120;

#[derive(Debug, Default)]
pub struct ClaimTable {
    pub claims: Vec<ReportClaim>,
    pub conflicts: Vec<ReportConflict>,
    pub not_checked: Vec<UncheckedClaims>,
}

impl ClaimTable {
    pub fn of(materials: &DocumentInput<'_>, sources: &SourceTable) -> Self {
        let Some(ledger) = materials.report.ledger.as_deref() else { return Self::default() };
        let teller = ClaimBuilder {
            ledger,
            sources,
            pages: StoredTexts { ledger, texts: materials.texts },
            places: TextPlaces::of(&materials.report.text),
            groups: ledger.attention(),
        };
        let mut checks: Vec<Vec<&ledger::Check>> = vec![Vec::new(); ledger.claims.len()];
        for check in &ledger.checks {
            if let Some(list) = checks.get_mut(check.claim.place()) {
                list.push(check);
            }
        }
        let shown: BTreeMap<_, _> =
            ledger.questions.iter().map(|question| (question.claim, question.passages.as_slice())).collect();
        let claims: Vec<ReportClaim> = ledger
            .claims
            .iter()
            .zip(&checks)
            .take(ledger::CLAIMS_MAX)
            .map(|(claim, checks)| {
                teller.claim(claim, checks, shown.get(&claim.id).copied().unwrap_or_default())
            })
            .collect();
        let conflicts = ledger.conflicts.iter().filter_map(|conflict| teller.conflict(conflict));
        let conflicts = ReportConflict::told_once(conflicts.take(REMARKS_MAX));
        Self { conflicts, not_checked: not_checked(ledger), claims }
    }

    pub fn counts(&self) -> Vec<VerdictCount> {
        let count = |verdict| {
            let claims =
                self.claims.iter().filter(|claim| claim.group.is_some() && claim.verdict == verdict).count();
            VerdictCount { verdict, claims: u32::try_from(claims).unwrap_or(u32::MAX) }
        };
        DisplayVerdict::ALL.into_iter().map(count).filter(|count| count.claims > 0).collect()
    }
}

/// Why claims that a source could say were not checked, the most frequent first.
fn not_checked(ledger: &Ledger) -> Vec<UncheckedClaims> {
    let mut whys: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let all = ledger.claims.iter().zip(&ledger.settled).zip(ledger.attention());
    for ((claim, settled), group) in all.take(ledger::CLAIMS_MAX) {
        if let (Some(_), ledger::Verdict::NotChecked { why }) = (group, &settled.verdict) {
            whys.entry(not_checked_reason(*why)).or_default().push(claim.id.to_string());
        }
    }
    let mut list: Vec<UncheckedClaims> =
        whys.into_iter().map(|(why, claims)| UncheckedClaims { why: why.to_owned(), claims }).collect();
    list.sort_by_key(|row| std::cmp::Reverse(row.claims.len()));
    list
}

struct ClaimBuilder<'a> {
    ledger: &'a Ledger,
    sources: &'a SourceTable,
    pages: StoredTexts<'a>,
    places: TextPlaces<'a>,
    /// One for each claim, in their order.
    groups: Vec<Option<AttentionGroup>>,
}

impl ClaimBuilder<'_> {
    fn claim(&self, claim: &ledger::Claim, checks: &[&ledger::Check], shown: &[u32]) -> ReportClaim {
        let settled = self.ledger.verdict(claim.id);
        let verdict =
            settled.map_or(DisplayVerdict::NotChecked, |settled| DisplayVerdict::from(&settled.verdict));
        let mut cites: Vec<u32> =
            claim.cites.iter().filter_map(|place| self.sources.at_place(*place)).collect();
        cites.dedup();
        let judged = settled.filter(|settled| settled.by.is_some());
        ReportClaim {
            id: claim.id.to_string(),
            words: text::line(&claim.words, WORDS_CHARACTERS_MAX),
            kind: stored_name(&claim.kind),
            checkable: claim.is_checkable(),
            load_bearing: claim.load_bearing,
            line: self.places.line(claim.start),
            section: self.places.section(claim.start).map(str::to_owned),
            rests_on: claim.rests_on.iter().map(ToString::to_string).collect(),
            group: self.groups.get(claim.id.place()).copied().flatten().map(|group| group.name().to_owned()),
            verdict,
            told: match claim.inference_mark() {
                Some(mark) => format!("It is an {mark}. {}", verdict_sentence(settled)),
                None => verdict_sentence(settled),
            },
            reason: settled.map(|settled| remark(&settled.reason)).unwrap_or_default(),
            judged_on: settled.and_then(|settled| settled.aspect).map(|aspect| stored_name(&aspect)),
            judged_by: judged.and_then(|settled| settled.by.as_ref()).map(who),
            judged_at: judged.and_then(|settled| settled.at).map(|at| at.to_string()),
            confidence: judged.map(|settled| settled.confidence.min(100)),
            origins: settled.map_or(0, |settled| settled.origins),
            cites,
            evidence: self.evidence(settled, checks, shown),
            checks: self.checks(checks),
            derived: claim.derived.as_deref().map(derived),
        }
    }

    /// The decisive passage, then those of other checks, then those that a judge was shown.
    fn evidence(
        &self,
        settled: Option<&ClaimVerdict>,
        checks: &[&ledger::Check],
        shown: &[u32],
    ) -> Vec<EvidencePassage> {
        let decided =
            settled.and_then(|settled| Some((PassageRole::Decided, settled.source?, settled.span?)));
        let checked = checks.iter().filter(|check| check.opinion() != Opinion::Agrees);
        let checked = checked.filter_map(|check| Some((PassageRole::Checked, check.source?, check.span?)));
        let laid = shown.iter().filter_map(|place| self.pages.passage(*place));
        let laid = laid.map(|passage| (PassageRole::Shown, passage.source, (passage.start, passage.end)));
        let mut taken: Vec<(u32, (usize, usize))> = Vec::new();
        let mut list = Vec::new();
        for (part, place, span) in decided.into_iter().chain(checked).chain(laid) {
            let overlaps = |(known, (start, end)): &(u32, (usize, usize))| {
                *known == place && span.0 < *end && *start < span.1
            };
            if list.len() == EVIDENCE_PER_CLAIM_MAX || taken.iter().any(overlaps) {
                continue;
            }
            if let Some(found) = self.passage(part, place, span) {
                taken.push((place, span));
                list.push(found);
            }
        }
        list
    }

    fn passage(&self, part: PassageRole, place: u32, span: (usize, usize)) -> Option<EvidencePassage> {
        let source = self.sources.at_place(place)?;
        let found = self.pages.around(place, span)?;
        Some(EvidencePassage {
            source,
            part,
            before: found.before,
            passage: found.passage,
            after: found.after,
            start: span.0,
            end: span.1,
        })
    }

    fn checks(&self, checks: &[&ledger::Check]) -> Vec<ReportCheck> {
        let mut sorted: Vec<&&ledger::Check> = checks.iter().collect();
        sorted.sort_by_key(|check| weight(check.opinion()));
        let to_check = |check: &&ledger::Check| ReportCheck {
            aspect: stored_name(&check.aspect),
            opinion: stored_name(&check.opinion()),
            by: who(&check.by),
            confidence: check.confidence.min(100),
            source: check.source.and_then(|place| self.sources.at_place(place)),
            at: check.at.to_string(),
            reason: remark(&check.reason),
        };
        sorted.into_iter().take(CHECKS_PER_CLAIM_MAX).map(to_check).collect()
    }

    fn conflict(&self, conflict: &ledger::SourceConflict) -> Option<ReportConflict> {
        let side = |place: u32| {
            let passage = self.pages.passage(place)?;
            self.passage(PassageRole::Checked, passage.source, (passage.start, passage.end))
        };
        Some(ReportConflict {
            claim: conflict.claim.to_string(),
            also: Vec::new(),
            about: remark(&conflict.about),
            left: side(conflict.left)?,
            right: side(conflict.right)?,
            same_origin: conflict.same_origin,
        })
    }
}

/// Contradicting checks are listed first.
fn weight(opinion: Opinion) -> u8 {
    match opinion {
        Opinion::Contradicts => 0,
        Opinion::Absent => 1,
        Opinion::Qualifies => 2,
        Opinion::Partly => 3,
        Opinion::Doubts => 4,
        Opinion::Supports => 5,
        Opinion::Quoted => 6,
        Opinion::Abstains => 7,
        Opinion::Agrees => 8,
    }
}

fn who(by: &CheckAuthor) -> String {
    match by {
        CheckAuthor::Rules { version } => {
            text::line(&format!("fixed rules ({version})"), NAME_CHARACTERS_MAX)
        }
        CheckAuthor::Model { name, .. } => text::line(name, NAME_CHARACTERS_MAX),
    }
}

/// The verdict as a sentence, with the reason where a claim was not checked.
fn verdict_sentence(settled: Option<&ClaimVerdict>) -> String {
    let Some(settled) = settled else { return DisplayVerdict::NotChecked.meaning().to_owned() };
    match &settled.verdict {
        ledger::Verdict::NotChecked { why } => format!("Not checked: {}.", not_checked_reason(*why)),
        ledger::Verdict::CheckFailed { why } => remark(format!("The check did not work: {why}")),
        ledger::Verdict::Supported if settled.aspect == Some(CheckAspect::Arithmetic) => {
            "Computed again from claims that are supported; it comes out the same.".to_owned()
        }
        ledger::Verdict::Partly if settled.aspect == Some(CheckAspect::SecondOpinion) => {
            "Contested: one judge calls it supported, the second one does not.".to_owned()
        }
        verdict => DisplayVerdict::from(verdict).meaning().to_owned(),
    }
}

fn derived(derived: &ledger::claim::DerivedFigure) -> ReportDerivation {
    ReportDerivation {
        formula: text::line(&derived.formula, WORDS_CHARACTERS_MAX),
        stated: text::line(&derived.stated, NAME_CHARACTERS_MAX),
        computed: derived.computed.as_deref().map(|value| text::line(value, NAME_CHARACTERS_MAX)),
        holds: derived.holds,
    }
}
