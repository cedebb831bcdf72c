//! What an inquiry may do at most, what its calls are expected to cost, and how a budget makes it smaller.
//!
//! There are no dollars per depth: counts bound an inquiry, and its price follows from its model's. A dearer model
//! therefore finds no less unless the user states a budget.

use serde::{Deserialize, Serialize};

use super::{part::InquiryPart, window};
use crate::{
    cost::MicroUsd,
    web::{plan_cut::CutStep, strategy::StrategyLevel, task::WebTask},
};
use probity_types::{
    inquiry::{ModelRole, WantedFacet},
    web::bill::Bill,
};

/// Words of a report that a caller may ask for.
pub const WORDS_MIN: u32 = 150;
pub const WORDS_MAX: u32 = 15_000;
/// The window of a model of which nothing is known: what small models on this machine have.
pub const WINDOW_DEFAULT: u32 = 8_192;
/// What an estimate adds for prompts that turn out longer and calls that are made twice.
const ESTIMATE_PERCENT: u64 = 130;
/// The least that is worth doing: one line, four pages, one section.
const PAGES_MIN: u32 = 4;
/// How many times the planned pages are read where they are so short that this costs no more than planned.
const SHORT_PAGES_TIMES: u64 = 2;
/// The rules of today. A run keeps those that it was begun under: its queries, pages and sections are known by their
/// places, and another rule would put others there.
const EDITION: u32 = 4;

/// The most of everything, by depth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InquiryCaps {
    /// Facets, each followed by a line of its own.
    pub lines: u32,
    /// Rounds of searching; conflicts may add their own.
    pub rounds: u32,
    pub calls_at_once: u32,
    pub queries: u32,
    pub pages: u32,
    pub pages_per_site: u32,
    /// None: the facets are the outline.
    pub outline_rounds: u32,
    pub sections: u32,
    pub origins_per_facet: u32,
    /// Lines that one conflict earns.
    pub conflict_attempts: u32,
    pub minutes: u32,
    /// Rounds behind the planned ones that only follow names which pages mentioned.
    #[serde(default)]
    pub lead_rounds: u32,
}

impl InquiryCaps {
    pub fn of(depth: StrategyLevel) -> Self {
        let caps = |[
            lines,
            rounds,
            calls_at_once,
            queries,
            pages,
            pages_per_site,
            outline_rounds,
            sections,
            origins_per_facet,
            conflict_attempts,
            minutes,
            lead_rounds,
        ]: [u32; 12]| Self {
            lines,
            rounds,
            calls_at_once,
            queries,
            pages,
            pages_per_site,
            outline_rounds,
            sections,
            origins_per_facet,
            conflict_attempts,
            minutes,
            lead_rounds,
        };
        match depth {
            StrategyLevel::None | StrategyLevel::Shallow => caps([2, 1, 6, 4, 8, 3, 0, 2, 1, 0, 2, 0]),
            StrategyLevel::Medium => caps([5, 2, 8, 24, 30, 4, 2, 6, 2, 1, 8, 1]),
            StrategyLevel::Deep => caps([8, 4, 12, 72, 90, 6, 4, 10, 2, 2, 25, 3]),
            StrategyLevel::Exhaustive => caps([14, 6, 16, 180, 250, 10, 7, 18, 3, 3, 90, 3]),
        }
    }
}

/// What one role's model charges, in micro-dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolePrice {
    pub role: ModelRole,
    pub input: u64,
    pub output: u64,
}

/// What reading cost so far, as far as the model counted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadingTotal {
    pages: u64,
    tokens: u64,
}

impl ReadingTotal {
    pub fn add(&mut self, bill: &Bill) {
        let tokens = bill.usage.input_tokens.saturating_add(bill.usage.output_tokens);
        self.pages = self.pages.saturating_add(u64::from(tokens > 0));
        self.tokens = self.tokens.saturating_add(tokens);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InquiryPlan {
    pub depth: StrategyLevel,
    /// Words of the whole report.
    pub words: u32,
    /// The caller or the question said how many; the caller's count goes first.
    #[serde(default)]
    pub words_are_stated: bool,
    /// Of the report; otherwise that of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub caps: InquiryCaps,
    /// A role that is not here is free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<RolePrice>,
    /// Tokens that the smallest model in use takes at once, prompt and answer together.
    pub window: u32,
    /// Which rules the run was begun under; see `EDITION`.
    #[serde(default)]
    pub edition: u32,
    /// Parts that are taken out, to measure what they are worth; empty in every plan that planning makes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<InquiryPart>,
    /// Parts that the user wants looked into; the planner names the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<WantedFacet>,
}

impl InquiryPlan {
    pub fn new(depth: StrategyLevel, words: Option<u32>, language: Option<String>, window: u32) -> Self {
        Self {
            depth,
            words_are_stated: words.is_some(),
            words: words.unwrap_or_else(|| words_of(depth)).clamp(WORDS_MIN, WORDS_MAX),
            language,
            caps: InquiryCaps::of(depth),
            prices: Vec::new(),
            window: window.max(window::WINDOW_MIN),
            edition: EDITION,
            without: Vec::new(),
            facets: Vec::new(),
        }
    }

    /// With these parts before all others, as many as the depth has lines for.
    pub fn with_facets(mut self, facets: Vec<WantedFacet>) -> Self {
        let lines = usize::try_from(self.caps.lines).unwrap_or(usize::MAX);
        self.facets = facets.into_iter().take(lines).collect();
        self
    }

    pub fn has(&self, part: InquiryPart) -> bool {
        !self.without.contains(&part)
    }

    /// Whether names that pages mention have queries and rounds of their own, short pages count less, and quotations go
    /// where figures of their kind are told.
    pub fn follows_leads(&self) -> bool {
        self.edition >= 1
    }

    /// Whether the numbers and names of a written sentence are looked up in its quotations.
    pub fn looks_up_sentences(&self) -> bool {
        self.edition >= 2
    }

    /// Whether one quantity is known in other words, and results that promise another figure of something known are read.
    pub fn settles_doubts(&self) -> bool {
        self.edition >= 2
    }

    /// Whether the words that somebody asked for bound the report.
    pub fn keeps_words(&self) -> bool {
        self.edition >= 3 && self.words_are_stated
    }

    /// Whether a part with more quotations than one writer is shown goes on with a second one: the words that somebody
    /// asked for are told from all that was found.
    pub fn shows_all_quotes(&self) -> bool {
        self.edition >= 4 && self.words_are_stated
    }

    /// Whether the report's record says which sentences conclude, and how many attempts may come with those behind the
    /// planned ones.
    pub fn records_inferences(&self) -> bool {
        self.edition >= 4
    }

    /// Whether values are read in the words of quotations in the same language, and a disagreement is told in whichever
    /// section has one of its sides.
    pub fn tells_every_conflict(&self) -> bool {
        self.edition >= 4
    }

    /// Whether every part of the question is told or named as missing, instructions are no parts and no headings, and
    /// conclusions without what they rest on go.
    pub fn names_every_part(&self) -> bool {
        self.edition >= 4
    }

    /// Whether conclusions are spread over what can be compared: the ends of each row of figures, and one from a single page
    /// in a section, where its rows stand side by side already.
    pub fn spreads_conclusions(&self) -> bool {
        self.edition >= 4
    }

    /// Claims of one kind that are offered for a comparison.
    pub fn group_claims_max(&self) -> usize {
        if self.spreads_conclusions() { 2 } else { 4 }
    }

    /// Rounds that may come at most: those that only follow names or settle a conflict come behind the planned ones.
    pub fn rounds_max(&self) -> u32 {
        let leads = if self.follows_leads() { self.caps.lead_rounds } else { 0 };
        self.caps.rounds.max(1).saturating_add(self.caps.conflict_attempts.max(leads))
    }

    /// Pages that may be read at most: where all of them are short.
    pub fn pages_most(&self) -> u32 {
        let most = u64::from(self.caps.pages) * if self.follows_leads() { SHORT_PAGES_TIMES } else { 1 };
        u32::try_from(most).unwrap_or(u32::MAX)
    }

    /// Both bounds in words, for whoever is about to start it.
    pub fn effort(&self) -> String {
        let caps = &self.caps;
        let short = match self.pages_most() > caps.pages {
            true => format!(" ({} where they are short)", self.pages_most()),
            false => String::new(),
        };
        let (planned, most) = (caps.rounds.max(1), self.rounds_max());
        let attempts = if planned == 1 { "attempt" } else { "attempts" };
        let behind = match most > planned {
            true => format!(", {most} where names lead on or sources disagree"),
            false => String::new(),
        };
        let (queries, pages) = (caps.queries, caps.pages);
        format!("up to {queries} queries and {pages} pages{short} in {planned} {attempts}{behind}")
    }

    /// Pages that may be read in all, after some were read: short ones cost less than was planned for them.
    pub fn pages_after(&self, reading: &ReadingTotal) -> u32 {
        if !self.follows_leads() || reading.tokens == 0 {
            return self.caps.pages;
        }
        let (input, output) = window::expected_tokens(self.window, &WebTask::Survey { page: 0 });
        let planned = u64::from(self.caps.pages) * (input + output);
        let carried = planned.saturating_mul(reading.pages) / reading.tokens;
        let most = u64::from(self.pages_most());
        u32::try_from(carried.min(most)).unwrap_or(u32::MAX).max(self.caps.pages)
    }

    /// All roles at one model's price.
    pub fn priced(mut self, input: u64, output: u64) -> Self {
        self.prices = ModelRole::ALL.iter().map(|role| RolePrice { role: *role, input, output }).collect();
        self
    }

    /// What one call is expected to cost.
    pub fn price(&self, task: &WebTask) -> MicroUsd {
        let Some(role) = ModelRole::of(task) else { return MicroUsd(0) };
        self.price_of(role, window::expected_tokens(self.window, task))
    }

    /// What so many sections and the front cost.
    pub fn writing_floor(&self, sections: u32) -> MicroUsd {
        let section = self.price(&WebTask::Section { node: probity_types::inquiry::NodeId(1) });
        MicroUsd(section.0.saturating_mul(u64::from(sections))).plus(self.price(&WebTask::Front))
    }

    fn price_of(&self, role: ModelRole, (input, output): (u64, u64)) -> MicroUsd {
        let Some(price) = self.prices.iter().find(|price| price.role == role) else { return MicroUsd(0) };
        let exact =
            u128::from(input) * u128::from(price.input) + u128::from(output) * u128::from(price.output);
        MicroUsd(u64::try_from(exact.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }

    /// What the whole inquiry is expected to cost; `search` is what one query costs at all its providers.
    pub fn estimate(&self, search: MicroUsd) -> MicroUsd {
        let calls = self.planned_calls();
        let prices = calls.iter().map(|(task, count)| self.price(task).0.saturating_mul(u64::from(*count)));
        let calls = prices.fold(0_u64, u64::saturating_add);
        let searches = search.0.saturating_mul(u64::from(self.caps.queries));
        MicroUsd((calls.saturating_mul(ESTIMATE_PERCENT) / 100).saturating_add(searches))
    }

    /// Tokens that all its calls are expected to take, in and out, where pages have the usual length. Checks come on top.
    pub fn expected_tokens(&self) -> u64 {
        let calls = self.planned_calls();
        let tokens = calls.iter().map(|(task, count)| {
            let (input, output) = window::expected_tokens(self.window, task);
            input.saturating_add(output).saturating_mul(u64::from(*count))
        });
        tokens.fold(0, u64::saturating_add)
    }

    /// How often each kind of call is made, as far as a plan can tell.
    fn planned_calls(&self) -> [(WebTask, u32); 7] {
        let caps = &self.caps;
        let (node, facet) = (probity_types::inquiry::NodeId(1), probity_types::inquiry::FacetId(1));
        [
            (WebTask::Brief, 1),
            (WebTask::Line { facet, round: 2 }, caps.lines.saturating_mul(caps.rounds.saturating_sub(1))),
            (WebTask::Survey { page: 0 }, caps.pages),
            (WebTask::Outline { round: 1 }, caps.outline_rounds),
            (WebTask::Section { node }, self.section_calls()),
            (WebTask::Synthesis, 1),
            (WebTask::Front, 1),
        ]
    }

    /// Long sections are written in parts.
    fn section_calls(&self) -> u32 {
        self.words.div_ceil(window::section_words_max(self.window)).max(self.caps.sections)
    }

    /// The plan that a budget carries without its checks, made smaller in a fixed order: rounds, pages, outline rounds, sections,
    /// lines. What remains at the end is the least worth doing; whether even that is paid for is decided call by call.
    pub fn within(self, budget: MicroUsd, search: MicroUsd) -> (Self, Vec<CutStep>) {
        self.within_checked(budget, search, &|_| MicroUsd(0))
    }

    /// The same together with its checks, whose price follows from the size of the plan: a shorter report has fewer claims.
    pub fn within_checked(
        mut self,
        budget: MicroUsd,
        search: MicroUsd,
        checks: &dyn Fn(&Self) -> MicroUsd,
    ) -> (Self, Vec<CutStep>) {
        let asked = self.caps.clone();
        let fits = |plan: &Self| plan.estimate(search).plus(checks(plan)) <= budget;
        while !fits(&self) && self.caps.rounds > 1 {
            self.caps.rounds -= 1;
            // The queries of a round that is not made are not asked.
            self.caps.queries = self.caps.queries.min(self.caps.lines * 2 * self.caps.rounds).max(1);
        }
        while !fits(&self) && self.caps.pages > PAGES_MIN * self.caps.lines {
            self.caps.pages -= 1;
        }
        while !fits(&self) && self.caps.outline_rounds > 0 {
            self.caps.outline_rounds -= 1;
        }
        while !fits(&self) && self.caps.sections > 1 {
            self.caps.sections -= 1;
            let per_section = words_of(self.depth) / asked.sections.max(1);
            self.words = self.words.min(per_section * (self.caps.sections + 1)).max(WORDS_MIN);
        }
        // What the user wants looked into is not cut.
        let wanted = u32::try_from(self.facets.len()).unwrap_or(u32::MAX);
        while !fits(&self) && self.caps.lines > wanted.max(1) {
            self.caps.lines -= 1;
            self.caps.queries = self.caps.queries.min(self.caps.lines * 2).max(1);
            self.caps.pages = self.caps.pages.min(PAGES_MIN * self.caps.lines);
        }
        let steps = cut_steps(&asked, &self.caps);
        (self, steps)
    }
}

fn words_of(depth: StrategyLevel) -> u32 {
    match depth {
        StrategyLevel::None | StrategyLevel::Shallow => 500,
        StrategyLevel::Medium => 1_800,
        StrategyLevel::Deep => 5_000,
        StrategyLevel::Exhaustive => 11_000,
    }
}

/// What is less, in the order in which it was made less.
fn cut_steps(asked: &InquiryCaps, kept: &InquiryCaps) -> Vec<CutStep> {
    let steps = [
        CutStep::less(asked.rounds, kept.rounds, |from, to| CutStep::Rounds { from, to }),
        CutStep::less(asked.pages, kept.pages, |from, to| CutStep::PagesInAll { from, to }),
        CutStep::less(asked.outline_rounds, kept.outline_rounds, |from, to| CutStep::OutlineRounds {
            from,
            to,
        }),
        CutStep::less(asked.sections, kept.sections, |from, to| CutStep::Sections { from, to }),
        CutStep::less(asked.lines, kept.lines, |from, to| CutStep::Lines { from, to }),
    ];
    steps.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{Bill, InquiryPlan, ReadingTotal, StrategyLevel};
    use crate::cost::{MicroUsd, Usage};

    #[test]
    fn short_pages_leave_room_for_others_and_long_ones_take_none_away() {
        let plan = InquiryPlan::new(StrategyLevel::Deep, None, None, 128_000);
        let after = |tokens: u64| {
            let mut reading = ReadingTotal::default();
            for _ in 0..10 {
                let usage = Usage { input_tokens: tokens, ..Usage::default() };
                reading.add(&Bill::counted(MicroUsd(1), usage));
            }
            plan.pages_after(&reading)
        };
        assert_eq!([0, 500, 2_900, 3_867, 5_800, 9_000].map(after), [90, 180, 180, 134, 90, 90]);
    }

    #[test]
    fn what_is_told_before_a_start_is_the_most_that_may_come() {
        let of = |depth| InquiryPlan::new(depth, None, None, 128_000);
        let depths = [StrategyLevel::Medium, StrategyLevel::Deep, StrategyLevel::Exhaustive];
        assert_eq!(depths.map(|depth| of(depth).rounds_max()), [3, 7, 9]);
        assert_eq!(depths.map(|depth| of(depth).pages_most()), [60, 180, 500]);
        assert_eq!(
            of(StrategyLevel::Medium).effort(),
            "up to 24 queries and 30 pages (60 where they are short) in 2 attempts, 3 where names lead on or \
             sources disagree"
        );
        let mut earlier = InquiryPlan { edition: 0, ..of(StrategyLevel::Medium) };
        earlier.caps.conflict_attempts = 0;
        assert_eq!(earlier.effort(), "up to 24 queries and 30 pages in 2 attempts");
    }

    #[test]
    fn what_a_depth_takes_is_what_the_book_says() {
        let of = |depth| InquiryPlan::new(depth, None, None, 128_000).expected_tokens();
        let depths = [StrategyLevel::Medium, StrategyLevel::Deep, StrategyLevel::Exhaustive];
        assert_eq!(depths.map(of), [275_900, 727_900, 1_879_100]);
        // A budget takes away what it does not carry, and leaves what the rest takes.
        let whole = InquiryPlan::new(StrategyLevel::Medium, None, None, 128_000).priced(250_000, 2_000_000);
        let tokens = |budget| whole.clone().within(MicroUsd(budget), MicroUsd(0)).0.expected_tokens();
        assert_eq!([40_000, 70_000, 1_000_000].map(tokens), [51_200, 97_600, 275_900]);
    }

    #[test]
    fn a_run_that_was_begun_before_keeps_its_rules() {
        let plan = InquiryPlan::new(StrategyLevel::Deep, None, None, 128_000);
        let mut written = serde_json::to_value(&plan).unwrap();
        written.as_object_mut().unwrap().remove("edition");
        written.get_mut("caps").unwrap().as_object_mut().unwrap().remove("lead_rounds");
        let earlier: InquiryPlan = serde_json::from_value(written).unwrap();
        assert!(plan.follows_leads() && !earlier.follows_leads());
        assert!(plan.looks_up_sentences() && !earlier.looks_up_sentences());
        assert!(
            plan.records_inferences() && !InquiryPlan { edition: 3, ..plan.clone() }.records_inferences()
        );
        let stated = |edition| {
            let plan = InquiryPlan::new(StrategyLevel::Deep, Some(600), None, 128_000);
            InquiryPlan { edition, ..plan }.keeps_words()
        };
        assert!(stated(3) && !stated(2) && !plan.keeps_words());
        let third = InquiryPlan { edition: 3, ..plan.clone() };
        assert!(plan.tells_every_conflict() && !third.tells_every_conflict());
        assert_eq!(earlier.caps.lead_rounds, 0);
    }
}
