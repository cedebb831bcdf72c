//! The document as Markdown: front matter, the text with its sources as footnotes, and a footnote for every claim that
//! is not supported. Foreign text is escaped character by character, so that no viewer's reading of it can act.

mod escape;
mod front_matter;

use std::collections::BTreeSet;

use self::escape::{address, code, code_block, text};
use crate::document::{
    DisplayVerdict, ReportBlock, ReportClaim, ReportDocument, ReportSource, ReportSourceState, TextRun,
    TextSpan,
    prose::{ListItem, TableCell},
};

pub fn render(document: &ReportDocument) -> String {
    let mut writer = MarkdownWriter { document, claims: Vec::new(), sources: BTreeSet::new() };
    let end = document.list_of_sources_at.unwrap_or(document.blocks.len());
    let titled = matches!(document.blocks.first(), Some(ReportBlock::Heading { level: 1, .. }));
    let mut parts = vec![
        front_matter::matter(document),
        format!("# {}", text(&document.title)),
        front_matter::line(document),
        front_matter::note(document),
    ];
    let blocks = document.blocks.get(usize::from(titled)..end).unwrap_or_default();
    parts.extend(blocks.iter().map(|block| writer.block(block).join("\n")));
    parts.extend(front_matter::conflicts(document));
    parts.extend(document.not_examined.iter().map(|what| format!("*Not examined: {}*", text(what))));
    parts.extend(writer.uncited());
    parts.push(writer.footnotes());
    let mut written = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    written.push('\n');
    written
}

struct MarkdownWriter<'a> {
    document: &'a ReportDocument,
    /// Claims with a footnote, in their order.
    claims: Vec<&'a ReportClaim>,
    sources: BTreeSet<u32>,
}

impl<'a> MarkdownWriter<'a> {
    /// The lines of a block. As deep as the document is, which is bounded where it is built.
    fn block(&mut self, block: &'a ReportBlock) -> Vec<String> {
        match block {
            ReportBlock::Heading { level, runs, .. } => {
                vec![format!("{} {}", "#".repeat(usize::from((*level).clamp(2, 6))), self.runs(runs))]
            }
            ReportBlock::Paragraph { runs } => vec![escape::first(&self.runs(runs))],
            ReportBlock::List { first, items } => self.list(*first, items),
            ReportBlock::Quote { blocks } => {
                let inner = self.blocks(blocks);
                inner.into_iter().map(|line| format!("> {line}").trim_end().to_owned()).collect()
            }
            ReportBlock::Code { language, text } => code_block(language, text),
            ReportBlock::Table { head, rows } => self.table(head, rows),
            ReportBlock::Rule => vec!["***".to_owned()],
        }
    }

    fn blocks(&mut self, blocks: &'a [ReportBlock]) -> Vec<String> {
        let mut lines = Vec::new();
        for block in blocks {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.extend(self.block(block));
        }
        lines
    }

    fn list(&mut self, first: Option<u64>, items: &'a [ListItem]) -> Vec<String> {
        let mut lines = Vec::new();
        for (item, place) in items.iter().zip(0_u64..) {
            let lead = first.map_or("- ".to_owned(), |first| {
                format!("{}. ", first.saturating_add(place) % 1_000_000_000)
            });
            let indent = " ".repeat(lead.len());
            for (number, line) in self.blocks(&item.blocks).into_iter().enumerate() {
                let before = if number == 0 { &lead } else { &indent };
                lines.push(format!("{before}{line}").trim_end().to_owned());
            }
        }
        lines
    }

    fn table(&mut self, head: &'a [TableCell], rows: &'a [Vec<TableCell>]) -> Vec<String> {
        let mut row = |cells: &'a [TableCell]| {
            let cells: Vec<String> = cells.iter().map(|cell| self.runs(&cell.runs)).collect();
            format!("| {} |", cells.join(" | "))
        };
        let mut lines = vec![row(head), format!("|{}", " --- |".repeat(head.len().max(1)))];
        lines.extend(rows.iter().map(|cells| row(cells)));
        lines
    }

    fn runs(&mut self, runs: &'a [TextRun]) -> String {
        let written: String = runs.iter().map(|run| self.run(run)).collect();
        written.trim().to_owned()
    }

    fn run(&mut self, run: &'a TextRun) -> String {
        let mut written: String = run.spans.iter().map(|span| self.span(span)).collect();
        for claim in run.claims.iter().filter_map(|id| self.document.claim(id)) {
            let fine = matches!(claim.verdict, DisplayVerdict::Supported | DisplayVerdict::Quoted);
            if !claim.checkable || (fine && !claim.is_contested()) {
                continue;
            }
            if !self.claims.iter().any(|known| known.id == claim.id) {
                self.claims.push(claim);
            }
            written.push_str(&format!("[^{}]", claim.id));
        }
        written
    }

    fn span(&mut self, span: &TextSpan) -> String {
        if span.line_break {
            return " ".to_owned();
        }
        if !span.cites.is_empty() {
            self.sources.extend(&span.cites);
            return span.cites.iter().map(|number| format!("[^{number}]")).collect();
        }
        let link = span.link.as_deref().and_then(address);
        if span.image {
            let name = if span.text.is_empty() { "image".to_owned() } else { text(&span.text) };
            return link.map_or(format!("image: {name}"), |to| format!("image: [{name}]({to})"));
        }
        let words = if span.code { code(&span.text) } else { text(&span.text) };
        let words = link.map_or_else(|| words.clone(), |to| format!("[{words}]({to})"));
        let marks = [(span.strong, "**"), (span.emphasis, "*"), (span.struck, "~~")];
        marks.iter().filter(|(there, _)| *there).fold(words, |words, (_, mark)| wrapped(&words, mark))
    }

    /// The sources without a footnote, so that the file has as many as it says.
    fn uncited(&self) -> Option<String> {
        let all = self.document.sources.len();
        let others: Vec<&ReportSource> =
            self.document.sources.iter().filter(|source| !self.sources.contains(&source.number)).collect();
        let line = |source: &&ReportSource| {
            let title = text(&source.title);
            let title = address(&source.url).map_or_else(|| title.clone(), |to| format!("[{title}]({to})"));
            format!("- source {}: {title}", source.number)
        };
        let lines: Vec<String> = others.iter().map(line).collect();
        let cited = all - others.len();
        (!others.is_empty()).then(|| {
            format!(
                "*{cited} of {all} sources are cited by a mark in the text; the others:*\n\n{}",
                lines.join("\n")
            )
        })
    }

    fn footnotes(&self) -> String {
        let sources = self.document.sources.iter().filter(|source| self.sources.contains(&source.number));
        let claims = self.claims.iter().map(|claim| verdict(self.document, claim));
        sources.map(footnote).chain(claims).collect::<Vec<_>>().join("\n")
    }
}

/// Marks bind only to words: spaces stay outside.
fn wrapped(words: &str, mark: &str) -> String {
    let inner = words.trim();
    if inner.is_empty() {
        return words.to_owned();
    }
    let (before, behind) = words.split_once(inner).unwrap_or(("", ""));
    format!("{before}{mark}{inner}{mark}{behind}")
}

fn footnote(source: &ReportSource) -> String {
    let published = source.published.as_ref().map(|date| format!("published {}", text(date)));
    let fetched =
        source.fetched_at.as_deref().and_then(|at| at.get(..10)).map(|day| format!("fetched {day}"));
    let unread = match (source.state, &source.why_unread) {
        (ReportSourceState::Unreachable, _) => Some("could not be read".to_owned()),
        (ReportSourceState::NotTried, Some(why)) => Some(text(why)),
        (ReportSourceState::NotTried, None) | (ReportSourceState::Kept, _) => None,
    };
    let archived = source.archive.as_deref().and_then(address).map(|to| format!("[archived copy]({to})"));
    let details: Vec<String> = [published, fetched, unread, archived].into_iter().flatten().collect();
    let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
    let to = address(&source.url).map(|to| format!(" {to}")).unwrap_or_default();
    format!("[^{}]: {}{details}.{to}", source.number, text(&source.title))
}

/// `[^C9]: **contradicted**: the page says …; “passage” [3]`
fn verdict(document: &ReportDocument, claim: &ReportClaim) -> String {
    let why = claim.why();
    let passage = claim.evidence.first().map(|evidence| {
        let host = document.source(evidence.source).map(|source| text(&source.host)).unwrap_or_default();
        format!(" “{}” (source {}, {host})", text(&evidence.passage), evidence.source)
    });
    let inference = claim.inference_mark().map(|mark| format!(" ({mark})")).unwrap_or_default();
    format!(
        "[^{}]: **{}**{inference}: {}.{}",
        claim.id,
        claim.label(),
        text(why.trim_end_matches('.')),
        passage.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests;
