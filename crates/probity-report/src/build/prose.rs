//! Reads the report's Markdown into blocks of runs, each tied to its sentence by its bytes.
//!
//! pulldown-cmark gives the offset of every piece of text in the bytes of the whole, and the ledger's
//! sentences are ranges of the same bytes: a piece is cut where a sentence begins or ends, and nothing has to
//! be found again.

mod marks;
mod missing_citations;

use probity_types::{
    ledger::ReportSentence,
    report::{Report, own_list::names_sources},
    text,
};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{
    TITLE_CHARACTERS_MAX,
    sources::{SourceTable, web_address},
};
use crate::document::{
    ReportBlock, ReportClaim, ReportHeading, TextRun, TextSpan,
    prose::{ListItem, TableCell, plain},
};

/// Longest text read: twice what a provider writes in one answer.
const TEXT_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Pieces of text: a report of a hundred pages has about 10,000. One takes some hundred bytes.
const SPANS_MAX: usize = 200_000;
/// Lists in lists and quotations in quotations: deeper ones are read as if they were not nested.
const DEPTH_MAX: usize = 10;
/// Headings in the outline.
const OUTLINE_MAX: usize = 300;

#[derive(Debug, Default)]
pub struct ReportProse {
    pub blocks: Vec<ReportBlock>,
    pub outline: Vec<ReportHeading>,
    pub list_of_sources_at: Option<usize>,
    cut: bool,
}

impl ReportProse {
    pub fn of(report: &Report, sources: &SourceTable) -> Self {
        let whole = report.text.get(..report.text.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or_default();
        let sentences = report.ledger.as_ref().map(|ledger| ledger.sentences.as_slice()).unwrap_or_default();
        let reader = read(whole, sentences, sources);
        let cut = whole.len() < report.text.len() || reader.spans >= SPANS_MAX;
        let (blocks, outline) = reader.finish();
        let own_list = || {
            let before = whole.get(..report.own_list()?.start)?;
            let count = read(before, sentences, sources).finish().0.len();
            (count < blocks.len()).then_some(count)
        };
        let list_of_sources_at =
            (!sources.is_empty()).then(|| list_of_sources(&blocks).or_else(own_list)).flatten();
        Self { blocks, outline, list_of_sources_at, cut }
    }

    /// Adds marks where sentences cite and have none.
    pub fn cite(&mut self, claims: &[ReportClaim]) {
        missing_citations::add_missing_citations(&mut self.blocks, claims);
    }

    /// A first heading before all other text.
    pub fn title(&self) -> Option<String> {
        match self.blocks.first() {
            Some(ReportBlock::Heading { level: 1, runs, .. }) => {
                Some(text::line(&plain(runs), TITLE_CHARACTERS_MAX)).filter(|title| !title.is_empty())
            }
            _ => None,
        }
    }

    pub fn left_out(&self) -> Option<String> {
        self.cut.then(|| "The text is longer than is shown here.".to_owned())
    }
}

fn read<'a>(whole: &'a str, sentences: &'a [ReportSentence], sources: &'a SourceTable) -> ProseReader<'a> {
    let mut reader = ProseReader::new(whole, sentences, sources);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for (event, place) in Parser::new_ext(whole, options).into_offset_iter() {
        if reader.spans >= SPANS_MAX {
            break;
        }
        reader.take(event, place.start);
    }
    reader
}

/// The last heading, if it names a list of sources and nothing but a list follows.
fn list_of_sources(blocks: &[ReportBlock]) -> Option<usize> {
    let at = blocks.iter().rposition(|block| matches!(block, ReportBlock::Heading { .. }))?;
    let (heading, rest) = blocks.get(at..)?.split_first()?;
    let ReportBlock::Heading { runs, .. } = heading else { return None };
    let only_list = rest.iter().all(|block| {
        matches!(block, ReportBlock::List { .. } | ReportBlock::Paragraph { .. } | ReportBlock::Rule)
    });
    (names_sources(&plain(runs)) && only_list).then_some(at)
}

/// A block that is being parsed and contains others.
enum BlockFrame {
    Quote(Vec<ReportBlock>),
    List(Option<u64>, Vec<ListItem>),
    Item(Vec<ReportBlock>),
    Table { head: Vec<TableCell>, rows: Vec<Vec<TableCell>>, row: Vec<TableCell> },
}

struct ProseReader<'a> {
    whole: &'a str,
    sentences: Vec<&'a ReportSentence>,
    sources: &'a SourceTable,
    blocks: Vec<ReportBlock>,
    outline: Vec<ReportHeading>,
    frames: Vec<BlockFrame>,
    /// Containers that are too deep and are read as if they were not there.
    ignored: usize,
    runs: Vec<TextRun>,
    /// The sentence of the last run.
    sentence: Option<usize>,
    code: Option<(String, String)>,
    look: TextSpan,
    strong: usize,
    emphasis: usize,
    struck: usize,
    links: Vec<Option<String>>,
    /// Name and address of the image that is being read.
    image: Option<(String, Option<String>)>,
    spans: usize,
    headings: usize,
}

impl<'a> ProseReader<'a> {
    fn new(whole: &'a str, sentences: &'a [ReportSentence], sources: &'a SourceTable) -> Self {
        let mut sentences: Vec<&ReportSentence> = sentences.iter().filter(|s| s.start < s.end).collect();
        sentences.sort_by_key(|sentence| sentence.start);
        Self {
            whole,
            sentences,
            sources,
            blocks: Vec::new(),
            outline: Vec::new(),
            frames: Vec::new(),
            ignored: 0,
            runs: Vec::new(),
            sentence: None,
            code: None,
            look: TextSpan::default(),
            strong: 0,
            emphasis: 0,
            struck: 0,
            links: Vec::new(),
            image: None,
            spans: 0,
            headings: 0,
        }
    }

    fn take(&mut self, event: Event<'_>, at: usize) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, at),
            Event::Code(text) => {
                self.look.code = true;
                self.piece(&text, at);
                self.look.code = false;
            }
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html, at),
            Event::SoftBreak => self.piece(" ", at),
            Event::HardBreak => self.line_break(at),
            Event::Rule => {
                self.close_paragraph();
                self.add(ReportBlock::Rule);
            }
            Event::TaskListMarker(done) => self.piece(if done { "☑ " } else { "☐ " }, at),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.piece(&text, at);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong => self.strong += 1,
            Tag::Emphasis => self.emphasis += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { dest_url, .. } => self.links.push(web_address(&dest_url).map(String::from)),
            Tag::Image { dest_url, .. } => {
                self.image = Some((String::new(), web_address(&dest_url).map(String::from)));
            }
            Tag::CodeBlock(kind) => {
                self.close_paragraph();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => text::line(&language, 30),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::BlockQuote(_) => self.open(BlockFrame::Quote(Vec::new())),
            Tag::List(first) => self.open(BlockFrame::List(first, Vec::new())),
            Tag::Item => self.open(BlockFrame::Item(Vec::new())),
            Tag::Table(_) => {
                self.open(BlockFrame::Table { head: Vec::new(), rows: Vec::new(), row: Vec::new() });
            }
            _ => self.close_paragraph(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Emphasis => self.emphasis = self.emphasis.saturating_sub(1),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Link => drop(self.links.pop()),
            TagEnd::Image => self.close_image(),
            TagEnd::Heading(level) => self.close_heading(level as u8),
            TagEnd::CodeBlock => {
                if let Some((language, text)) = self.code.take() {
                    self.add(ReportBlock::Code { language, text: text::block(&text) });
                }
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::Table => self.close(),
            TagEnd::TableCell => self.close_cell(),
            TagEnd::TableHead => {
                if let Some(BlockFrame::Table { head, row, .. }) = self.frames.last_mut() {
                    *head = std::mem::take(row);
                }
            }
            TagEnd::TableRow => {
                if let Some(BlockFrame::Table { rows, row, .. }) = self.frames.last_mut() {
                    rows.push(std::mem::take(row));
                }
            }
            _ => self.close_paragraph(),
        }
    }

    fn open(&mut self, frame: BlockFrame) {
        self.close_paragraph();
        if self.ignored > 0 || self.frames.len() >= DEPTH_MAX {
            self.ignored += 1;
        } else {
            self.frames.push(frame);
        }
    }

    fn close(&mut self) {
        self.close_paragraph();
        if self.ignored > 0 {
            self.ignored -= 1;
            return;
        }
        match self.frames.pop() {
            Some(BlockFrame::Quote(blocks)) => self.add(ReportBlock::Quote { blocks }),
            Some(BlockFrame::List(first, items)) => self.add(ReportBlock::List { first, items }),
            Some(BlockFrame::Item(blocks)) => match self.frames.last_mut() {
                Some(BlockFrame::List(_, items)) => items.push(ListItem { blocks }),
                _ => blocks.into_iter().for_each(|block| self.add(block)),
            },
            Some(BlockFrame::Table { head, rows, .. }) => self.add(ReportBlock::Table { head, rows }),
            None => {}
        }
    }

    fn add(&mut self, block: ReportBlock) {
        match self.frames.last_mut() {
            Some(BlockFrame::Quote(blocks) | BlockFrame::Item(blocks)) => blocks.push(block),
            Some(BlockFrame::List(_, items)) => items.push(ListItem { blocks: vec![block] }),
            // A table contains nothing but cells; what is not one comes before it.
            Some(BlockFrame::Table { .. }) | None => self.blocks.push(block),
        }
    }

    fn close_paragraph(&mut self) {
        let runs = self.take_runs();
        if !plain(&runs).trim().is_empty() {
            self.add(ReportBlock::Paragraph { runs });
        }
    }

    fn close_heading(&mut self, level: u8) {
        let runs = self.take_runs();
        self.headings += 1;
        let anchor = format!("part-{}", self.headings);
        let words = text::line(&plain(&runs), TITLE_CHARACTERS_MAX);
        if words.is_empty() {
            return;
        }
        if self.outline.len() < OUTLINE_MAX {
            self.outline.push(ReportHeading { level, text: words, anchor: anchor.clone() });
        }
        self.add(ReportBlock::Heading { level, anchor, runs });
    }

    fn close_cell(&mut self) {
        let runs = self.take_runs();
        match self.frames.last_mut() {
            Some(BlockFrame::Table { row, .. }) if self.ignored == 0 => row.push(TableCell { runs }),
            _ => {
                if !plain(&runs).trim().is_empty() {
                    self.add(ReportBlock::Paragraph { runs });
                }
            }
        }
    }

    fn close_image(&mut self) {
        let Some((name, link)) = self.image.take() else { return };
        let name = text::line(&name, TITLE_CHARACTERS_MAX);
        let span = TextSpan { text: name, image: true, link, ..TextSpan::default() };
        self.push(span, self.sentence);
    }

    fn take_runs(&mut self) -> Vec<TextRun> {
        self.sentence = None;
        let runs = std::mem::take(&mut self.runs);
        runs.into_iter().map(|run| marks::with_citation_marks(run, self.sources)).collect()
    }

    fn text(&mut self, words: &str, at: usize) {
        match &mut self.code {
            Some((_, text)) => text.push_str(words),
            None => self.piece(words, at),
        }
    }

    /// Cuts a piece where sentences begin and end.
    fn piece(&mut self, words: &str, at: usize) {
        if let Some((name, _)) = &mut self.image {
            name.push_str(words);
            return;
        }
        let stands_there = self.whole.get(at..at.saturating_add(words.len())) == Some(words);
        let (mut rest, mut at) = (words, at);
        while let Some(next) = self.next_border(at).filter(|next| stands_there && *next - at < rest.len()) {
            let Some((head, tail)) = rest.split_at_checked(next - at) else { break };
            self.span(head, at);
            (rest, at) = (tail, next);
        }
        self.span(rest, at);
    }

    fn span(&mut self, words: &str, at: usize) {
        let clean = text::block(words);
        if clean.is_empty() {
            return;
        }
        let span = TextSpan {
            text: clean,
            strong: self.strong > 0,
            emphasis: self.emphasis > 0,
            struck: self.struck > 0,
            code: self.look.code,
            link: self.links.last().cloned().flatten(),
            ..TextSpan::default()
        };
        self.push(span, self.sentence_at(at));
    }

    fn line_break(&mut self, at: usize) {
        let span = TextSpan { line_break: true, ..TextSpan::default() };
        self.push(span, self.sentence_at(at));
    }

    /// Tags without attributes that only style text are left out; every other one is shown as text.
    fn html(&mut self, html: &str, at: usize) {
        let tag = html.trim().trim_start_matches('<').trim_start_matches('/').trim_end_matches('>');
        match tag.trim_end_matches('/').trim().to_ascii_lowercase().as_str() {
            "br" => self.line_break(at),
            "sup" | "sub" | "b" | "i" | "em" | "strong" | "u" | "p" | "div" | "span" | "small" | "center" => {
            }
            _ => self.text(html, at),
        }
    }

    fn push(&mut self, span: TextSpan, sentence: Option<usize>) {
        self.spans += 1;
        if self.runs.is_empty() || self.sentence != sentence {
            let of = sentence.and_then(|place| self.sentences.get(place));
            let claims = of.map(|of| of.claims.iter().map(ToString::to_string).collect()).unwrap_or_default();
            self.runs.push(TextRun { claims, spans: Vec::new() });
            self.sentence = sentence;
        }
        let Some(run) = self.runs.last_mut() else { return };
        match run.spans.last_mut() {
            Some(last) if last.continues(&span) => last.text.push_str(&span.text),
            _ => run.spans.push(span),
        }
    }

    fn sentence_at(&self, at: usize) -> Option<usize> {
        let after = self.sentences.partition_point(|sentence| sentence.start <= at);
        let place = after.checked_sub(1)?;
        self.sentences.get(place).filter(|sentence| at < sentence.end).map(|_| place)
    }

    /// Where the sentence at `at` ends, or the next one begins.
    fn next_border(&self, at: usize) -> Option<usize> {
        let after = self.sentences.partition_point(|sentence| sentence.start <= at);
        let end =
            self.sentence_at(at).and_then(|place| self.sentences.get(place)).map(|sentence| sentence.end);
        let next = self.sentences.get(after).map(|sentence| sentence.start);
        end.into_iter().chain(next).filter(|border| *border > at).min()
    }

    fn finish(mut self) -> (Vec<ReportBlock>, Vec<ReportHeading>) {
        self.close_paragraph();
        // Only a text that was cut leaves frames open.
        while !self.frames.is_empty() {
            self.ignored = 0;
            self.close();
        }
        (self.blocks, self.outline)
    }
}
