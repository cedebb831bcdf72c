//! The document as HTML: one self-contained file, and fragments for our own web page.
//!
//! Both have the same markup, style sheet and script. Nothing is loaded from anywhere, and everything can be
//! read without the script: marks are links to cards, filters are radio buttons with CSS.

mod appendix;
mod cards;
pub(crate) mod escape;
mod header;
mod prose;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use self::escape::HtmlEscape;
use crate::{ReportDocument, charts};

/// One style sheet for both. Everything in it is below `.probity`.
pub const STYLE: &str = include_str!("html/style.css");
/// One script for both; it looks for `.probity`.
pub const SCRIPT: &str = include_str!("html/script.js");

/// Fragments for a page of our own. The page puts all of them into one element with the class `probity`,
/// and serves `STYLE` and `SCRIPT` as files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlFragments {
    /// `<nav>`: headings of the report and of what follows it.
    pub outline: String,
    /// `<main>`: title, filters, the report with its marks, disagreements, sources, how it was verified.
    pub prose: String,
    /// `<aside>`: one card per claim.
    pub evidence: String,
    /// `<section>`: charts of the run itself as inline SVG, folded; empty where there is nothing to draw.
    pub charts: String,
}

/// The self-contained file.
pub fn page(document: &ReportDocument) -> String {
    let HtmlFragments { outline, prose, evidence, charts } = fragments(document);
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"{program}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body class=\"probity page\">\n<a class=\"skip\" href=\"#report\">Skip to the report</a>\n\
         {outline}\n{prose}\n{evidence}\n{charts}\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        program = HtmlEscape(&document.program),
        title = HtmlEscape(&document.title),
    )
}

pub fn fragments(document: &ReportDocument) -> HtmlFragments {
    let mut main = String::with_capacity(64 * 1024);
    header::write(document, &mut main);
    prose::write(document, &mut main);
    appendix::write(document, &mut main);
    main.push_str("</main>");
    let charts = drawn(document);
    HtmlFragments {
        outline: header::outline(document, &charts),
        prose: main,
        evidence: cards::write(document),
        charts,
    }
}

/// How the research went is folded away: a reader came for what it found.
fn drawn(document: &ReportDocument) -> String {
    let pictures = [
        charts::verdicts(document),
        charts::timeline(document),
        charts::domains(document),
        charts::costs(document),
    ];
    let figures: String =
        pictures.into_iter().flatten().map(|picture| format!("<figure>{picture}</figure>\n")).collect();
    match figures.is_empty() {
        true => String::new(),
        false => format!(
            "<section class=\"charts\" id=\"charts\" aria-label=\"Charts about this research\"><details>\
             <summary>About this research</summary>\n{figures}</details></section>"
        ),
    }
}

/// The hash by which a content security policy allows the one style sheet or script.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests;
