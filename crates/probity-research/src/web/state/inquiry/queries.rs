//! What an inquiry searches for: queries of its planner, and those by rule.

use probity_types::inquiry::{FacetId, LineAnswer};

use super::super::{SearchQuery, WebState, to_index};
use crate::{
    inquiry::{InquiryState, facet, figures},
    text,
    web::{passages, search::QUERY_CHARACTERS_MAX, strategy::StrategyLevel},
};

impl WebState {
    pub(super) fn first_queries(&mut self, inquiry: &InquiryState, question: &str) {
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
    pub(super) fn ask_by_name(&mut self, inquiry: &InquiryState, question: &str) {
        let most = to_index(inquiry.plan.caps.queries);
        let rounds_left =
            to_index(inquiry.plan.caps.rounds.saturating_add(1).saturating_sub(self.attempt).max(1));
        let before = self.queries.iter().filter(|asked| asked.attempt < self.attempt).count();
        let of_round = before + most.saturating_sub(before).div_ceil(rounds_left);
        let wanted = inquiry.asked_by_name().into_iter();
        let mut queries: Vec<(FacetId, String)> = wanted.map(|(item, facet)| (facet, item.query())).collect();
        for (place, facet) in inquiry.facets.iter().enumerate() {
            // A reader may be talked into any term; only what looks like a name is asked as it stands.
            let names = facet.terms.iter().filter(|term| facet::is_name(term));
            queries.extend(names.map(|term| (FacetId::at(place), term.clone())));
        }
        let topic = figures::names(question).first().and_then(|(start, end)| question.get(*start..*end));
        // Where everything is asked for, also what facts were found of.
        let everything = inquiry.plan.depth == StrategyLevel::Exhaustive;
        for (entity, facet) in inquiry.bank.entities().into_iter().filter(|_| everything) {
            let known = |asked: &SearchQuery| asked.query.contains(entity);
            let own = topic.filter(|topic| !entity.contains(topic)).unwrap_or_default();
            if facet::is_name(entity) && !self.queries.iter().any(known) {
                queries.push((facet, format!("{entity} {own}").trim().to_owned()));
            }
        }
        for (facet, query) in queries {
            let Some(question) = inquiry.facet(facet).map(|facet| facet.question.clone()) else { continue };
            self.ask(&question, &query, of_round);
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

    pub(super) fn take_line(&mut self, id: FacetId, answer: &LineAnswer) {
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
    pub(super) fn queries_by_rule(&mut self, inquiry: &InquiryState) {
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
}
