//! Reading a page: quotations in the page's own words, mostly.

use std::ops::Range;

use serde_json::{Value, json};

use super::{
    limits::ResearchLimits,
    material::{content_words, pieces},
    prompt::ModelPrompt,
};
use crate::research::{
    fact::{FactLanguage, FactTuple},
    find::{attributes_in, entities_in, find_facts, sentences},
    lexicon::{BODY_KINDS, QUANTITIES, REVISED_WORDS, SCOPE_WORDS},
    random::share_of,
};

/// Longest table that is copied as one quotation.
const TABLE_BYTES_MAX: usize = 1_100;

/// What a page says, as the model copies it.
struct Copied {
    text: String,
    facts: Vec<FactTuple>,
}

pub(super) fn read(prompt: &ModelPrompt, limits: &ResearchLimits) -> Value {
    let copied = copied(prompt, limits, prompt.question(), 6);
    let quotes: Vec<&str> = copied.iter().map(|quote| quote.text.as_str()).collect();
    let facts: Vec<Value> = copied
        .iter()
        .enumerate()
        .flat_map(|(place, quote)| quote.facts.iter().map(move |fact| (place, fact, quote)))
        .map(|(place, fact, quote)| json!({"kind": "number", "value": value_in(fact, &quote.text), "quote": place}))
        .collect();
    json!({"relevant": !quotes.is_empty(), "quotes": quotes, "facts": facts, "links": links(prompt)})
}

pub(super) fn survey(prompt: &ModelPrompt, limits: &ResearchLimits) -> Value {
    let questions = pieces(prompt, prompt.part("questions"));
    let all: String = questions.iter().map(|piece| piece.text).collect();
    let copied = copied(prompt, limits, &all, prompt.at_most(" quotations", 12));
    let quotes: Vec<Value> = copied
        .iter()
        .map(|quote| {
            let fits =
                |piece: &&super::material::Piece<'_>| relevance(piece.text, &quote.text, &quote.facts) > 0;
            let mut facets: Vec<&str> =
                questions.iter().filter(fits).map(|piece| piece.label.as_str()).collect();
            if facets.is_empty() {
                facets.extend(questions.first().map(|piece| piece.label.as_str()));
            }
            let named = if prompt.whole.contains("in the language of the questions") {
                FactLanguage::English
            } else {
                language_of(&quote.text)
            };
            let facts: Vec<Value> = quote.facts.iter().map(|fact| typed(fact, &quote.text, named)).collect();
            json!({"text": quote.text, "facets": facets, "role": "finding", "facts": facts})
        })
        .collect();
    let mut terms: Vec<String> = Vec::new();
    for (_, name) in entities_in(prompt.part("page")) {
        if BODY_KINDS.iter().any(|kind| name.ends_with(kind)) && !terms.contains(&name) && terms.len() < 3 {
            terms.push(name);
        }
    }
    json!({"quotes": quotes, "links": links(prompt), "new_terms": terms})
}

/// The sentences and tables worth copying for a question, with the slips of a copyist.
fn copied(prompt: &ModelPrompt, limits: &ResearchLimits, question: &str, most: usize) -> Vec<Copied> {
    let page = prompt.part("page");
    let base = prompt.whole.find(page).unwrap_or_default();
    let mut spans: Vec<(Range<usize>, Vec<FactTuple>)> = Vec::new();
    for found in find_facts(page) {
        let span = match found.table {
            Some(begins) if found.place.end - begins <= TABLE_BYTES_MAX => begins..found.place.end,
            _ => with_remark(page, found.place),
        };
        match spans.iter_mut().find(|(known, _)| known.start == span.start) {
            Some((known, facts)) => {
                known.end = known.end.max(span.end);
                facts.push(found.tuple);
            }
            None => spans.push((span, vec![found.tuple])),
        }
    }
    // A sentence that names a body without a figure is a lead.
    for place in sentences(page) {
        let text = page.get(place.clone()).unwrap_or_default();
        let leads =
            entities_in(text).iter().any(|(_, name)| BODY_KINDS.iter().any(|kind| name.ends_with(kind)));
        let lists = QUANTITIES.iter().filter(|quantity| text.contains(quantity.facet[0])).count() > 2;
        if (leads || lists)
            && attributes_in(text).is_empty()
            && !spans.iter().any(|(known, _)| known.contains(&place.start))
        {
            spans.push((place, Vec::new()));
        }
    }
    let head = page.get(..page.floor_char_boundary(200)).unwrap_or_default();
    let about_page = relevance(question, head, &[]);
    let mut ranked: Vec<(usize, usize, Copied)> = Vec::new();
    for (place, (span, facts)) in spans.into_iter().enumerate() {
        let text = page.get(span.clone()).unwrap_or_default();
        let fit = relevance(question, text, &facts) + about_page.min(1);
        let at = (base + span.start) as f64 / prompt.whole.len().max(1) as f64;
        let noticed = limits.notices(limits.reader_recall, prompt.tokens, at, &[text, question, "read"]);
        if noticed && fit > 0 {
            ranked.push((fit, place, slipped(text, facts, limits, question)));
        }
    }
    ranked.sort_by_key(|(fit, place, _)| (std::cmp::Reverse(*fit), *place));
    ranked.into_iter().take(most).map(|(_, _, copied)| copied).collect()
}

/// A sentence with the next one, where that says how its figure is meant.
fn with_remark(page: &str, place: Range<usize>) -> Range<usize> {
    let behind = page.get(place.end..).unwrap_or_default();
    let next = sentences(behind).first().cloned().unwrap_or_default();
    let text = behind.get(next.clone()).unwrap_or_default();
    let is_remark = REVISED_WORDS.iter().chain(&SCOPE_WORDS).any(|word| text.contains(word));
    if is_remark && !behind.get(..next.start).is_some_and(|gap| gap.contains('\n')) {
        place.start..place.end + next.end
    } else {
        place
    }
}

/// How many words of a question a text has; a known quantity counts in every language.
fn relevance(question: &str, text: &str, facts: &[FactTuple]) -> usize {
    let words = content_words(question);
    let shared = content_words(text).intersection(&words).count();
    let about = |fact: &&FactTuple| {
        QUANTITIES.get(fact.attribute.quantity).is_some_and(|quantity| question.contains(quantity.base[0]))
            || question.contains(&fact.entity)
    };
    shared + 2 * facts.iter().filter(about).count()
}

fn slipped(text: &str, facts: Vec<FactTuple>, limits: &ResearchLimits, question: &str) -> Copied {
    let draw = share_of(&[text, question, "slip"]);
    match facts.as_slice() {
        [fact] if draw < limits.wrong_copies => {
            let wrong = FactTuple { tenths: fact.tenths + 110, ..fact.clone() };
            let language = language_of(text);
            Copied { text: text.replace(&fact.value(language), &wrong.value(language)), facts: vec![wrong] }
        }
        [fact] if draw < limits.wrong_copies + limits.paraphrases => {
            let other = fact.sentence(language_of(text), 1 + text.len() % 5);
            Copied { text: other, facts }
        }
        _ => Copied { text: text.to_owned(), facts },
    }
}

fn language_of(text: &str) -> FactLanguage {
    let said = |language: &FactLanguage| {
        QUANTITIES.iter().any(|quantity| text.contains(language.of(&quantity.unit)))
    };
    FactLanguage::ALL.into_iter().find(said).unwrap_or(FactLanguage::English)
}

fn value_in(fact: &FactTuple, text: &str) -> String {
    let value = fact.value(FactLanguage::German);
    if text.contains(&value) { value } else { fact.value(FactLanguage::English) }
}

fn typed(fact: &FactTuple, text: &str, language: FactLanguage) -> Value {
    let period = if fact.period == 0 { String::new() } else { fact.period.to_string() };
    json!({
        "entity": fact.entity, "attribute": fact.attribute.words(language), "value": value_in(fact, text),
        "unit": fact.unit_words(language), "period": period, "as_of": "",
    })
}

fn links(prompt: &ModelPrompt) -> Vec<usize> {
    let wanted = content_words(prompt.question());
    let fits = |(_, piece): &(usize, super::material::Piece<'_>)| {
        content_words(piece.text).intersection(&wanted).count() > 1
    };
    pieces(prompt, prompt.part("links"))
        .into_iter()
        .enumerate()
        .filter(fits)
        .take(3)
        .map(|(place, _)| place)
        .collect()
}

/// What a text teaches, one line each with its source: for prompts without a schema.
pub(super) fn learnings(prompt: &ModelPrompt, limits: &ResearchLimits) -> Vec<(FactTuple, Option<String>)> {
    let pieces = pieces(prompt, &prompt.whole);
    let known = super::material::known(prompt, &pieces, limits, limits.reader_recall);
    known.into_iter().map(|fact| (fact.tuple, fact.labels.into_iter().next())).collect()
}
