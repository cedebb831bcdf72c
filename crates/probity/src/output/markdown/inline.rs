//! The running text of a block: styles, clickable numbers for addresses, marks of verdicts.

use std::{collections::BTreeMap, ops::Range};

use probity_research::{report::NumberedSource, rounds::links, text};

use super::{
    super::{Tone, styled},
    VerdictMark,
};

/// Longest address that is made clickable; a longer one is only listed.
const ADDRESS_BYTES_MAX: usize = 2_000;
const TITLE_CHARACTERS_MAX: usize = 200;

pub(super) struct InlineWriter<'a> {
    colour: bool,
    source: &'a str,
    marks: &'a [VerdictMark],
    numbered: &'a [NumberedSource<'a>],
    styles: Vec<Tone>,
    text: String,
    /// Addresses in their canonical spelling with their numbers.
    numbers: BTreeMap<String, u32>,
    /// Addresses beside the numbered ones that the text links to.
    more: Vec<(u32, String)>,
    /// Where the text of the link that is being read begins, and its address.
    link: Option<(usize, String)>,
}

impl<'a> InlineWriter<'a> {
    pub(super) fn new(
        colour: bool,
        source: &'a str,
        marks: &'a [VerdictMark],
        numbered: &'a [NumberedSource<'a>],
    ) -> Self {
        let mut numbers = BTreeMap::new();
        for source in numbered.iter().filter(|source| !source.url.is_empty()) {
            numbers.entry(links::canonical(source.url)).or_insert(source.number);
        }
        Self {
            colour,
            source,
            marks,
            numbered,
            styles: Vec::new(),
            text: String::new(),
            numbers,
            more: Vec::new(),
            link: None,
        }
    }

    /// Text as the parser gives it. Where it equals the source letter for letter, marks are placed within it.
    pub(super) fn text(&mut self, piece: &str, range: &Range<usize>) {
        let exact = self.source.get(range.clone()) == Some(piece);
        let mut from = 0;
        if exact {
            while let Some(mark) = self.marks.first().filter(|mark| mark.at < range.end) {
                let until = mark.at.saturating_sub(range.start).max(from);
                let Some(part) = piece.get(from..until) else { break };
                self.push(part);
                from = until;
                self.mark();
            }
        }
        self.push(piece.get(from..).unwrap_or(piece));
        self.marks_until(range.end);
    }

    pub(super) fn code(&mut self, piece: &str, range: &Range<usize>) {
        let shown = self.toned(Tone::Slanted, &text::block(piece));
        self.text.push_str(&shown);
        self.marks_until(range.end);
    }

    pub(super) fn space(&mut self) {
        self.text.push(' ');
    }

    pub(super) fn line_break(&mut self) {
        self.text.push('\n');
    }

    pub(super) fn style(&mut self, tone: Tone) {
        self.styles.push(tone);
    }

    pub(super) fn unstyle(&mut self) {
        self.styles.pop();
    }

    pub(super) fn link(&mut self, address: &str) {
        self.link = Some((self.text.len(), text::line(address, ADDRESS_BYTES_MAX)));
    }

    /// The number of the link's address. A link that is a number itself is not numbered twice.
    pub(super) fn unlink(&mut self) {
        let Some((begin, address)) = self.link.take() else { return };
        if !(address.starts_with("https://") || address.starts_with("http://")) {
            return;
        }
        let last = self.more.last().map(|(number, _)| *number);
        let last = last.or(self.numbered.last().map(|source| source.number)).unwrap_or(0);
        let number = *self.numbers.entry(links::canonical(&address)).or_insert(last + 1);
        if number > last {
            self.more.push((number, address.clone()));
        }
        let said = self.text.get(begin..).unwrap_or_default();
        let is_number = said.trim_matches(['[', ']', '^', ' ']).chars().all(|sign| sign.is_ascii_digit());
        if is_number {
            self.text.truncate(begin);
        }
        let sign = self.clickable(&format!("[{number}]"), &address);
        self.text.push_str(&sign);
    }

    /// All marks up to this byte of the source.
    pub(super) fn marks_until(&mut self, end: usize) {
        while self.marks.first().is_some_and(|mark| mark.at <= end) {
            self.mark();
        }
    }

    /// What was written since the last time.
    pub(super) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    pub(super) fn toned(&self, tone: Tone, text: &str) -> String {
        styled(self.colour, tone, text)
    }

    /// `[1] https://…`, one per line.
    pub(super) fn addresses(&self) -> String {
        let line = |number: u32, title: &str, address: &str| {
            let number = format!("[{number}]");
            let address = text::line(address, ADDRESS_BYTES_MAX);
            let parts = [text::line(title, TITLE_CHARACTERS_MAX), self.clickable(&address, &address)];
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            format!("{number:>5} {}\n", parts.join(" "))
        };
        let known = self.numbered.iter().map(|source| line(source.number, source.title, source.url));
        known.chain(self.more.iter().map(|(number, address)| line(*number, "", address))).collect()
    }

    fn mark(&mut self) {
        let Some((mark, rest)) = self.marks.split_first() else { return };
        self.marks = rest;
        // After a space the mark would belong to the next sentence.
        let kept = self.text.trim_end_matches(' ').len();
        let spaces = self.text.len() - kept;
        self.text.truncate(kept);
        let sign = self.toned(mark.tone, mark.sign);
        self.text.push('\u{a0}');
        self.text.push_str(&sign);
        self.text.push_str(&" ".repeat(spaces));
    }

    fn push(&mut self, piece: &str) {
        let clean = text::block(piece);
        if clean.is_empty() {
            return;
        }
        let clean = self.with_numbers(&clean);
        let shown = self.styles.iter().fold(clean, |shown, tone| styled(self.colour, *tone, &shown));
        self.text.push_str(&shown);
    }

    /// `[2]` becomes clickable where it stands for an address.
    fn with_numbers(&self, piece: &str) -> String {
        let mut shown = String::new();
        let mut rest = piece;
        while let Some((before, after)) = rest.split_once('[') {
            shown.push_str(before);
            let address = after.split_once(']').and_then(|(number, tail)| {
                let wanted = number.parse::<u32>().ok()?;
                let source = self.numbered.iter().find(|source| source.number == wanted)?;
                Some((number, tail, source.url)).filter(|(_, _, url)| !url.is_empty())
            });
            match address {
                Some((number, tail, url)) => {
                    shown.push_str(&self.clickable(&format!("[{number}]"), url));
                    rest = tail;
                }
                None => {
                    shown.push('[');
                    rest = after;
                }
            }
        }
        shown.push_str(rest);
        shown
    }

    /// A terminal that does not know such links shows the text alone.
    fn clickable(&self, sign: &str, address: &str) -> String {
        let safe = address.chars().all(|letter| letter.is_ascii_graphic() && letter != '\\');
        match self.colour && safe && address.len() <= ADDRESS_BYTES_MAX {
            true => format!("\u{1b}]8;;{address}\u{1b}\\{sign}\u{1b}]8;;\u{1b}\\"),
            false => sign.to_owned(),
        }
    }
}
