//! What an inquiry searches for: queries of its planner, and those by rule.

use std::collections::BTreeSet;

use probity_types::inquiry::{FacetId, LineAnswer, LineQuery, RequirementKind};

use super::super::{SearchQuery, WebState, to_index};
use crate::{
    inquiry::{
        InquiryState,
        conflict::Conflict,
        facet, figures,
        lead::{self, Lead},
    },
    text,
    web::{passages, search::QUERY_CHARACTERS_MAX, strategy::StrategyLevel},
};

/// The part of all queries, and of all pages, that is kept for the rounds behind the planned ones: one in eight.
const KEPT_FOR_LEADS: usize = 8;

impl WebState {
    pub(super) fn first_queries(&mut self, inquiry: &InquiryState, question: &str) {
        let most = to_index(inquiry.plan.caps.queries);
        for (_, facet) in inquiry.wanted_facets() {
            self.ask(&facet.question, &facet.query, most);
        }
        // The question's own words beside those of the planner.
        let Some((_, first)) = inquiry.wanted_facets().next() else { return };
        let own = if inquiry.plan.caps.rounds == 1 { 2 } else { 1 };
        for query in passages::queries(question, own) {
            let mut wanted = inquiry.wanted_facets().map(|(_, facet)| facet);
            let home = wanted.find(|facet| facet.question == question).unwrap_or(first);
            self.ask(&home.question, &query, most);
        }
    }

    /// What the question asks for by name and nothing answers yet, and names that pages mentioned: each gets a query of
    /// its own, as far as this round's share of the queries goes.
    pub(super) fn ask_by_name(&mut self, inquiry: &InquiryState, question: &str) {
        let most = to_index(inquiry.plan.caps.queries);
        let of_round = self.queries_of_round(inquiry);
        let mut wanted = inquiry.asked_by_name();
        // What is to be found comes before the form in which it is to be shown.
        wanted.sort_by_key(|(item, _)| item.kind == RequirementKind::Format);
        let asked_for = of_round.max(most / 2);
        for (item, facet) in wanted {
            let Some(question) = inquiry.facet(facet).map(|facet| facet.question.clone()) else { continue };
            self.ask(&question, &item.query(), asked_for);
        }
        let mut queries: Vec<(FacetId, String)> = match inquiry.plan.follows_leads() {
            true => self.unfollowed(inquiry).map(|lead| (lead.facet, lead.name.clone())).collect(),
            false => names_of_facets(inquiry),
        };
        let topic = figures::names(question).first().and_then(|(start, end)| question.get(*start..*end));
        // Where much is asked for, also what facts were found of.
        let most_wanted =
            if inquiry.plan.follows_leads() { StrategyLevel::Deep } else { StrategyLevel::Exhaustive };
        let everything = inquiry.plan.depth >= most_wanted;
        for (entity, facet) in inquiry.bank.entities().into_iter().filter(|_| everything) {
            let known = |asked: &SearchQuery| asked.query.contains(entity);
            let own = topic.filter(|topic| !entity.contains(topic)).unwrap_or_default();
            if facet::is_name(entity) && !self.queries.iter().any(known) {
                queries.push((facet, format!("{entity} {own}").trim().to_owned()));
            }
        }
        for (facet, query) in queries.into_iter().filter(|(facet, _)| !inquiry.is_dropped(*facet)) {
            let Some(question) = inquiry.facet(facet).map(|facet| facet.question.clone()) else { continue };
            self.ask(&question, &query, of_round);
        }
    }

    fn queries_before(&self) -> usize {
        self.queries.iter().filter(|asked| asked.attempt < self.attempt).count()
    }

    /// How many queries may have been asked when this round has asked its share.
    fn queries_of_round(&self, inquiry: &InquiryState) -> usize {
        let caps = &inquiry.plan.caps;
        let (most, before) = (to_index(caps.queries), self.queries_before());
        let is_planned = self.attempt <= caps.rounds;
        let last = if is_planned { caps.rounds } else { caps.rounds.saturating_add(caps.lead_rounds) };
        let kept = self.kept_for_leads(inquiry, most);
        let rounds_left = to_index(last.saturating_add(1).saturating_sub(self.attempt).max(1));
        before + (most - kept).saturating_sub(before).div_ceil(rounds_left)
    }

    /// How many of the most queries or pages a planned round leaves to the rounds that only follow names.
    pub(super) fn kept_for_leads(&self, inquiry: &InquiryState, most: usize) -> usize {
        let caps = &inquiry.plan.caps;
        if self.attempt <= caps.rounds && caps.lead_rounds > 0 { most / KEPT_FOR_LEADS } else { 0 }
    }

    /// How many of them lines may have asked: up to half of a round's is for names that pages mentioned.
    fn queries_of_lines(&self, inquiry: &InquiryState) -> usize {
        if !inquiry.plan.follows_leads() {
            return to_index(inquiry.plan.caps.queries);
        }
        let of_round = self.queries_of_round(inquiry);
        let half = of_round.saturating_sub(self.queries_before()) / 2;
        of_round - half.min(self.unfollowed(inquiry).count())
    }

    /// Names that pages mentioned, that no query asked for and that no page which was read has in its title.
    pub(super) fn unfollowed<'a>(&'a self, inquiry: &'a InquiryState) -> impl Iterator<Item = &'a Lead> {
        let has_page = move |name: &str| self.pages.iter().any(|page| page.metadata.title.contains(name));
        let is_new = move |lead: &&Lead| {
            !self.is_asked(&lead.name) && !has_page(&lead.name) && !inquiry.is_dropped(lead.facet)
        };
        lead::in_order(&inquiry.leads).into_iter().filter(is_new)
    }

    fn is_asked(&self, query: &str) -> bool {
        let words = passages::words(query);
        let lower = query.to_lowercase();
        self.queries
            .iter()
            .any(|asked| asked.query.to_lowercase() == lower || is_the_same(&words, &asked.query))
    }

    /// A new query for a question, as long as the whole inquiry may ask one.
    fn ask(&mut self, question: &str, query: &str, most: usize) -> bool {
        let query = text::line(query, QUERY_CHARACTERS_MAX);
        if query.is_empty() || self.queries.len() >= most || self.is_asked(&query) {
            return false;
        }
        self.queries.push(SearchQuery { attempt: self.attempt, question: question.to_owned(), query });
        true
    }

    pub(super) fn take_line(&mut self, id: FacetId, answer: &LineAnswer) {
        let Some(mut inquiry) = self.inquiry.take() else { return };
        inquiry.take_line(id, answer);
        let most = self.queries_of_lines(&inquiry);
        let lines = inquiry.lines(self.attempt).len().max(1);
        let before = self.queries_before();
        let share = most.saturating_sub(before).div_ceil(lines);
        if let Some(question) = inquiry.facet(id).map(|facet| facet.question.clone()) {
            let is_over = answer.done && inquiry.conflict_of(id).is_none();
            let wanted = if is_over || inquiry.is_dropped(id) { 0 } else { share };
            // A disagreement is searched for by its own words, whether or not its planner thought of it.
            let doubt = inquiry.conflict_of(id).map(|(_, conflict)| conflict).filter(|conflict| {
                let is_asked = |asked: &LineQuery| asked.query.contains(&conflict.entity);
                inquiry.plan.settles_doubts() && !answer.queries.iter().any(is_asked)
            });
            let doubt = doubt.map(Conflict::next_query);
            let planned = answer.queries.iter().map(|asked| asked.query.as_str());
            for query in doubt.as_deref().into_iter().chain(planned).take(wanted) {
                self.ask(&question, query, most);
            }
        }
        self.inquiry = Some(inquiry);
    }

    /// Parts that the user added are searched for at least once, whatever the others have asked already.
    pub(super) fn ask_for_waiting(&mut self, inquiry: &mut InquiryState) {
        for facet in inquiry.facets.iter_mut().filter(|facet| facet.waits && facet.is_open()) {
            if !self.queries_now().any(|(_, asked)| asked.question == facet.question) {
                let most = self.queries.len().saturating_add(1);
                self.ask(&facet.question, &facet.query, most);
            }
            facet.waits = false;
        }
    }

    /// Facets whose planner gave no query get one of their own words, and conflicts one of theirs.
    pub(super) fn queries_by_rule(&mut self, inquiry: &InquiryState) {
        let most = self.queries_of_lines(inquiry);
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
}

/// The freshest names of every facet before the second freshest of any: they lead on from what was read last.
fn names_of_facets(inquiry: &InquiryState) -> Vec<(FacetId, String)> {
    let mut names = Vec::new();
    for rank in 0..facet::TERMS_PER_FACET_MAX {
        for (place, facet) in inquiry.facets.iter().enumerate() {
            // A reader may be talked into any term; only what looks like a name is asked as it stands.
            let name = facet.terms.iter().rev().nth(rank).filter(|term| facet::is_name(term));
            names.extend(name.map(|term| (FacetId::at(place), term.clone())));
        }
    }
    names
}

/// Whether an earlier query had the same words in whatever order, perhaps with a year or another number beside them.
fn is_the_same(words: &BTreeSet<String>, earlier: &str) -> bool {
    let earlier = passages::words(earlier);
    !words.is_empty()
        && words.is_subset(&earlier)
        && earlier.difference(words).all(|word| word.chars().all(char::is_numeric))
}

#[cfg(test)]
mod tests {
    use super::is_the_same;
    use crate::web::passages;

    #[test]
    fn the_same_words_in_another_order_are_the_same_query() {
        let same = |new: &str, earlier: &str| is_the_same(&passages::words(new), earlier);
        assert!(same("Orion Pier length", "the length of Orion Pier"));
        assert!(same("Orion Pier length", "the length of Orion Pier in 2024"));
        assert!(!same("Orion Pier length 2023", "the length of Orion Pier in 2024"));
        assert!(!same("Orion Pier", "the length of Orion Pier"));
        assert!(!same("Orion Pier length", "Orion Pier"));
    }
}
