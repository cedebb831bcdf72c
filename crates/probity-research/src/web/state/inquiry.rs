//! The gathering of an inquiry (`web/2`): its stages, its queries, the choice of pages, and what outcomes mean for it.
//!
//! Places agree: the quotation at a place of the bank is the note at the same place of the run.

mod choice;
mod parent;
mod queries;
mod steering;

use choice::LINK_SCORE;
use probity_types::inquiry::{NodeId, QuoteId, SurveyNote};

use super::{
    CandidateOrigin, CandidateStatus, ListedCandidate, PageNote, WebState, WebStop, to_count, to_index,
};
use crate::{
    error::Code,
    inquiry::{InquiryPart, InquiryStage, InquiryState, bank::PageFacts, facet},
    web::{
        canonical,
        note::{FactKind, NoteFact, Quote, ReaderNote},
        plan::WebPlan,
        strategy::StrategyLevel,
        task::{Candidate, WebTask, WebTaskOutcome},
    },
};

/// Synthesis needs something to join.
const SYNTHESIS_SECTIONS_MIN: usize = 2;

impl WebState {
    pub(super) fn begin_inquiry(&mut self, plan: &WebPlan) {
        let searched = plan.strategy.level != StrategyLevel::None;
        let Some(inquiry) = plan.inquiry.as_ref().filter(|_| searched) else { return };
        self.inquiry = Some(Box::new(InquiryState::begin(inquiry)));
    }

    /// The tasks that are due, most wanted first.
    pub(super) fn due_in_inquiry(&self, plan: &WebPlan, inquiry: &InquiryState) -> Vec<WebTask> {
        let has_model = self.has_model(plan);
        let all: Vec<WebTask> = match inquiry.stage {
            InquiryStage::Brief if has_model => vec![WebTask::Brief],
            InquiryStage::Line if has_model => {
                let round = self.attempt;
                inquiry.lines(round).into_iter().map(|facet| WebTask::Line { facet, round }).collect()
            }
            InquiryStage::Search => self.due_searches(plan),
            InquiryStage::Page => self.due_pages(),
            InquiryStage::Survey => self.unread().map(|page| WebTask::Survey { page }).collect(),
            InquiryStage::Outline if has_model => {
                vec![WebTask::Outline { round: inquiry.outline_rounds.saturating_add(1) }]
            }
            InquiryStage::Section if has_model => {
                inquiry.unwritten().into_iter().map(|node| WebTask::Section { node }).collect()
            }
            InquiryStage::Synthesis if has_model && wants_synthesis(inquiry) => vec![WebTask::Synthesis],
            InquiryStage::Front if has_model && inquiry.is_written() => vec![WebTask::Front],
            InquiryStage::Brief
            | InquiryStage::Line
            | InquiryStage::Outline
            | InquiryStage::Section
            | InquiryStage::Synthesis
            | InquiryStage::Front
            | InquiryStage::Done => Vec::new(),
        };
        all.into_iter().filter(|task| !self.over.contains(task) && !self.open.contains(task)).collect()
    }

    /// Goes on to the first stage in which there is a task.
    pub(super) fn settle_inquiry(&mut self, plan: &WebPlan, question: &str) {
        if self.open.is_empty() && self.stop == Some(WebStop::Finished) {
            self.stop_inquiry();
        }
        while self.open.is_empty() {
            let Some(inquiry) = &self.inquiry else { return };
            if inquiry.stage == InquiryStage::Done || !self.due_in_inquiry(plan, inquiry).is_empty() {
                break;
            }
            self.advance(plan, question);
        }
        self.stage = self.inquiry.as_ref().map_or(self.stage, |inquiry| shown_stage(inquiry.stage));
    }

    /// One stage on. The inquiry is taken out so that both can be changed.
    fn advance(&mut self, plan: &WebPlan, question: &str) {
        let Some(mut inquiry) = self.inquiry.take() else { return };
        match inquiry.stage {
            InquiryStage::Brief => {
                if inquiry.facets.iter().all(|facet| facet.is_added) {
                    inquiry.facets_by_rule(question);
                }
                self.bank_of_parent(plan, &mut inquiry);
                self.first_queries(&inquiry, question);
                self.ask_for_waiting(&mut inquiry);
                self.ask_by_name(&inquiry, question);
                inquiry.stage = InquiryStage::Search;
            }
            InquiryStage::Line => {
                self.queries_by_rule(&inquiry);
                let lines = inquiry.lines(self.attempt);
                self.ask_for_waiting(&mut inquiry);
                self.ask_by_name(&inquiry, question);
                inquiry.count_conflict_attempts(&lines);
                inquiry.stage = InquiryStage::Search;
            }
            InquiryStage::Search => {
                if !self.ask_next_provider(plan) {
                    self.list_hits_by_query(plan, &inquiry);
                    self.choose_by_facet(plan, &inquiry);
                    inquiry.stage = InquiryStage::Page;
                }
            }
            InquiryStage::Page => {
                if !self.choose_by_facet(plan, &inquiry) {
                    inquiry.stage = InquiryStage::Survey;
                }
            }
            InquiryStage::Survey => {
                self.close_round(plan, &mut inquiry);
                let outlines = inquiry.outline_rounds < inquiry.plan.caps.outline_rounds
                    && inquiry.plan.has(InquiryPart::Outline);
                if self.stop.is_some() {
                    inquiry.begin_writing();
                } else if outlines && self.has_model(plan) && !inquiry.bank.quotes.is_empty() {
                    inquiry.stage = InquiryStage::Outline;
                } else {
                    self.next_round(plan, &mut inquiry);
                }
            }
            InquiryStage::Outline => {
                inquiry.outline_rounds += 1;
                self.next_round(plan, &mut inquiry);
            }
            InquiryStage::Section => {
                // What no model wrote is quoted, beside what one did.
                if inquiry.is_written() {
                    for node in inquiry.unwritten() {
                        inquiry.quote_section(node);
                    }
                }
                inquiry.stage = InquiryStage::Synthesis;
            }
            InquiryStage::Synthesis => inquiry.stage = InquiryStage::Front,
            InquiryStage::Front => inquiry.stage = InquiryStage::Done,
            InquiryStage::Done => {}
        }
        self.inquiry = Some(inquiry);
    }

    /// Nothing more is gathered: pages that are here are still read, then it is written.
    pub(super) fn stop_inquiry(&mut self) {
        let unread = self.unread().next().is_some();
        let Some(mut inquiry) = self.inquiry.take() else { return };
        if inquiry.stage < InquiryStage::Section {
            if unread || inquiry.stage != InquiryStage::Outline {
                inquiry.stage = InquiryStage::Survey;
            } else {
                inquiry.begin_writing();
            }
        }
        self.inquiry = Some(inquiry);
    }

    /// Where every search of the round failed, the next provider is asked; false where there is none.
    fn ask_next_provider(&mut self, plan: &WebPlan) -> bool {
        let now: Vec<u32> = self.queries_now().map(|(query, _)| to_count(query)).collect();
        let mut outcomes =
            self.search_outcomes.iter().filter(|searched| now.contains(&searched.query)).peekable();
        let all_failed = outcomes.peek().is_some() && outcomes.all(|searched| searched.problem.is_some());
        let more = self.providers_added < plan.providers.len().saturating_sub(plan.providers_per_query());
        if all_failed && more {
            self.providers_added += 1;
        }
        all_failed && more
    }

    /// What the round brought, once for each round.
    fn close_round(&mut self, plan: &WebPlan, inquiry: &mut InquiryState) {
        let origins = self.origins();
        let facts = self.pages.iter().enumerate().map(|(place, page)| PageFacts {
            origin: origins.get(place).copied().unwrap_or(place),
            site: canonical::site(&page.metadata.record.final_url).unwrap_or_else(|| "own file".to_owned()),
            title: page.metadata.title.clone(),
            published: page.metadata.published.clone(),
            stays_here: self.stays_here(plan, to_count(place)),
        });
        let facts: Vec<PageFacts> = facts.collect();
        if self.gains.len() >= to_index(self.attempt) {
            inquiry.bank.pages = facts;
            return;
        }
        let before = inquiry.conflicts.len();
        inquiry.end_round(self.attempt, facts);
        if !self.has_model(plan) {
            inquiry.close_by_origins();
        }
        let mut gain = self.gain();
        gain.changed_facts = to_count(inquiry.conflicts.len().saturating_sub(before));
        self.gains.push(gain);
    }

    /// Another round, or writing.
    fn next_round(&mut self, plan: &WebPlan, inquiry: &mut InquiryState) {
        if self.stop.is_some() {
            inquiry.begin_writing();
            return;
        }
        let caps = &inquiry.plan.caps;
        let failed = !self.search_outcomes.is_empty()
            && self.search_outcomes.iter().all(|searched| searched.problem.is_some());
        let used_up = self.queries.len() >= to_index(caps.queries)
            || self.pages_found() >= to_index(inquiry.pages_max());
        let in_plan = self.attempt < caps.rounds;
        let in_conflict = self.attempt < caps.rounds.saturating_add(caps.conflict_attempts);
        let open = inquiry.facets.iter().any(facet::Facet::is_open);
        let disputed = inquiry.open_conflicts().any(|(_, conflict)| conflict.facet.is_some());
        // A chain of names that is being followed gets another round, even though nothing else does.
        let in_leads = self.attempt < caps.rounds.saturating_add(caps.lead_rounds);
        let follows = inquiry.plan.follows_leads();
        let leads_on = follows && in_leads && self.unfollowed(inquiry).next().is_some();
        let goes_on = (in_plan && open && !inquiry.is_saturated())
            || (in_conflict && disputed && self.has_model(plan))
            || leads_on;
        let another = (!used_up && goes_on) || inquiry.has_waiting_facet();
        let has_searched = !failed && !self.search_outcomes.is_empty();
        let why = match () {
            // Named too late for any other round.
            () if self.has_named_page() && !(another && has_searched) => {
                self.attempt += 1;
                inquiry.stage = InquiryStage::Page;
                return;
            }
            () if failed && self.notes.is_empty() => WebStop::Failure,
            () if self.search_outcomes.is_empty() => WebStop::Limit,
            () if another => {
                self.attempt += 1;
                inquiry.stage = InquiryStage::Line;
                return;
            }
            () if !open => WebStop::Enough,
            () if inquiry.is_saturated() => WebStop::Saturated,
            () => WebStop::Limit,
        };
        self.stop = self.stop.or(Some(why));
        inquiry.begin_writing();
    }

    fn pages_found(&self) -> usize {
        let found = |listed: &&ListedCandidate| {
            matches!(listed.origin, CandidateOrigin::Search | CandidateOrigin::Link)
        };
        let fetched = |listed: &&ListedCandidate| matches!(listed.status, CandidateStatus::Fetched(_));
        self.candidates.iter().filter(found).filter(fetched).count()
    }

    /// An answer of an inquiry's own kind.
    pub(super) fn succeed_in_inquiry(&mut self, task: WebTask, outcome: &WebTaskOutcome) {
        match (task, outcome) {
            (WebTask::Line { facet, .. }, WebTaskOutcome::Lined(answer)) => self.take_line(facet, answer),
            (WebTask::Survey { page }, WebTaskOutcome::Surveyed(note)) => self.take_survey(page, note),
            (task, outcome) => {
                let Some(inquiry) = &mut self.inquiry else { return };
                match (task, outcome) {
                    (WebTask::Brief, WebTaskOutcome::Briefed(answer)) => inquiry.take_brief(answer),
                    (WebTask::Outline { .. }, WebTaskOutcome::Outlined(answer)) => {
                        inquiry.take_outline(answer)
                    }
                    (WebTask::Section { node }, WebTaskOutcome::Sectioned(answer)) => {
                        inquiry.take_section(node, answer)
                    }
                    (WebTask::Synthesis, WebTaskOutcome::Synthesized(answer)) => {
                        inquiry.take_synthesis(answer)
                    }
                    (WebTask::Front, WebTaskOutcome::Fronted(answer)) => inquiry.take_front(answer),
                    // An outcome of another kind says nothing about this task.
                    _ => {}
                }
            }
        }
    }

    fn take_survey(&mut self, page: u32, note: &SurveyNote) {
        if self.is_page_banned(page) {
            return;
        }
        let Some(mut inquiry) = self.inquiry.take() else { return };
        let (taken, read_again) = inquiry.take_survey(page, self.attempt, note);
        if let Some(read) = self.pages.get_mut(to_index(page)) {
            read.is_read = !read_again;
            read.by_rule |= read_again;
        }
        if read_again {
            self.over.remove(&WebTask::Survey { page });
        }
        for id in &taken {
            self.note_quote(page, *id, &inquiry);
        }
        self.list_links(page, note, &inquiry);
        self.inquiry = Some(inquiry);
    }

    /// The note at the place of the quotation: what reports, traces and bundles know.
    fn note_quote(&mut self, page: u32, id: QuoteId, inquiry: &InquiryState) {
        let Some(quote) = inquiry.bank.get(id) else { return };
        let facet = quote.facets.first().and_then(|facet| inquiry.facet(*facet));
        let listed =
            self.pages.get(to_index(page)).and_then(|read| self.candidates.get(to_index(read.candidate)));
        let question =
            facet.map(|facet| facet.question.clone()).or(listed.map(|listed| listed.question.clone()));
        let fact = |value: &String| NoteFact {
            kind: if value.chars().any(char::is_numeric) { FactKind::Number } else { FactKind::Other },
            value: value.clone(),
            quote: 0,
        };
        let note = ReaderNote {
            quotes: vec![Quote { start: quote.start, end: quote.end, text: quote.text.clone() }],
            facts: quote.facts.iter().map(|known| fact(&known.value)).collect(),
            ..ReaderNote::default()
        };
        self.notes.push(PageNote { page, question: question.unwrap_or_default(), note });
    }

    /// Links that a reader named are candidates of the facet that the page served.
    fn list_links(&mut self, page: u32, note: &SurveyNote, inquiry: &InquiryState) {
        let facet =
            note.quotes.first().and_then(|quote| quote.facets.first()).and_then(|id| inquiry.facet(*id));
        let Some(question) = facet.map(|facet| facet.question.clone()) else { return };
        let Some(links) = self.pages.get(to_index(page)).map(|read| read.metadata.links.clone()) else {
            return;
        };
        for link in note.links.iter().filter_map(|place| links.get(*place)) {
            let candidate = Candidate { score: LINK_SCORE, ..super::candidates::bare(&link.url, &link.text) };
            self.list(candidate, &question, CandidateOrigin::Link);
        }
    }

    /// A task of an inquiry was given up: what replaces it.
    pub(super) fn replace_in_inquiry(&mut self, task: WebTask) {
        match task {
            WebTask::Survey { page } => {
                // Read by rule instead.
                self.over.remove(&task);
                if let Some(page) = self.pages.get_mut(to_index(page)) {
                    page.by_rule = true;
                }
            }
            WebTask::Section { node } => self.quote_if_others_are_written(node),
            _ => {}
        }
    }

    /// Quoted at the end with the others: whether any section is written is not known before.
    fn quote_if_others_are_written(&mut self, node: NodeId) {
        if let Some(inquiry) = self.inquiry.as_mut().filter(|inquiry| inquiry.is_written()) {
            inquiry.quote_section(node);
        }
    }

    /// An endpoint that refuses a prompt gets a shorter one once.
    pub(super) fn shrink_after(&mut self, code: Code) -> bool {
        let Some(inquiry) = self.inquiry.as_mut().filter(|_| code == Code::BadRequest) else { return false };
        inquiry.shrink_prompts();
        true
    }
}

fn wants_synthesis(inquiry: &InquiryState) -> bool {
    let written = inquiry.sections.values().filter(|section| !section.is_quoted).count();
    inquiry.plan.depth > StrategyLevel::Shallow && written >= SYNTHESIS_SECTIONS_MIN
}

/// The nearest stage of the first engine, for those who show one.
fn shown_stage(stage: InquiryStage) -> super::WebStage {
    use super::WebStage;
    match stage {
        InquiryStage::Brief | InquiryStage::Line | InquiryStage::Outline => WebStage::Plan,
        InquiryStage::Search => WebStage::Search,
        InquiryStage::Page => WebStage::Page,
        InquiryStage::Survey => WebStage::Read,
        InquiryStage::Section | InquiryStage::Synthesis | InquiryStage::Front => WebStage::Write,
        InquiryStage::Done => WebStage::Done,
    }
}
