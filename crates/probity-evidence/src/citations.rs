//! What a text cites, and where: links, numbers in brackets, footnotes, superscripts, bare addresses.
//!
//! Finds the marks of one block; which source a label means is decided by `citations::list`.

mod brackets;
mod escapes;
mod label_words;
mod labels;
pub mod list;

use self::brackets::{BracketPairs, destination};
pub(crate) use self::labels::begins_with_reporter;
use crate::split::script::is_dense;

/// A label list such as `[3-9]` names at most this many sources; a longer one is an interval of something else.
const RANGE_MAX: u32 = 40;
/// Longest text between two brackets that is parsed.
const BRACKET_BYTES_MAX: usize = 2_000;
/// Longest text of an HTML link.
const WORDS_BYTES_MAX: usize = 2_000;
/// Words before a mark inside parentheses that only announce it.
const ANNOUNCEMENTS: &[&str] = &[
    "source",
    "sources",
    "see",
    "via",
    "ref",
    "refs",
    "reference",
    "references",
    "quelle",
    "quellen",
    "siehe",
    "vgl",
    "voir",
    "fuente",
    "fuentes",
    "fonte",
    "источник",
    "см",
    "来源",
    "资料来源",
    "出处",
    "见",
    "参见",
    "參見",
    "來源",
    "出典",
    "출처",
];

/// An announcement with its parenthesis and spaces is not longer.
const ANNOUNCEMENT_BYTES_MAX: usize = 64;
/// An address is not longer; what follows is text.
const ADDRESS_BYTES_MAX: usize = 4_096;
/// Raised numbers of one mark, and the letters of the word before it that are looked at.
const RAISED_CHARACTERS_MAX: usize = 40;
/// A picture's text of fewer words names it and says nothing.
const CAPTION_WORDS_MIN: usize = 3;

/// What a mark points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CitationTarget {
    Url(String),
    /// Labels of a list, `^` in front for footnotes.
    Labels(Vec<String>),
    /// An author and a year, as written.
    Author(String),
    /// A picture or a mark of a product that names nothing outside of it.
    Nothing,
    /// Its address was taken out (`ADDRESS_NOT_FOUND`).
    Lost,
}

/// Replaces an address that cannot be opened and that no tool returned.
pub const ADDRESS_NOT_FOUND: &str = "(address not found)";

/// A mark in a block: all its bytes, and those of them that are words of the sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationMark {
    pub start: usize,
    pub end: usize,
    pub target: CitationTarget,
    /// The text of a link that the sentence needs to be readable; `None` for a mere mark.
    pub words: Option<(usize, usize)>,
    /// The text of a link that names its source. Where it is among the words too, it says who reports the sentence.
    pub label: Option<(usize, usize)>,
}

impl CitationMark {
    /// The text of the link, whatever it is to its sentence.
    pub fn text(&self) -> Option<(usize, usize)> {
        self.words.or(self.label)
    }
}

/// The context of inline marks.
#[derive(Debug, Default)]
pub struct KnownLabels<'a> {
    /// Whether a source has this label.
    pub labels: std::collections::BTreeSet<&'a str>,
    /// Addresses of `[text][id]`, by their lower-case id.
    pub definitions: std::collections::BTreeMap<String, String>,
}

/// The marks between two places of a text, in their order; they do not overlap.
pub fn marks(text: &str, start: usize, end: usize, known: &KnownLabels<'_>) -> Vec<CitationMark> {
    let mut found: Vec<CitationMark> = Vec::new();
    let pairs = BracketPairs::of(text, start, end);
    let mut at = start;
    while let Some(c) = text.get(at..end).and_then(|rest| rest.chars().next()) {
        let before = text.get(start..at).unwrap_or_default();
        let mark = match c {
            '`' => {
                at = skip_code(text, at, end);
                continue;
            }
            '!' if text.get(at..end).is_some_and(|rest| rest.starts_with("![")) => picture(text, at, &pairs),
            '[' | '【' | '［' => bracket(text, at, c, &pairs, known),
            '<' => angle(text, at, end, known),
            'h' | 'H' if !before.ends_with(|c: char| c.is_ascii_alphanumeric()) => bare(text, at, end),
            '¹' | '²' | '³' | '⁰' | '⁴'..='⁹' => superscript(text, at, end, before, known),
            '(' | '（' => lost(text, at, end).or_else(|| author(text, at, end)),
            '\u{e200}' => private(text, at, end),
            _ => None,
        };
        match mark {
            Some(mark) if mark.end > at => {
                at = mark.end;
                found.push(mark);
            }
            _ => at += c.len_utf8(),
        }
    }
    found.iter_mut().for_each(|mark| widen(text, start, end, mark));
    let mut found = join(found);
    labels::settle(text, start, end, &mut found);
    found
}

/// "Source:", "Quellen": announces marks and says nothing.
pub fn is_announcement(words: &str) -> bool {
    let word = words.trim_matches(|c: char| !c.is_alphabetic());
    word.len() <= ANNOUNCEMENT_BYTES_MAX && ANNOUNCEMENTS.contains(&word.to_lowercase().as_str())
}

/// At most this many bytes of the beginning of a text, whole characters.
fn beginning(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max.min(text.len()))).unwrap_or_default()
}

/// Parentheses around a mark and the word that announces it belong to the mark.
fn widen(text: &str, start: usize, end: usize, mark: &mut CitationMark) {
    let start = text.ceil_char_boundary(mark.start.saturating_sub(ANNOUNCEMENT_BYTES_MAX).max(start));
    let before = text.get(start..mark.start).unwrap_or_default().trim_end();
    let after = text.get(mark.end..end).unwrap_or_default();
    let announced = before.trim_end_matches([':', '：', '.', ' ']);
    let open = |text: &str| text.ends_with(['(', '（']).then_some(text.len());
    let opening = open(before).or_else(|| {
        let word = announced.rsplit(['(', '（', ' ']).next().unwrap_or(announced);
        let lower = word.to_lowercase();
        let outside = announced.strip_suffix(word)?.trim_end();
        ANNOUNCEMENTS.contains(&lower.as_str()).then(|| open(outside)).flatten()
    });
    let spaces = after.len() - after.trim_start().len();
    let closing = after.trim_start().chars().next().filter(|c| matches!(c, ')' | '）'));
    if let (Some(length), Some(closing)) = (opening, closing) {
        let bracket =
            if before.get(..length).is_some_and(|text| text.ends_with('（')) { '（'.len_utf8() } else { 1 };
        mark.start = start + length - bracket;
        mark.end += spaces + closing.len_utf8();
        mark.label = mark.words.take();
    }
}

/// Marks that were widened over each other are kept apart.
fn join(found: Vec<CitationMark>) -> Vec<CitationMark> {
    let mut kept: Vec<CitationMark> = Vec::with_capacity(found.len());
    for mut mark in found {
        let floor = kept.last().map_or(0, |last| last.end);
        mark.start = mark.start.max(floor);
        if mark.start < mark.end {
            kept.push(mark);
        }
    }
    kept
}

/// After a code span, or after its first mark if it is not closed.
fn skip_code(text: &str, at: usize, end: usize) -> usize {
    let rest = text.get(at..end).unwrap_or_default();
    let run = rest.bytes().take_while(|byte| *byte == b'`').count();
    let fence = "`".repeat(run);
    let inside = rest.get(run..).unwrap_or_default();
    inside.find(&fence).map_or(at + run, |length| at + run + length + run)
}

fn picture(text: &str, at: usize, pairs: &BracketPairs) -> Option<CitationMark> {
    let (inside, close) = pairs.between(text, at + 1)?;
    let (_, end) = destination(text, close, pairs)?;
    // What a picture shows is said to the reader; the name of its file is not.
    let words = is_caption(text.get(inside.0..inside.1)?).then_some(inside);
    Some(CitationMark { start: at, end, target: CitationTarget::Nothing, words, label: None })
}

fn is_caption(shown: &str) -> bool {
    shown.split_whitespace().count() >= CAPTION_WORDS_MIN
        || shown.chars().filter(|c| is_dense(*c)).count() >= 2 * CAPTION_WORDS_MIN
}

fn bracket(
    text: &str,
    at: usize,
    open: char,
    pairs: &BracketPairs,
    known: &KnownLabels<'_>,
) -> Option<CitationMark> {
    let ((inside_start, inside_end), close) = pairs.between(text, at)?;
    let inside = text.get(inside_start..inside_end)?;
    let plain = inside.trim().trim_start_matches('[').trim_end_matches([']', '\\']);
    let labels = labels(plain, known);
    if open == '[' {
        if let Some((url, behind)) = destination(text, close, pairs) {
            let is_web = url.starts_with("http") || url.contains("://");
            if !is_web && (url.starts_with('#') || url.is_empty()) && labels.is_some() {
                let labels = labels.unwrap_or_default();
                return Some(CitationMark {
                    start: at,
                    end: behind,
                    target: CitationTarget::Labels(labels),
                    words: None,
                    label: None,
                });
            }
            let is_mark = labels.is_some() || is_mark_text(plain);
            let words = (!is_mark).then_some((inside_start, inside_end));
            let target = if url.starts_with('#') || url.starts_with("mailto:") {
                CitationTarget::Nothing
            } else {
                CitationTarget::Url(url)
            };
            return Some(CitationMark { start: at, end: behind, target, words, label: None });
        }
        if labels.is_none()
            && let Some(mark) = referenced(text, at, (inside_start, inside_end), close, pairs, known)
        {
            return Some(mark);
        }
    }
    let labels = labels?;
    Some(CitationMark {
        start: at,
        end: close,
        target: CitationTarget::Labels(labels),
        words: None,
        label: None,
    })
}

/// `[text][id]`, `[text][]` and `[id]`, if the id has an address.
fn referenced(
    text: &str,
    at: usize,
    inside: (usize, usize),
    close: usize,
    pairs: &BracketPairs,
    known: &KnownLabels<'_>,
) -> Option<CitationMark> {
    let own = text.get(inside.0..inside.1)?;
    let second =
        text.get(close..).filter(|rest| rest.starts_with('[')).and_then(|_| pairs.between(text, close));
    let (id, behind) = match second {
        Some((second, behind)) => match text.get(second.0..second.1)?.trim() {
            "" => (own, behind),
            id => (id, behind),
        },
        None => (own, close),
    };
    let url = known.definitions.get(&id.trim().to_lowercase())?;
    let words = (!is_mark_text(own.trim())).then_some(inside);
    Some(CitationMark {
        start: at,
        end: behind,
        target: CitationTarget::Url(url.clone()),
        words,
        label: None,
    })
}

/// A link text that names the source instead of saying something: a number, a host, "source".
fn is_mark_text(text: &str) -> bool {
    let text = text.trim_matches(['*', '_', '[', ']', '(', ')', '^', ' ', '\\']);
    let lower = text.to_lowercase();
    let is_host = !text.contains(char::is_whitespace)
        && text.split('.').count() >= 2
        && text.split(['/', '?']).next().is_some_and(|host| {
            host.rsplit('.')
                .next()
                .is_some_and(|last| last.len() >= 2 && last.chars().all(char::is_alphabetic))
        });
    let counts = |rest: &str| rest.trim_start_matches(['+', ' ']).chars().all(|c| c.is_ascii_digit());
    text.is_empty()
        || lower == "link"
        || lower == "here"
        || is_host
        || text.starts_with("http")
        || counts(text)
        || ANNOUNCEMENTS.iter().any(|word| lower.strip_prefix(word).is_some_and(counts))
        // "nytimes.com+1", as ChatGPT writes several sources.
        || lower.rsplit_once('+').is_some_and(|(host, more)| counts(more) && host.contains('.'))
}

/// The labels in brackets: `1`, `1, 2`, `3-5`, `^note`, `cite: 1, 2`, `3†source`. None if it is something else.
fn labels(inside: &str, known: &KnownLabels<'_>) -> Option<Vec<String>> {
    let inside = inside.trim();
    if let Some(note) = inside.strip_prefix('^') {
        let is_name = !note.is_empty() && !note.contains(char::is_whitespace);
        return is_name.then(|| vec![format!("^{note}")]);
    }
    let inside = inside.split('†').next().unwrap_or(inside);
    let announced = inside.split_once([':', '：', ' ']).filter(|(word, _)| {
        let lower = word.to_lowercase();
        lower == "cite" || ANNOUNCEMENTS.contains(&lower.as_str())
    });
    let numbers = announced.map_or(inside, |(_, rest)| rest).trim();
    let is_number_list = !numbers.is_empty()
        && numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers.chars().all(|c| c.is_ascii_digit() || is_separator(c) || is_dash(c));
    if !is_number_list {
        return known
            .labels
            .get(inside)
            .filter(|_| !inside.is_empty())
            .map(|label| vec![(*label).to_owned()]);
    }
    let mut found = Vec::new();
    for part in numbers.split(is_separator).filter(|part| !part.is_empty()) {
        let mut ends = part.split(is_dash).filter(|end| !end.is_empty());
        let first: u32 = ends.next()?.parse().ok()?;
        let last: u32 = ends.next().map_or(Some(first), |last| last.parse().ok())?;
        if ends.next().is_some() || last < first || last - first > RANGE_MAX {
            return None;
        }
        found.extend((first..=last).map(|number| number.to_string()));
    }
    // A year, a zero or a page in brackets is a label only where a source has it.
    let is_plain =
        |label: &String| known.labels.contains(label.as_str()) || (label.len() <= 3 && label != "0");
    (!found.is_empty() && found.iter().all(is_plain)).then_some(found)
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | '，' | '、' | ';' | '；') || c.is_whitespace()
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '–' | '—' | '‑' | '~' | '～')
}

/// `<https://…>`, `<a href="…">words</a>`, `<sup>1</sup>`.
fn angle(text: &str, at: usize, end: usize, known: &KnownLabels<'_>) -> Option<CitationMark> {
    let rest = beginning(text.get(at..end)?, BRACKET_BYTES_MAX + 1);
    let close = rest.find('>')?;
    let inside = rest.get(1..close)?;
    let behind = at + close + 1;
    if inside.starts_with("http://") || inside.starts_with("https://") {
        return Some(CitationMark {
            start: at,
            end: behind,
            target: CitationTarget::Url(escapes::resolved(inside)),
            words: None,
            label: None,
        });
    }
    let lower = inside.to_ascii_lowercase();
    if lower.starts_with("img ") {
        return Some(shown_picture(inside, &lower, at, behind));
    }
    if lower.starts_with("a ") {
        let url = attribute(inside, &lower, "href")?;
        let length = beginning(text.get(behind..end)?, WORDS_BYTES_MAX).to_ascii_lowercase().find("</a>")?;
        let words = text.get(behind..behind + length)?;
        let is_mark = labels(words.trim_matches(['[', ']']), known).is_some() || is_mark_text(words);
        let words = (!is_mark).then_some((behind, behind + length));
        let target = if url.starts_with('#') { CitationTarget::Nothing } else { CitationTarget::Url(url) };
        return Some(CitationMark {
            start: at,
            end: behind + length + "</a>".len(),
            target,
            words,
            label: None,
        });
    }
    if lower == "sup" {
        let length = beginning(text.get(behind..end)?, WORDS_BYTES_MAX).find("</sup>")?;
        let inside = text.get(behind..behind + length)?;
        let labels = labels(inside.trim_matches(['[', ']']), known)?;
        let end = behind + length + "</sup>".len();
        let all_known = labels.iter().all(|label| known.labels.contains(label.as_str()));
        return all_known.then_some(CitationMark {
            start: at,
            end,
            target: CitationTarget::Labels(labels),
            words: None,
            label: None,
        });
    }
    None
}

/// `<img alt="…">`, which is read as `![…](…)` is.
fn shown_picture(tag: &str, lower: &str, at: usize, end: usize) -> CitationMark {
    let said = |name: &str| value_of(tag, lower, name).filter(|(_, shown)| is_caption(shown));
    // The tag stands one byte behind its bracket.
    let words = said(" alt").or_else(|| said(" title"));
    let words = words.map(|(from, shown)| (at + 1 + from, at + 1 + from + shown.len()));
    CitationMark { start: at, end, target: CitationTarget::Nothing, words, label: None }
}

fn attribute(tag: &str, lower: &str, name: &str) -> Option<String> {
    let (_, value) = value_of(tag, lower, name)?;
    Some(escapes::resolved(value))
}

/// Where the value of an attribute begins, and the value as written.
fn value_of<'a>(tag: &'a str, lower: &str, name: &str) -> Option<(usize, &'a str)> {
    let at = lower.find(name)? + name.len();
    let value = tag.get(at..)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (from, written) = match quote {
        Some(quote) => (1, value.get(1..)?.split(quote).next()?),
        None => (0, value.split_whitespace().next()?),
    };
    Some((tag.len() - value.len() + from, written))
}

/// The bytes of an address that is in the text unchanged.
fn bare(text: &str, at: usize, end: usize) -> Option<CitationMark> {
    let rest = text.get(at..end)?;
    let length = address_length(rest)?;
    let url = rest.get(..length)?;
    Some(CitationMark {
        start: at,
        end: at + length,
        target: CitationTarget::Url(escapes::resolved(url)),
        words: None,
        label: None,
    })
}

/// How long the address at the beginning of a text is, without the punctuation of the sentence around it.
pub fn address_length(text: &str) -> Option<usize> {
    let scheme = ["https://", "http://"]
        .iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let is_outside = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '<' | '>'
                    | '"'
                    | '`'
                    | '|'
                    | '，'
                    | '。'
                    | '；'
                    | '、'
                    | '）'
                    | '】'
                    | '》'
                    | '」'
                    | '”'
                    | '“'
                    | '（'
            )
    };
    let text = beginning(text, ADDRESS_BYTES_MAX);
    let mut length = text.find(is_outside).unwrap_or(text.len());
    let whole = text.get(..length)?;
    let query = whole.find('?').unwrap_or(length);
    let (mut round, mut square) = (closers_left(whole, '(', ')'), closers_left(whole, '[', ']'));
    while let Some(url) = text.get(..length) {
        let Some(last) = url.chars().last() else { break };
        let is_trailing = matches!(last, '.' | ',' | ';' | ':' | '!' | '?' | '*' | '\'' | '’' | '\\')
            || (last == ')' && round > 0)
            || (last == ']' && square > 0)
            || (last == '_' && query >= length);
        round -= isize::from(last == ')');
        square -= isize::from(last == ']');
        // Three dots are the writer's: the address was cut short.
        if !is_trailing || url.ends_with("...") {
            break;
        }
        length -= last.len_utf8();
    }
    (length > scheme.len()).then_some(length)
}

/// How many closing brackets of an address have no opening one.
fn closers_left(url: &str, open: char, close: char) -> isize {
    url.chars().map(|c| isize::from(c == close) - isize::from(c == open)).sum()
}

fn superscript(
    text: &str,
    at: usize,
    end: usize,
    before: &str,
    known: &KnownLabels<'_>,
) -> Option<CitationMark> {
    let digit = |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|known| known == c);
    let mut number = String::new();
    let mut length = 0;
    for c in text.get(at..end)?.chars().take(RAISED_CHARACTERS_MAX) {
        match digit(c) {
            Some(value) => number.push_str(&value.to_string()),
            None if matches!(c, '⁻' | '⁺') => return None,
            None if matches!(c, '˒' | '\u{2E34}') => number.push(','),
            None => break,
        }
        length += c.len_utf8();
    }
    // "km²" and "10⁶" are units and powers.
    let word = before.chars().rev().take(RAISED_CHARACTERS_MAX).take_while(|c| c.is_alphanumeric());
    let is_power = word.clone().any(|c| c.is_ascii_digit()) || (1..=2).contains(&word.count());
    let labels: Vec<String> = number.split(',').map(str::to_owned).collect();
    let is_known = labels.iter().all(|label| known.labels.contains(label.as_str()));
    (!is_power && is_known).then_some(CitationMark {
        start: at,
        end: at + length,
        target: CitationTarget::Labels(labels),
        words: None,
        label: None,
    })
}

/// `(Smith 2020)`, `(Smith et al., 2020; Jones, 2021a)`: whether a source matches is decided later.
fn author(text: &str, at: usize, end: usize) -> Option<CitationMark> {
    /// Longer parentheses are remarks.
    const AUTHOR_BYTES_MAX: usize = 200;
    let rest = beginning(text.get(at..end)?, AUTHOR_BYTES_MAX + '）'.len_utf8());
    let close = rest.find([')', '）']).filter(|close| *close <= AUTHOR_BYTES_MAX)?;
    let open = rest.chars().next()?.len_utf8();
    let inside = rest.get(open..close)?;
    let is_pair = |part: &str| {
        let part = part.trim().trim_end_matches(|c: char| c.is_ascii_lowercase());
        let year = part.get(part.len().saturating_sub(4)..).unwrap_or_default();
        let name = part.strip_suffix(year).unwrap_or_default();
        year.len() == 4
            && year.bytes().all(|byte| byte.is_ascii_digit())
            && name.chars().next().is_some_and(char::is_alphabetic)
            && name
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, ' ' | ',' | '.' | '&' | '-' | '\'' | '’'))
    };
    let is_author = inside.split([';', '；']).all(is_pair);
    let end = at + close + rest.get(close..)?.chars().next()?.len_utf8();
    is_author.then(|| CitationMark {
        start: at,
        end,
        target: CitationTarget::Author(inside.to_owned()),
        words: None,
        label: None,
    })
}

fn lost(text: &str, at: usize, end: usize) -> Option<CitationMark> {
    let stands = text.get(at..end)?.starts_with(ADDRESS_NOT_FOUND);
    stands.then(|| CitationMark {
        start: at,
        end: at + ADDRESS_NOT_FOUND.len(),
        target: CitationTarget::Lost,
        words: None,
        label: None,
    })
}

/// Marks that ChatGPT leaves in copied text, between two private characters.
fn private(text: &str, at: usize, end: usize) -> Option<CitationMark> {
    let length = beginning(text.get(at..end)?, BRACKET_BYTES_MAX + '\u{e201}'.len_utf8()).find('\u{e201}')?;
    Some(CitationMark {
        start: at,
        end: at + length + '\u{e201}'.len_utf8(),
        target: CitationTarget::Nothing,
        words: None,
        label: None,
    })
}

#[cfg(test)]
mod tests;
