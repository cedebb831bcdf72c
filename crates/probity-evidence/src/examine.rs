//! Examines a whole report: split into claims, each compared with the pages it cites; what the rules leave
//! open becomes questions to a judge.
//!
//! The same report and pages give the same ledger on every machine: a bundle is verified by repeating this.

mod claims;
mod conflicts;
mod pages;

use std::sync::atomic::{AtomicBool, Ordering};

use probity_types::{
    checking::task::{ExamineRequest, JudgeLocation},
    ledger::{
        CLAIMS_MAX, Check, CheckAspect, CheckAuthor, Claim, JudgeQuestion, Ledger, Opinion,
        PASSAGES_PER_CLAIM, Passage, SourceConflict,
    },
    report::Report,
    time::Moment,
};

use self::{claims::LedgerClaims, pages::PreparedPageSet};
use crate::{
    anchor::anchor,
    compare::{
        self, ClaimComparison, Comparison, ComparisonContext, ComparisonSource, RuleLeaning,
        veto::SUPPORT_DOUBT_MAX,
    },
    hash::QuickMap,
    locate::{LocatedPassage, locate},
    repair_citations::repair_citations,
};

/// Version of these rules; written beside every check.
pub const VERSION: &str = "probity-checks/1";
/// Longest passage that is recorded, in bytes: a longer sentence is cut.
const PASSAGE_BYTES_MAX: usize = 1_000;
/// A claim with fewer words is no quotation by itself.
const VERBATIM_WORDS_MIN: usize = 6;
/// Share of a claim's words that the page must have before it is looked for word for word.
const VERBATIM_COVERAGE_MIN: f32 = 0.9;
/// Confidence of what is certain: the words are there or not.
const CERTAIN: u8 = 99;

/// The report with its new ledger. Nothing here can call a claim supported.
pub fn examine(ask: &ExamineRequest) -> Report {
    examine_until(ask, &AtomicBool::new(false)).unwrap_or_else(|| ask.report.clone())
}

/// The same; none once `stop` is set, which is looked at every few milliseconds of work.
pub fn examine_until(ask: &ExamineRequest, stop: &AtomicBool) -> Option<Report> {
    let goes_on = || (!stop.load(Ordering::Relaxed)).then_some(());
    let (mended, told) = match ask.given {
        // A user's own text is judged as it is.
        true => (ask.report.clone(), Vec::new()),
        false => repair_citations(&ask.report, &ask.pages, stop)?,
    };
    let report = &mended;
    let split = claims::split(report, CLAIMS_MAX, stop)?;
    let library = PreparedPageSet::of(&split.cited, ask, stop)?;
    let mut examiner = ReportExaminer {
        library: &library,
        ledger: Ledger {
            checker: VERSION.to_owned(),
            sentences: split.sentences.clone(),
            claims: split.claims.clone(),
            sources: library.sources.clone(),
            altered: library.altered.clone(),
            mended: if ask.given { split.faults.clone() } else { told },
            unread: split.unread.clone(),
            ..Ledger::default()
        },
        judging: ask.judging,
        at: ask.at,
        passages: QuickMap::default(),
    };
    for claim in &split.claims {
        goes_on()?;
        examiner.claim(claim);
    }
    examiner.disagreements(&split, stop)?;
    examiner.arithmetic(&split);
    Some(Report { ledger: Some(Box::new(examiner.ledger)), ..report.clone() })
}

struct ReportExaminer<'a> {
    library: &'a PreparedPageSet,
    ledger: Ledger,
    judging: JudgeLocation,
    at: Moment,
    /// Where a source's passage is in the ledger.
    passages: QuickMap<(u32, usize, usize), usize>,
}

/// A cited page that can be read, with the passages of it that a claim most likely rests on.
struct OpenPage<'a> {
    place: u32,
    book: &'a pages::PreparedPage,
    passages: Vec<LocatedPassage>,
}

impl<'a> ReportExaminer<'a> {
    fn claim(&mut self, claim: &Claim) {
        if claim.cites.is_empty() {
            return;
        }
        let library = self.library;
        let opened: Vec<OpenPage<'a>> = claim
            .cites
            .iter()
            .filter_map(|place| {
                let book = library.page(*place)?;
                let passages = locate(&claim.words, &book.page, PASSAGES_PER_CLAIM);
                Some(OpenPage { place: *place, book, passages })
            })
            .collect();
        if opened.is_empty() {
            return;
        }
        let sources: Vec<ComparisonSource<'_>> =
            opened.iter().map(|opened| source(opened, self.at)).collect();
        let (comparison, single) = compare::compare_each(&claim.words, &sources);
        let contested = self.conflicts(claim, &opened, &single);
        let verdicts_so_far = self.ledger.checks.len();
        self.quotations(claim, &opened, comparison.coverage);
        self.remarks(claim, &opened, &comparison, contested);
        let refuted = self
            .ledger
            .checks
            .iter()
            .skip(verdicts_so_far)
            .any(|check| matches!(check.opinion, Opinion::Contradicts | Opinion::Absent));
        if !refuted {
            self.question(claim, &opened);
        }
    }

    fn check(&self, claim: &Claim, aspect: CheckAspect, opinion: Opinion) -> Check {
        Check {
            claim: claim.id,
            aspect,
            opinion,
            by: CheckAuthor::Rules { version: VERSION.to_owned() },
            confidence: CERTAIN,
            source: None,
            span: None,
            page: None,
            at: self.at,
            reason: String::new(),
        }
    }

    fn at(&self, check: Check, opened: &OpenPage<'_>, span: Option<(usize, usize)>) -> Check {
        Check { source: Some(opened.place), span, page: Some(opened.book.snapshot), ..check }
    }

    /// What is between quotation marks must be on one of the pages; a claim without any may itself be a
    /// quotation.
    fn quotations(&mut self, claim: &Claim, opened: &[OpenPage<'_>], coverage: f32) {
        let find = |quotation: &str| {
            opened.iter().find_map(|opened| {
                // Only what matches word for word is called quoted.
                let anchored =
                    anchor(quotation, &opened.book.page).filter(|anchored| anchored.edits.is_empty())?;
                Some((opened, anchored.spans.first().copied()?))
            })
        };
        let all_readable = opened.len() == claim.cites.len();
        for quotation in &claim.quotations {
            let found = match find(quotation) {
                Some((opened, span)) => {
                    let check = self.check(claim, CheckAspect::Quotation, Opinion::Quoted);
                    self.at(
                        Check { reason: format!("“{}” stands there", short(quotation)), ..check },
                        opened,
                        Some(span),
                    )
                }
                // It may be on the page that could not be read.
                None if !all_readable => continue,
                None => Check {
                    reason: format!("“{}” does not stand on the cited page", short(quotation)),
                    ..self.check(claim, CheckAspect::Quotation, Opinion::Absent)
                },
            };
            self.ledger.checks.push(found);
        }
        let words = claim.words.split_whitespace().count();
        let long_enough =
            words >= VERBATIM_WORDS_MIN || claim.words.chars().count() >= 4 * VERBATIM_WORDS_MIN;
        if claim.quotations.is_empty()
            && long_enough
            && coverage >= VERBATIM_COVERAGE_MIN
            && let Some((opened, span)) = find(&claim.words)
        {
            let check = self.check(claim, CheckAspect::Quotation, Opinion::Quoted);
            let reason = "it stands there word for word".to_owned();
            let check = self.at(Check { reason, ..check }, opened, Some(span));
            self.ledger.checks.push(check);
        }
    }

    /// What contradicts the claim, or that nothing does.
    fn remarks(
        &mut self,
        claim: &Claim,
        opened: &[OpenPage<'_>],
        comparison: &ClaimComparison,
        contested: bool,
    ) {
        let all_readable = opened.len() == claim.cites.len();
        let mut against = false;
        for remark in &comparison.remarks {
            let opinion = match compare::remark_leaning(remark, comparison.doubt) {
                RuleLeaning::Open => continue,
                RuleLeaning::Qualified if remark.finding == Comparison::Absent && !all_readable => continue,
                RuleLeaning::Qualified => Opinion::Qualifies,
                // It may be on the page that could not be read.
                RuleLeaning::NotInSource if !all_readable => continue,
                RuleLeaning::NotInSource => Opinion::Absent,
                // Sources that disagree are shown side by side; which one is right is not decided here.
                RuleLeaning::Contradicted if contested => continue,
                RuleLeaning::Contradicted => Opinion::Contradicts,
            };
            against = true;
            let check = Check {
                confidence: remark.confidence,
                reason: remark.reason.clone(),
                ..self.check(claim, aspect(remark.aspect), opinion)
            };
            let only = opened.first().filter(|_| opened.len() == 1);
            let check = match only {
                Some(only) => self.at(check, only, remark.span),
                None => check,
            };
            self.ledger.checks.push(check);
        }
        if !against && comparison.doubt > SUPPORT_DOUBT_MAX {
            let reason =
                format!("only {:.0} % of its words are where it should be", 100.0 * comparison.coverage);
            let check =
                Check { reason, confidence: 60, ..self.check(claim, CheckAspect::Coverage, Opinion::Doubts) };
            self.ledger.checks.push(check);
        } else if !against {
            let reason = format!(
                "nothing speaks against it; {:.0} % of its words are there",
                100.0 * comparison.coverage
            );
            let check =
                Check { reason, confidence: 50, ..self.check(claim, CheckAspect::Coverage, Opinion::Agrees) };
            self.ledger.checks.push(check);
        }
    }

    /// Pages of one claim that say different things about the same.
    fn conflicts(&mut self, claim: &Claim, opened: &[OpenPage<'_>], single: &[ClaimComparison]) -> bool {
        let Some((left, right, about)) = conflicts::page_conflict(single) else { return false };
        let (Some(one), Some(other)) = (opened.get(left.0), opened.get(right.0)) else { return false };
        let (left, right) = (self.passage(one, left.1), self.passage(other, right.1));
        let same_origin = self.library.origin(one.place) == self.library.origin(other.place);
        self.ledger.conflicts.push(SourceConflict { claim: claim.id, left, right, about, same_origin });
        true
    }

    /// Records a passage, once.
    fn passage(&mut self, opened: &OpenPage<'_>, (start, end): (usize, usize)) -> u32 {
        let text = opened.book.page.text();
        let end = text.floor_char_boundary(end.min(start.saturating_add(PASSAGE_BYTES_MAX)));
        let place = *self.passages.entry((opened.place, start, end)).or_insert_with(|| {
            let words = text.get(start..end).unwrap_or_default().to_owned();
            self.ledger.passages.push(Passage { source: opened.place, start, end, text: words });
            self.ledger.passages.len() - 1
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// The claim with its best passages, for a judge. Every page gets one passage before any gets two.
    fn question(&mut self, claim: &Claim, opened: &[OpenPage<'_>]) {
        let shown: Vec<&OpenPage<'_>> = match self.judging {
            JudgeLocation::Absent => return,
            JudgeLocation::Local => opened.iter().collect(),
            // The user's own files stay on this machine.
            JudgeLocation::Remote => opened.iter().filter(|opened| !opened.book.is_local).collect(),
        };
        let mut passages = Vec::new();
        for rank in 0..PASSAGES_PER_CLAIM {
            for opened in &shown {
                if let Some(located) = opened.passages.get(rank)
                    && passages.len() < PASSAGES_PER_CLAIM.max(shown.len())
                {
                    passages.push(self.passage(opened, (located.start, located.end)));
                }
            }
        }
        if !passages.is_empty() {
            self.ledger.questions.push(JudgeQuestion { claim: claim.id, passages });
        }
    }

    /// Claims of one report that say different things about the same: each is shown with the other's passage.
    fn disagreements(&mut self, split: &LedgerClaims, stop: &AtomicBool) -> Option<()> {
        for (left, right, about) in conflicts::claim_conflicts(&split.claims, stop)? {
            let (Some(one), Some(other)) = (split.claims.get(left), split.claims.get(right)) else {
                continue;
            };
            let (Some(mine), Some(theirs)) = (self.best_passage(one), self.best_passage(other)) else {
                continue;
            };
            let origin = |claim: &Claim| claim.cites.first().and_then(|place| self.library.origin(*place));
            let same_origin = origin(one).is_some() && origin(one) == origin(other);
            for (claim, left, right) in [(one.id, mine, theirs), (other.id, theirs, mine)] {
                self.ledger.conflicts.push(SourceConflict {
                    claim,
                    left,
                    right,
                    about: about.clone(),
                    same_origin,
                });
            }
        }
        Some(())
    }

    /// The passage that a claim most likely rests on, in the first page of it that can be read.
    fn best_passage(&mut self, claim: &Claim) -> Option<u32> {
        let library = self.library;
        let (place, book) = claim.cites.iter().find_map(|place| Some((*place, library.page(*place)?)))?;
        let passages = locate(&claim.words, &book.page, 1);
        let best = passages.first().map(|located| (located.start, located.end))?;
        Some(self.passage(&OpenPage { place, book, passages: Vec::new() }, best))
    }

    /// Derived figures, computed again.
    fn arithmetic(&mut self, split: &LedgerClaims) {
        for (claim, derived) in split.claims.iter().filter_map(|claim| Some((claim, claim.derived.as_ref()?)))
        {
            let Some(holds) = derived.holds else { continue };
            let opinion = if holds { Opinion::Agrees } else { Opinion::Contradicts };
            let computed = derived.computed.as_deref().unwrap_or_default();
            let reason = match holds {
                true => format!("{} = {computed}", derived.formula),
                false => format!("{} = {computed}, not {}", derived.formula, derived.stated),
            };
            let check = Check { reason, ..self.check(claim, CheckAspect::Arithmetic, opinion) };
            self.ledger.checks.push(check);
        }
    }
}

fn source<'a>(opened: &'a OpenPage<'_>, at: Moment) -> ComparisonSource<'a> {
    let year = |date: &str| date.get(..4).and_then(|year| year.parse().ok());
    ComparisonSource {
        page: &opened.book.page,
        facts: &opened.book.facts,
        passages: &opened.passages,
        context: ComparisonContext {
            year_now: year(&at.date()),
            year_published: opened.book.published.as_deref().and_then(year),
        },
    }
}

fn aspect(of: compare::ComparisonAspect) -> CheckAspect {
    match of {
        compare::ComparisonAspect::Number => CheckAspect::Number,
        compare::ComparisonAspect::Unit => CheckAspect::Unit,
        compare::ComparisonAspect::Date => CheckAspect::Date,
        compare::ComparisonAspect::Name => CheckAspect::Name,
        compare::ComparisonAspect::Polarity => CheckAspect::Polarity,
        compare::ComparisonAspect::Comparison => CheckAspect::Comparison,
        compare::ComparisonAspect::Hedge => CheckAspect::Hedge,
        compare::ComparisonAspect::Scope => CheckAspect::Scope,
        compare::ComparisonAspect::Attribution => CheckAspect::Attribution,
        compare::ComparisonAspect::Freshness => CheckAspect::Freshness,
        compare::ComparisonAspect::Coverage => CheckAspect::Coverage,
    }
}

fn short(quotation: &str) -> String {
    probity_types::text::line(quotation, 80)
}

#[cfg(test)]
mod tests;
