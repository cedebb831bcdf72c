//! The gathering of an inquiry (`web/2`): its stages, its queries, the choice of pages, and what outcomes mean for it.
//!
//! Places agree: the quotation at a place of the bank is the note at the same place of the run.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::{FacetId, LineAnswer, NodeId, QuoteId, SurveyNote};

use super::{
    CandidateOrigin, CandidateStatus, ListedCandidate, PageNote, SearchQuery, WebState, WebStop, to_count,
    to_index,
};
use crate::{
    error::Code,
    inquiry::{InquiryStage, InquiryState, bank::PageFacts, facet},
    text,
    web::{
        canonical, fuse,
        note::{FactKind, NoteFact, Quote, ReaderNote},
        passages,
        plan::WebPlan,
        search::{QUERY_CHARACTERS_MAX, SearchHit},
        strategy::StrategyLevel,
        task::{Candidate, WebTask, WebTaskOutcome},
    },
};

/// Candidates kept of one query's results.
const LISTED_PER_QUERY_MAX: usize = 20;
/// The score of the first result of a query; that of the third is a third of it.
const SCORE_UNIT: u64 = 120_000;
/// How many times further down a result stands whose snippet says nothing of what was asked, or has no figure.
const BARE_SNIPPET_PLACES: u32 = 2;
/// Results below this are not read: the eighth of a query, or the second whose snippet says nothing.
const SCORE_MIN: u64 = SCORE_UNIT / 8;
/// A link that a reader named counts like one of the first results of a search.
const LINK_SCORE: u64 = SCORE_UNIT / 3;
/// Pages fetched for each one that is wanted: some are dead, and the next best replaces them.
const FETCHES_PER_PAGE: usize = 2;
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
            InquiryStage::Survey => {
                let unread = self.pages.iter().enumerate().filter(|(_, page)| !page.is_read);
                unread.map(|(page, _)| WebTask::Survey { page: to_count(page) }).collect()
            }
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
                if inquiry.facets.is_empty() {
                    inquiry.facets_by_rule(question);
                }
                self.first_queries(&inquiry, question);
                self.ask_by_name(&inquiry);
                inquiry.stage = InquiryStage::Search;
            }
            InquiryStage::Line => {
                self.queries_by_rule(&inquiry);
                self.ask_by_name(&inquiry);
                let lines = inquiry.lines(self.attempt);
                inquiry.count_conflict_attempts(&lines);
                inquiry.stage = InquiryStage::Search;
            }
            InquiryStage::Search => {
                if !self.ask_next_provider(plan) {
                    self.list_hits_by_query(plan);
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
                let outlines = inquiry.outline_rounds < inquiry.plan.caps.outline_rounds;
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
        let unread = self.pages.iter().any(|page| !page.is_read);
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

    fn first_queries(&mut self, inquiry: &InquiryState, question: &str) {
        let most = to_index(inquiry.plan.caps.queries);
        for facet in &inquiry.facets {
            self.ask(&facet.question, &facet.query, most);
        }
        // The question's own words beside those of the planner.
        let Some(first) = inquiry.facets.first() else { return };
        let own = if inquiry.plan.caps.rounds == 1 { 2 } else { 1 };
        for query in passages::queries(question, own) {
            let home = inquiry.facets.iter().find(|facet| facet.question == question).unwrap_or(first);
            self.ask(&home.question, &query, most);
        }
    }

    /// What the question asks for by name and nothing answers yet, and names that pages mentioned: each gets a query of
    /// its own, as far as this round's share of the queries goes.
    fn ask_by_name(&mut self, inquiry: &InquiryState) {
        let most = to_index(inquiry.plan.caps.queries);
        let rounds_left =
            to_index(inquiry.plan.caps.rounds.saturating_add(1).saturating_sub(self.attempt).max(1));
        let before = self.queries.iter().filter(|asked| asked.attempt < self.attempt).count();
        let of_round = before + most.saturating_sub(before).div_ceil(rounds_left);
        let wanted = inquiry.asked_by_name().into_iter();
        let mut queries: Vec<(FacetId, String)> =
            wanted.map(|(item, facet)| (facet, item.text.clone())).collect();
        for (place, facet) in inquiry.facets.iter().enumerate() {
            // A reader may be talked into any term; only what looks like a name is asked as it stands.
            let names = facet.terms.iter().filter(|term| facet::is_name(term));
            queries.extend(names.map(|term| (FacetId::at(place), term.clone())));
        }
        for (facet, query) in queries {
            let Some(question) = inquiry.facet(facet).map(|facet| facet.question.clone()) else { continue };
            self.ask(&question, query.trim_end_matches(['.', '?', ';']), of_round);
        }
    }

    /// A new query for a question, as long as the whole inquiry may ask one.
    fn ask(&mut self, question: &str, query: &str, most: usize) -> bool {
        let query = text::line(query, QUERY_CHARACTERS_MAX);
        let known = |asked: &SearchQuery| asked.query.to_lowercase() == query.to_lowercase();
        if query.is_empty() || self.queries.len() >= most || self.queries.iter().any(known) {
            return false;
        }
        self.queries.push(SearchQuery { attempt: self.attempt, question: question.to_owned(), query });
        true
    }

    fn take_line(&mut self, id: FacetId, answer: &LineAnswer) {
        let Some(mut inquiry) = self.inquiry.take() else { return };
        inquiry.take_line(id, answer);
        let most = to_index(inquiry.plan.caps.queries);
        let lines = inquiry.lines(self.attempt).len().max(1);
        let before = self.queries.iter().filter(|asked| asked.attempt < self.attempt).count();
        let share = most.saturating_sub(before).div_ceil(lines);
        if let Some(question) = inquiry.facet(id).map(|facet| facet.question.clone()) {
            let wanted = if answer.done && inquiry.conflict_of(id).is_none() { 0 } else { share };
            for asked in answer.queries.iter().take(wanted) {
                self.ask(&question, &asked.query, most);
            }
        }
        self.inquiry = Some(inquiry);
    }

    /// Facets whose planner gave no query get one of their own words, and conflicts one of theirs.
    fn queries_by_rule(&mut self, inquiry: &InquiryState) {
        let most = to_index(inquiry.plan.caps.queries);
        for id in inquiry.lines(self.attempt) {
            let Some(facet) = inquiry.facet(id) else { continue };
            let asked = self.queries_now().any(|(_, asked)| asked.question == facet.question);
            if asked || (facet.said_done && inquiry.conflict_of(id).is_none()) {
                continue;
            }
            let mut queries: Vec<String> = Vec::new();
            if let Some((_, conflict)) = inquiry.conflict_of(id) {
                queries.push(format!("{} {} {}", conflict.entity, conflict.attribute, conflict.period));
            }
            let wants = inquiry.outline.wants_of(id, &inquiry.facets, &inquiry.bank);
            queries.extend(facet::queries_by_rule(facet, &wants, 4));
            let question = facet.question.clone();
            for query in queries {
                if self.ask(&question, query.trim(), most) {
                    break;
                }
            }
        }
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

    /// The results of each query as a list of its own: the best of every query comes before the second of any.
    fn list_hits_by_query(&mut self, plan: &WebPlan) {
        let now: Vec<(u32, SearchQuery)> =
            self.queries_now().map(|(query, asked)| (to_count(query), asked.clone())).collect();
        let mut found: Vec<(Candidate, String)> = Vec::new();
        for (query, asked) in now {
            let lists: Vec<_> = self
                .search_outcomes
                .iter()
                .filter(|searched| searched.query == query)
                .map(|searched| (searched.provider, searched.hits.as_slice()))
                .collect();
            let wanted = passages::words(&format!("{} {}", asked.question, asked.query));
            let ranked = fuse::fuse(&lists, &plan.filters).into_iter().take(LISTED_PER_QUERY_MAX);
            for (place, candidate) in ranked.enumerate() {
                let score = ranked_score(place, &candidate.snippet, &wanted);
                found.push((Candidate { score, ..candidate }, asked.question.clone()));
            }
        }
        found.sort_by_key(|(candidate, _)| std::cmp::Reverse(candidate.score));
        for (candidate, question) in found {
            self.list(candidate, &question, CandidateOrigin::Search);
        }
    }

    /// The query whose results had this candidate, the first one where there are several.
    pub fn found_by(&self, candidate: u32) -> Option<&str> {
        let wanted = &self.candidates.get(to_index(candidate))?.candidate.url;
        let has = |hits: &[SearchHit]| hits.iter().any(|hit| hit.url == *wanted);
        let outcome = self.search_outcomes.iter().find(|searched| has(&searched.hits))?;
        self.queries.get(to_index(outcome.query)).map(|asked| asked.query.as_str())
    }

    /// Takes pages facet by facet, the one with the fewest origins first, until the round is full. Returns whether
    /// there were any.
    fn choose_by_facet(&mut self, plan: &WebPlan, inquiry: &InquiryState) -> bool {
        let mut room = self.room_of_round(inquiry);
        let mut of_site: BTreeMap<String, usize> = BTreeMap::new();
        for listed in self.candidates.iter().filter(|listed| listed.status != CandidateStatus::Waiting) {
            if let Some(site) = canonical::site(&listed.candidate.url) {
                *of_site.entry(site).or_default() += 1;
            }
        }
        // A user who asks for pages of certain sites wants many of them.
        let per_site = if plan.filters.domains.is_empty() {
            to_index(inquiry.plan.caps.pages_per_site)
        } else {
            usize::MAX
        };
        let lines = inquiry.lines(self.attempt);
        let mut queues: Vec<Vec<usize>> = self.waiting_by_facet(inquiry, &lines);
        let mut chosen = 0_usize;
        while room > 0 && queues.iter().any(|queue| !queue.is_empty()) {
            for queue in &mut queues {
                // Each queue has its best at the end.
                while let Some(place) = queue.pop() {
                    let site =
                        self.candidates.get(place).and_then(|listed| canonical::site(&listed.candidate.url));
                    let taken = site.as_ref().and_then(|site| of_site.get(site)).copied().unwrap_or(0);
                    if taken >= per_site {
                        continue;
                    }
                    if let Some(site) = site {
                        *of_site.entry(site).or_default() += 1;
                    }
                    self.mark_chosen(to_count(place));
                    chosen += 1;
                    room -= 1;
                    break;
                }
                if room == 0 {
                    break;
                }
            }
        }
        chosen > 0
    }

    /// Waiting candidates of each line, the best last; lines with few origins first.
    fn waiting_by_facet(&self, inquiry: &InquiryState, lines: &[FacetId]) -> Vec<Vec<usize>> {
        let mut ordered: Vec<FacetId> = lines.to_vec();
        ordered.sort_by_key(|id| (inquiry.bank.origins_of(*id), *id));
        let queue = |id: &FacetId| {
            let question = inquiry.facet(*id).map(|facet| facet.question.as_str()).unwrap_or_default();
            let waits = |(_, listed): &(usize, &ListedCandidate)| {
                listed.status == CandidateStatus::Waiting
                    && listed.question == question
                    && listed.candidate.score >= SCORE_MIN
            };
            let mut queue: Vec<(u64, usize)> = self
                .candidates
                .iter()
                .enumerate()
                .filter(waits)
                .map(|(place, listed)| (listed.candidate.score, place))
                .collect();
            queue.sort_by_key(|(score, place)| (*score, std::cmp::Reverse(*place)));
            queue.into_iter().map(|(_, place)| place).collect()
        };
        ordered.iter().map(queue).collect()
    }

    /// Pages that may still be taken in this round: its share of what the inquiry may read.
    fn room_of_round(&self, inquiry: &InquiryState) -> usize {
        let found = |listed: &&ListedCandidate| {
            matches!(listed.origin, CandidateOrigin::Search | CandidateOrigin::Link)
        };
        let taken = |listed: &&ListedCandidate| {
            matches!(listed.status, CandidateStatus::Chosen | CandidateStatus::Fetched(_))
        };
        let now = |listed: &&ListedCandidate| listed.attempt == self.attempt;
        let candidates = || self.candidates.iter().filter(found);
        let all = candidates().filter(taken).count();
        let of_round = candidates().filter(taken).filter(now).count();
        let tried =
            candidates().filter(now).filter(|listed| listed.status != CandidateStatus::Waiting).count();
        let caps = &inquiry.plan.caps;
        let rounds_left = to_index(caps.rounds.saturating_add(1).saturating_sub(self.attempt).max(1));
        let left = to_index(caps.pages).saturating_sub(all - of_round);
        let wanted = left.div_ceil(rounds_left);
        wanted.saturating_sub(of_round).min((wanted * FETCHES_PER_PAGE).saturating_sub(tried))
    }

    /// What the round brought, once for each round.
    fn close_round(&mut self, plan: &WebPlan, inquiry: &mut InquiryState) {
        let origins = self.origins();
        let facts = self.pages.iter().enumerate().map(|(place, page)| PageFacts {
            origin: origins.get(place).copied().unwrap_or(place),
            site: canonical::site(&page.metadata.record.final_url).unwrap_or_else(|| "own file".to_owned()),
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
        let caps = &inquiry.plan.caps;
        let failed = !self.search_outcomes.is_empty()
            && self.search_outcomes.iter().all(|searched| searched.problem.is_some());
        let used_up =
            self.queries.len() >= to_index(caps.queries) || self.pages_found() >= to_index(caps.pages);
        let in_plan = self.attempt < caps.rounds;
        let in_conflict = self.attempt < caps.rounds.saturating_add(caps.conflict_attempts);
        let open = inquiry.facets.iter().any(facet::Facet::is_open);
        let disputed = inquiry.open_conflicts().any(|(_, conflict)| conflict.facet.is_some());
        let why = match () {
            () if failed && self.notes.is_empty() => WebStop::Failure,
            () if self.search_outcomes.is_empty() => WebStop::Limit,
            () if !used_up && in_plan && open && !inquiry.is_saturated() => {
                self.attempt += 1;
                inquiry.stage = InquiryStage::Line;
                return;
            }
            () if !used_up && in_conflict && disputed && self.has_model(plan) => {
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

/// The worth of a place in the list of one query. A snippet that holds words of what was asked, and figures, promises more
/// than one that could stand on any page.
fn ranked_score(place: usize, snippet: &str, wanted: &BTreeSet<String>) -> u64 {
    let is_bare = |tells: bool| if tells { 1 } else { BARE_SNIPPET_PLACES };
    let tells = passages::shared(wanted, snippet) > 0;
    let counts = snippet.chars().any(char::is_numeric);
    let place = to_count(place).saturating_add(1);
    SCORE_UNIT / u64::from(place.saturating_mul(is_bare(tells)).saturating_mul(is_bare(counts)))
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
