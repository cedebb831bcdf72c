//! Which parts of a text belong to a question: by the words they share, without a model.

use std::collections::BTreeSet;

use super::{
    note::{QUOTE_BYTES_MAX, QUOTES_MAX, Quote, ReaderNote},
    page::{Extract, ExtractBlock, ExtractBlockKind},
};

/// Sentences shorter than this say too little to stand alone.
const SENTENCE_CHARACTERS_MIN: usize = 25;
/// Words that every sentence shares; they say nothing about what it is about.
const COMMON: &[&str] = &[
    "the", "and", "for", "with", "that", "this", "from", "what", "which", "when", "where", "who", "why",
    "how", "are", "was", "were", "has", "have", "had", "does", "did", "can", "could", "will", "would",
    "should", "its", "into", "about", "than", "then", "there", "their", "they", "not", "but", "you", "your",
    "der", "die", "das", "und", "ist", "ein", "eine", "von", "den", "dem", "mit", "auf", "für", "wie", "was",
    "wer", "warum", "les", "des", "une", "est", "que", "qui", "dans", "pour", "los", "las", "una", "por",
    "para", "con", "del", "como",
];

/// The words of a text that can be shared: lower case, three letters or more; pairs of characters where a
/// language writes no spaces.
pub fn words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let lower = word.to_lowercase();
        let characters: Vec<char> = lower.chars().collect();
        if characters.iter().any(|c| is_dense(*c)) {
            found.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if (characters.len() > 2 || word.chars().any(char::is_numeric))
            && !COMMON.contains(&lower.as_str())
        {
            found.insert(lower);
        }
    }
    found
}

/// Scripts written without spaces.
pub fn is_dense(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0E7F}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// Byte ranges of the sentences of a text: they end at a full stop before a space, or at the end of a line.
pub fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let end = at + c.len_utf8();
        let next = characters.peek().map(|(_, next)| *next);
        let stops = match c {
            '\n' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => next.is_none(),
        };
        if stops {
            found.extend(trimmed(text, start, end));
            start = end;
        }
    }
    found
}

fn trimmed(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let part = text.get(start..end)?;
    let start = start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    (start < end).then_some((start, end))
}

/// Words that `part` shares with the question.
pub fn shared(wanted: &BTreeSet<String>, part: &str) -> usize {
    words(part).intersection(wanted).count()
}

/// The parts of a page that fit into `bytes_max`, those that share the most words with the question first, in the
/// order of the page. The beginning is always there: it says what the page is.
pub fn select(extract: &Extract, question: &str, bytes_max: usize) -> String {
    if extract.text.len() <= bytes_max {
        return extract.text.clone();
    }
    let wanted = words(question);
    let blocks: Vec<&str> =
        extract.blocks.iter().filter_map(|block| extract.text.get(block.start..block.end)).collect();
    let mut ranked: Vec<(usize, usize)> =
        blocks.iter().enumerate().map(|(place, block)| (place, shared(&wanted, block))).collect();
    ranked.sort_by_key(|(place, score)| (*place > 0, std::cmp::Reverse(*score), *place));
    let mut room = bytes_max;
    let mut taken = BTreeSet::new();
    for (place, _) in ranked {
        let length = blocks.get(place).map_or(0, |block| block.len() + 1);
        if length <= room {
            room -= length;
            taken.insert(place);
        }
    }
    let parts: Vec<&str> = taken.into_iter().filter_map(|place| blocks.get(place).copied()).collect();
    if parts.is_empty() {
        let end = extract.text.floor_char_boundary(bytes_max);
        return extract.text.get(..end).unwrap_or_default().to_owned();
    }
    parts.join("\n")
}

/// The notes on a page for a question, without a model: its sentences that share the most words with it.
pub fn note(extract: &Extract, question: &str) -> ReaderNote {
    let wanted = words(question);
    let needed = if wanted.len() > 2 { 2 } else { 1 };
    // A heading names what follows; it says nothing by itself.
    let said = extract.blocks.iter().filter(|block| block.kind != ExtractBlockKind::Heading);
    let inside = |block: &ExtractBlock| {
        let text = extract.text.get(block.start..block.end).unwrap_or_default();
        let start = block.start;
        sentences(text).into_iter().map(move |(from, to)| (start + from, start + to))
    };
    let mut ranked: Vec<(usize, (usize, usize))> = said
        .flat_map(inside)
        .filter(|(start, end)| end - start <= QUOTE_BYTES_MAX)
        .filter_map(|(start, end)| {
            let sentence = extract.text.get(start..end)?;
            let long = sentence.chars().count() >= SENTENCE_CHARACTERS_MIN;
            let score = shared(&wanted, sentence);
            (long && score >= needed).then_some((score, (start, end)))
        })
        .collect();
    ranked.sort_by_key(|(score, (start, _))| (std::cmp::Reverse(*score), *start));
    let mut ranges: Vec<(usize, usize)> =
        ranked.into_iter().take(QUOTES_MAX).map(|(_, range)| range).collect();
    ranges.sort_unstable();
    let quote = |(start, end): (usize, usize)| {
        extract.text.get(start..end).map(|text| Quote { start, end, text: text.to_owned() })
    };
    ReaderNote { quotes: ranges.into_iter().filter_map(quote).collect(), ..ReaderNote::default() }
}

/// What can be quoted whole: the sentences of a page, and its tables with all their rows. Headings name what follows and
/// say nothing by themselves.
pub fn units(extract: &Extract) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut table: Option<(usize, usize)> = None;
    for block in &extract.blocks {
        if block.kind == ExtractBlockKind::TableRow {
            let start = table.map_or(block.start, |(start, _)| start);
            table = Some((start, block.end));
            continue;
        }
        found.extend(table.take());
        let text = extract.text.get(block.start..block.end).unwrap_or_default();
        if block.kind != ExtractBlockKind::Heading {
            found
                .extend(sentences(text).into_iter().map(|(from, to)| (block.start + from, block.start + to)));
        }
    }
    found.extend(table);
    found.retain(|(start, end)| end - start <= QUOTE_BYTES_MAX);
    found
}

/// Queries without a model: the question itself, then its distinctive words alone.
pub fn queries(question: &str, count: usize) -> Vec<String> {
    let plain = crate::text::line(question, super::search::QUERY_CHARACTERS_MAX);
    let telling: Vec<&str> = question
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| words(word).iter().any(|known| word.to_lowercase().contains(known.as_str())))
        .collect();
    let telling = crate::text::line(&telling.join(" "), super::search::QUERY_CHARACTERS_MAX);
    let mut found = vec![plain];
    if !telling.is_empty() && !found.contains(&telling) {
        found.push(telling);
    }
    found.truncate(count.max(1));
    found
}

#[cfg(test)]
mod tests;
