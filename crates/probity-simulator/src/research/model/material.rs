//! What the prompt gives to work with: labelled pieces of text, the facts in them, and what is asked for by name.

use std::collections::BTreeSet;

use super::{limits::ResearchLimits, prompt::ModelPrompt};
use crate::research::{
    fact::{FactAttribute, FactTuple},
    find::{attributes_in, entities_in, find_facts},
    lexicon::{REVISED_WORDS, SCOPE_WORDS},
    random::share_of,
};

/// A piece of the prompt that can be cited.
#[derive(Debug, Clone)]
pub(super) struct Piece<'p> {
    /// `12`, `Q7` or an address.
    pub(super) label: String,
    pub(super) text: &'p str,
    /// Where it stands in the prompt, from 0 to 1.
    pub(super) place: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remark {
    None,
    /// Says of itself that it revises an earlier figure.
    Revises,
    /// Says that it counts something else.
    Scope,
}

/// A fact the model noticed, with the pieces that say it.
#[derive(Debug, Clone)]
pub(super) struct KnownFact {
    pub(super) tuple: FactTuple,
    pub(super) labels: Vec<String>,
    pub(super) remark: Remark,
}

/// Pieces that begin with a label in square brackets, or with an address where there are no labels.
pub(super) fn pieces<'p>(prompt: &'p ModelPrompt, area: &'p str) -> Vec<Piece<'p>> {
    let mut starts: Vec<(usize, String)> = Vec::new();
    let mut offset = 0;
    for line in area.split_inclusive('\n') {
        if let Some(label) =
            line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(label, _)| label)
            && label.len() <= 6
            && label.ends_with(|letter: char| letter.is_ascii_digit())
        {
            starts.push((offset, label.to_owned()));
        }
        offset += line.len();
    }
    if starts.is_empty() {
        starts = addresses(area);
    }
    // What names no source can be told, but not cited.
    if starts.is_empty() {
        starts.push((0, String::new()));
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(start, _)| *start).chain([area.len()]).collect();
    let base = (area.as_ptr() as usize).saturating_sub(prompt.whole.as_ptr() as usize);
    let piece = |((start, label), end): ((usize, String), usize)| {
        let place = (base + start) as f64 / prompt.whole.len().max(1) as f64;
        Some(Piece { label, text: area.get(start..end)?, place })
    };
    starts.into_iter().zip(ends).filter_map(piece).collect()
}

fn addresses(area: &str) -> Vec<(usize, String)> {
    let address = |(start, _): (usize, &str)| {
        let rest = area.get(start..)?;
        let end = rest.find(|letter: char| {
            letter.is_whitespace() || matches!(letter, ')' | ']' | '"' | '\'' | '<' | '>' | ',')
        });
        Some((start, rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches('.').to_owned()))
    };
    area.match_indices("http").filter_map(address).filter(|(_, url)| url.contains("://")).collect()
}

/// The facts of these pieces that the model notices, in the prompt's order; equal ones are one with several labels.
pub(super) fn known(
    prompt: &ModelPrompt,
    pieces: &[Piece<'_>],
    limits: &ResearchLimits,
    recall: f64,
) -> Vec<KnownFact> {
    let mut known: Vec<KnownFact> = Vec::new();
    for piece in pieces {
        for found in find_facts(piece.text) {
            let draw = format!("{:?}", found.tuple);
            if !limits.notices(recall, prompt.tokens, piece.place, &[&draw, &piece.label, "known"]) {
                continue;
            }
            let mut tuple = found.tuple;
            if tuple.period == 0
                && let Some(year) = year_of(piece.text).filter(|_| share_of(&[&draw, "dated"]) < 0.7)
            {
                tuple.period = year;
            }
            let has = |words: &[&str]| words.iter().any(|word| piece.text.contains(word));
            let remark = match () {
                () if has(&REVISED_WORDS) => Remark::Revises,
                () if has(&SCOPE_WORDS) => Remark::Scope,
                () => Remark::None,
            };
            match known.iter_mut().find(|known| known.tuple == tuple) {
                Some(known) if known.labels.contains(&piece.label) => {}
                // Told that two pieces have one origin, it names one.
                Some(known) => {
                    let same = |label: &String| {
                        pieces.iter().any(|other| {
                            other.label == *label
                                && origin(other.text).is_some()
                                && origin(other.text) == origin(piece.text)
                        })
                    };
                    if !known.labels.iter().any(same) {
                        known.labels.push(piece.label.clone());
                    }
                }
                None => known.push(KnownFact { tuple, labels: vec![piece.label.clone()], remark }),
            }
        }
    }
    known
}

/// The year of a date in brackets at the head of a piece.
fn year_of(text: &str) -> Option<u16> {
    let (_, behind) = text.lines().next()?.split_once('(')?;
    let year = behind.get(..5)?.strip_suffix('-')?;
    year.parse().ok().filter(|year| (2_010..2_031).contains(year))
}

/// `origin 3` in the head of a piece.
fn origin(text: &str) -> Option<&str> {
    let (_, behind) = text.lines().next()?.split_once("; origin ")?;
    behind.split([';', ')']).next()
}

/// Names with attributes that a text asks for, line by line, and the line.
pub(super) fn requests(text: &str) -> Vec<(String, FactAttribute, &str)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let attributes = attributes_in(line);
        for (_, entity) in entities_in(line) {
            found.extend(attributes.iter().map(|(_, attribute)| (entity.clone(), *attribute, line)));
        }
    }
    found
}

/// The lower-case words of a text that say something.
pub(super) fn content_words(text: &str) -> BTreeSet<String> {
    let long = |word: &&str| word.chars().count() > 3;
    text.split(|letter: char| !letter.is_alphanumeric()).filter(long).map(str::to_lowercase).collect()
}
