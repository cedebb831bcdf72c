//! Facets: the parts of the question that are looked into on their own, and what the answer must meet.

use probity_types::inquiry::RequirementKind;

use crate::{
    text,
    web::{passages, search::QUERY_CHARACTERS_MAX},
};

/// Longest question of a facet, heading or want, in characters.
pub const LINE_CHARACTERS_MAX: usize = 240;
/// Terms of pages that one facet remembers.
const TERMS_PER_FACET_MAX: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FacetStatus {
    Open,
    /// Nothing more is searched for it.
    Closed,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Facet {
    pub question: String,
    /// Its first query.
    pub query: String,
    pub status: FacetStatus,
    /// Rounds in a row that brought nothing new for it.
    pub barren_rounds: u32,
    /// The planner said that there is enough.
    pub said_done: bool,
    /// Names that its pages mentioned, as plain words.
    pub terms: Vec<String>,
}

impl Facet {
    pub fn new(question: &str, query: &str) -> Self {
        let question = text::line(question, LINE_CHARACTERS_MAX);
        let query = text::line(query, QUERY_CHARACTERS_MAX);
        let query = if query.is_empty() { question.clone() } else { query };
        Self {
            question,
            query,
            status: FacetStatus::Open,
            barren_rounds: 0,
            said_done: false,
            terms: Vec::new(),
        }
    }

    pub fn is_open(&self) -> bool {
        self.status == FacetStatus::Open
    }

    pub fn remember(&mut self, terms: &[String]) {
        for term in terms {
            if self.terms.len() < TERMS_PER_FACET_MAX && !self.terms.contains(term) {
                self.terms.push(term.clone());
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequirementStatus {
    Open,
    Met,
}

/// One thing that the question demands of its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecklistItem {
    pub text: String,
    pub kind: RequirementKind,
    pub status: RequirementStatus,
}

/// The question in parts without a model: its sentences and the things it lists, else the question itself.
pub fn by_rule(question: &str, most: usize) -> Vec<Facet> {
    let sentences = passages::sentences(question);
    let mut parts: Vec<&str> =
        sentences.iter().filter_map(|(start, end)| question.get(*start..*end)).collect();
    if parts.len() < 2 {
        parts = question.split([';', '；']).map(str::trim).filter(|part| !part.is_empty()).collect();
    }
    let subject = passages::queries(question, 2).pop().unwrap_or_default();
    let mut facets: Vec<Facet> = Vec::new();
    for part in parts.iter().filter(|part| passages::words(part).len() > 1).take(most) {
        let alone = parts.len() == 1;
        let query = if alone {
            text::line(question, QUERY_CHARACTERS_MAX)
        } else {
            text::line(part, QUERY_CHARACTERS_MAX)
        };
        if !facets.iter().any(|facet| facet.question == text::line(part, LINE_CHARACTERS_MAX)) {
            facets.push(Facet::new(part, &query));
        }
    }
    if facets.is_empty() {
        facets.push(Facet::new(question, &subject));
    }
    facets
}

/// Queries for a facet where no planner wrote any: its words with a name that its pages mentioned.
pub fn queries_by_rule(facet: &Facet, wants: &[String], most: usize) -> Vec<String> {
    let subject = passages::queries(&facet.question, 2).pop().unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for want in wants {
        found.push(text::line(want, QUERY_CHARACTERS_MAX));
    }
    for term in &facet.terms {
        found.push(text::line(&format!("{term} {subject}"), QUERY_CHARACTERS_MAX));
    }
    found.push(subject);
    found.retain(|query| !query.trim().is_empty());
    found.dedup();
    found.truncate(most);
    found
}

#[cfg(test)]
mod tests {
    use super::by_rule;

    #[track_caller]
    fn check(question: &str, parts: &[&str]) {
        let found: Vec<String> = by_rule(question, 5).into_iter().map(|facet| facet.question).collect();
        assert_eq!(found, parts);
    }

    #[test]
    fn a_question_has_the_parts_it_names() {
        check("Why did the bridge fall?", &["Why did the bridge fall?"]);
        check(
            "Why did the bridge fall? Who paid for the new bridge?",
            &["Why did the bridge fall?", "Who paid for the new bridge?"],
        );
        check(
            "cost of solar power; lifetime of batteries",
            &["cost of solar power", "lifetime of batteries"],
        );
        check("桥为什么会塌？谁付了钱？", &["桥为什么会塌？", "谁付了钱？"]);
    }
}
