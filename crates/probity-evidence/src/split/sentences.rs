//! Where sentences end: abbreviations, decimals, initials, quotation marks, and every script's own full stop.

use super::script::{ends_sentence, is_closer, is_dense, is_full_stop, is_line_script};
use crate::citations::CitationMark;

/// How far after a full stop the word is looked for that follows it.
const NEXT_WORD_BYTES_MAX: usize = 200;
/// Abbreviations with a full stop that never end a sentence, in lower case.
const NEVER_LAST: &[&str] = &[
    "dr", "mr", "mrs", "ms", "mme", "mlle", "prof", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "sen",
    "rep", "gov", "pres", "st", "ste", "fig", "figs", "eq", "eqs", "sec", "ch", "chap", "vol", "vols", "nos",
    "nr", "pp", "ed", "eds", "vs", "cf", "viz", "e.g", "i.e", "eg", "ie", "ca", "approx", "appx", "resp",
    "abb", "tab", "z.b", "d.h", "u.a", "bzw", "sog", "vgl", "ggf", "inkl", "mio", "mrd", "tsd", "incl",
    "excl", "est", "mt", "ft", "jan", "feb", "apr", "jun", "jul", "aug", "sept", "sep", "oct", "nov", "dec",
    "okt", "dez", "janv", "févr", "juil", "art", "nbr", "núm", "sr", "sra", "dra", "ing", "dipl", "phil",
    "al", "v", "тыс", "млн", "млрд", "г", "гг", "ул", "им", "т.е", "напр",
];
/// Abbreviations that may end a sentence: they do before a word that begins one.
const MAYBE_LAST: &[&str] = &[
    "etc", "inc", "ltd", "co", "corp", "bros", "llc", "plc", "jr", "u.s", "u.k", "e.u", "u.n", "u.s.a",
    "d.c", "a.m", "p.m", "a.d", "b.c", "ph.d", "m.d", "b.a", "m.a", "usw", "gmbh", "dept", "univ", "assn",
    "ave", "blvd", "no", "p", "др", "пр", "abs", "hrsg",
];
/// Words that begin a sentence often and follow an abbreviation or an initial seldom.
const STARTERS: &[&str] = &[
    "The",
    "This",
    "That",
    "These",
    "Those",
    "It",
    "Its",
    "They",
    "Their",
    "There",
    "He",
    "She",
    "His",
    "Her",
    "We",
    "Our",
    "In",
    "On",
    "At",
    "By",
    "For",
    "From",
    "With",
    "As",
    "However",
    "Moreover",
    "Furthermore",
    "Additionally",
    "While",
    "Although",
    "When",
    "After",
    "Before",
    "Since",
    "A",
    "An",
    "But",
    "And",
    "Yet",
    "So",
    "If",
    "Both",
    "Each",
    "Most",
    "Many",
    "Some",
    "Several",
    "Despite",
    "Der",
    "Die",
    "Das",
    "Ein",
    "Eine",
    "Es",
    "Sie",
    "Er",
    "Im",
    "Le",
    "La",
    "Les",
    "Il",
    "Elle",
    "Ils",
    "El",
    "Los",
    "Las",
    "Según",
    "En",
    "Dans",
];
/// Months that follow a German or Nordic ordinal ("3. Oktober").
const MONTHS: &[&str] = &[
    "januar",
    "jänner",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
    "january",
    "february",
    "march",
    "may",
    "june",
    "july",
    "october",
    "december",
    "marts",
    "maj",
    "december",
];

/// Marks that may follow one full stop; a text with more is one that holds the reader up.
const MARKS_BEHIND_MAX: usize = 64;

/// The sentences between two places, trimmed; marks after a full stop belong to the sentence before. `whole`
/// are ranges inside which no sentence ends, such as quotations.
pub fn sentences(
    text: &str,
    start: usize,
    end: usize,
    marks: &[CitationMark],
    whole: &[(usize, usize)],
) -> Vec<(usize, usize)> {
    let mut cutter = SentenceCutter {
        text,
        end,
        marks,
        whole,
        mark: 0,
        range: 0,
        inside: None,
        open: start,
        found: Vec::new(),
    };
    let mut at = start;
    while at < end {
        at = cutter.step(at);
    }
    cutter.cut(end);
    cutter.found
}

/// Whether a text begins with a word that begins sentences.
pub fn starts_a_sentence(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_', '"', '“', '„', '«']);
    STARTERS.contains(&text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default())
}

struct SentenceCutter<'a> {
    text: &'a str,
    end: usize,
    marks: &'a [CitationMark],
    whole: &'a [(usize, usize)],
    /// The first mark and the first range that are not passed yet.
    mark: usize,
    range: usize,
    /// The range whose last character that is more than a full stop, a closing mark or a space was looked for, and
    /// where that character is.
    inside: Option<(usize, usize)>,
    /// Where the open sentence starts.
    open: usize,
    found: Vec<(usize, usize)>,
}

impl SentenceCutter<'_> {
    /// Looks at one character or mark and says where to look next.
    fn step(&mut self, at: usize) -> usize {
        while self.marks.get(self.mark).is_some_and(|mark| mark.end <= at) {
            self.mark += 1;
        }
        if let Some(mark) = self.marks.get(self.mark).filter(|mark| mark.start <= at) {
            return mark.end;
        }
        let Some(c) = self.text.get(at..self.end).and_then(|rest| rest.chars().next()) else {
            return self.end;
        };
        let behind = at + c.len_utf8();
        if c == '\n' {
            if self.breaks_line(at) {
                self.cut(at);
            }
            return behind;
        }
        if c == '`' {
            return self.behind_code(at);
        }
        if !ends_sentence(c) || self.is_inside(at) {
            return behind;
        }
        let run = self.behind_run(behind);
        let (tail, next) = self.tail(run);
        if self.ends(c, at, run, tail, next) {
            self.cut(tail);
            return tail;
        }
        run
    }

    /// A code span has no sentences.
    fn behind_code(&self, at: usize) -> usize {
        let inside = self.text.get(at + 1..self.end).unwrap_or_default();
        let end = inside.find(['`', '\n']).filter(|end| inside.as_bytes().get(*end) == Some(&b'`'));
        end.map_or(at + 1, |length| at + 1 + length + 1)
    }

    fn is_inside(&mut self, at: usize) -> bool {
        while self.whole.get(self.range).is_some_and(|range| range.1 <= at) {
            self.range += 1;
        }
        // The last full stop of a quotation may end the sentence around it.
        let Some((start, end)) = self.whole.get(self.range).copied() else { return false };
        let last = match self.inside {
            Some((range, last)) if range == self.range => last,
            _ => {
                let text = self.text.get(start..end).unwrap_or_default();
                let says = |c: char| !ends_sentence(c) && !is_closer(c) && !c.is_whitespace();
                let last = text.rfind(says).map_or(start, |last| start + last);
                self.inside = Some((self.range, last));
                last
            }
        };
        start <= at && at < last
    }

    /// After further full stops and exclamation marks: "?!", "...".
    fn behind_run(&self, at: usize) -> usize {
        let rest = self.text.get(at..self.end).unwrap_or_default();
        at + rest.find(|c: char| !ends_sentence(c)).unwrap_or(rest.len())
    }

    /// After closing marks and citations that follow a full stop, and the character that comes next after
    /// spaces.
    fn tail(&self, from: usize) -> (usize, Option<char>) {
        let mut at = from;
        let mut tail = from;
        let mut index = self.mark;
        let marks_max = index.saturating_add(MARKS_BEHIND_MAX);
        loop {
            let Some(c) = self.text.get(at..self.end).and_then(|rest| rest.chars().next()) else {
                return (tail, None);
            };
            while self.marks.get(index).is_some_and(|mark| mark.end <= at) {
                index += 1;
            }
            let is_behind = |mark: &&CitationMark| mark.start <= at && mark.words.is_none();
            if let Some(mark) = self.marks.get(index).filter(is_behind)
                && index < marks_max
            {
                at = mark.end;
                tail = at;
                continue;
            }
            let is_opener = matches!(c, '"' | '\'' | '*' | '_' | '“' | '’') && at > tail;
            let after_mark = tail > from && ends_sentence(c) && at == tail;
            if (is_closer(c) && !is_opener && at == tail) || after_mark {
                at += c.len_utf8();
                tail = at;
            } else if matches!(c, ' ' | '\t' | '\u{a0}' | '\u{202f}' | '\u{3000}') {
                at += c.len_utf8();
            } else if matches!(c, ',' | '，' | ';') && tail > from {
                // "[1], [2]" after the full stop.
                let rest = self.text.get(at + c.len_utf8()..self.end).unwrap_or_default();
                let next = self.end - rest.trim_start().len();
                let mark = self.marks.binary_search_by_key(&next, |mark| mark.start).ok();
                if mark.and_then(|place| self.marks.get(place)).is_some_and(|mark| mark.words.is_none()) {
                    at = next;
                } else {
                    return (tail, Some(c));
                }
            } else {
                return (tail, Some(c));
            }
        }
    }

    fn ends(&self, c: char, at: usize, run: usize, tail: usize, next: Option<char>) -> bool {
        let Some(next) = next else { return true };
        if is_full_stop(c) {
            return true;
        }
        let is_apart =
            self.text.get(tail..self.end).is_some_and(|rest| rest.starts_with(char::is_whitespace));
        let is_glued = is_dense(next) && tail > at + 1;
        if !is_apart && !is_glued {
            return tail > run && next.is_uppercase() && self.is_mark_before(tail);
        }
        if next.is_lowercase() || matches!(next, ',' | ';' | ':' | '，' | '；') {
            return false;
        }
        c != '.' || run > at + 1 || !self.is_abbreviation(at, tail)
    }

    fn is_mark_before(&self, at: usize) -> bool {
        self.marks.binary_search_by_key(&at, |mark| mark.end).is_ok()
    }

    /// Whether the full stop at `at` belongs to the word before it.
    fn is_abbreviation(&self, at: usize, tail: usize) -> bool {
        let before = self.text.get(self.open..at).unwrap_or_default();
        let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '.').next().unwrap_or_default();
        // Not further: a text of full stops alone would be read to its end at each of them.
        let near = self.text.floor_char_boundary(self.end.min(tail + NEXT_WORD_BYTES_MAX));
        let rest = self.text.get(tail..near).unwrap_or_default();
        let next =
            rest.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
        let lower = word.trim_start_matches('.').to_lowercase();
        let starts = STARTERS.contains(&next);
        if word.chars().all(|c| c.is_ascii_digit()) && !word.is_empty() {
            let is_first = before.trim().trim_start_matches(['*', '_', '(']) == word;
            let is_ordinal = word.len() <= 2 && MONTHS.contains(&next.to_lowercase().as_str());
            return is_first || is_ordinal;
        }
        if NEVER_LAST.contains(&lower.as_str()) {
            // "v" and "g" are also letters that end sentences; then a word that begins one follows.
            return !(lower.chars().count() == 1 && starts);
        }
        let is_initial = lower.split('.').all(|part| part.chars().count() == 1)
            && word.chars().next().is_some_and(|c| c.is_uppercase() && !is_dense(c));
        let digits_follow = next.starts_with(|c: char| c.is_ascii_digit());
        (MAYBE_LAST.contains(&lower.as_str()) && (!starts || digits_follow))
            && (lower != "no" && lower != "p" || digits_follow)
            || is_initial && !starts
    }

    /// Whether a line break ends the sentence: in scripts without spaces, and where it was put on purpose.
    fn breaks_line(&self, at: usize) -> bool {
        let before = self.text.get(self.open..at).unwrap_or_default();
        let is_hard = before.ends_with("  ") || before.ends_with('\\') || before.trim_end().ends_with("<br>");
        let last = before.trim_end().chars().last();
        let next = self.text.get(at..self.end).and_then(|rest| rest.trim_start().chars().next());
        is_hard
            || last
                .is_some_and(|c| is_line_script(c) || is_dense(c) && next.is_some_and(|next| !is_dense(next)))
    }

    fn cut(&mut self, to: usize) {
        let part = self.text.get(self.open..to).unwrap_or_default();
        let start = self.open + (part.len() - part.trim_start().len());
        let end = start + part.trim().len();
        if start < end {
            self.found.push((start, end));
        }
        self.open = to;
    }
}
