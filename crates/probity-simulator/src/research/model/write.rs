//! Writing: sentences about the facts that were noticed, with their sources, in the language and about the length asked for.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    limits::ResearchLimits,
    material::{KnownFact, Piece, Remark, known, pieces, requests},
    prompt::ModelPrompt,
};
use crate::research::{
    fact::{FactAttribute, FactLanguage, FactTuple},
    lexicon::{COMPARED, DISAGREE, MISSING, QUANTITIES, SCOPED, SETTLED, TOGETHER},
    random::share_of,
    tokens::count_words,
};

/// Share of contradictions seen by a writer that is told of them.
const TOLD_CONFLICTS_SEEN: f64 = 0.95;
/// One conclusion for so many facts.
const FACTS_PER_INFERENCE: usize = 5;

pub(super) struct Written {
    pub(super) text: String,
    pub(super) labels: Vec<String>,
    pub(super) kind: &'static str,
    quantity: usize,
}

/// A table as the model lays it out.
pub(super) struct WrittenTable {
    attribute: FactAttribute,
    pub(super) head: String,
    unit: &'static str,
    /// Name, value and labels; empty where nothing is known.
    pub(super) rows: Vec<(String, String, Vec<String>)>,
}

pub(super) struct Writer<'p> {
    prompt: &'p ModelPrompt,
    limits: &'p ResearchLimits,
    language: FactLanguage,
    labels: Vec<String>,
    known: Vec<KnownFact>,
}

impl<'p> Writer<'p> {
    pub(super) fn new(prompt: &'p ModelPrompt, limits: &'p ResearchLimits, material: &[Piece<'_>]) -> Self {
        let labels: BTreeSet<String> = material.iter().map(|piece| piece.label.clone()).collect();
        let mut known = known(prompt, material, limits, limits.writer_recall);
        // What is asked for by name comes first.
        let wanted = requests(prompt.question());
        let is_wanted = |fact: &KnownFact| {
            wanted.iter().any(|(entity, attribute, _)| {
                *entity == fact.tuple.entity && *attribute == fact.tuple.attribute
            })
        };
        known.sort_by_key(|fact| !is_wanted(fact));
        Self { prompt, limits, language: prompt.language(), labels: labels.into_iter().collect(), known }
    }

    /// Sentences until the words that this model delivers are used up.
    pub(super) fn sentences(&self, words: usize) -> Vec<Written> {
        let mut written: Vec<Written> = Vec::new();
        let mut used: BTreeSet<usize> = BTreeSet::new();
        let most = self.limits.delivered(words);
        let mut count = 0;
        let conclusions = self.conclusions();
        let mut conclusions = conclusions.into_iter();
        for (place, fact) in self.known.iter().enumerate() {
            if count >= most {
                break;
            }
            if used.contains(&place) || self.is_stale(fact) {
                continue;
            }
            let one = match self.rival(place) {
                Some((rival, other)) => {
                    used.insert(rival);
                    self.both(fact, other)
                }
                None => self.plain(fact),
            };
            count += count_words(&one.text);
            written.push(one);
            if written.len().is_multiple_of(FACTS_PER_INFERENCE)
                && let Some(one) = conclusions.next()
            {
                count += count_words(&one.text);
                written.push(one);
            }
        }
        written.extend(conclusions.next().filter(|_| written.len() < FACTS_PER_INFERENCE));
        written
    }

    fn plain(&self, fact: &KnownFact) -> Written {
        let wording = (share_of(&[&fact.tuple.entity, &fact.tuple.tenths.to_string()]) * 6.0) as usize;
        let text = fact.tuple.sentence(self.language, wording);
        self.one(text, &fact.labels, "fact", fact.tuple.attribute.quantity)
    }

    fn one(&self, text: String, labels: &[String], kind: &'static str, quantity: usize) -> Written {
        let cite = |label: &String| {
            if !self.limits.misattributes(self.labels.len(), &[&text, label]) {
                return label.clone();
            }
            let other = (share_of(&[&text, label, "other"]) * self.labels.len() as f64) as usize;
            self.labels.get(other).unwrap_or(label).clone()
        };
        let labels = labels.iter().filter(|label| !label.is_empty()).map(cite).collect();
        Written { text, labels, kind, quantity }
    }

    /// Whether something newer is known of what an undated piece says.
    fn is_stale(&self, fact: &KnownFact) -> bool {
        let newer = |other: &KnownFact| {
            other.tuple.entity == fact.tuple.entity
                && other.tuple.attribute == fact.tuple.attribute
                && other.tuple.period > 0
        };
        fact.tuple.period == 0 && self.known.iter().any(newer)
    }

    /// Another value of the same thing, if the model sees it.
    fn rival(&self, place: usize) -> Option<(usize, &KnownFact)> {
        let fact = self.known.get(place)?;
        let (rival, other) = self.known.iter().enumerate().skip(place + 1).find(|(_, other)| {
            other.tuple.same_key(&fact.tuple)
                && other.tuple.unit == fact.tuple.unit
                && other.tuple.tenths != fact.tuple.tenths
        })?;
        let told = self.prompt.part("disagreements").contains(&fact.tuple.entity);
        let seen = if told { TOLD_CONFLICTS_SEEN } else { self.limits.conflicts_seen };
        (share_of(&[&fact.tuple.entity, &fact.tuple.tenths.to_string(), "conflict"]) < seen)
            .then_some((rival, other))
    }

    /// Both sides in one sentence; the valid one first where a piece says which it is.
    fn both(&self, fact: &KnownFact, other: &KnownFact) -> Written {
        let (form, first, second) = match (fact.remark, other.remark) {
            (Remark::Revises, _) => (SETTLED, fact, other),
            (_, Remark::Revises) => (SETTLED, other, fact),
            (Remark::Scope, _) => (SCOPED, other, fact),
            (_, Remark::Scope) => (SCOPED, fact, other),
            (Remark::None, Remark::None) => (DISAGREE, fact, other),
        };
        let text = first
            .tuple
            .filled(self.language.of(&form), self.language)
            .replace("{w}", &second.tuple.value(self.language));
        let labels = [first.labels.clone(), second.labels.clone()].concat();
        self.one(text, &labels, "fact", fact.tuple.attribute.quantity)
    }

    /// Comparisons that follow from two facts, where the prompt asks for any.
    fn conclusions(&self) -> Vec<Written> {
        let whole = self.prompt.whole.to_lowercase();
        let asks_for_marks = whole.contains("inference") || whole.contains("conclusion");
        let mut found = Vec::new();
        for (place, first) in self.known.iter().enumerate() {
            for second in self.known.iter().skip(place + 1) {
                let (one, two) = (&first.tuple, &second.tuple);
                let fits = one.attribute == two.attribute && one.period == two.period && one.unit == two.unit;
                if !fits || one.entity == two.entity || one.tenths == two.tenths || one.period == 0 {
                    continue;
                }
                let (high, low) = if one.tenths > two.tenths { (first, second) } else { (second, first) };
                let asked = self.asks_to_compare(&high.tuple, &low.tuple);
                if asks_for_marks || asked {
                    let form = self.language.of(&COMPARED).replace("{f}", &low.tuple.entity);
                    let mark = if asks_for_marks { self.language.of(&TOGETHER) } else { "" };
                    let text = capitalised(&format!("{mark}{}", high.tuple.filled(&form, self.language)));
                    let labels = [high.labels.clone(), low.labels.clone()].concat();
                    found.push((!asked, self.one(text, &labels, "inference", one.attribute.quantity)));
                }
            }
        }
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, one)| one).collect()
    }

    fn asks_to_compare(&self, one: &FactTuple, two: &FactTuple) -> bool {
        let fits = |line: &str| {
            line.starts_with("Compare") && line.contains(&one.entity) && line.contains(&two.entity)
        };
        self.prompt.question().lines().any(fits)
    }

    /// What is asked for by name in a text, and what of it nothing is known.
    pub(super) fn gaps(&self, text: &str) -> Vec<String> {
        let is_known = |entity: &str, attribute: FactAttribute| {
            self.known.iter().any(|fact| fact.tuple.entity == entity && fact.tuple.attribute == attribute)
        };
        let form = self.language.of(&MISSING);
        let gap = |(entity, attribute, _): (String, FactAttribute, &str)| {
            (!is_known(&entity, attribute))
                .then(|| form.replace("{a}", &attribute.words(self.language)).replace("{e}", &entity))
        };
        requests(text).into_iter().filter_map(gap).collect()
    }

    /// The table that is asked for in words, else the widest that the facts make.
    pub(super) fn table(&self) -> Option<WrittenTable> {
        let lines: Vec<&str> = self.prompt.question().lines().filter(|line| line.contains("table")).collect();
        let wanted: Vec<(String, FactAttribute)> = requests(&lines.join("\n"))
            .into_iter()
            .map(|(entity, attribute, _)| (entity, attribute))
            .collect();
        let asked = self
            .known
            .iter()
            .find(|fact| wanted.contains(&(fact.tuple.entity.clone(), fact.tuple.attribute)));
        let model = &asked?.tuple;
        let same = |fact: &&KnownFact| {
            fact.tuple.attribute == model.attribute
                && fact.tuple.period == model.period
                && fact.tuple.unit == model.unit
        };
        let mut rows: Vec<(String, String, Vec<String>)> = Vec::new();
        for (entity, _) in wanted.iter().filter(|(_, attribute)| *attribute == model.attribute) {
            let cell = self.known.iter().filter(same).find(|fact| fact.tuple.entity == *entity);
            let value = cell.map(|fact| fact.tuple.value(self.language)).unwrap_or_default();
            let labels =
                cell.map(|fact| self.one(value.clone(), &fact.labels, "fact", 0).labels).unwrap_or_default();
            rows.push((entity.clone(), value, labels));
        }
        let head = format!("{} {}", model.attribute.words(self.language), model.period);
        Some(WrittenTable { attribute: model.attribute, head, unit: model.unit_words(self.language), rows })
    }
}

impl WrittenTable {
    fn block(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|(name, value, labels)| json!({"name": name, "cells": [{"text": value, "quotes": labels}]}))
            .collect();
        json!({
            "kind": "table", "caption": self.head,
            "columns": [{"heading": "Name", "unit": ""}, {"heading": self.head, "unit": self.unit}], "rows": rows,
        })
    }

    /// As Markdown, with citations written by the caller's rule.
    pub(super) fn markdown(&self, cite: impl Fn(&[String]) -> String) -> String {
        let mut text = format!("| Name | {} ({}) |\n| --- | --- |\n", self.head, self.unit);
        for (name, value, labels) in &self.rows {
            text.push_str(&format!("| {name} | {value}{} |\n", cite(labels)));
        }
        text
    }

    pub(super) fn covers(&self, fact: &Written) -> bool {
        fact.kind == "fact"
            && fact.quantity == self.attribute.quantity
            && self.rows.iter().any(|(name, value, _)| {
                fact.text.contains(name) && !value.is_empty() && fact.text.contains(value)
            })
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

pub(super) fn section(prompt: &ModelPrompt, limits: &ResearchLimits) -> Value {
    let writer = Writer::new(prompt, limits, &pieces(prompt, prompt.part("quotes")));
    let mut blocks: Vec<Value> = Vec::new();
    let table = writer.table().filter(|_| prompt.whole.contains("in the form: table"));
    let written = writer.sentences(prompt.words_asked());
    let kept = written.iter().filter(|one| !table.as_ref().is_some_and(|table| table.covers(one)));
    let sentences: Vec<Value> =
        kept.map(|one| json!({"text": one.text, "kind": one.kind, "quotes": one.labels})).collect();
    blocks.extend(table.as_ref().map(WrittenTable::block));
    blocks.extend(sentences.chunks(8).map(|chunk| json!({"kind": "paragraph", "sentences": chunk})));
    json!({"blocks": blocks, "thin": writer.gaps(prompt.part("section"))})
}

/// A whole report as typed sections over numbered notes.
pub(super) fn write(prompt: &ModelPrompt, limits: &ResearchLimits) -> Value {
    let writer = Writer::new(prompt, limits, &pieces(prompt, prompt.part("notes")));
    let number = |label: &String| label.parse::<u64>().ok();
    let sections: Vec<Value> = by_quantity(writer.sentences(prompt.words_asked()))
        .into_iter()
        .map(|(quantity, written)| {
            let sentences: Vec<Value> = written
                .iter()
                .map(|one| json!({"text": one.text, "notes": one.labels.iter().filter_map(number).collect::<Vec<_>>()}))
                .collect();
            json!({"heading": heading(quantity, prompt.language()), "sentences": sentences})
        })
        .collect();
    json!({"title": title(prompt), "sections": sections, "unanswered": writer.gaps(prompt.question())})
}

pub(super) fn synthesis(prompt: &ModelPrompt, limits: &ResearchLimits) -> Value {
    let writer = Writer::new(prompt, limits, &pieces(prompt, prompt.part("claims")));
    let most = prompt.at_most(" points", 5);
    let points: Vec<Value> = writer
        .conclusions()
        .into_iter()
        .take(most)
        .map(|one| json!({"text": one.text, "rests_on": one.labels, "move": "compare"}))
        .collect();
    let heading = prompt.language().of(&["What follows", "Was daraus folgt", "由此可见"]);
    json!({"heading": heading, "points": points})
}

pub(super) fn front(prompt: &ModelPrompt, limits: &ResearchLimits) -> Value {
    let writer = Writer::new(prompt, limits, &pieces(prompt, prompt.part("claims")));
    let most = prompt.at_most("\nkey points", prompt.at_most(" key points", 5));
    let written = writer.sentences(prompt.words_asked());
    let sentence = |one: &Written| json!({"text": one.text, "claims": one.labels});
    let mut answer: Vec<Value> = written.iter().take(2).map(sentence).collect();
    let gaps = writer.gaps(prompt.part("unmet")).into_iter().take(2);
    answer.extend(gaps.map(|gap| json!({"text": gap, "claims": []})));
    let points: Vec<Value> = written.iter().skip(2).take(most).map(sentence).collect();
    let heading = prompt.language().of(&["Key points", "Das Wichtigste", "要点"]);
    json!({"title": title(prompt), "answer": answer, "key_points": points, "points_heading": heading})
}

/// Sentences in groups of one quantity, each group where its first sentence stood.
pub(super) fn by_quantity(written: Vec<Written>) -> Vec<(usize, Vec<Written>)> {
    let mut groups: Vec<(usize, Vec<Written>)> = Vec::new();
    for one in written {
        match groups.iter_mut().find(|(quantity, _)| *quantity == one.quantity) {
            Some((_, group)) => group.push(one),
            None => groups.push((one.quantity, vec![one])),
        }
    }
    groups
}

pub(super) fn heading(quantity: usize, language: FactLanguage) -> String {
    capitalised(QUANTITIES.get(quantity).map_or("", |quantity| language.of(&quantity.facet)))
}

pub(super) fn title(prompt: &ModelPrompt) -> String {
    let first = prompt.question().lines().find(|line| line.contains('?')).unwrap_or("Report");
    first.split('?').next().unwrap_or(first).trim_matches([' ', '"']).to_owned()
}
