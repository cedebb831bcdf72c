//! The report as paragraphs, with its links, numbered lists and footnotes.

use super::xml::{DocxTextStyle, escaped, paragraph, run, table};
use crate::document::{
    ReportBlock, ReportDocument, TextRun, TextSpan,
    prose::{ListItem, TableCell},
};

const MAIN: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
/// Word processors grow slow with more; further marks are written as numbers.
const FOOTNOTES_MAX: usize = 4_000;
const LINKS_MAX: usize = 4_000;
/// Levels that a numbering has.
const LEVELS: usize = 9;

pub struct DocxBody<'a> {
    document: &'a ReportDocument,
    out: String,
    footnotes: Vec<String>,
    links: Vec<&'a str>,
    /// First numbers of the ordered lists met.
    ordered: Vec<u64>,
}

/// The parts that depend on the report.
pub struct DocxParts {
    pub document: String,
    pub footnotes: String,
    pub relationships: String,
    pub numbering: String,
}

impl<'a> DocxBody<'a> {
    pub fn new(document: &'a ReportDocument) -> Self {
        Self { document, out: String::new(), footnotes: Vec::new(), links: Vec::new(), ordered: Vec::new() }
    }

    pub fn report(&mut self) {
        let document = self.document;
        let plain = |words: &str| run(words, DocxTextStyle::default());
        self.out.push_str(&paragraph("Title", "", &plain(&document.title)));
        if document.question != document.title {
            self.out.push_str(&paragraph("Subtitle", "", &plain(&document.question)));
        }
        self.out.push_str(&paragraph("Subtitle", "", &plain(&document.facts())));
        if let Some(note) = &document.answer.note {
            self.out.push_str(&paragraph("Subtitle", "", &plain(&format!("Note: {note}"))));
        }
        for what in &document.not_examined {
            self.out.push_str(&paragraph("Subtitle", "", &plain(&format!("Not examined: {what}"))));
        }
        let titled = matches!(document.blocks.first(), Some(ReportBlock::Heading { level: 1, .. }));
        let end = document.list_of_sources_at.unwrap_or(document.blocks.len());
        let blocks = document.blocks.get(usize::from(titled)..end).unwrap_or_default();
        blocks.iter().for_each(|block| self.block(block, "", 0));
    }

    pub fn conflicts(&mut self) {
        let document = self.document;
        if document.conflicts.is_empty() {
            return;
        }
        self.heading("Where sources disagree");
        for conflict in &document.conflicts {
            let sides = format!(
                "{} ({}): “{}” [{}] against “{}” [{}]",
                conflict.about,
                conflict.claims().collect::<Vec<_>>().join(", "),
                conflict.left.passage.trim(),
                conflict.left.source,
                conflict.right.passage.trim(),
                conflict.right.source
            );
            self.out.push_str(&paragraph("", "", &run(&sides, DocxTextStyle::default())));
        }
    }

    pub fn sources(&mut self) {
        let document = self.document;
        if document.sources.is_empty() {
            return;
        }
        self.heading("Sources");
        for source in &document.sources {
            let number = run(&format!("[{}] ", source.number), DocxTextStyle::default());
            let title = self.linked(&source.title, &source.url, DocxTextStyle::default());
            let note = run(&format!(" {}", source.note()), DocxTextStyle::default());
            self.out.push_str(&paragraph("Small", "", &format!("{number}{title}{note}")));
        }
    }

    /// Every claim with its verdict and its line, what needs attention first.
    pub fn verdicts(&mut self) {
        let document = self.document;
        let claims = document.claims_by_attention();
        if claims.is_empty() {
            return;
        }
        self.heading("Verdicts");
        let cell = |words: &str, look| paragraph("Small", "", &run(words, look));
        let bold = DocxTextStyle { bold: true, ..DocxTextStyle::default() };
        let mut rows = vec![
            ["Claim", "Verdict", "Sentence", "What the page says"].map(|name| cell(name, bold)).to_vec(),
        ];
        for claim in claims {
            let passage =
                claim.evidence.first().map(|found| format!("“{}” [{}]", found.passage.trim(), found.source));
            let is_open = self.document.underline(std::slice::from_ref(&claim.id)).is_some();
            let passage = match passage {
                Some(passage) if is_open => format!("{passage} – {}", claim.why()),
                Some(passage) => passage,
                None => claim.why().to_owned(),
            };
            rows.push(vec![
                cell(&format!("{}, line {}", claim.id, claim.line), DocxTextStyle::default()),
                cell(claim.label(), bold),
                cell(&claim.words, DocxTextStyle::default()),
                cell(&passage, DocxTextStyle::default()),
            ]);
        }
        self.out.push_str(&table(&rows));
    }

    pub fn finish(self) -> DocxParts {
        let footnotes: String = self
            .footnotes
            .iter()
            .zip(1_u32..)
            .map(|(words, id)| {
                let mark =
                    "<w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr><w:footnoteRef/></w:r>";
                let text = paragraph(
                    "FootnoteText",
                    "",
                    &format!("{mark}{}", run(&format!(" {words}"), DocxTextStyle::default())),
                );
                format!("<w:footnote w:id=\"{id}\">{text}</w:footnote>\n")
            })
            .collect();
        let separators = "<w:footnote w:type=\"separator\" w:id=\"-1\"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>\
            <w:footnote w:type=\"continuationSeparator\" w:id=\"0\"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>\n";
        DocxParts {
            relationships: relationships(&self.links),
            numbering: numbering(&self.ordered),
            footnotes: format!("{HEAD}<w:footnotes {MAIN}>{separators}{footnotes}</w:footnotes>"),
            document: format!(
                "{HEAD}<w:document {MAIN}><w:body>\n{}<w:sectPr><w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1418\" \
                 w:right=\"1418\" w:bottom=\"1418\" w:left=\"1418\" w:header=\"709\" w:footer=\"709\" w:gutter=\"0\"/></w:sectPr>\
                 </w:body></w:document>",
                self.out
            ),
        }
    }

    fn heading(&mut self, words: &str) {
        self.out.push_str(&paragraph("Heading1", "", &run(words, DocxTextStyle::default())));
    }

    /// As deep as the document is, which is bounded where it is built.
    fn block(&mut self, block: &'a ReportBlock, style: &str, level: usize) {
        match block {
            ReportBlock::Heading { level, runs, .. } => {
                let style = format!("Heading{}", level.saturating_sub(1).clamp(1, 3));
                let runs = self.runs(runs);
                self.out.push_str(&paragraph(&style, "", &runs));
            }
            ReportBlock::Paragraph { runs } => {
                let runs = self.runs(runs);
                self.out.push_str(&paragraph(style, "", &runs));
            }
            ReportBlock::List { first, items } => self.list(*first, items, level),
            ReportBlock::Quote { blocks } => {
                blocks.iter().for_each(|block| self.block(block, "Quote", level))
            }
            ReportBlock::Code { text, .. } => {
                for line in text.lines() {
                    self.out.push_str(&paragraph("Code", "", &run(line, DocxTextStyle::default())));
                }
            }
            ReportBlock::Table { head, rows } => self.table(head, rows),
            ReportBlock::Rule => self.out.push_str(&paragraph(
                "",
                "<w:jc w:val=\"center\"/>",
                &run("* * *", DocxTextStyle::default()),
            )),
        }
    }

    fn list(&mut self, first: Option<u64>, items: &'a [ListItem], level: usize) {
        let number = match first {
            None => 1,
            Some(first) => {
                self.ordered.push(first);
                self.ordered.len() + 1
            }
        };
        let place = level.min(LEVELS - 1);
        for item in items {
            for (at, block) in item.blocks.iter().enumerate() {
                match block {
                    ReportBlock::Paragraph { runs } => {
                        let runs = self.runs(runs);
                        let properties = match at {
                            0 => format!(
                                "<w:numPr><w:ilvl w:val=\"{place}\"/><w:numId w:val=\"{number}\"/></w:numPr>"
                            ),
                            _ => format!("<w:ind w:left=\"{}\"/>", 360 * (place + 1)),
                        };
                        self.out.push_str(&paragraph("", &properties, &runs));
                    }
                    other => self.block(other, "", level + 1),
                }
            }
        }
    }

    fn table(&mut self, head: &'a [TableCell], rows: &'a [Vec<TableCell>]) {
        let mut cells = |row: &'a [TableCell]| -> Vec<String> {
            row.iter().map(|cell| paragraph("Small", "", &self.runs(&cell.runs))).collect()
        };
        let mut all = vec![cells(head)];
        all.extend(rows.iter().map(|row| cells(row)));
        let widest = all.first().map_or(1, Vec::len).max(1);
        all.iter_mut().for_each(|row| row.truncate(widest));
        self.out.push_str(&table(&all));
    }

    fn runs(&mut self, runs: &'a [TextRun]) -> String {
        runs.iter().map(|run| self.sentence(run)).collect()
    }

    /// A sentence that is not supported is underlined and names its claims.
    fn sentence(&mut self, of: &'a TextRun) -> String {
        let line = self.document.underline(&of.claims);
        let mut written: String = of.spans.iter().map(|span| self.span(span, line)).collect();
        if line.is_some() {
            let document = self.document;
            let named = of.claims.iter().filter_map(|id| document.claim(id)).filter(|claim| claim.checkable);
            let named: Vec<String> = named.map(|claim| format!(" {} {}", claim.id, claim.label())).collect();
            written
                .push_str(&run(&named.join(","), DocxTextStyle { raised: true, ..DocxTextStyle::default() }));
        }
        written
    }

    fn span(&mut self, span: &'a TextSpan, line: Option<(&'static str, &'static str)>) -> String {
        if span.line_break {
            return "<w:r><w:br/></w:r>".to_owned();
        }
        if !span.cites.is_empty() {
            return span.cites.iter().map(|number| self.footnote(*number)).collect();
        }
        let look = DocxTextStyle {
            bold: span.strong,
            italic: span.emphasis,
            struck: span.struck,
            code: span.code,
            line,
            ..DocxTextStyle::default()
        };
        let words = if span.image { format!("[image: {}]", span.text) } else { span.text.clone() };
        match &span.link {
            Some(to) => self.linked(&words, to, look),
            None => run(&words, look),
        }
    }

    fn linked(&mut self, words: &str, to: &'a str, look: DocxTextStyle) -> String {
        let web = to.starts_with("https://") || to.starts_with("http://");
        if !web || self.links.len() >= LINKS_MAX {
            return run(words, look);
        }
        self.links.push(to);
        let id = self.links.len();
        format!(
            "<w:hyperlink r:id=\"link{id}\">{}</w:hyperlink>",
            run(words, DocxTextStyle { link: true, line: None, ..look })
        )
    }

    fn footnote(&mut self, number: u32) -> String {
        let source = self.document.source(number).filter(|_| self.footnotes.len() < FOOTNOTES_MAX);
        let Some(source) = source else {
            return run(&format!("[{number}]"), DocxTextStyle { raised: true, ..DocxTextStyle::default() });
        };
        self.footnotes.push(format!("[{number}] {}. {}", source.title, source.note()));
        let id = self.footnotes.len();
        format!(
            "<w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr><w:footnoteReference w:id=\"{id}\"/></w:r>"
        )
    }
}

fn relationships(links: &[&str]) -> String {
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let own: String = ["styles", "numbering", "footnotes"]
        .map(|name| format!("<Relationship Id=\"{name}\" Type=\"{kind}/{name}\" Target=\"{name}.xml\"/>"))
        .concat();
    let others: String = links
        .iter()
        .zip(1_u32..)
        .map(|(to, id)| {
            format!(
                "<Relationship Id=\"link{id}\" Type=\"{kind}/hyperlink\" Target=\"{}\" TargetMode=\"External\"/>\n",
                escaped(to)
            )
        })
        .collect();
    format!(
        "{HEAD}<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{own}\n{others}</Relationships>"
    )
}

/// Bullets are numbering 1; each ordered list has one of its own, so that it begins at its own number.
fn numbering(ordered: &[u64]) -> String {
    let levels = |format: &str, text: &dyn Fn(usize) -> String| -> String {
        (0..LEVELS)
            .map(|level| {
                format!(
                    "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{}\"/>\
                     <w:lvlJc w:val=\"left\"/><w:pPr><w:ind w:left=\"{}\" w:hanging=\"360\"/></w:pPr></w:lvl>",
                    text(level),
                    360 * (level + 1)
                )
            })
            .collect()
    };
    let bullets = levels("bullet", &|_| "•".to_owned());
    let numbers = levels("decimal", &|level| format!("%{}.", level + 1));
    let lists: String = ordered
        .iter()
        .zip(2_u32..)
        .map(|(first, id)| {
            let starts: String = (0..LEVELS)
                .map(|level| {
                    let first = first.min(&30_000);
                    format!("<w:lvlOverride w:ilvl=\"{level}\"><w:startOverride w:val=\"{first}\"/></w:lvlOverride>")
                })
                .collect();
            format!("<w:num w:numId=\"{id}\"><w:abstractNumId w:val=\"1\"/>{starts}</w:num>\n")
        })
        .collect();
    format!(
        "{HEAD}<w:numbering {MAIN}><w:abstractNum w:abstractNumId=\"0\"><w:multiLevelType w:val=\"hybridMultilevel\"/>{bullets}</w:abstractNum>\n\
         <w:abstractNum w:abstractNumId=\"1\"><w:multiLevelType w:val=\"hybridMultilevel\"/>{numbers}</w:abstractNum>\n\
         <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>\n{lists}</w:numbering>"
    )
}
