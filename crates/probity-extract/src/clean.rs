//! Text as a reader sees it: references such as `&amp;` resolved, white space collapsed, invisible characters gone.

use html_escape::NAMED_ENTITIES;
use memchr::memchr;

/// Longest name of a reference, `&` and `;` included.
const REFERENCE_BYTES_MAX: usize = 34;
/// What Windows has where Unicode has control characters; browsers read `&#150;` as these.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Collects cleaned text. White space between two pushes survives as one space.
#[derive(Debug, Default)]
pub struct TextCleaner {
    pub text: String,
    /// Begin of the line that is being written.
    pub line: usize,
    space: bool,
    /// Invisible characters that were left out and that no writer needs.
    pub invisible: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhiteSpace {
    Collapsed,
    /// As in `pre`.
    Kept,
}

impl TextCleaner {
    /// Starts a line of its own; returns where it begins.
    pub fn begin(&mut self) -> usize {
        self.space = false;
        self.line = self.text.len();
        self.line
    }

    pub fn pause(&mut self) {
        self.space = true;
    }

    pub fn is_empty(&self) -> bool {
        self.text.len() == self.line
    }

    /// The line so far, if nothing parts it from what is added next.
    pub fn joined(&self) -> &str {
        if self.space { "" } else { self.text.get(self.line..).unwrap_or_default() }
    }

    /// Resolves references and adds the text.
    pub fn push_html(&mut self, raw: &str, space: WhiteSpace) {
        let mut rest = raw;
        while let Some(found) = memchr(b'&', rest.as_bytes()) {
            self.push(rest.get(..found).unwrap_or_default(), space);
            rest = rest.get(found..).unwrap_or_default();
            let (resolved, length) = reference(rest);
            match resolved {
                ReferenceValue::Character(character) => self.push(character.encode_utf8(&mut [0; 4]), space),
                ReferenceValue::Text(text) => self.push(text, space),
                ReferenceValue::Nothing => self.push("&", space),
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        self.push(rest, space);
    }

    pub fn push(&mut self, text: &str, space: WhiteSpace) {
        if text.is_ascii() && space == WhiteSpace::Collapsed {
            return self.push_ascii(text);
        }
        for character in text.chars() {
            if character.is_whitespace() {
                match (space, character) {
                    (WhiteSpace::Kept, '\n' | '\t' | ' ') => self.text.push(character),
                    (WhiteSpace::Kept, '\r') => {}
                    (WhiteSpace::Kept, _) => self.text.push(' '),
                    (WhiteSpace::Collapsed, _) => self.space = true,
                }
            } else if let Some(kind) = invisible_kind(character) {
                self.leave_out(character, kind);
            } else {
                self.separate();
                self.text.push(character);
            }
        }
    }

    fn push_ascii(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let trimmed = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
            self.space |= trimmed.len() < rest.len();
            if trimmed.is_empty() {
                return;
            }
            let end = trimmed.bytes().position(|byte| byte <= b' ' || byte == 0x7f).unwrap_or(trimmed.len());
            self.separate();
            self.text.push_str(trimmed.get(..end).unwrap_or_default());
            rest = trimmed.get(end..).unwrap_or_default();
            if rest.bytes().next().is_some_and(|byte| !byte.is_ascii_whitespace()) {
                rest = rest.get(1..).unwrap_or_default();
            }
        }
    }

    fn separate(&mut self) {
        if self.space && !self.is_empty() {
            self.text.push(' ');
        }
        self.space = false;
    }

    fn leave_out(&mut self, character: char, kind: InvisibleKind) {
        match kind {
            InvisibleKind::Joiner if self.text.chars().next_back().is_some_and(|last| !last.is_ascii()) => {
                self.text.push(character);
            }
            InvisibleKind::Joiner | InvisibleKind::Common => {}
            InvisibleKind::Suspect => self.invisible += 1,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InvisibleKind {
    /// Joins or parts letters: needed in Persian, in Indian scripts and in emoji, but not after ASCII.
    Joiner,
    /// Hyphenation, direction marks, control characters: dropped without a sign.
    Common,
    /// Authors of pages have no use for it.
    Suspect,
}

fn invisible_kind(character: char) -> Option<InvisibleKind> {
    match character {
        ' '..='~' => None,
        '\u{200C}' | '\u{200D}' => Some(InvisibleKind::Joiner),
        '\u{AD}'
        | '\u{200B}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2060}'
        | '\u{FEFF}'
        | '\u{61C}'
        | '\u{202A}'..='\u{202C}'
        | '\u{2066}'..='\u{2069}' => Some(InvisibleKind::Common),
        '\u{180E}'
        | '\u{202D}'
        | '\u{202E}'
        | '\u{2061}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E01EF}' => Some(InvisibleKind::Suspect),
        character if character.is_control() => Some(InvisibleKind::Common),
        _ => None,
    }
}

enum ReferenceValue {
    Character(char),
    Text(&'static str),
    Nothing,
}

/// What the reference at the start of `text` stands for, and how many bytes it takes.
fn reference(text: &str) -> (ReferenceValue, usize) {
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'#') {
        return numeric(text);
    }
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric();
    let name = bytes.iter().skip(1).take(REFERENCE_BYTES_MAX).take_while(is_name).count();
    let length = 1 + name;
    let semicolon = bytes.get(length) == Some(&b';');
    match named(bytes.get(1..length).unwrap_or_default()) {
        Some(found) if semicolon => (ReferenceValue::Text(found), length + 1),
        // Without a semicolon only the oldest names count, and those are short.
        Some(found) if (2..=6).contains(&name) && is_old(bytes.get(1..length).unwrap_or_default()) => {
            (ReferenceValue::Text(found), length)
        }
        _ => (ReferenceValue::Nothing, 1),
    }
}

fn is_old(name: &[u8]) -> bool {
    matches!(
        name,
        b"amp"
            | b"lt"
            | b"gt"
            | b"quot"
            | b"nbsp"
            | b"copy"
            | b"reg"
            | b"eacute"
            | b"uuml"
            | b"auml"
            | b"ouml"
    )
}

fn named(name: &[u8]) -> Option<&'static str> {
    // The few that make up nearly all, before the search through two thousand.
    match name {
        b"amp" => Some("&"),
        b"nbsp" => Some("\u{a0}"),
        b"quot" => Some("\""),
        b"lt" => Some("<"),
        b"gt" => Some(">"),
        _ => {
            let place = NAMED_ENTITIES.binary_search_by_key(&name, |(name, _)| name).ok()?;
            NAMED_ENTITIES.get(place).map(|(_, text)| *text)
        }
    }
}

fn numeric(text: &str) -> (ReferenceValue, usize) {
    let bytes = text.as_bytes();
    let is_hex = matches!(bytes.get(2), Some(b'x' | b'X'));
    let (start, radix) = if is_hex { (3, 16) } else { (2, 10) };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let digits = bytes.iter().skip(start).take(REFERENCE_BYTES_MAX).take_while(is_digit).count();
    let Some(written) = text.get(start..start + digits).filter(|written| !written.is_empty()) else {
        return (ReferenceValue::Nothing, 1);
    };
    let end = start + digits;
    let length = end + usize::from(bytes.get(end) == Some(&b';'));
    let code = u32::from_str_radix(written, radix).unwrap_or(u32::MAX);
    let windows = code.checked_sub(0x80).and_then(|place| WINDOWS.get(place as usize)).copied();
    let character = windows.or(char::from_u32(code)).unwrap_or(char::REPLACEMENT_CHARACTER);
    (ReferenceValue::Character(character), length)
}

/// A short text, such as a title, in one line.
pub fn line(raw: &str) -> String {
    let mut cleaner = TextCleaner::default();
    cleaner.push_html(raw, WhiteSpace::Collapsed);
    cleaner.text
}

#[cfg(test)]
mod tests {
    use super::{TextCleaner, WhiteSpace, line};

    #[test]
    fn references_are_resolved() {
        let cases = [
            ("a &amp; b", "a & b"),
            ("&lt;p&gt; &#8212; &#x2014; &#150;", "<p> — — –"),
            ("AT&T R&D &unknown; &", "AT&T R&D &unknown; &"),
            ("caf&eacute; &Eacute;&hellip;", "café É…"),
            ("a&nbsp;&nbsp;b&nbsp", "a b"),
            ("&#xD800;&#99999999999;", "\u{fffd}\u{fffd}"),
            ("?a=1&copy=2&para=3", "?a=1©=2&para=3"),
        ];
        for (raw, expected) in cases {
            assert_eq!(line(raw), expected, "{raw}");
        }
    }

    #[test]
    fn white_space_collapses_and_controls_vanish() {
        assert_eq!(line("  a\n\t b \u{a0} c\u{7}d\u{1b}[0m "), "a b cd[0m");
        assert_eq!(line("é\n\n é"), "é é");
        let mut cleaner = TextCleaner::default();
        cleaner.push_html("a\r\n  b\tc", WhiteSpace::Kept);
        assert_eq!(cleaner.text, "a\n  b\tc");
    }

    #[test]
    fn invisible_characters_are_counted_unless_writers_need_them() {
        let mut cleaner = TextCleaner::default();
        cleaner.push_html(
            "hy\u{ad}phen \u{e0041}\u{e0042}x \u{202e}y می\u{200c}خواهم a\u{200c}b",
            WhiteSpace::Collapsed,
        );
        assert_eq!(cleaner.text, "hyphen x y می\u{200c}خواهم ab");
        assert_eq!(cleaner.invisible, 3);
    }
}
