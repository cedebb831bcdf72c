//! Which results of an inquiry's searches are read, and in which order.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use probity_types::inquiry::FacetId;

use super::super::{
    CandidateOrigin, CandidateStatus, ListedCandidate, SearchQuery, WebState, to_count, to_index,
};
use crate::{
    inquiry::{
        InquiryPart, InquiryState,
        conflict::Conflict,
        doubt::{KnownFigures, Promise},
    },
    web::{
        canonical, fuse, passages, plan::WebPlan, search::SearchHit, strategy::StrategyLevel, task::Candidate,
    },
};

/// Candidates kept of one query's results.
const LISTED_PER_QUERY_MAX: usize = 20;
/// The score of the first result of a query; that of the third is a third of it.
const SCORE_UNIT: u64 = 120_000;
/// Results for what the question asks for by name, and for names that pages mention, count so many times as much.
const NAMED_TIMES: u64 = 2;
/// The part of a round's pages that such names may take before the facets have their turn.
const NAMED_OF_ROUND_PERCENT: usize = 75;
/// How many times further down a result stands whose snippet says nothing of what was asked, or has no figure.
const BARE_SNIPPET_PLACES: u32 = 2;
/// How far down a list results are read: to the eighth of a query, or the second whose snippet says nothing; further where
/// everything is asked for.
const PLACES_READ: u64 = 8;
const PLACES_READ_EXHAUSTIVE: u64 = 20;
/// A link that a reader named counts like one of the first results of a search.
pub(super) const LINK_SCORE: u64 = SCORE_UNIT / 3;
/// Pages fetched for each one that is wanted: some are dead, and the next best replaces them.
const FETCHES_PER_PAGE: usize = 2;

impl WebState {
    /// The results of each query as a list of its own: the best of every query comes before the second of any.
    pub(super) fn list_hits_by_query(&mut self, plan: &WebPlan, inquiry: &InquiryState) {
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
            let times = if is_named(inquiry, &asked.query) { NAMED_TIMES } else { 1 };
            for (place, candidate) in ranked.enumerate() {
                let score = times * ranked_score(place, &candidate.snippet, &wanted);
                found.push((Candidate { score, ..candidate }, asked.question.clone()));
            }
        }
        found.sort_by_key(|(candidate, _)| std::cmp::Reverse(candidate.score));
        for (candidate, question) in found {
            if inquiry.plan.follows_leads() && self.rise(&candidate, &question) {
                continue;
            }
            self.list(candidate, &question, CandidateOrigin::Search);
        }
    }

    /// A page that stood far down an earlier list and that waits still, yet high in this one, counts as high and belongs to
    /// what it was found for now. Returns whether it was listed before.
    fn rise(&mut self, found: &Candidate, question: &str) -> bool {
        let is_it = |listed: &&mut ListedCandidate| listed.candidate.url == found.url;
        let Some(listed) = self.candidates.iter_mut().find(is_it) else { return false };
        if listed.status == CandidateStatus::Waiting && listed.candidate.score < found.score {
            listed.candidate = found.clone();
            listed.question = question.to_owned();
        }
        true
    }

    /// The query whose results had this candidate. Where there are several, the one that the page answers best: a page
    /// that many lists hold was worth reading for the name that stands on it, and its reader must know that name.
    pub fn found_by(&self, candidate: u32, page: &str) -> Option<&str> {
        let wanted = &self.candidates.get(to_index(candidate))?.candidate.url;
        let has = |hits: &[SearchHit]| hits.iter().any(|hit| hit.url == *wanted);
        let said = passages::words(page);
        let mut best: Option<(usize, usize, &str)> = None;
        for searched in self.search_outcomes.iter().filter(|searched| has(&searched.hits)) {
            let Some(asked) = self.queries.get(to_index(searched.query)) else { continue };
            let words = passages::words(&asked.query);
            let shared = words.intersection(&said).count();
            let idle = words.len() - shared;
            let is_better =
                best.is_none_or(|(most, least, _)| shared > most || shared == most && idle < least);
            if is_better {
                best = Some((shared, idle, &asked.query));
            }
        }
        best.map(|(_, _, query)| query)
    }

    /// Takes pages facet by facet, the one with the fewest origins first, until the round is full. Returns whether
    /// there were any.
    pub(super) fn choose_by_facet(&mut self, plan: &WebPlan, inquiry: &InquiryState) -> bool {
        let mut room = self.room_of_round(inquiry);
        let mut of_site: BTreeMap<String, usize> = BTreeMap::new();
        let taken = |listed: &&ListedCandidate| {
            listed.status != CandidateStatus::Waiting && listed.origin != CandidateOrigin::Parent
        };
        for listed in self.candidates.iter().filter(taken) {
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
        let lines = self.searched_now(inquiry);
        let mut queues: Vec<Vec<usize>> = self.waiting_by_facet(inquiry, &lines);
        let before = room;
        let mut take = |state: &mut Self, place: usize| {
            let site = state.candidates.get(place).and_then(|listed| canonical::site(&listed.candidate.url));
            let taken = site.as_ref().and_then(|site| of_site.get(site)).copied().unwrap_or(0);
            if taken >= per_site {
                return false;
            }
            if let Some(site) = site {
                *of_site.entry(site).or_default() += 1;
            }
            state.mark_chosen(to_count(place));
            true
        };
        // What was searched for by its name first, whichever facet it belongs to.
        let mut for_names = room * NAMED_OF_ROUND_PERCENT / 100;
        for place in self.first_of_names(&queues) {
            if for_names > 0 && take(self, place) {
                for_names -= 1;
                room -= 1;
            }
        }
        while room > 0 && queues.iter().any(|queue| !queue.is_empty()) {
            for queue in &mut queues {
                // Each queue has its best at the end.
                while let Some(place) = queue.pop() {
                    let waits = self
                        .candidates
                        .get(place)
                        .is_some_and(|listed| listed.status == CandidateStatus::Waiting);
                    if waits && take(self, place) {
                        room -= 1;
                        break;
                    }
                }
                if room == 0 {
                    break;
                }
            }
        }
        for place in self.telling_otherwise(inquiry) {
            if room > 0 && take(self, place) {
                room -= 1;
            }
        }
        room < before
    }

    /// Where the planned rounds end, results that nothing else led to and that promise figures which the bank does not have
    /// of things that it knows: those that say otherwise first. A second voice on the same often stands far down.
    fn telling_otherwise(&self, inquiry: &InquiryState) -> Vec<usize> {
        let looks = inquiry.plan.settles_doubts() && inquiry.plan.has(InquiryPart::Conflicts);
        if !looks || self.attempt < inquiry.plan.caps.rounds {
            return Vec::new();
        }
        let known = KnownFigures::of(&inquiry.bank);
        let is_wanted = |listed: &ListedCandidate| {
            let facet = inquiry.facet_asking(&listed.question);
            listed.status == CandidateStatus::Waiting
                && listed.origin == CandidateOrigin::Search
                && facet.is_none_or(|facet| !inquiry.is_dropped(facet))
                && !self.is_banned(&listed.candidate.url)
        };
        let promise = |listed: &ListedCandidate| {
            known.promise(&format!("{}\n{}", listed.candidate.title, listed.candidate.snippet))
        };
        let waiting = self.candidates.iter().enumerate().filter(|(_, listed)| is_wanted(listed));
        let mut found: Vec<(Promise, u64, usize)> = waiting
            .filter_map(|(place, listed)| Some((promise(listed)?, listed.candidate.score, place)))
            .collect();
        found.sort_by_key(|(promise, score, place)| (Reverse(*promise), Reverse(*score), *place));
        found.into_iter().map(|(_, _, place)| place).collect()
    }

    /// The lines of this round, and the facets of names that it follows.
    fn searched_now(&self, inquiry: &InquiryState) -> Vec<FacetId> {
        let mut lines = inquiry.lines(self.attempt);
        if inquiry.plan.follows_leads() {
            let asked = self.queries_now().filter_map(|(_, asked)| inquiry.facet_asking(&asked.question));
            for facet in asked {
                if !lines.contains(&facet) && !inquiry.is_dropped(facet) {
                    lines.push(facet);
                }
            }
        }
        lines
    }

    /// Candidates that stand first in the list of something searched for by its name, and whose snippet says so.
    fn first_of_names(&self, queues: &[Vec<usize>]) -> Vec<usize> {
        let score = |place: usize| self.candidates.get(place).map_or(0, |listed| listed.candidate.score);
        let first = queues.iter().flatten().copied().filter(|place| score(*place) > SCORE_UNIT);
        let mut places: Vec<usize> = first.collect();
        places.sort_by_key(|place| (std::cmp::Reverse(score(*place)), *place));
        places
    }

    /// Waiting candidates of each line, the best last; lines with few origins first.
    fn waiting_by_facet(&self, inquiry: &InquiryState, lines: &[FacetId]) -> Vec<Vec<usize>> {
        let mut ordered: Vec<FacetId> = lines.to_vec();
        ordered.sort_by_key(|id| (inquiry.bank.origins_of(*id), *id));
        let places = match inquiry.plan.depth {
            StrategyLevel::Exhaustive => PLACES_READ_EXHAUSTIVE,
            StrategyLevel::None | StrategyLevel::Shallow | StrategyLevel::Medium | StrategyLevel::Deep => {
                PLACES_READ
            }
        };
        let queue = |id: &FacetId| {
            let question = inquiry.facet(*id).map(|facet| facet.question.as_str()).unwrap_or_default();
            let waits = |(_, listed): &(usize, &ListedCandidate)| {
                listed.status == CandidateStatus::Waiting
                    && listed.question == question
                    && !self.is_banned(&listed.candidate.url)
                    && listed.candidate.score >= SCORE_UNIT / places
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
        let most = to_index(inquiry.pages_max());
        let kept = self.kept_for_leads(inquiry, most);
        let left = (most - kept).saturating_sub(all - of_round);
        let wanted = left.div_ceil(rounds_left);
        wanted.saturating_sub(of_round).min((wanted * FETCHES_PER_PAGE).saturating_sub(tried))
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

/// Whether a query is for something that the question names, that a page named, or that sources disagree on.
fn is_named(inquiry: &InquiryState, query: &str) -> bool {
    let is_asked = inquiry.asked.iter().any(|item| query == item.query());
    let is_term = || inquiry.facets.iter().any(|facet| facet.terms.iter().any(|term| term == query));
    let is_lead = || inquiry.leads.iter().any(|lead| lead.name == query);
    let mut doubts = inquiry.conflicts.iter().flat_map(Conflict::queries);
    if inquiry.plan.settles_doubts() && doubts.any(|doubt| doubt == query) {
        return true;
    }
    is_asked || if inquiry.plan.follows_leads() { is_lead() } else { is_term() }
}
