//! The words of a piece of a report, without markup and without marks of citation.

use probity_types::report::ReportPhrases;

use crate::citations::CitationMark;

/// Escapes that reports really contain.
const ENTITIES: &[(&str, &str)] =
    &[("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " ")];

/// The plain words between two places.
pub fn plain(text: &str, start: usize, end: usize, marks: &[CitationMark]) -> String {
    let mut writer = PlainTextWriter { words: String::with_capacity(end - start), is_start: true };
    let mut at = start;
    let first = marks.partition_point(|mark| mark.end <= start);
    for mark in marks.iter().skip(first).take_while(|mark| mark.start < end) {
        writer.markdown(text.get(at..mark.start.max(at)).unwrap_or_default());
        if let Some((from, to)) = mark.words {
            writer.markdown(text.get(from.max(start)..to.min(end)).unwrap_or_default());
        } else {
            writer.gap();
        }
        at = mark.end.min(end).max(at);
    }
    writer.markdown(text.get(at..end).unwrap_or_default());
    writer.finish()
}

struct PlainTextWriter {
    words: String,
    /// At the beginning of a line, where marks of blocks may be.
    is_start: bool,
}

impl PlainTextWriter {
    fn markdown(&mut self, part: &str) {
        let mut rest = part;
        while let Some(c) = rest.chars().next() {
            let mut taken = c.len_utf8();
            match c {
                '\n' | ' ' | '\t' | '\r' | '\u{a0}' | '\u{3000}' => {
                    self.gap();
                    self.is_start |= c == '\n';
                }
                '>' | '#' if self.is_start => {}
                '*' | '`' => {}
                '~' if rest.starts_with("~~") => taken = 2,
                '_' if !self.is_in_word(rest) => {}
                '\\' if rest.chars().nth(1).is_some_and(|next| next.is_ascii_punctuation()) => {}
                '<' => match tag_length(rest) {
                    Some(length) => {
                        taken = length;
                        self.gap();
                    }
                    None => self.push(c),
                },
                '&' => {
                    let entity = ENTITIES.iter().find(|(name, _)| rest.starts_with(name));
                    taken = entity.map_or(taken, |(name, _)| name.len());
                    self.push_str(entity.map_or("&", |(_, value)| value));
                }
                '|' => self.cell(),
                _ => self.push(c),
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
    }

    fn push(&mut self, c: char) {
        // A mark that was taken out leaves no space before punctuation.
        let is_tight = matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | '，' | '。' | '；' | '）');
        if is_tight && self.words.ends_with(' ') {
            self.words.pop();
        }
        self.is_start = false;
        self.words.push(c);
    }

    fn push_str(&mut self, text: &str) {
        text.chars().for_each(|c| self.push(c));
    }

    fn gap(&mut self) {
        if !self.words.is_empty() && !self.words.ends_with(' ') {
            self.words.push(' ');
        }
    }

    /// The border of two cells of a table.
    fn cell(&mut self) {
        let length = self.words.trim_end_matches([' ', ';']).len();
        self.words.truncate(length);
        if !self.words.is_empty() {
            self.words.push_str("; ");
        }
    }

    fn is_in_word(&self, rest: &str) -> bool {
        let after = rest.chars().nth(1).is_some_and(|c| c.is_alphanumeric() || c == '_');
        self.words.ends_with(|c: char| c.is_alphanumeric() || c == '_') && after
    }

    fn finish(self) -> String {
        let mut words = self.words;
        // The program's own mark behind a sentence that cites nothing.
        for phrases in &ReportPhrases::ALL {
            if words.contains(phrases.no_source) {
                words = words.replace(&format!("({})", phrases.no_source), "");
            }
        }
        for hollow in ["()", "( )", "（）", "(,)", "(;)", "(, )", "(,,)", "（，）", "（、）", "[]"] {
            if words.contains(hollow) {
                words = words.replace(hollow, "");
            }
        }
        let words = words.trim_start_matches([' ', ',', ';', '，', '；', '、', '—', '–']);
        words.trim().trim_end_matches([';', ' ']).replace("  ", " ").replace(" .", ".").replace(" ,", ",")
    }
}

/// How long the tag at the beginning is; none if `<` is less-than.
fn tag_length(rest: &str) -> Option<usize> {
    /// No tag that a report writes is longer.
    const TAG_BYTES_MAX: usize = 300;
    let inside = rest.strip_prefix('<')?;
    let first = inside.strip_prefix('/').unwrap_or(inside).chars().next()?;
    let close = inside.bytes().take(TAG_BYTES_MAX + 1).position(|byte| byte == b'>')?;
    (first.is_ascii_alphabetic() || first == '!').then_some(close + 2)
}
