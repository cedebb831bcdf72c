//! What changed between two checks of one text: claims whose verdict flipped, with the difference of the passage.

use std::collections::BTreeMap;

use probity_types::{
    ledger::{
        Check, CheckAuthor, Claim, ClaimId, ClaimVerdict, Ledger, NotCheckedReason, Opinion, SourceState,
        Verdict, verdict,
    },
    text,
    web::page::Provenance,
};
use serde::Serialize;

const PASSAGE_CHARACTERS_MAX: usize = 400;

/// A claim whose verdict is another than before, or against which a rule found something new where nobody judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerdictChange {
    /// In the newer ledger.
    pub claim: ClaimId,
    pub words: String,
    pub before: String,
    pub now: String,
    /// The verdict was better before.
    pub worse: bool,
    /// `-` what the page said, `+` what it says now.
    pub difference: String,
}

pub fn verdict_changes(before: &Ledger, now: &Ledger) -> Vec<VerdictChange> {
    let mut known: Vec<(&Claim, &ClaimVerdict, bool)> =
        before.claims.iter().zip(&before.settled).map(|(claim, settled)| (claim, settled, false)).collect();
    let (known_objections, objections) = (objections(before), objections(now));
    let mut found = Vec::new();
    for (claim, settled) in now.claims.iter().zip(&now.settled) {
        // The same words; where they occur twice, in the same order.
        let Some(old) = known.iter_mut().find(|(old, _, taken)| !taken && old.words == claim.words) else {
            continue;
        };
        old.2 = true;
        let (old_claim, old_settled) = (old.0, old.1);
        // That nobody reads a file of this machine again is no change of what stands in it.
        let is_unread =
            matches!(settled.verdict, Verdict::NotChecked { .. }) && rests_on_files(before, old_claim);
        let news = page_news((&known_objections, old_claim, old_settled), (&objections, claim, settled));
        let is_same = old_settled.verdict.name() == settled.verdict.name() && news.is_none();
        if is_same || is_unread {
            continue;
        }
        let is_worse = rank(&settled.verdict) < rank(&old_settled.verdict);
        found.push(VerdictChange {
            claim: claim.id,
            words: claim.words.clone(),
            before: old_settled.verdict.to_string(),
            worse: is_worse || news.is_some(),
            now: match news {
                Some(news) => format!("{}; {news}", settled.verdict),
                None => settled.verdict.to_string(),
            },
            difference: difference((before, old_claim, old_settled), (now, claim, settled)),
        });
    }
    found
}

/// What the page no longer says, where no judge says so: the words that were quoted, or what a rule now speaks against.
fn page_news(
    old: (&RuleObjections<'_>, &Claim, &ClaimVerdict),
    new: (&RuleObjections<'_>, &Claim, &ClaimVerdict),
) -> Option<String> {
    // Otherwise somebody judged, or nothing was looked at this time.
    let why = [NotCheckedReason::NoJudge, NotCheckedReason::Budget].map(|why| Verdict::NotChecked { why });
    if !why.contains(&new.2.verdict) {
        return None;
    }
    let known = old.0.get(&old.1.id).map(Vec::as_slice).unwrap_or_default();
    let found = new.0.get(&new.1.id).map(Vec::as_slice).unwrap_or_default();
    let is_new = |check: &&&Check| !known.iter().any(|old| old.aspect == check.aspect);
    let said = found.iter().find(is_new).map(|check| text::line(&check.reason, PASSAGE_CHARACTERS_MAX));
    let was_quoted = old.2.verdict == Verdict::Quoted;
    said.or_else(|| was_quoted.then(|| "its words do not stand on the page as they did".to_owned()))
}

/// What rules say against each claim, whether or not that decides it.
type RuleObjections<'a> = BTreeMap<ClaimId, Vec<&'a Check>>;

fn objections(ledger: &Ledger) -> RuleObjections<'_> {
    let mut found = RuleObjections::new();
    for check in &ledger.checks {
        let of_rules = matches!(check.by, CheckAuthor::Rules { .. });
        let opinion = check.opinion();
        if of_rules && (verdict::speaks_against(opinion) || opinion == Opinion::Doubts) {
            found.entry(check.claim).or_default().push(check);
        }
    }
    found
}

/// Whether all that a claim cites are files of the user's own: only pages of the web are fetched again.
pub fn rests_on_files(ledger: &Ledger, claim: &Claim) -> bool {
    let is_file = |cited: &u32| {
        let source = usize::try_from(*cited).ok().and_then(|place| ledger.sources.get(place));
        source.is_some_and(|source| {
            matches!(&source.state, SourceState::Kept { provenance: Provenance::LocalFile, .. })
        })
    };
    !claim.cites.is_empty() && claim.cites.iter().all(is_file)
}

fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Contradicted => 0,
        Verdict::NotInSource | Verdict::DoesNotFollow => 1,
        Verdict::NotChecked { .. } | Verdict::CheckFailed { .. } => 2,
        Verdict::Partly => 3,
        Verdict::Qualified => 4,
        Verdict::Quoted => 5,
        Verdict::Supported | Verdict::Follows => 6,
    }
}

fn difference(old: (&Ledger, &Claim, &ClaimVerdict), new: (&Ledger, &Claim, &ClaimVerdict)) -> String {
    let (was, is) = (evidence(old.0, old.1, old.2), evidence(new.0, new.1, new.2));
    if was == is { format!("  {was}") } else { format!("- {was}\n+ {is}") }
}

/// The passage that a claim rests on, or why there is none.
fn evidence(ledger: &Ledger, claim: &Claim, settled: &ClaimVerdict) -> String {
    let of_span = settled.source.zip(settled.span).and_then(|(source, (start, end))| {
        let holds = |passage: &&probity_types::ledger::Passage| {
            passage.source == source && passage.start <= start && end <= passage.end
        };
        ledger.passages.iter().find(holds)
    });
    let of_question = || {
        let question = ledger.questions.iter().find(|question| question.claim == claim.id)?;
        ledger.passages.get(usize::try_from(*question.passages.first()?).ok()?)
    };
    let passage =
        of_span.or_else(of_question).map(|passage| text::line(&passage.text, PASSAGE_CHARACTERS_MAX));
    let lost = || {
        let source = ledger.sources.get(usize::try_from(*claim.cites.first()?).ok()?)?;
        match &source.state {
            SourceState::Unreachable { why, .. } => Some(format!("(not read: {})", text::line(why, 200))),
            SourceState::Kept { .. } => None,
        }
    };
    passage.or_else(lost).unwrap_or_else(|| match settled.reason.is_empty() {
        true => "(no passage)".to_owned(),
        false => format!("({})", text::line(&settled.reason, PASSAGE_CHARACTERS_MAX)),
    })
}
