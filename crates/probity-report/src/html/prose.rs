//! The report itself: blocks, sentences, after each sentence the marks of its claims, below each table its charts.

use std::collections::BTreeSet;

use super::escape::{HtmlEscape, HtmlLink, claim_icon, numbers, verdict_class};
use crate::{
    charts,
    document::{
        ReportBlock, ReportDocument, TextRun, TextSpan,
        prose::{ListItem, TableCell},
    },
};

/// Keeps a mark on the line of its sentence.
const JOINER: char = '\u{2060}';

pub fn write(document: &ReportDocument, out: &mut String) {
    let language = document.language.as_deref().map(|code| format!(" lang=\"{}\"", HtmlEscape(code)));
    out.push_str(&format!("<article class=\"prose\"{}>\n", language.unwrap_or_default()));
    let charts_left = charts::TOPIC_CHARTS_MAX;
    let mut writer = HtmlWriter { document, out, met: BTreeSet::new(), charts_left };
    let titled = matches!(document.blocks.first(), Some(ReportBlock::Heading { level: 1, .. }));
    let end = document.list_of_sources_at.unwrap_or(document.blocks.len());
    let text = document.blocks.get(usize::from(titled)..end).unwrap_or_default();
    text.iter().for_each(|block| writer.block(block));
    // The source list below says more; the text's own stays available.
    let own_list = document.blocks.get(end..).unwrap_or_default();
    if !own_list.is_empty() {
        writer.charts_left = 0;
        writer.out.push_str(
            "<details class=\"own-list\"><summary>The list of sources as the report wrote it</summary>\n",
        );
        own_list.iter().skip(1).for_each(|block| writer.block(block));
        writer.out.push_str("</details>\n");
    }
    out.push_str("</article>\n");
}

struct HtmlWriter<'a> {
    document: &'a ReportDocument,
    out: &'a mut String,
    /// Claims whose sentence was written: an id is used once in a page.
    met: BTreeSet<&'a str>,
    /// Charts about the topic that may still be drawn.
    charts_left: usize,
}

impl<'a> HtmlWriter<'a> {
    /// As deep as the document is, which is bounded where it is built.
    fn block(&mut self, block: &'a ReportBlock) {
        match block {
            ReportBlock::Heading { level, anchor, runs } => {
                let level = (*level).clamp(2, 6);
                self.out.push_str(&format!("<h{level} id=\"{}\" dir=\"auto\">", HtmlEscape(anchor)));
                self.runs(runs);
                self.out.push_str(&format!("</h{level}>\n"));
            }
            ReportBlock::Paragraph { runs } => {
                self.out.push_str("<p dir=\"auto\">");
                self.runs(runs);
                self.out.push_str("</p>\n");
            }
            ReportBlock::List { first, items } => self.list(*first, items),
            ReportBlock::Quote { blocks } => {
                self.out.push_str("<blockquote dir=\"auto\">\n");
                blocks.iter().for_each(|block| self.block(block));
                self.out.push_str("</blockquote>\n");
            }
            ReportBlock::Code { text, .. } => {
                self.out.push_str(&format!("<pre><code>{}</code></pre>\n", HtmlEscape(text)));
            }
            ReportBlock::Table { head, rows } => self.table(head, rows),
            ReportBlock::Rule => self.out.push_str("<hr>\n"),
        }
    }

    fn list(&mut self, first: Option<u64>, items: &'a [ListItem]) {
        let name = if first.is_some() { "ol" } else { "ul" };
        match first {
            Some(number) if number != 1 => self.out.push_str(&format!("<ol start=\"{number}\">\n")),
            _ => self.out.push_str(&format!("<{name}>\n")),
        }
        for item in items {
            self.out.push_str("<li dir=\"auto\">");
            match item.blocks.as_slice() {
                [ReportBlock::Paragraph { runs }] => self.runs(runs),
                blocks => blocks.iter().for_each(|block| self.block(block)),
            }
            self.out.push_str("</li>\n");
        }
        self.out.push_str(&format!("</{name}>\n"));
    }

    fn table(&mut self, head: &'a [TableCell], rows: &'a [Vec<TableCell>]) {
        self.out.push_str("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>");
        head.iter().for_each(|cell| self.cell("th", cell));
        self.out.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.out.push_str("<tr>");
            row.iter().for_each(|cell| self.cell("td", cell));
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</tbody></table></div>\n");
        let charts = charts::table_charts(self.document, head, rows, self.charts_left);
        for figure in charts.iter().filter_map(|chart| chart.figure()) {
            self.charts_left = self.charts_left.saturating_sub(1);
            self.out.push_str(&figure);
        }
    }

    fn cell(&mut self, name: &str, cell: &'a TableCell) {
        self.out.push_str(&format!("<{name} dir=\"auto\">"));
        self.runs(&cell.runs);
        self.out.push_str(&format!("</{name}>"));
    }

    fn runs(&mut self, runs: &'a [TextRun]) {
        runs.iter().for_each(|run| self.run(run));
    }

    /// A sentence is coloured by its strictest verdict and has one mark per claim.
    fn run(&mut self, run: &'a TextRun) {
        let Some(worst) = self.document.strictest_verdict(&run.claims) else { return self.spans(&run.spans) };
        let first = run.claims.first().map(String::as_str).unwrap_or_default();
        let name =
            if self.met.insert(first) { format!(" id=\"s{}\"", HtmlEscape(first)) } else { String::new() };
        let mut own = run.claims.iter().filter_map(|id| self.document.claim(id));
        let disputed = if own.any(|claim| claim.is_contested()) { " d" } else { "" };
        self.out.push_str(&format!("<span class=\"s v{}{disputed}\"{name}>", verdict_class(worst)));
        self.spans(&run.spans);
        for claim in
            run.claims.iter().filter_map(|id| self.document.claim(id)).filter(|claim| claim.checkable)
        {
            self.out.push_str(&format!(
                "{JOINER}<a class=\"m v{}\" href=\"#{id}\" aria-label=\"{id}: {}\">{}</a>",
                verdict_class(claim.verdict),
                claim.label(),
                claim_icon(claim),
                id = HtmlEscape(&claim.id),
            ));
        }
        self.out.push_str("</span>");
    }

    fn spans(&mut self, spans: &[TextSpan]) {
        let mut rest = spans.iter().peekable();
        while let Some(span) = rest.next() {
            let before_mark = rest.peek().is_some_and(|next| !next.cites.is_empty());
            match before_mark && span.link.is_none() && span.text.ends_with(' ') {
                true => self.span(&TextSpan { text: span.text.trim_end().to_owned(), ..span.clone() }),
                false => self.span(span),
            }
        }
    }

    fn span(&mut self, span: &TextSpan) {
        if span.line_break {
            return self.out.push_str("<br>");
        }
        if !span.cites.is_empty() {
            return self.out.push_str(&format!("{JOINER}<sup>{}</sup>", numbers(&span.cites)));
        }
        if span.image {
            return self.image(span);
        }
        let looks = [(span.strong, "strong"), (span.emphasis, "em"), (span.struck, "s"), (span.code, "code")];
        let names = || looks.iter().filter(|(there, _)| *there).map(|(_, name)| *name);
        names().for_each(|name| self.out.push_str(&format!("<{name}>")));
        match &span.link {
            Some(to) => self.out.push_str(&HtmlLink { to, words: &span.text }.to_string()),
            None => self.out.push_str(&HtmlEscape(&span.text).to_string()),
        }
        names().rev().for_each(|name| self.out.push_str(&format!("</{name}>")));
    }

    /// Never loaded: an image reveals to its owner who reads what and when.
    fn image(&mut self, span: &TextSpan) {
        let words = if span.text.is_empty() { "image" } else { &span.text };
        let link = HtmlLink { to: span.link.as_deref().unwrap_or_default(), words };
        self.out.push_str(&format!("<span class=\"image\">image, not loaded: {link}</span>"));
    }
}
