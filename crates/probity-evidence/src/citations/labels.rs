//! Which link texts are words of a sentence and which only name the source.
//!
//! "… fell to 180 million euros [Financial Times, 2023](…)." does not say 2023. "The [dam holds 45 million](…) cubic metres"
//! does say it. "As [Reuters](…) reported" says it too, but no page has to name itself. Decided by where the link stands, by
//! the word before it and by how its text is written; what is in doubt stays in the sentence.

use super::{
    ANNOUNCEMENTS, CitationMark, CitationTarget, beginning,
    label_words::{
        DENSE_REPORTS, DENSE_TIES, ENDS_OFTEN, PLAIN_LABELS, REPORTING, REPORTS, TITLE_TIES, WANT_MORE,
    },
};
use crate::split::{
    script::{ends_sentence, has_no_case, is_closer, is_dense},
    starts_a_sentence,
};

/// How far a link's neighbourhood is read.
const NEAR_BYTES_MAX: usize = 240;
/// Marks in a row that are looked past.
const MARKS_PAST_MAX: usize = 8;
/// A longer text is a statement, not the name of a source.
const NAME_WORDS_MAX: usize = 12;
/// The same for scripts without spaces, in characters.
const NAME_CHARACTERS_MAX: usize = 20;

/// What the text of a link is to its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkRole {
    /// Words of it.
    Sentence,
    /// The name of the source, beside it.
    Label,
    /// Words of it that name who says it.
    Reporter,
}

/// Takes the labels out of the sentences of a block.
pub fn settle(text: &str, start: usize, end: usize, marks: &mut [CitationMark]) {
    let block = text.get(start..end).unwrap_or_default();
    let style = BlockStyle {
        labels_last: ends_with_link(text, end, marks),
        capitalises_nouns: is_german(beginning(block, 4 * NEAR_BYTES_MAX)),
    };
    for place in 0..marks.len() {
        let role = marks.get(place).and_then(|mark| role_of(text, (start, end), mark, place, marks, style));
        let Some(mark) = marks.get_mut(place) else { continue };
        match role {
            Some(LinkRole::Label) => mark.label = mark.words.take(),
            Some(LinkRole::Reporter) => mark.label = mark.words,
            Some(LinkRole::Sentence) | None => {}
        }
    }
}

#[derive(Clone, Copy)]
struct BlockStyle {
    /// Its last full stop is followed by a link.
    labels_last: bool,
    capitalises_nouns: bool,
}

fn role_of(
    text: &str,
    (start, end): (usize, usize),
    mark: &CitationMark,
    place: usize,
    marks: &[CitationMark],
    style: BlockStyle,
) -> Option<LinkRole> {
    if !matches!(mark.target, CitationTarget::Url(_)) {
        return None;
    }
    let (from, to) = mark.words?;
    let label = text.get(from..to)?.trim_matches(['*', '_', '"', '“', '”', '[', ']', ' ', '\n']);
    let cut = marks_before(text, mark.start, marks.get(..place)?);
    let near = text.ceil_char_boundary(cut.saturating_sub(NEAR_BYTES_MAX).max(start));
    let said = text.get(near..cut)?.trim_end();
    let after = text.get(mark.end..text.floor_char_boundary(end.min(mark.end + NEAR_BYTES_MAX)))?;
    let next_starts = marks.get(place + 1).map(|next| next.start);
    let is_last = closes(after) || next_starts.is_some_and(|next| is_gap(text.get(mark.end..next)));
    let is_referenced = text.get(to..mark.end).is_some_and(|rest| rest.starts_with("]["));
    let link = LinkPlace { label, said, after, is_last, is_referenced, style };
    Some(link.role())
}

/// The place before all mere marks that stand directly before `at`.
fn marks_before(text: &str, at: usize, marks: &[CitationMark]) -> usize {
    let mut cut = at;
    for mark in marks.iter().rev().take(MARKS_PAST_MAX) {
        if mark.words.is_some() || !is_gap(text.get(mark.end..cut)) {
            break;
        }
        cut = mark.start;
    }
    cut
}

fn is_gap(gap: Option<&str>) -> bool {
    gap.is_some_and(|gap| {
        gap.chars().all(|c| c.is_whitespace() || matches!(c, ',' | '，' | '、' | ';' | '；'))
    })
}

/// Whether what follows a link ends the clause it is in.
fn closes(after: &str) -> bool {
    let line = after.trim_start_matches([' ', '\t', '*', '_']);
    line.chars().next().is_none_or(|c| {
        matches!(c, '\n' | '\r' | ',' | '，' | '、' | ';' | '；' | ':' | '：' | ')' | '）' | ']' | '|')
            || ends_sentence(c)
    })
}

/// Whether a link stands behind the last full stop of a block.
fn ends_with_link(text: &str, end: usize, marks: &[CitationMark]) -> bool {
    let Some(last) = marks.last() else { return false };
    let behind = text.get(last.end..end).unwrap_or_default();
    let near = text.ceil_char_boundary(last.start.saturating_sub(NEAR_BYTES_MAX));
    !behind.contains(char::is_alphanumeric) && is_behind_stop(text.get(near..last.start).unwrap_or_default())
}

struct LinkPlace<'a> {
    label: &'a str,
    /// The text before the link, and before the marks that stand before it.
    said: &'a str,
    after: &'a str,
    is_last: bool,
    /// Written `[text][id]`.
    is_referenced: bool,
    style: BlockStyle,
}

impl LinkPlace<'_> {
    fn role(&self) -> LinkRole {
        if self.label.is_empty() || self.label.ends_with(ends_sentence) {
            return LinkRole::Sentence;
        }
        let clause = self.said.rsplit(['\n', '|']).next().unwrap_or_default().trim();
        let is_label = is_plain_label(self.label);
        if is_behind_stop(self.said) {
            return self.behind_stop(is_label);
        }
        let is_name = self.names_source();
        if !clause.contains(char::is_alphanumeric) {
            // A cell of a table that holds nothing else.
            let is_cell = self.said.ends_with('|') && self.is_last;
            return if is_name && (is_cell || self.is_reported()) {
                LinkRole::Reporter
            } else {
                LinkRole::Sentence
            };
        }
        if super::is_announcement(clause) {
            return LinkRole::Label;
        }
        if is_name && (reports_before(clause) || self.is_reported()) {
            return LinkRole::Reporter;
        }
        if !self.is_last || needs_more(clause) {
            return LinkRole::Sentence;
        }
        let has_digit = self.label.contains(|c: char| c.is_numeric());
        if is_label || self.is_referenced && !has_digit {
            return LinkRole::Label;
        }
        match is_name && says_something(clause) {
            // "Acme acquired [Tanzer Foods](…)": a verb may want the name.
            true if clause.is_ascii() && clause.ends_with("ed") => LinkRole::Reporter,
            true => LinkRole::Label,
            false => LinkRole::Sentence,
        }
    }

    fn behind_stop(&self, is_label: bool) -> LinkRole {
        if !is_label && !self.names_source() {
            return LinkRole::Sentence;
        }
        let rest = self.after.trim_start();
        let next = rest.chars().next();
        let goes_on = next.is_some_and(|c| c.is_lowercase() || matches!(c, ',' | '，' | '\'' | '’'));
        let begins = match next {
            Some(c) if is_dense(c) => !self.is_reported() && !rest.starts_with(DENSE_TIES),
            _ => starts_a_sentence(rest) || self.is_phrase() && next.is_some_and(char::is_uppercase),
        };
        match self.is_last || !goes_on && (self.style.labels_last || is_label || begins) {
            true => LinkRole::Label,
            false if self.is_reported() => LinkRole::Reporter,
            false => LinkRole::Sentence,
        }
    }

    /// "Verdan results": no name that a word with a capital would go on with.
    fn is_phrase(&self) -> bool {
        let last = self.label.rsplit(' ').next().unwrap_or_default();
        !self.style.capitalises_nouns && self.label.contains(' ') && last.starts_with(char::is_lowercase)
    }

    /// A verb of reporting follows, or ends the link.
    fn is_reported(&self) -> bool {
        let rest = self.after.trim_start();
        let next = first_word(rest).to_lowercase();
        let last = self.label.rsplit(' ').next().unwrap_or_default().to_lowercase();
        REPORTS.contains(&next.as_str())
            || self.label.contains(' ') && REPORTS.contains(&last.as_str())
            || DENSE_REPORTS.iter().any(|verb| rest.starts_with(verb))
    }

    /// Whether the text is written like the name of a publisher or a title.
    fn names_source(&self) -> bool {
        let label = self.label.strip_prefix("the ").unwrap_or(self.label);
        let words: Vec<&str> = label.split_whitespace().collect();
        let first = label.chars().next().unwrap_or(' ');
        let last = words.len().saturating_sub(1);
        let fits = |(place, word): (usize, &&str)| is_number_of_title(word, place == last);
        if words.len() > NAME_WORDS_MAX || !words.iter().enumerate().all(fits) {
            return false;
        }
        if is_dense(first) || has_no_case(first) {
            let dense = self.label.chars().filter(|c| is_dense(*c)).count();
            return dense <= NAME_CHARACTERS_MAX && words.len() <= NAME_WORDS_MAX / 2;
        }
        let is_small = |word: &&str| word.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_lowercase);
        let small: Vec<&str> = words.iter().filter(|word| is_small(word)).copied().collect();
        let ties_only = small.iter().all(|word| {
            TITLE_TIES.contains(&word.to_lowercase().as_str())
                || REPORTS.contains(&word.to_lowercase().as_str())
        });
        // A clause that a comma announces has a verb; a title has none that can be told from one.
        let is_strict =
            self.style.capitalises_nouns || self.said.ends_with([',', '，']) || !says_much(self.said);
        first.is_uppercase() && (ties_only || !is_strict)
    }
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default()
}

/// Whether the text ends with a full stop that ends a sentence.
fn is_behind_stop(said: &str) -> bool {
    let said = said.trim_end().trim_end_matches(|c: char| is_closer(c) || matches!(c, '*' | '_'));
    let Some(stop) = said.chars().last().filter(|c| ends_sentence(*c)) else { return false };
    let before = said.strip_suffix(stop).unwrap_or_default();
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    // "vgl.", "e.g.", "U.S.": too short for the last word of a sentence more often than not.
    let is_short = word.chars().count() <= 3 && word.chars().all(char::is_alphabetic) || word.contains('.');
    let is_common = ENDS_OFTEN.contains(&word.to_lowercase().as_str());
    stop != '.' || !is_short || is_common || word.contains(|c: char| c.is_numeric())
}

/// "source", "study", "one", "s", "see the page": says nothing in any place.
fn is_plain_label(label: &str) -> bool {
    let lower = label.to_lowercase();
    let first = first_word(&lower);
    let letters = lower.chars().filter(|c| c.is_alphabetic()).count();
    PLAIN_LABELS.contains(&lower.as_str())
        || letters == 1 && lower.chars().count() <= 3 && !lower.contains(char::is_numeric)
        || lower.contains(' ') && ANNOUNCEMENTS.contains(&first)
        || ["参见", "详见", "見る", "详情"].iter().any(|word| lower.starts_with(word))
}

/// A number that may stand in the name of a source: a year, or a short one at its end.
fn is_number_of_title(word: &str, is_last: bool) -> bool {
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    let is_year = digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
    let has_sign = word.contains(['%', '$', '€', '£', '¥']);
    let is_other = word.chars().any(|c| c.is_numeric() && !c.is_ascii_digit());
    !has_sign && !is_other && (digits.is_empty() || is_year || is_last && digits.len() <= 2)
}

/// Whether the last word wants another: an article, a preposition, a conjunction, a form of "to be".
fn needs_more(clause: &str) -> bool {
    let Some(last) = clause.chars().last() else { return true };
    if is_dense(last) {
        return matches!(
            last,
            '的' | '了'
                | '在'
                | '于'
                | '由'
                | '被'
                | '与'
                | '和'
                | '向'
                | '对'
                | '为'
                | '是'
                | '及'
                | '或'
                | '从'
                | '据'
                | '以'
                | '將'
                | '将'
                | '把'
                | '给'
                | 'は'
                | 'が'
                | 'を'
                | 'に'
                | 'の'
                | 'で'
                | 'と'
                | 'も'
                | 'へ'
                | 'や'
        );
    }
    if !last.is_alphanumeric() {
        return matches!(last, '\'' | '’' | '(' | '（' | '“' | '"' | '„' | '«' | '&' | '/' | '$' | '€' | '£');
    }
    let word = clause.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    WANT_MORE.contains(&word.as_str())
}

/// "according to", "laut": the clause says that somebody reports.
fn reports_before(clause: &str) -> bool {
    let lower = clause.to_lowercase();
    let bare = lower.strip_suffix(" the").unwrap_or(&lower);
    REPORTING.iter().any(|phrase| {
        bare.strip_suffix(phrase).is_some_and(|rest| {
            phrase.chars().next().is_some_and(is_dense) || !rest.ends_with(char::is_alphanumeric)
        })
    })
}

/// "According to …", "laut …": the text begins with naming who reports. "As" and its like begin much else.
pub fn begins_with_reporter(text: &str) -> bool {
    const TELLING_BYTES_MIN: usize = 6;
    let lower = text.to_lowercase();
    REPORTING.iter().any(|phrase| {
        let is_telling = phrase.len() >= TELLING_BYTES_MIN || *phrase == "laut";
        let rest = lower.strip_prefix(phrase).filter(|_| is_telling);
        rest.is_some_and(|rest| {
            phrase.chars().next().is_some_and(is_dense) || !rest.starts_with(char::is_alphanumeric)
        })
    })
}

fn says_something(clause: &str) -> bool {
    let words = clause.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    words >= 3 || clause.contains(char::is_numeric) || clause.chars().filter(|c| is_dense(*c)).count() >= 4
}

/// At least as many words as a whole statement has.
fn says_much(said: &str) -> bool {
    said.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count() >= 4
}

/// German writes nouns with capitals: there a capital does not tell a name.
fn is_german(text: &str) -> bool {
    let (mut german, mut other) = (0_u32, 0_u32);
    for word in text.split(|c: char| !c.is_alphabetic()) {
        match word {
            "der" | "die" | "das" | "und" | "ist" | "wird" | "wurde" | "von" | "vom" | "mit" | "für"
            | "dem" | "den" | "ein" | "eine" | "auf" | "nicht" | "bei" | "zum" | "zur" | "auch" | "Der"
            | "Die" | "Das" | "Ein" | "Im" => {
                german += 1;
            }
            "the" | "of" | "and" | "was" | "is" | "to" | "The" | "les" | "des" | "los" | "las" | "que" => {
                other += 1
            }
            _ => {}
        }
    }
    german > other
}
