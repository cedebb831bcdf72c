//! Facets: the parts of the question that are looked into on their own, and what the answer must meet.

use std::collections::BTreeSet;

use probity_types::inquiry::{FacetId, RequirementKind};

use super::figures;
use crate::{
    text,
    web::{passages, search::QUERY_CHARACTERS_MAX},
};

/// Longest question of a facet, heading or want, in characters.
pub const LINE_CHARACTERS_MAX: usize = 240;
/// Terms of pages that one facet remembers: the latest.
pub const TERMS_PER_FACET_MAX: usize = 12;

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
    /// The user asked for it while the research was under way.
    pub is_added: bool,
    /// It was added, and nothing has been searched for it yet.
    pub waits: bool,
    /// The user wants nothing more of it.
    pub is_dropped: bool,
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
            is_added: false,
            waits: false,
            is_dropped: false,
        }
    }

    /// One that the user asks for while the research is under way.
    pub fn added(question: &str) -> Self {
        Self { is_added: true, waits: true, ..Self::new(question, "") }
    }

    /// Nothing more is searched for it, and nothing is written on it that has no place yet.
    pub fn drop_it(&mut self) {
        self.status = FacetStatus::Closed;
        self.is_dropped = true;
        self.waits = false;
    }

    pub fn is_open(&self) -> bool {
        self.status == FacetStatus::Open
    }

    pub fn remember(&mut self, terms: &[String]) {
        for term in terms {
            if !self.terms.contains(term) {
                self.terms.push(term.clone());
            }
        }
        // Older ones had their turn.
        let old = self.terms.len().saturating_sub(TERMS_PER_FACET_MAX);
        self.terms.drain(..old);
    }
}

/// Whether something serves parts of the question, and all of them are left out.
pub fn are_all_dropped(serves: &[FacetId], facets: &[Facet]) -> bool {
    let is_dropped =
        |id: &FacetId| id.index().and_then(|index| facets.get(index)).is_some_and(|facet| facet.is_dropped);
    !serves.is_empty() && serves.iter().all(is_dropped)
}

/// Words of letters only, each with a capital where its script has one.
pub fn is_name(term: &str) -> bool {
    let is_one = |word: &str| {
        word.chars().all(char::is_alphabetic)
            && word.chars().next().is_some_and(|first| !first.is_lowercase())
    };
    !term.is_empty() && term.split(' ').all(is_one)
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

impl ChecklistItem {
    /// What it asks for of each thing that it names: pages are found and recognised by names. `a table of the length of
    /// Orion, Vega` asks for the length of Orion and for that of Vega.
    pub fn asked_by_name(&self) -> Vec<Self> {
        let names = figures::names(&self.text);
        let without_others = |kept: &(usize, usize)| {
            let mut text = self.text.clone();
            for other in names.iter().rev().filter(|other| *other != kept) {
                text.replace_range(other.0..other.1, "");
            }
            let words: Vec<&str> =
                text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).collect();
            Self { text: words.join(" "), kind: self.kind, status: RequirementStatus::Open }
        };
        names.iter().map(without_others).collect()
    }

    /// As it is searched for.
    pub fn query(&self) -> String {
        text::line(self.text.trim_end_matches(['.', ',', '?', ';']), QUERY_CHARACTERS_MAX)
    }

    /// The names of what is asked for.
    fn names(&self) -> BTreeSet<String> {
        figures::name_keys(&self.text, figures::has_capital_nouns(&self.text))
    }

    /// Whether a text has all these names, and the years and other numbers that are asked for.
    fn is_named_in(&self, names: &BTreeSet<String>, text: &str) -> bool {
        let told = text.to_lowercase();
        names.iter().all(|name| told.contains(name.as_str()))
            && figures::number_keys(&self.text).is_subset(&figures::number_keys(text))
    }

    /// Whether a text may say what is asked for in another language, in which only names and figures are the same.
    pub fn may_be_met_by(&self, text: &str) -> bool {
        let names = self.names();
        !names.is_empty()
            && self.is_named_in(&names, text)
            && figures::number_keys(text).len() > figures::number_keys(&self.text).len()
    }

    /// Whether a text says what is asked for: all names and years of it, and most of the other words.
    pub fn is_met_by(&self, text: &str) -> bool {
        let names = self.names();
        if !self.is_named_in(&names, text) {
            return false;
        }
        let named: BTreeSet<String> = names.iter().flat_map(|name| passages::words(name)).collect();
        let wanted: BTreeSet<String> = passages::words(&self.text)
            .into_iter()
            .filter(|word| !named.contains(word) && !word.chars().all(char::is_numeric))
            .collect();
        let needed = (wanted.len() * 2).div_ceil(3).max(usize::from(names.is_empty()));
        passages::shared(&wanted, text) >= needed
    }
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
    use probity_types::inquiry::RequirementKind;

    use super::{ChecklistItem, RequirementStatus, by_rule, is_name};

    fn item(text: &str) -> ChecklistItem {
        ChecklistItem {
            text: text.to_owned(),
            kind: RequirementKind::Content,
            status: RequirementStatus::Open,
        }
    }

    #[test]
    fn only_a_name_is_asked_as_it_stands() {
        for name in ["Orion Institute", "Universität Zürich", "海岸研究所"] {
            assert!(is_name(name), "{name}");
        }
        for other in ["sk-live-0123", "send it", "Orion institute", "Q4 2024", "", "http://x"] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn each_thing_that_has_a_name_is_asked_for_by_it() {
        let asked = |text: &str| -> Vec<String> {
            item(text).asked_by_name().into_iter().map(|item| item.text).collect()
        };
        assert_eq!(
            asked("Include a table of the length (m, 2024) of the Orion Bridge, Vega Pier."),
            [
                "Include a table of the length (m, 2024) of the Orion Bridge,",
                "Include a table of the length (m, 2024) of the Vega Pier."
            ]
        );
        assert_eq!(asked("the cost of the Orion Bridge"), ["the cost of the Orion Bridge"]);
        assert!(asked("Show both sides where sources disagree.").is_empty());
        assert!(asked("die Länge der Brücke und die Kosten").is_empty());
    }

    #[test]
    fn a_demand_is_met_by_its_names_its_years_and_most_of_its_words() {
        let wanted = item("the spring cargo of Orion Pier in 2021");
        assert!(wanted.is_met_by("In 2021 the spring cargo of Orion Pier was 45 tonnes."));
        assert!(!wanted.is_met_by("In 2021 the autumn cargo of Vega Pier was 45 tonnes."));
        assert!(!wanted.is_met_by("In 2022 the spring cargo of Orion Pier was 45 tonnes."));
        assert!(!wanted.is_met_by("In 2021 the winter income of Orion Pier was 45 crowns."));
        // In another language names and figures are all that is the same.
        assert!(wanted.may_be_met_by("Orion Pier meldete für 2021 eine Frühjahrsfracht von 45 Tonnen."));
        assert!(!wanted.may_be_met_by("Vega Pier meldete für 2021 eine Frühjahrsfracht von 45 Tonnen."));
        assert!(!wanted.may_be_met_by("Orion Pier wurde 2021 erweitert."));
    }

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
