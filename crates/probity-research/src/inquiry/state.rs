//! The state of an inquiry: what its answers leave behind. Searches and pages are kept by `web::state`.

use std::collections::BTreeMap;

use probity_types::inquiry::{
    BriefAnswer, Clarification, FacetId, FrontAnswer, LineAnswer, NodeId, OutlineAnswer, QuoteId,
    RequirementKind, SectionAnswer, SurveyNote, SynthesisAnswer,
    answer::{CLARIFICATIONS_MAX, REQUIREMENTS_MAX},
};

use super::{
    anchor, asked,
    bank::{Bank, PageFacts},
    claims::{self, WrittenFront, WrittenPoint},
    conflict::{self, Conflict, Sameness},
    doubt,
    facet::{self, ChecklistItem, Facet, FacetStatus, LINE_CHARACTERS_MAX, RequirementStatus},
    figures,
    lead::{self, Lead},
    length::{self, SectionBound},
    outline::{self, Outline},
    part::InquiryPart,
    patched::PatchTally,
    plan::{InquiryPlan, ReadingTotal, WORDS_MAX, WORDS_MIN},
    section,
    written::{WritingContext, WrittenSection},
};
use crate::{report::phrases, text, web::passages};

/// Rounds in a row without anything new after which a facet is left alone.
const BARREN_ROUNDS_MAX: u32 = 2;
/// A round that brings less than this part of the mean is one of two that end the search.
const LITTLE_PERCENT: u64 = 10;
/// Things asked for by name that are followed on their own.
const ASKED_MAX: usize = 40;
/// A refused prompt makes all later ones this much smaller.
const SHRINK_PERCENT: u32 = 70;
const SHARE_PERCENT_MIN: u32 = 25;

/// In the order in which an inquiry passes them; searching begins again with each round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InquiryStage {
    Brief,
    Line,
    Search,
    Page,
    Survey,
    Outline,
    Section,
    Synthesis,
    Front,
    Done,
}

#[derive(Debug, Clone, PartialEq)]
pub struct InquiryState {
    pub plan: InquiryPlan,
    pub stage: InquiryStage,
    pub reader_wants: String,
    /// Of the report, as far as it is known.
    pub language: Option<String>,
    pub checklist: Vec<ChecklistItem>,
    /// What the checklist asks for of things that it names, one by one.
    pub asked: Vec<ChecklistItem>,
    pub clarifications: Vec<Clarification>,
    pub facets: Vec<Facet>,
    /// Names that pages mentioned.
    pub leads: Vec<Lead>,
    pub bank: Bank,
    pub outline: Outline,
    pub outline_rounds: u32,
    pub conflicts: Vec<Conflict>,
    pub sections: BTreeMap<NodeId, WrittenSection>,
    pub synthesis: Vec<WrittenPoint>,
    pub synthesis_heading: String,
    pub front: Option<WrittenFront>,
    /// The user's own words while the run goes on.
    pub steer: Vec<String>,
    pub reading: ReadingTotal,
    /// New facts of each round.
    pub yields: Vec<u32>,
    /// Quotations that readers returned and that stand on no page.
    pub invented: u32,
    /// Pages whose reader was replaced by the rule because of them.
    pub distrusted: u32,
    /// Questions and headings for which nothing was found.
    pub unanswered: Vec<String>,
    /// Parts that the planner named beyond the lines of the plan.
    pub beyond: Vec<String>,
    /// The part of the window that prompts use, after one was refused as too long.
    pub share_percent: u32,
    /// Sentences that were changed after the check; nothing in the state of a run, only in what is composed again.
    pub patched: PatchTally,
}

impl InquiryState {
    pub fn begin(plan: &InquiryPlan) -> Self {
        let mut begun = Self {
            plan: plan.clone(),
            stage: InquiryStage::Brief,
            reader_wants: String::new(),
            language: plan.language.clone(),
            checklist: Vec::new(),
            asked: Vec::new(),
            clarifications: Vec::new(),
            facets: Vec::new(),
            leads: Vec::new(),
            bank: Bank::default(),
            outline: Outline::default(),
            outline_rounds: 0,
            conflicts: Vec::new(),
            sections: BTreeMap::new(),
            synthesis: Vec::new(),
            synthesis_heading: String::new(),
            front: None,
            steer: Vec::new(),
            reading: ReadingTotal::default(),
            yields: Vec::new(),
            invented: 0,
            distrusted: 0,
            unanswered: Vec::new(),
            beyond: Vec::new(),
            share_percent: 100,
            patched: PatchTally::default(),
        };
        for wanted in &plan.facets {
            begun.add_facet(Facet::new(&wanted.question, &wanted.query));
        }
        begun
    }

    pub fn take_brief(&mut self, answer: &BriefAnswer) {
        let line = |words: &str| text::line(words, LINE_CHARACTERS_MAX);
        self.reader_wants = line(&answer.reader_wants);
        let told =
            answer.language.as_deref().map(|code| text::line(code, 20)).filter(|code| !code.is_empty());
        self.language = self.language.clone().or(told);
        for wanted in answer.requirements.iter().take(REQUIREMENTS_MAX) {
            let text = line(&wanted.text);
            if !text.is_empty() {
                // Nobody finds the language of the report on a page, whatever the planner calls it.
                let is_form = wanted.kind == RequirementKind::Content
                    && self.plan.names_every_part()
                    && asked::is_about_form(&text);
                self.checklist.push(ChecklistItem {
                    text,
                    kind: if is_form { RequirementKind::Language } else { wanted.kind },
                    status: RequirementStatus::Open,
                });
            }
        }
        let is_found = |item: &&ChecklistItem| {
            matches!(item.kind, RequirementKind::Content | RequirementKind::Format | RequirementKind::Dates)
        };
        let asked = self.checklist.iter().filter(is_found).flat_map(ChecklistItem::asked_by_name);
        self.asked = asked.take(ASKED_MAX).collect();
        if !self.plan.words_are_stated
            && let Some(words) = self.checklist.iter().find_map(words_asked)
        {
            self.plan.words = words;
            self.plan.words_are_stated = true;
        }
        self.clarifications = answer.clarifications.iter().take(CLARIFICATIONS_MAX).cloned().collect();
        for named in &answer.facets {
            self.add_facet(Facet::new(&named.question, &named.query));
        }
    }

    fn add_facet(&mut self, facet: Facet) {
        let lines = usize::try_from(self.plan.caps.lines).unwrap_or(usize::MAX);
        let twin = self.facets.iter().any(|known| known.question == facet.question);
        let planned = self.facets.iter().filter(|known| !known.is_added).count();
        if !facet.question.is_empty() && !twin {
            match planned < lines {
                true => self.facets.push(facet),
                false => self.beyond.push(facet.question),
            }
        }
    }

    /// Where no brief came.
    pub fn facets_by_rule(&mut self, question: &str) {
        let lines = usize::try_from(self.plan.caps.lines).unwrap_or(usize::MAX);
        let parts = match self.plan.names_every_part() {
            true => asked::facets(question, lines),
            false => facet::by_rule(question, lines),
        };
        if self.plan.names_every_part() && self.language.is_none() {
            self.language = phrases::foreign_language(question).map(str::to_owned);
        }
        for facet in parts {
            self.add_facet(facet);
        }
    }

    /// Pages that may be read in all.
    pub fn pages_max(&self) -> u32 {
        self.plan.pages_after(&self.reading)
    }

    pub fn facet(&self, id: FacetId) -> Option<&Facet> {
        self.facets.get(id.index()?)
    }

    /// The facet that shares the most words with a text; the first one where none does.
    pub fn facet_closest_to(&self, text: &str) -> FacetId {
        let wanted = passages::words(text);
        let shared = |place: &usize| {
            self.facets.get(*place).map_or(0, |facet| passages::shared(&wanted, &facet.question))
        };
        let is_wanted = |place: &usize| self.facets.get(*place).is_some_and(|facet| !facet.is_dropped);
        FacetId::at((0..self.facets.len()).rev().filter(is_wanted).max_by_key(shared).unwrap_or(0))
    }

    /// The facet that asks this.
    pub fn facet_asking(&self, question: &str) -> Option<FacetId> {
        self.facets.iter().position(|facet| facet.question == question).map(FacetId::at)
    }

    /// Facets that this round searches for: the open ones, and where the planned rounds are used those of conflicts.
    pub fn lines(&self, round: u32) -> Vec<FacetId> {
        let conflicts: Vec<FacetId> =
            self.open_conflicts().filter_map(|(_, conflict)| conflict.facet).collect();
        let open = |(place, facet): (usize, &Facet)| {
            let id = FacetId::at(place);
            let in_turn = round <= self.plan.caps.rounds || facet.waits;
            let wanted = (facet.is_open() && in_turn) || conflicts.contains(&id);
            wanted.then_some(id)
        };
        self.facets.iter().enumerate().filter_map(open).collect()
    }

    /// Conflicts that may still earn a line, each with its place.
    pub fn open_conflicts(&self) -> impl Iterator<Item = (usize, &Conflict)> {
        let most = self.plan.caps.conflict_attempts;
        let is_open = move |(_, conflict): &(usize, &Conflict)| {
            conflict.attempts < most && conflict.facet.is_none_or(|facet| !self.is_dropped(facet))
        };
        self.conflicts.iter().enumerate().filter(is_open)
    }

    pub fn conflict_of(&self, facet: FacetId) -> Option<(usize, &Conflict)> {
        self.open_conflicts().find(|(_, conflict)| conflict.facet == Some(facet))
    }

    /// The planner's word on a facet; its queries are taken by the gathering.
    pub fn take_line(&mut self, id: FacetId, answer: &LineAnswer) {
        let enough = self.bank.origins_of(id) > 0;
        if let Some(facet) = id.index().and_then(|index| self.facets.get_mut(index)) {
            facet.said_done |= answer.done && enough;
        }
    }

    /// The lines of this round were asked: each conflict among them had its chance.
    pub fn count_conflict_attempts(&mut self, lines: &[FacetId]) {
        let mut served: Vec<FacetId> = Vec::new();
        let most = self.plan.caps.conflict_attempts;
        for conflict in &mut self.conflicts {
            let Some(facet) = conflict.facet.filter(|facet| lines.contains(facet)) else { continue };
            // One conflict rides on a line at a time.
            if conflict.attempts < most && !served.contains(&facet) {
                conflict.attempts += 1;
                served.push(facet);
            }
        }
    }

    /// Takes a survey into the bank. Returns the new quotations; an unreliable reader's page is read again by rule.
    pub fn take_survey(&mut self, page: u32, round: u32, note: &SurveyNote) -> (Vec<QuoteId>, bool) {
        let read_again = !note.by_rule && anchor::is_unreliable(note);
        self.invented = self.invented.saturating_add(note.invented);
        self.distrusted = self.distrusted.saturating_add(u32::from(read_again));
        let taken = self.bank.take(page, round, note, self.facets.len());
        let serves: Vec<FacetId> = note.quotes.iter().flat_map(|quote| quote.facets.clone()).collect();
        lead::remember(&mut self.leads, &note.terms, serves.first().copied().unwrap_or(FacetId(1)), round);
        for (place, facet) in self.facets.iter_mut().enumerate() {
            if serves.contains(&FacetId::at(place)) {
                facet.remember(&note.terms);
            }
        }
        (taken, read_again)
    }

    /// After all pages of a round: what it brought, which facets have enough, who disagrees.
    pub fn end_round(&mut self, round: u32, pages: Vec<PageFacts>) {
        self.bank.pages = pages;
        self.bank.find_borne_out();
        self.bank.doubtful_units = doubt::doubtful_units(&self.bank);
        self.yields.push(self.bank.yield_of(round));
        if self.plan.has(InquiryPart::Conflicts) {
            let sameness = match (self.plan.tells_every_conflict(), self.plan.settles_doubts()) {
                (true, _) => Sameness::Wording,
                (false, true) => Sameness::Meaning,
                (false, false) => Sameness::Words,
            };
            self.conflicts = conflict::find(&self.bank, &self.conflicts, sameness);
        }
        self.mark_requirements();
        let wanted = usize::try_from(self.plan.caps.origins_per_facet).unwrap_or(usize::MAX);
        let all_met = self.open_requirements().next().is_none();
        let brought = |id: FacetId| {
            self.bank.quotes.iter().any(|quote| quote.round == round && quote.facets.contains(&id))
        };
        let results: Vec<(bool, bool, bool)> = (0..self.facets.len())
            .map(FacetId::at)
            .map(|id| {
                let origins = self.bank.origins_of(id) >= wanted;
                let content = self.outline.wants_of(id, &self.facets, &self.bank).is_empty();
                (brought(id), origins, content && all_met)
            })
            .collect();
        for (facet, (brought, origins, content)) in self.facets.iter_mut().zip(results) {
            // What nothing was searched for yet is not barren.
            facet.barren_rounds = if brought || facet.waits { 0 } else { facet.barren_rounds + 1 };
            let done = facet.said_done && origins && content;
            if done || facet.barren_rounds >= BARREN_ROUNDS_MAX {
                facet.status = FacetStatus::Closed;
            }
        }
    }

    /// Without a planner a facet has enough once its origins are there.
    pub fn close_by_origins(&mut self) {
        let wanted = usize::try_from(self.plan.caps.origins_per_facet).unwrap_or(usize::MAX);
        let enough: Vec<bool> =
            (0..self.facets.len()).map(|place| self.bank.origins_of(FacetId::at(place)) >= wanted).collect();
        for (facet, enough) in self.facets.iter_mut().zip(enough) {
            if enough {
                facet.status = FacetStatus::Closed;
            }
        }
    }

    /// Two rounds in a row brought next to nothing.
    pub fn is_saturated(&self) -> bool {
        let count = u64::try_from(self.yields.len()).unwrap_or(u64::MAX);
        let sum: u64 = self.yields.iter().map(|facts| u64::from(*facts)).sum();
        let little = |facts: &u32| u64::from(*facts) * 100 * count < sum * LITTLE_PERCENT;
        count > 2 && self.yields.iter().rev().take(2).all(little)
    }

    pub fn open_requirements(&self) -> impl Iterator<Item = (usize, &ChecklistItem)> {
        let open = |item: &ChecklistItem| {
            item.kind == RequirementKind::Content && item.status == RequirementStatus::Open
        };
        self.checklist.iter().enumerate().filter(move |(_, item)| open(item))
    }

    /// Things that the question asks for by name and nothing answers yet, each with the facet that it belongs to.
    pub fn asked_by_name(&self) -> Vec<(&ChecklistItem, FacetId)> {
        let open = self.asked.iter().filter(|item| item.status == RequirementStatus::Open);
        open.map(|item| (item, self.facet_closest_to(&item.text))).collect()
    }

    /// A requirement is met once a quotation says what it asks for.
    fn mark_requirements(&mut self) {
        let all = self.checklist.iter_mut().chain(&mut self.asked);
        for item in all.filter(|item| item.status == RequirementStatus::Open) {
            if self.bank.quotes.iter().any(|quote| item.is_met_by(&quote.text)) {
                item.status = RequirementStatus::Met;
            }
        }
    }

    pub fn take_outline(&mut self, answer: &OutlineAnswer) {
        self.outline.apply(&answer.operations, &mut self.bank, self.plan.caps.sections);
        for id in &answer.met {
            if let Some(item) = id.index().and_then(|index| self.checklist.get_mut(index)) {
                item.status = RequirementStatus::Met;
            }
        }
    }

    /// Nothing more is gathered: the outline becomes what is written from.
    pub fn begin_writing(&mut self) {
        if self.stage >= InquiryStage::Section {
            return;
        }
        self.add_nodes_of_added();
        let empty = self.outline.finish(&self.facets, &mut self.bank, &self.plan);
        let is_dropped = |asked: &String| self.facet_asking(asked).is_some_and(|id| self.is_dropped(id));
        let empty: Vec<String> = empty.into_iter().filter(|asked| !is_dropped(asked)).collect();
        self.unanswered.extend(empty);
        self.stage = InquiryStage::Section;
    }

    /// Parts that wait for their writer.
    pub fn unwritten(&self) -> Vec<NodeId> {
        self.outline.units().into_iter().filter(|id| !self.sections.contains_key(id)).collect()
    }

    pub fn take_section(&mut self, node: NodeId, answer: &SectionAnswer) {
        let written = section::accept(self.context(), node, answer);
        let Some(mut written) = written else {
            self.quote_section(node);
            return;
        };
        self.keep_to_words(node, &mut written);
        let rest = section::left_over(self.context(), node, &written, answer);
        self.sections.insert(node, written);
        if let Some((quotes, words)) = rest.filter(|_| self.plan.has(InquiryPart::Sections)) {
            self.outline.go_on(node, &quotes, words, &mut self.bank);
        }
    }

    /// No writer: the quotations of the node as a list, marked.
    pub fn quote_section(&mut self, node: NodeId) {
        if self.outline.get(node).is_some() {
            let mut quoted = section::quoted(self.context(), node);
            self.keep_to_words(node, &mut quoted);
            self.sections.insert(node, quoted);
        }
    }

    /// A length that somebody asked for holds for what a part brings as well.
    fn keep_to_words(&self, node: NodeId, written: &mut WrittenSection) {
        let Some(node) = self.outline.get(node).filter(|_| self.plan.keeps_words()) else { return };
        let wanted = format!("{} {} {}", node.heading, node.question, node.wants.join(" "));
        let (conflicts, asked) = (self.conflicts.as_slice(), self.asked.as_slice());
        SectionBound { words: node.words, wanted, conflicts, asked }.apply(written);
    }

    pub fn take_synthesis(&mut self, answer: &SynthesisAnswer) {
        self.synthesis_heading = text::line(&answer.heading, LINE_CHARACTERS_MAX);
        self.synthesis = claims::accept_points(self.context(), answer);
        if self.plan.keeps_words() {
            length::bound_points(&mut self.synthesis, outline::synthesis_words(&self.plan));
        }
    }

    pub fn take_front(&mut self, answer: &FrontAnswer) {
        self.front = claims::accept_front(self.context(), answer);
        if let Some(front) = self.front.as_mut().filter(|_| self.plan.keeps_words()) {
            length::bound_front(front, outline::front_words(&self.plan));
        }
    }

    pub fn context(&self) -> WritingContext<'_> {
        WritingContext {
            outline: &self.outline,
            bank: &self.bank,
            conflicts: &self.conflicts,
            sections: &self.sections,
            nouns_are_capitals: self.nouns_are_capitals(),
            language: self.language.as_deref(),
            looks_up: self.plan.looks_up_sentences(),
            tells_every_conflict: self.plan.tells_every_conflict(),
            spreads_conclusions: self.plan.spreads_conclusions(),
        }
    }

    /// A model wrote at least one section.
    pub fn is_written(&self) -> bool {
        self.sections.values().any(|section| !section.is_quoted)
    }

    /// Whether the language of the report writes every noun with a capital.
    fn nouns_are_capitals(&self) -> bool {
        let name = self.language.as_deref().unwrap_or_default().to_lowercase();
        name.starts_with("de") || name == "german"
    }

    /// An endpoint refused a prompt as too long.
    pub fn shrink_prompts(&mut self) {
        self.share_percent = (self.share_percent * SHRINK_PERCENT / 100).max(SHARE_PERCENT_MIN);
    }
}

/// A length in words that the question itself asks for.
fn words_asked(item: &ChecklistItem) -> Option<u32> {
    let is_length = item.kind == RequirementKind::Length;
    let counts = figures::figures(&item.text).into_iter().map(|figure| figure.value as u32);
    counts.filter(|_| is_length).find(|words| (WORDS_MIN..=WORDS_MAX).contains(words))
}
