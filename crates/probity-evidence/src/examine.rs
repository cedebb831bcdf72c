//! Examines a whole report: split into claims, each compared with the pages it cites; what the rules leave
//! open becomes questions to a judge.
//!
//! The same report and pages give the same ledger on every machine: a bundle is verified by repeating this.

mod claims;
mod conflicts;
mod inferences;
mod naming;
mod pages;
mod repeats;
mod shown;
mod subject;

use std::sync::atomic::{AtomicBool, Ordering};

use probity_types::{
    checking::task::{ExamineRequest, JudgeLocation},
    ledger::{
        CLAIMS_MAX, Check, CheckAspect, CheckAuthor, Claim, ClaimKind, JudgeQuestion, Ledger, Opinion,
        PASSAGES_PER_CLAIM, Passage, SkippedParts, SourceConflict,
        verdict::{RULE_DECIDES_PERCENT, is_final},
    },
    report::Report,
    time::Moment,
};

use self::{
    claims::LedgerClaims,
    pages::PreparedPageSet,
    subject::{ClaimLead, ClaimSubject, have_same_identifiers, subject_words},
};
use crate::{
    anchor::anchor,
    compare::{
        self, ClaimComparison, Comparison, ComparisonContext, ComparisonSource, RuleLeaning,
        veto::SUPPORT_DOUBT_MAX,
    },
    hash::QuickMap,
    locate::{LocatedPassage, locate},
    locate_across::locate_across_languages,
    repair_citations::repair_citations,
    words,
};

/// Version of these rules; written beside every check.
pub const VERSION: &str = "probity-checks/1";
/// Longest passage that is recorded, in bytes: a longer sentence is cut.
const PASSAGE_BYTES_MAX: usize = 1_000;
/// Passages of a page that a judge is shown whatever they score.
const PASSAGES_SURE: usize = 2;
/// Part of the best passage's score from which a further one is worth a judge's time.
const TELLING_SHARE: f32 = 0.4;
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
    let mut read = claims::read(report, stop)?;
    let library = PreparedPageSet::of(&read.cited, ask, stop)?;
    let labels = naming::count_names(&mut read, &report.text, &library);
    let mut split = claims::claims_of(report, read, &labels, ask.claims_max.min(CLAIMS_MAX));
    inferences::mark_inferences(&mut split.claims, &ask.report, &report.text);
    let mut examiner = ReportExaminer {
        library: &library,
        ledger: Ledger {
            checker: VERSION.to_owned(),
            sentences: split.sentences.clone(),
            claims: split.claims.clone(),
            sources: library.sources.clone(),
            altered: library.altered.clone(),
            mended: if ask.given { split.faults.clone() } else { told },
            unread: unread(ask, &split),
            skipped: skipped(ask, &split),
            ..Ledger::default()
        },
        judging: ask.judging,
        at: ask.at,
        passages: QuickMap::default(),
    };
    for (claim, lead) in split.claims.iter().zip(&split.leads) {
        goes_on()?;
        examiner.claim(claim, lead);
    }
    examiner.disagreements(&split, stop)?;
    examiner.arithmetic(&split);
    Some(Report { ledger: Some(Box::new(examiner.ledger)), ..report.clone() })
}

/// What was left out before the text came here, and what is left out of it.
fn unread(ask: &ExamineRequest, split: &LedgerClaims) -> Vec<String> {
    let before = ask.report.ledger.as_deref().filter(|_| ask.given);
    let mut unread = before.map(|ledger| ledger.unread.clone()).unwrap_or_default();
    for line in &split.unread {
        if !unread.contains(line) {
            unread.push(line.clone());
        }
    }
    unread
}

/// What was skipped before the text came here, such as a page's menus, and what is skipped of it.
fn skipped(ask: &ExamineRequest, split: &LedgerClaims) -> Vec<SkippedParts> {
    let before = ask.report.ledger.iter().filter(|_| ask.given).flat_map(|ledger| &ledger.skipped);
    let is_told = |parts: &SkippedParts| split.skipped.iter().any(|own| own.kind == parts.kind);
    split.skipped.iter().chain(before.filter(|parts| !is_told(parts))).copied().collect()
}

struct ReportExaminer<'a> {
    library: &'a PreparedPageSet,
    ledger: Ledger,
    judging: JudgeLocation,
    at: Moment,
    /// Where a source's passage is in the ledger, with and without what stands next to it.
    passages: QuickMap<(u32, usize, usize, bool), usize>,
}

/// A cited page that can be read, with the passages of it that a claim most likely rests on.
struct OpenPage<'a> {
    place: u32,
    book: &'a pages::PreparedPage,
    passages: Vec<LocatedPassage>,
}

impl<'a> ReportExaminer<'a> {
    fn claim(&mut self, claim: &Claim, lead: &ClaimLead) {
        if claim.kind == ClaimKind::Inference {
            self.inference(claim);
            return;
        }
        if claim.cites.is_empty() {
            return;
        }
        let library = self.library;
        let words = claim.words_to_compare();
        let opened: Vec<OpenPage<'a>> = claim
            .cites
            .iter()
            .filter_map(|place| {
                let book = library.page(*place)?;
                let passages = locate(&words, &book.page, PASSAGES_PER_CLAIM);
                Some(OpenPage { place: *place, book, passages })
            })
            .collect();
        if opened.is_empty() {
            return;
        }
        let opened: Vec<OpenPage<'a>> = opened.into_iter().map(|opened| self.across(claim, opened)).collect();
        let sources: Vec<ComparisonSource<'_>> =
            opened.iter().map(|opened| source(opened, self.at)).collect();
        let (comparison, single) = compare::compare_each(&words, &sources);
        let contested = self.conflicts(claim, &words, lead, &opened, &single);
        let verdicts_so_far = self.ledger.checks.len();
        self.quotations(claim, &opened, &comparison);
        self.remarks(claim, &opened, &comparison, contested);
        self.soften_inherited(claim, verdicts_so_far);
        let checks = self.ledger.checks.get(verdicts_so_far..).unwrap_or_default();
        // A judge hears the witnesses and decides; against what is certain there is nothing to ask.
        if !checks.iter().any(is_final) {
            let witnesses = witnesses(checks);
            self.question(claim, &opened, comparison.coverage, witnesses);
        }
    }

    /// For a claim in another language than its page: first the passages that need no translation.
    fn across(&self, claim: &Claim, opened: OpenPage<'a>) -> OpenPage<'a> {
        let book = opened.book;
        if !compare::is_foreign(&claim.words, &source(&opened, self.at)) {
            return opened;
        }
        let mut passages = locate_across_languages(&claim.words, &book.page, &book.facts, PASSAGES_PER_CLAIM);
        let known: Vec<usize> = passages.iter().map(|passage| passage.start).collect();
        passages.extend(opened.passages.iter().filter(|other| !known.contains(&other.start)));
        passages.truncate(PASSAGES_PER_CLAIM);
        OpenPage { passages, ..opened }
    }

    fn has_foreign_page(&self, claim: &Claim, opened: &[OpenPage<'_>]) -> bool {
        opened.iter().any(|opened| compare::is_foreign(&claim.words, &source(opened, self.at)))
    }

    /// A citation that a sentence only takes over may belong to its neighbours alone: a page that lacks it, or says
    /// something else, is a doubt and refutes nothing.
    fn soften_inherited(&mut self, claim: &Claim, first: usize) {
        let Some(place) = claim.inherited else { return };
        for check in self.ledger.checks.iter_mut().skip(first) {
            if matches!(check.opinion, Opinion::Contradicts | Opinion::Absent | Opinion::Qualifies) {
                check.opinion = Opinion::Doubts;
                check.reason = format!(
                    "it cites nothing itself, and the page cited {} differs: {}",
                    place.as_str(),
                    check.reason
                );
            }
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
    fn quotations(&mut self, claim: &Claim, opened: &[OpenPage<'_>], comparison: &ClaimComparison) {
        let find = |quotation: &str| {
            opened.iter().find_map(|opened| {
                // Only what matches word for word is called quoted.
                let anchored =
                    anchor(quotation, &opened.book.page).filter(|anchored| anchored.edits.is_empty())?;
                Some((opened, anchored.spans.first().copied()?))
            })
        };
        let all_readable = opened.len() == claim.cites.len();
        let attribution =
            |doubt: &compare::ComparisonRemark| doubt.aspect == compare::ComparisonAspect::Attribution;
        let misattributed = comparison.doubts.iter().any(attribution);
        for quotation in &claim.quotations {
            let found = match find(quotation) {
                Some((opened, span)) => {
                    let opinion = match misattributed || !carries(quotation, &claim.words) {
                        true => Opinion::Agrees,
                        false => Opinion::Quoted,
                    };
                    let check = self.check(claim, CheckAspect::Quotation, opinion);
                    self.at(
                        Check { reason: format!("“{}” stands there", short(quotation)), ..check },
                        opened,
                        Some(span),
                    )
                }
                // It may be on the page that could not be read.
                None if !all_readable => continue,
                // A word in quotation marks is often the author's own.
                None if is_single_word(quotation) => continue,
                // In another language than its page it may be a translation: whoever reads both decides.
                None if self.has_foreign_page(claim, opened) => Check {
                    reason: format!(
                        "“{}” is not on the page, which is in another language",
                        short(quotation)
                    ),
                    confidence: 50,
                    ..self.check(claim, CheckAspect::Quotation, Opinion::Doubts)
                },
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
            && !comparison.drops_reservation()
            && comparison.coverage >= VERBATIM_COVERAGE_MIN
            && let Some((opened, span)) = find(&claim.words)
        {
            let (opinion, reason) = match compare::reported::lead(opened.book.page.text(), span) {
                None => (Opinion::Quoted, "it stands there word for word".to_owned()),
                Some(lead) => (Opinion::Doubts, format!("the page only tells of it: “{}”", short(lead))),
            };
            let check = self.check(claim, CheckAspect::Quotation, opinion);
            let confidence = if opinion == Opinion::Quoted { check.confidence } else { 60 };
            let check = self.at(Check { reason, confidence, ..check }, opened, Some(span));
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
            let confidence = match remark.is_restated {
                true => remark.confidence,
                // In other words than the page's: what is missing may be computed, rounded or paraphrased.
                false => remark.confidence.min(RULE_DECIDES_PERCENT - 1),
            };
            let check = Check {
                confidence,
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
        for doubt in &comparison.doubts {
            let check = Check {
                confidence: doubt.confidence,
                reason: doubt.reason.clone(),
                ..self.check(claim, aspect(doubt.aspect), Opinion::Doubts)
            };
            let check = match opened {
                [only] => self.at(check, only, doubt.span),
                _ => check,
            };
            self.ledger.checks.push(check);
        }
        if !against && comparison.doubt > SUPPORT_DOUBT_MAX {
            let reason = format!(
                "only {:.0} % of its words are where it should be",
                100.0 * comparison.coverage.abs()
            );
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
    fn conflicts(
        &mut self,
        claim: &Claim,
        words: &str,
        lead: &ClaimLead,
        opened: &[OpenPage<'_>],
        single: &[ClaimComparison],
    ) -> bool {
        let library = self.library;
        let is_about_it = |found: &conflicts::PageDifference| {
            let (left, right) = (found.agreeing, found.differing);
            let (Some(one), Some(other)) = (opened.get(left.0), opened.get(right.0)) else { return false };
            if !library.are_two(one.place, other.place) {
                return false;
            }
            // A copy speaks of what its original speaks of, unless both are one form filled in twice.
            if library.are_altered(one.place, other.place) {
                return have_same_identifiers((one.book, left.1), (other.book, right.1));
            }
            let subject = ClaimSubject::of(words, lead);
            subject.counts(found.part.0) && subject.is_on(other.book, right.1)
        };
        let Some((left, right, about)) = conflicts::page_conflict(single, is_about_it) else { return false };
        let (Some(one), Some(other)) = (opened.get(left.0), opened.get(right.0)) else { return false };
        let (left, right) = (self.passage(one, left.1), self.passage(other, right.1));
        let same_origin = self.library.origin(one.place) == self.library.origin(other.place);
        self.ledger.conflicts.push(SourceConflict { claim: claim.id, left, right, about, same_origin });
        true
    }

    /// Records a passage, once, with the sentences next to it.
    fn passage(&mut self, opened: &OpenPage<'_>, place: (usize, usize)) -> u32 {
        self.record_passage(opened, place, true)
    }

    /// A passage beside others of its page needs no neighbours: whoever reads it has them, or goes without.
    fn record_passage(
        &mut self,
        opened: &OpenPage<'_>,
        (start, end): (usize, usize),
        with_neighbours: bool,
    ) -> u32 {
        let text = opened.book.page.text();
        let end = text.floor_char_boundary(end.min(start.saturating_add(PASSAGE_BYTES_MAX)));
        // Once in each form: what one claim's passages look like must not depend on another claim.
        let place = *self.passages.entry((opened.place, start, end, with_neighbours)).or_insert_with(|| {
            let words = text.get(start..end).unwrap_or_default().to_owned();
            let context = match with_neighbours {
                true => opened.book.context(start, end),
                false => opened.book.context_alone(start, end),
            };
            self.ledger.passages.push(Passage { source: opened.place, start, end, text: words, context });
            self.ledger.passages.len() - 1
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// The claim with its best passages, for a judge.
    fn question(&mut self, claim: &Claim, opened: &[OpenPage<'_>], coverage: f32, witnesses: Vec<String>) {
        let shown: Vec<&OpenPage<'_>> = match self.judging {
            JudgeLocation::Absent => return,
            JudgeLocation::Local => opened.iter().collect(),
            // The user's own files stay on this machine.
            JudgeLocation::Remote => opened.iter().filter(|opened| !opened.book.is_local).collect(),
        };
        let mut passages = Vec::new();
        for passage in shown::choose(&claim.words_to_compare(), coverage, &shown, &witnesses) {
            if let Some(opened) = shown.get(passage.page) {
                let place = (passage.start, passage.end);
                passages.push(self.record_passage(opened, place, passage.by_words));
            }
        }
        if !passages.is_empty() {
            self.ledger.questions.push(JudgeQuestion { claim: claim.id, passages, witnesses });
        }
    }

    /// Claims of one report that say different things about the same: each is shown with the other's passage.
    fn disagreements(&mut self, split: &LedgerClaims, stop: &AtomicBool) -> Option<()> {
        let library = self.library;
        let title = |claim: &Claim| {
            let book = claim.cites.iter().find_map(|place| library.page(*place));
            book.map(|book| subject_words(book.title())).unwrap_or_default()
        };
        for conflict in conflicts::claim_conflicts(&split.claims, &split.leads, title, stop)? {
            let claims = (split.claims.get(conflict.left), split.claims.get(conflict.right));
            let (Some(one), Some(other)) = claims else { continue };
            let leads = (split.leads.get(conflict.left), split.leads.get(conflict.right));
            let (Some(my_lead), Some(their_lead)) = leads else { continue };
            // The sources disagree only if each has what its claim says, of what the claim speaks of.
            let mine = self.stating(one, my_lead, &conflict.figures.0);
            let theirs = self.stating(other, their_lead, &conflict.figures.1);
            let mut pairs = mine.iter().flat_map(|left| theirs.iter().map(move |right| (*left, *right)));
            let Some((left, right)) = pairs.find(|(left, right)| library.are_two(*left, *right)) else {
                continue;
            };
            let same_origin = library.origin(left).is_some() && library.origin(left) == library.origin(right);
            let passages = (self.best_passage(one, left), self.best_passage(other, right));
            let (Some(mine), Some(theirs)) = passages else { continue };
            for (claim, left, right) in [(one.id, mine, theirs), (other.id, theirs, mine)] {
                self.ledger.conflicts.push(SourceConflict {
                    claim,
                    left,
                    right,
                    about: conflict.about.clone(),
                    same_origin,
                });
            }
        }
        Some(())
    }

    /// The pages that a claim cites and that have this number or date of what it speaks of.
    fn stating(&self, claim: &Claim, lead: &ClaimLead, figure: &str) -> Vec<u32> {
        let subject = ClaimSubject::of(&claim.words, lead);
        let states =
            |place: &&u32| self.library.page(**place).is_some_and(|book| subject.is_stated_on(book, figure));
        claim.cites.iter().filter(states).copied().collect()
    }

    /// The passage of a page that a claim most likely rests on.
    fn best_passage(&mut self, claim: &Claim, place: u32) -> Option<u32> {
        let library = self.library;
        let book = library.page(place)?;
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

/// Words that a quotation must have to say something by itself; two characters count as one in scripts without spaces.
const QUOTATION_WORDS_MIN: usize = 4;
/// Share of the claim's words, in percent, that a quotation must have to carry it.
const QUOTATION_PERCENT_MIN: usize = 35;

/// Words as people count them.
fn count_words(text: &str) -> usize {
    let mut halves = 0_usize;
    words::each_word(text, |seen| halves += if seen.kind == words::WordKind::Dense { 1 } else { 2 });
    halves / 2
}

/// The quotation is long enough, and enough of the claim, for the claim to rest on it.
fn carries(quotation: &str, claim: &str) -> bool {
    let (quoted, all) = (count_words(quotation), count_words(claim));
    quoted >= QUOTATION_WORDS_MIN && 100 * quoted >= QUOTATION_PERCENT_MIN * all
}

/// A word or two between quotation marks quote nobody.
fn is_single_word(quotation: &str) -> bool {
    count_words(quotation) < 3
}

/// Remarks for a judge: more would be read as noise.
const WITNESSES_MAX: usize = 4;
const WITNESS_CHARACTERS_MAX: usize = 160;

/// What the rules hold against a claim, in words; the strongest come first.
fn witnesses(checks: &[Check]) -> Vec<String> {
    let mut against: Vec<&Check> = checks.iter().filter(|check| is_witness(check.opinion)).collect();
    against.sort_by_key(|check| std::cmp::Reverse(check.confidence));
    let remark = |check: &&Check| probity_types::text::line(&check.reason, WITNESS_CHARACTERS_MAX);
    against.iter().map(remark).take(WITNESSES_MAX).collect()
}

fn is_witness(opinion: Opinion) -> bool {
    matches!(opinion, Opinion::Contradicts | Opinion::Absent | Opinion::Qualifies | Opinion::Doubts)
}

fn short(quotation: &str) -> String {
    probity_types::text::line(quotation, 80)
}

/// Whether a passage adds to what the best one says of the claim.
fn tells_more(located: &LocatedPassage, best: Option<&LocatedPassage>) -> bool {
    best.is_none_or(|best| located.score >= best.score * TELLING_SHARE)
}

#[cfg(test)]
mod conflict_tests;
#[cfg(test)]
mod tests;
