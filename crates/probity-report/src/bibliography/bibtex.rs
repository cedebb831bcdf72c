//! BibTeX: one `@online` entry per source.

use super::BibliographyDate;
use crate::document::{ReportDocument, ReportSource};

pub fn bibtex(document: &ReportDocument) -> String {
    document.sources.iter().map(entry).collect::<Vec<_>>().join("\n")
}

fn entry(source: &ReportSource) -> String {
    let published = source.published.as_deref().and_then(BibliographyDate::read);
    let fields = [
        ("title", Some(format!("{{{}}}", escaped(&source.title)))),
        ("organization", Some(escaped(&source.host)).filter(|host| !host.is_empty())),
        ("year", published.map(|date| date.year.to_string())),
        ("month", published.and_then(|date| date.month).map(|month| month.to_string())),
        ("url", Some(address(&source.url)).filter(|url| !url.is_empty())),
        ("urldate", source.fetched_at.as_deref().and_then(|at| at.get(..10)).map(str::to_owned)),
        ("note", source.archive.as_deref().map(|archive| format!("Archived: \\url{{{}}}", address(archive)))),
    ];
    let lines: Vec<String> =
        fields.into_iter().filter_map(|(name, value)| Some(format!("  {name} = {{{}}}", value?))).collect();
    format!("@online{{{},\n{}\n}}\n", key(source, published), lines.join(",\n"))
}

/// Unique by its number; letters and digits only.
fn key(source: &ReportSource, published: Option<BibliographyDate>) -> String {
    let site: String = source.host.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
    let site = if site.is_empty() { "source".to_owned() } else { site };
    let year = published.map(|date| date.year.to_string()).unwrap_or_default();
    format!("{site}{year}-{}", source.number)
}

/// Text without a meaning to TeX, with braces that cannot close the field.
fn escaped(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => kept.push_str("\\textbackslash{}"),
            // `\{` would not do: BibTeX counts braces before TeX sees the backslash.
            '{' => kept.push_str("\\textbraceleft{}"),
            '}' => kept.push_str("\\textbraceright{}"),
            '~' => kept.push_str("\\textasciitilde{}"),
            '^' => kept.push_str("\\textasciicircum{}"),
            '<' => kept.push_str("\\textless{}"),
            '>' => kept.push_str("\\textgreater{}"),
            '|' => kept.push_str("\\textbar{}"),
            '"' => kept.push_str("\\textquotedbl{}"),
            '&' | '%' | '$' | '#' | '_' => {
                kept.push('\\');
                kept.push(character);
            }
            '@' => kept.push_str("{@}"),
            _ => kept.push(character),
        }
    }
    kept
}

/// An address for `\url`, which takes everything but braces, backslashes and lone per cent signs as they are.
fn address(url: &str) -> String {
    url.replace('\\', "%5C").replace('{', "%7B").replace('}', "%7D")
}
