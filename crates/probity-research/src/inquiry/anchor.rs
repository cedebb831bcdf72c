//! Which parts of a survey are really on the page, and a survey without a model.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use probity_types::inquiry::{
    FacetId, SurveyAnswer, SurveyFacet, SurveyNote, SurveyedQuote, TypedFact,
    answer::{SURVEY_FACETS_MAX, SURVEY_QUOTES_MAX, TERM_WORDS_MAX, TERMS_MAX},
    fact::{FACT_PART_CHARACTERS_MAX, FACTS_PER_QUOTE_MAX},
};

use super::{
    doubt,
    facet::{self, ChecklistItem},
    figures,
};
use crate::{
    text,
    web::{
        anchor::{SqueezedText, holds},
        note::QUOTE_BYTES_MAX,
        page::Extract,
        passages,
    },
};

/// Quotations by rule for one facet of one page.
const RULE_QUOTES_PER_FACET: usize = 4;
/// Quotations of one page that a rule adds to those of its reader, for one reason.
const ADDED_QUOTES_MAX: usize = 4;
/// Links of one page that may be followed.
const LINKS_MAX: usize = 3;

/// Only what stands on the page; a fact only where its value stands in the quotation. `links` is the number of links
/// that the reader was shown.
pub fn anchor(page: &str, answer: &SurveyAnswer, links: usize) -> SurveyNote {
    let squeezed = SqueezedText::of(page);
    let mut note = SurveyNote::default();
    for said in answer.quotes.iter().take(SURVEY_QUOTES_MAX) {
        let Some(found) = squeezed.find(page, &said.text) else {
            note.invented = note.invented.saturating_add(1);
            continue;
        };
        let facts =
            said.facts.iter().take(FACTS_PER_QUOTE_MAX).filter(|fact| holds(&found.text, &fact.value));
        let mut facets: Vec<FacetId> = said.facets.iter().copied().take(SURVEY_FACETS_MAX).collect();
        facets.dedup();
        note.quotes.push(SurveyedQuote {
            start: found.start,
            end: found.end,
            facets,
            role: said.role,
            facts: facts.map(bounded).collect(),
            text: found.text,
        });
    }
    note.links = answer.links.iter().copied().filter(|place| *place < links).take(LINKS_MAX).collect();
    note.links.dedup();
    note.terms = terms(page, &answer.new_terms);
    note
}

/// Plain words that stand on the page: nothing else of it may enter a query.
fn terms(page: &str, said: &[String]) -> Vec<String> {
    let lower = page.to_lowercase();
    let plain = |term: &String| {
        let words: Vec<&str> = term
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'')))
            .filter(|word| !word.is_empty())
            .collect();
        words.join(" ")
    };
    let mut found: Vec<String> = Vec::new();
    for term in said.iter().map(plain) {
        let fits = !term.is_empty() && term.split(' ').count() <= TERM_WORDS_MAX;
        if fits && found.len() < TERMS_MAX && lower.contains(&term.to_lowercase()) && !found.contains(&term) {
            found.push(text::line(&term, FACT_PART_CHARACTERS_MAX));
        }
    }
    found
}

fn bounded(fact: &TypedFact) -> TypedFact {
    let part = |words: &str| text::line(words, FACT_PART_CHARACTERS_MAX);
    TypedFact {
        entity: part(&fact.entity),
        attribute: part(&fact.attribute),
        value: part(&fact.value),
        unit: part(&fact.unit),
        period: part(&fact.period),
        as_of: part(&fact.as_of),
    }
}

/// What a page says of things that the question asks for by name, and that its reader passed over: its sentences and
/// tables are compared with each of them.
pub fn add_asked_for(extract: &Extract, wanted: &[(&ChecklistItem, FacetId)], note: &mut SurveyNote) {
    add_units(extract, note, |text| {
        let fits = wanted.iter().filter(|(item, _)| item.may_be_met_by(text));
        fits.map(|(_, facet)| *facet).collect()
    });
}

/// Quotations in other words than the page's: the sentence that holds all their figures and most of their words takes their
/// place. What the reader wrote itself never counts as the page's words, and one that writes mostly its own is replaced by
/// the rule instead.
pub fn add_paraphrased(extract: &Extract, answer: &SurveyAnswer, note: &mut SurveyNote) {
    if is_unreliable(note) {
        return;
    }
    let squeezed = SqueezedText::of(&extract.text);
    let units = passages::units(extract);
    for said in answer.quotes.iter().take(SURVEY_QUOTES_MAX) {
        let numbers = figures::number_keys(&said.text);
        if numbers.is_empty() || squeezed.find(&extract.text, &said.text).is_some() {
            continue;
        }
        let wanted = passages::words(&said.text);
        let fits = |(start, end): &(usize, usize)| {
            let text = extract.text.get(*start..*end)?;
            let shared = passages::shared(&wanted, text);
            let says = numbers.is_subset(&figures::number_keys(text)) && shared * 2 >= wanted.len();
            let is_new = note.quotes.iter().all(|known| known.end <= *start || *end <= known.start);
            (says && is_new).then_some((shared, *start, *end))
        };
        let best = units.iter().filter_map(fits).max_by_key(|(shared, start, _)| (*shared, Reverse(*start)));
        let Some((_, start, end)) = best else { continue };
        let text = extract.text.get(start..end).unwrap_or_default().to_owned();
        let facts = said.facts.iter().take(FACTS_PER_QUOTE_MAX).filter(|fact| holds(&text, &fact.value));
        let mut facets: Vec<FacetId> = said.facets.iter().copied().take(SURVEY_FACETS_MAX).collect();
        facets.dedup();
        note.quotes.push(SurveyedQuote {
            start,
            end,
            facets,
            role: said.role,
            facts: facts.map(bounded).collect(),
            text,
        });
    }
}

/// Figures that a page gives as someone's words are quoted with whoever said them, others with the sentence that says how
/// they are meant.
pub fn add_speakers(extract: &Extract, note: &mut SurveyNote) {
    for quote in &mut note.quotes {
        let spoken = doubt::with_speaker(&extract.text, quote.start, quote.end);
        let meant = doubt::with_meaning(&extract.text, quote.start, quote.end).map(|end| (quote.start, end));
        let Some((start, end)) = spoken.or(meant) else { continue };
        if let Some(text) = extract.text.get(start..end).filter(|text| text.len() <= QUOTE_BYTES_MAX) {
            *quote = SurveyedQuote { start, end, text: text.to_owned(), ..quote.clone() };
        }
    }
}

/// The names in a title: `Orion Institute` of `Papers of the Orion Institute, 2024`. One word alone may be any noun.
pub fn names_of_title(title: &str) -> Vec<String> {
    let mut names: Vec<Vec<&str>> = vec![Vec::new()];
    for word in title.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_part = bare.starts_with(char::is_uppercase) && bare.chars().all(char::is_alphabetic);
        match names.last_mut().filter(|_| is_part) {
            Some(name) => name.push(bare),
            None => names.push(Vec::new()),
        }
        if !word.ends_with(bare) {
            names.push(Vec::new());
        }
    }
    names.into_iter().filter(|words| words.len() > 1).map(|words| words.join(" ")).collect()
}

/// What a page says with a figure of the very things that its reader found facts of, or of names that it is about: even a
/// good reader passes over some.
pub fn add_of_the_same(extract: &Extract, about: &[(String, FacetId)], note: &mut SurveyNote) {
    let told = note.quotes.iter().filter_map(|quote| Some((quote, *quote.facets.first()?)));
    let told =
        told.flat_map(|(quote, facet)| quote.facts.iter().map(move |fact| (fact.entity.clone(), facet)));
    let things: BTreeMap<String, FacetId> =
        told.chain(about.iter().cloned()).filter(|(entity, _)| facet::is_name(entity)).collect();
    add_units(extract, note, |text| {
        let counts = text.chars().any(char::is_numeric);
        let named = things.iter().filter(|(entity, _)| counts && text.contains(entity.as_str()));
        named.map(|(_, facet)| *facet).collect()
    });
}

/// Quotes the units that no quotation has and that serve a facet, a few of them.
fn add_units(extract: &Extract, note: &mut SurveyNote, serves: impl Fn(&str) -> Vec<FacetId>) {
    let mut added = 0;
    for (start, end) in passages::units(extract) {
        let Some(text) = extract.text.get(start..end) else { continue };
        let is_new = note.quotes.iter().all(|known| known.end <= start || end <= known.start);
        // No reader chose it: what is only repeated there stays out.
        let is_own = doubt::with_speaker(&extract.text, start, end).is_none();
        let mut facets = if is_new && is_own { serves(text) } else { Vec::new() };
        facets.dedup();
        facets.truncate(SURVEY_FACETS_MAX);
        if facets.is_empty() {
            continue;
        }
        note.quotes.push(SurveyedQuote {
            start,
            end,
            facets,
            role: probity_types::inquiry::QuoteRole::default(),
            facts: Vec::new(),
            text: text.to_owned(),
        });
        added += 1;
        if added == ADDED_QUOTES_MAX {
            return;
        }
    }
}

/// Three of four quotations stood nowhere: such a reader is replaced by the rule.
pub fn is_unreliable(note: &SurveyNote) -> bool {
    let right = u32::try_from(note.quotes.len()).unwrap_or(u32::MAX);
    note.invented > 0 && note.invented >= right.saturating_mul(3)
}

/// The sentences of a page that share the most words with each facet.
pub fn by_rule(extract: &Extract, facets: &[SurveyFacet]) -> SurveyNote {
    let mut note = SurveyNote { by_rule: true, ..SurveyNote::default() };
    for wanted in facets {
        for quote in passages::note(extract, &wanted.question).quotes.into_iter().take(RULE_QUOTES_PER_FACET)
        {
            match note.quotes.iter_mut().find(|known| (known.start, known.end) == (quote.start, quote.end)) {
                Some(known) => known.facets.push(wanted.facet),
                None => note.quotes.push(SurveyedQuote {
                    start: quote.start,
                    end: quote.end,
                    text: quote.text,
                    facets: vec![wanted.facet],
                    role: probity_types::inquiry::QuoteRole::default(),
                    facts: Vec::new(),
                }),
            }
        }
    }
    note
}

/// The facets that a page is read for: the one it was found for, then those that share the most words with it.
pub fn facets_for(
    page: &str,
    found_for: Option<FacetId>,
    facets: &[(FacetId, &str)],
    most: usize,
) -> Vec<SurveyFacet> {
    let said: BTreeSet<String> = passages::words(page);
    let mut ranked: Vec<(bool, usize, FacetId, &str)> = facets
        .iter()
        .map(|(id, question)| {
            let shared = passages::words(question).intersection(&said).count();
            (Some(*id) == found_for, shared, *id, *question)
        })
        .collect();
    ranked.sort_by_key(|(first, shared, id, _)| (!first, std::cmp::Reverse(*shared), *id));
    ranked
        .into_iter()
        .filter(|(first, shared, _, _)| *first || *shared > 0)
        .take(most)
        .map(|(_, _, facet, question)| survey_facet(facet, question))
        .collect()
}

pub fn survey_facet(facet: FacetId, question: &str) -> SurveyFacet {
    SurveyFacet { facet, question: question.to_owned(), searched_for: None }
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::{FacetId, QuoteRole, SurveyNote, SurveyedQuote, TypedFact};

    use super::{add_of_the_same, names_of_title};
    use crate::web::page::{Extract, ExtractBlock, ExtractBlockKind};

    #[test]
    fn a_title_names_what_its_page_is_about() {
        for title in ["Orion Institute: papers", "Mitteilungen: Orion Institute", "Orion Institute ：通报"]
        {
            assert_eq!(names_of_title(title), ["Orion Institute"], "{title}");
        }
        assert_eq!(
            names_of_title("Tariffs: what the Orion Pier, Vega Pier charge"),
            ["Orion Pier", "Vega Pier"]
        );
        assert!(names_of_title("Tariffs of Orion in 2024").is_empty());
    }

    #[test]
    fn what_a_reader_passed_over_is_kept_where_it_counts_the_same_thing() {
        let text =
            "Orion Pier had 12 cranes. Orion Pier took 45 ships. Vega Pier took 60 ships. Orion Pier is old.";
        let block = ExtractBlock {
            kind: ExtractBlockKind::Paragraph,
            start: 0,
            end: text.len(),
            source: None,
            page: None,
        };
        let extract = Extract { text: text.to_owned(), blocks: vec![block], ..Extract::default() };
        let fact =
            TypedFact { entity: "Orion Pier".to_owned(), value: "12".to_owned(), ..TypedFact::default() };
        let mut note = SurveyNote::default();
        note.quotes.push(SurveyedQuote {
            start: 0,
            end: 25,
            text: "Orion Pier had 12 cranes.".to_owned(),
            facets: vec![FacetId(2)],
            role: QuoteRole::Finding,
            facts: vec![fact],
        });
        add_of_the_same(&extract, &[], &mut note);
        let added: Vec<(&str, &[FacetId])> =
            note.quotes.iter().skip(1).map(|quote| (quote.text.as_str(), quote.facets.as_slice())).collect();
        assert_eq!(added, [("Orion Pier took 45 ships.", [FacetId(2)].as_slice())]);
    }
}
