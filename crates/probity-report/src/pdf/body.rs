//! The document as blocks of a PDF: the report, where sources disagree, its sources, and the evidence as a table.

use super::words::{GREY, Ink, LINK, PdfBlock, PdfItem, PdfLink, TextSize, WordLook, Words};
use crate::document::{
    ReportBlock, ReportDocument, ReportSource, TextRun, TextSpan,
    prose::{ListItem, TableCell},
};

/// Letters of a passage beside its claim; the page itself is a click away.
const PASSAGE_MAX: usize = 160;

pub fn blocks(document: &ReportDocument) -> Vec<PdfBlock> {
    let body = PdfBody { document };
    let mut blocks = body.front();
    let titled = matches!(document.blocks.first(), Some(ReportBlock::Heading { level: 1, .. }));
    let end = document.list_of_sources_at.unwrap_or(document.blocks.len());
    blocks.extend(body.blocks(document.blocks.get(usize::from(titled)..end).unwrap_or_default()));
    blocks.extend(body.conflicts());
    blocks.extend(body.sources());
    blocks.extend(body.evidence());
    blocks
}

/// A heading, a paragraph in many scripts, a list, a table and a link.
pub fn sample() -> Vec<PdfBlock> {
    let text = "Latin, Ελληνικά, Русский, \u{5E2}\u{5D1}\u{5E8}\u{5D9}\u{5EA}, \u{627}\u{644}\u{639}\u{631}\u{628}\u{64A}\u{629}, \
        日本中国, 한국, ไทย, हिन्दी, বাংলা, தமிழ்";
    let mut link = Words::default();
    linked(&mut link, "A link", "https://example.org/", WordLook::default());
    let paragraph = |words| PdfBlock::Paragraph { words, size: TextSize::Body };
    let item = PdfItem { label: "•".to_owned(), source: None, blocks: vec![paragraph(link)] };
    vec![
        PdfBlock::Heading { level: 1, words: Words::plain("Sample") },
        paragraph(Words::plain(text)),
        PdfBlock::List { is_ordered: false, items: vec![item] },
        PdfBlock::Table { head: vec![Words::plain("Head")], rows: vec![vec![Words::plain("Cell")]] },
    ]
}

struct PdfBody<'a> {
    document: &'a ReportDocument,
}

impl PdfBody<'_> {
    fn front(&self) -> Vec<PdfBlock> {
        let document = self.document;
        let grey = |text: &str| {
            let mut words = Words::default();
            words.push(text, WordLook { ink: Some(GREY), ..WordLook::default() });
            PdfBlock::Paragraph { words, size: TextSize::Small }
        };
        let mut blocks = vec![PdfBlock::Heading { level: 1, words: Words::plain(&document.title) }];
        if document.question != document.title {
            blocks.push(grey(&document.question));
        }
        blocks.push(grey(&document.facts()));
        blocks.extend(document.answer.note.iter().map(|note| grey(&format!("Note: {note}"))));
        blocks.extend(document.not_examined.iter().map(|what| grey(&format!("Not examined: {what}"))));
        blocks
    }

    /// As deep as the document is, which is bounded where it is built.
    fn blocks(&self, blocks: &[ReportBlock]) -> Vec<PdfBlock> {
        blocks.iter().map(|block| self.block(block)).collect()
    }

    fn block(&self, block: &ReportBlock) -> PdfBlock {
        match block {
            ReportBlock::Heading { level, runs, .. } => {
                PdfBlock::Heading { level: (*level).max(2), words: self.words(runs) }
            }
            ReportBlock::Paragraph { runs } => {
                PdfBlock::Paragraph { words: self.words(runs), size: TextSize::Body }
            }
            ReportBlock::List { first, items } => self.list(*first, items),
            ReportBlock::Quote { blocks } => PdfBlock::Quote { blocks: self.blocks(blocks) },
            ReportBlock::Code { text, .. } => PdfBlock::Code { words: Words::plain(text.trim_end()) },
            ReportBlock::Table { head, rows } => {
                let cells = |row: &[TableCell]| row.iter().map(|cell| self.words(&cell.runs)).collect();
                PdfBlock::Table { head: cells(head), rows: rows.iter().map(|row| cells(row)).collect() }
            }
            ReportBlock::Rule => PdfBlock::Rule,
        }
    }

    fn list(&self, first: Option<u64>, items: &[ListItem]) -> PdfBlock {
        let item = |(item, place): (&ListItem, u64)| PdfItem {
            label: first.map_or("•".to_owned(), |first| format!("{}.", first.saturating_add(place))),
            source: None,
            blocks: self.blocks(&item.blocks),
        };
        PdfBlock::List { is_ordered: first.is_some(), items: items.iter().zip(0..).map(item).collect() }
    }

    fn words(&self, runs: &[TextRun]) -> Words {
        let mut words = Words::default();
        for run in runs {
            self.sentence(run, &mut words);
        }
        words
    }

    /// A sentence that is not supported is underlined and names its claims.
    fn sentence(&self, of: &TextRun, words: &mut Words) {
        let line = self.document.underline(&of.claims);
        for span in &of.spans {
            self.span(span, line, words);
        }
        if let Some((_, colour)) = line {
            let named =
                of.claims.iter().filter_map(|id| self.document.claim(id)).filter(|claim| claim.checkable);
            let named: Vec<String> = named.map(|claim| format!(" {} {}", claim.id, claim.label())).collect();
            let look = WordLook { raised: true, ink: Some(readable(colour)), ..WordLook::default() };
            words.push(&named.join(","), look);
        }
    }

    fn span(&self, span: &TextSpan, line: Option<(&'static str, &'static str)>, words: &mut Words) {
        if span.line_break {
            return words.push("\n", WordLook::default());
        }
        if !span.cites.is_empty() {
            return span.cites.iter().for_each(|number| self.cite(*number, words));
        }
        let look = WordLook {
            bold: span.strong,
            italic: span.emphasis,
            struck: span.struck,
            ink: span.code.then_some(GREY),
            line,
            ..WordLook::default()
        };
        let text = if span.image { format!("[image: {}]", span.text) } else { span.text.clone() };
        match &span.link {
            Some(to) => linked(words, &text, to, look),
            None => words.push(&text, look),
        }
    }

    fn cite(&self, number: u32, words: &mut Words) {
        let link = self.document.source(number).map(|source| PdfLink::Source(source.number));
        let ink = link.is_some().then_some(LINK);
        words.push(&format!("[{number}]"), WordLook { ink, link, ..WordLook::default() });
    }

    fn conflicts(&self) -> Vec<PdfBlock> {
        if self.document.conflicts.is_empty() {
            return Vec::new();
        }
        let mut blocks = vec![heading("Where sources disagree")];
        for conflict in &self.document.conflicts {
            let mut words = Words::plain(&format!(
                "{} ({}): “{}” ",
                conflict.about,
                conflict.claims().collect::<Vec<_>>().join(", "),
                conflict.left.passage.trim()
            ));
            self.cite(conflict.left.source, &mut words);
            words.push(&format!(" against “{}” ", conflict.right.passage.trim()), WordLook::default());
            self.cite(conflict.right.source, &mut words);
            blocks.push(PdfBlock::Paragraph { words, size: TextSize::Small });
        }
        blocks
    }

    fn sources(&self) -> Vec<PdfBlock> {
        if self.document.sources.is_empty() {
            return Vec::new();
        }
        let item = |source: &ReportSource| {
            let mut words = Words::default();
            linked(&mut words, &source.title, &source.url, WordLook::default());
            words.push(&format!(" {}", source.note()), WordLook { ink: Some(GREY), ..WordLook::default() });
            PdfItem {
                label: format!("[{}]", source.number),
                source: Some(source.number),
                blocks: vec![PdfBlock::Paragraph { words, size: TextSize::Table }],
            }
        };
        let items = self.document.sources.iter().map(item).collect();
        vec![heading("Sources"), PdfBlock::List { is_ordered: true, items }]
    }

    /// Every claim with its verdict, what needs attention first.
    fn evidence(&self) -> Vec<PdfBlock> {
        let mut rows = Vec::new();
        for claim in self.document.claims_by_attention() {
            let line = self.document.underline(std::slice::from_ref(&claim.id));
            let mut source = Words::default();
            match claim.evidence.first() {
                Some(found) => {
                    self.cite(found.source, &mut source);
                    let passage = probity_types::text::line(found.passage.trim(), PASSAGE_MAX);
                    source.push(&format!(" “{passage}”"), WordLook::default());
                    if line.is_some() {
                        source.push(&format!(" – {}", claim.why()), WordLook::default());
                    }
                }
                None => source.push(claim.why(), WordLook::default()),
            }
            let ink = line.map(|(_, colour)| readable(colour));
            let mut verdict = Words::default();
            verdict.push(claim.label(), WordLook { bold: true, ink, ..WordLook::default() });
            rows.push(vec![Words::plain(&claim.id), Words::plain(&claim.words), verdict, source]);
        }
        if rows.is_empty() {
            return Vec::new();
        }
        let head = ["No.", "Claim", "Verdict", "Source"].map(Words::plain).to_vec();
        vec![heading("Evidence"), PdfBlock::Table { head, rows }]
    }
}

/// The palest grey of lines is too pale for letters.
fn readable(colour: &str) -> Ink {
    if colour == "AAAAAA" { GREY } else { super::ink(colour) }
}

fn heading(text: &str) -> PdfBlock {
    PdfBlock::Heading { level: 2, words: Words::plain(text) }
}

/// Nothing but a web address is a link.
fn linked(words: &mut Words, text: &str, to: &str, look: WordLook) {
    let web = to.starts_with("https://") || to.starts_with("http://");
    match web && !text.is_empty() {
        true => words.push(
            text,
            WordLook { ink: Some(LINK), link: Some(PdfLink::Web(to.to_owned())), line: None, ..look },
        ),
        false => words.push(text, look),
    }
}
