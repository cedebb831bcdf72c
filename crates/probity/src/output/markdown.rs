//! Markdown on a terminal: headings, lists, quotations and tables within the screen's width, addresses as numbers that
//! can be clicked and are listed at the end, and after each checked sentence the mark of its verdict.
//!
//! Elsewhere than on a terminal the text is unchanged: a pipe gets Markdown.

mod inline;
mod table;

use std::ops::Range;

use probity_research::report::NumberedSource;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use self::{inline::InlineWriter, table::TextTable};
use super::{ConsoleOutput, Tone};
use crate::format;

/// A line that is longer is hard to read, however wide the screen is.
const COLUMNS_MAX: usize = 96;
/// A screen that is narrower than this gets broken lines rather than none.
const COLUMNS_MIN: usize = 24;

/// What to show after the text that ends at this byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictMark {
    pub at: usize,
    pub sign: &'static str,
    pub tone: Tone,
}

#[derive(Debug, Clone, Copy)]
pub struct MarkdownRenderer {
    colour: bool,
    /// None: not a terminal.
    columns: Option<usize>,
}

impl MarkdownRenderer {
    pub fn of(output: &ConsoleOutput) -> Self {
        Self { colour: output.colour_out, columns: output.columns() }
    }

    pub fn render(self, text: &str) -> String {
        self.render_report(text, &[], &[])
    }

    /// `marks` in the order of the text; `numbered` are the addresses that `[1]`, `[2]` … stand for.
    pub fn render_report(self, text: &str, marks: &[VerdictMark], numbered: &[NumberedSource<'_>]) -> String {
        let Some(columns) = self.columns else { return probity_research::text::block(text) };
        let columns = columns.clamp(COLUMNS_MIN, COLUMNS_MAX);
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
        let mut page = MarkdownLayout {
            columns,
            inline: InlineWriter::new(self.colour, text, marks, numbered),
            out: String::new(),
            prefixes: Vec::new(),
            lists: Vec::new(),
            code: None,
            table: None,
        };
        // Adjacent pieces are one text: `[1]` comes in three.
        let parsed = Parser::new_ext(text, options).into_offset_iter();
        for (event, range) in TextMergeWithOffset::new(parsed) {
            page.take(event, range);
        }
        page.end()
    }
}

/// The prefix of every line of a nested block; the first line may differ (a bullet).
struct LinePrefix {
    first: Option<String>,
    rest: String,
}

struct MarkdownLayout<'a> {
    columns: usize,
    inline: InlineWriter<'a>,
    out: String,
    prefixes: Vec<LinePrefix>,
    /// The next number of each list around this place; none for bullets.
    lists: Vec<Option<u64>>,
    /// The text of a code block.
    code: Option<String>,
    table: Option<TextTable>,
}

impl MarkdownLayout<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.begin(tag),
            Event::End(tag) => self.finish(tag, &range),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.inline.text(&text, &range),
            },
            Event::Code(code) => self.inline.code(&code, &range),
            Event::SoftBreak => self.inline.space(),
            Event::HardBreak => self.inline.line_break(),
            Event::Rule => self.rule(),
            // HTML in the text is shown as what it is: text.
            Event::Html(text) | Event::InlineHtml(text) => self.inline.text(&text, &range),
            Event::FootnoteReference(name) => self.inline.text(&format!("[{name}]"), &range),
            Event::TaskListMarker(done) => self.inline.text(if done { "[x] " } else { "[ ] " }, &range),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.inline.code(&text, &range),
        }
    }

    fn begin(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.flush();
                self.inline.style(Tone::Strong);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.prefixes.push(LinePrefix { first: None, rest: "│ ".to_owned() });
            }
            Tag::CodeBlock(_) => {
                self.flush();
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Table(_) => {
                self.flush();
                self.table = Some(TextTable::default());
            }
            Tag::Strong => self.inline.style(Tone::Strong),
            Tag::Emphasis | Tag::Strikethrough => self.inline.style(Tone::Slanted),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.inline.link(&dest_url),
            Tag::FootnoteDefinition(name) => {
                self.flush();
                self.inline.text(&format!("[{name}] "), &(0..0));
            }
            _ => {}
        }
    }

    fn finish(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Heading(level) => self.heading(level, range),
            TagEnd::Paragraph => {
                self.inline.marks_until(range.end);
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.prefixes.pop();
                self.gap();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                if self.lists.is_empty() {
                    self.gap();
                }
            }
            TagEnd::Item => {
                self.inline.marks_until(range.end);
                self.flush();
                self.prefixes.pop();
            }
            TagEnd::TableCell => {
                self.inline.marks_until(range.end);
                let cell = self.inline.take_text();
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => self.table(),
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Strikethrough => self.inline.unstyle(),
            TagEnd::Link | TagEnd::Image => self.inline.unlink(),
            _ => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel, range: &Range<usize>) {
        self.inline.unstyle();
        self.inline.marks_until(range.end);
        let title = self.inline.take_text();
        if !self.out.is_empty() {
            self.gap();
        }
        let underline = match level {
            HeadingLevel::H1 => Some('═'),
            HeadingLevel::H2 => Some('─'),
            _ => None,
        };
        let room = format::visible_width(&title).min(self.columns);
        self.lines(&title);
        if let Some(sign) = underline {
            self.lines(&sign.to_string().repeat(room));
        }
        self.gap();
    }

    /// Bullets and numbers are in the margin of what follows.
    fn item(&mut self) {
        self.flush();
        let sign = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "• ".to_owned(),
        };
        let rest = " ".repeat(sign.chars().count());
        self.prefixes.push(LinePrefix { first: Some(sign), rest });
    }

    fn code_block(&mut self) {
        let code = self.code.take().unwrap_or_default();
        for line in code.lines() {
            let shown = self.inline.toned(Tone::Quiet, &probity_research::text::block(line));
            self.raw_line(&format!("    {shown}"));
        }
        self.gap();
    }

    fn table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let room = self.columns.saturating_sub(self.margin());
        for line in table.lines(room) {
            self.raw_line(&line);
        }
        self.gap();
    }

    fn rule(&mut self) {
        self.flush();
        let line =
            self.inline.toned(Tone::Quiet, &"─".repeat(self.columns.saturating_sub(self.margin()) / 2));
        self.raw_line(&line);
        self.gap();
    }

    fn flush(&mut self) {
        let text = self.inline.take_text();
        if !text.trim().is_empty() {
            self.lines(&text);
        }
    }

    fn margin(&self) -> usize {
        self.prefixes.iter().map(|prefix| prefix.rest.chars().count()).sum()
    }

    /// Broken between words, each line after its margin.
    fn lines(&mut self, text: &str) {
        let room = self.columns.saturating_sub(self.margin()).max(COLUMNS_MIN / 2);
        for line in text.split('\n') {
            for piece in format::wrap(line, room, 0).split('\n') {
                self.raw_line(piece);
            }
        }
    }

    fn raw_line(&mut self, line: &str) {
        for prefix in &mut self.prefixes {
            let shown = prefix.first.take().unwrap_or_else(|| prefix.rest.clone());
            self.out.push_str(&shown);
        }
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// One empty line, never two.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn end(mut self) -> String {
        self.flush();
        let addresses = self.inline.addresses();
        if !addresses.is_empty() {
            self.gap();
            self.out.push_str(&self.inline.toned(Tone::Strong, "Sources"));
            self.out.push('\n');
            self.out.push_str(&addresses);
        }
        self.out.truncate(self.out.trim_end().len());
        self.out
    }
}

#[cfg(test)]
mod tests;
