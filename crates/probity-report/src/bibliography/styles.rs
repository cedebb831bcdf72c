//! Web pages in five styles, as plain text: the site in the author's place.

use super::{BibliographyDate, CitationStyle};
use crate::document::{ReportDocument, ReportSource};

/// One line per source, in the order of their numbers.
pub fn styled_lines(document: &ReportDocument, style: CitationStyle) -> Vec<String> {
    let write = match style {
        CitationStyle::Apa => apa,
        CitationStyle::Mla => mla,
        CitationStyle::Chicago => chicago,
        CitationStyle::Ieee => ieee,
        CitationStyle::Numbered => numbered,
    };
    document.sources.iter().map(|source| write(&CitationParts::of(source))).collect()
}

struct CitationParts<'a> {
    number: u32,
    site: &'a str,
    title: &'a str,
    url: &'a str,
    published: Option<BibliographyDate>,
    accessed: Option<BibliographyDate>,
}

impl<'a> CitationParts<'a> {
    fn of(source: &'a ReportSource) -> Self {
        Self {
            number: source.number,
            site: if source.host.is_empty() { "Unknown site" } else { &source.host },
            title: source.title.trim_end_matches('.'),
            url: &source.url,
            published: source.published.as_deref().and_then(BibliographyDate::read),
            accessed: source.fetched_at.as_deref().and_then(BibliographyDate::read),
        }
    }

    fn url_after(&self, before: &str) -> String {
        if self.url.is_empty() { String::new() } else { format!("{before}{}", self.url) }
    }
}

/// `March 18, 2026`
fn american(date: BibliographyDate) -> String {
    match (date.month_name(), date.day) {
        (Some(month), Some(day)) => format!("{month} {day}, {}", date.year),
        (Some(month), None) => format!("{month} {}", date.year),
        _ => date.year.to_string(),
    }
}

/// `18 Mar. 2026`; months of up to four letters are written in full.
fn short(date: BibliographyDate) -> String {
    let month = date.month_name().map(|name| match name {
        "May" | "June" | "July" => name.to_owned(),
        "September" => "Sept.".to_owned(),
        _ => format!("{}.", name.get(..3).unwrap_or(name)),
    });
    let parts = [date.day.map(|day| day.to_string()), month, Some(date.year.to_string())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// `Mar. 08, 2026`: IEEE writes days with two digits and shortens every month but May.
fn ieee_date(date: BibliographyDate) -> String {
    let month = date.month_name().map(|name| match name.get(..3) {
        Some(start) if start != name => format!("{start}."),
        _ => name.to_owned(),
    });
    match (month, date.day) {
        (Some(month), Some(day)) => format!("{month} {day:02}, {}", date.year),
        (Some(month), None) => format!("{month} {}", date.year),
        _ => date.year.to_string(),
    }
}

fn apa(parts: &CitationParts<'_>) -> String {
    let date = match parts.published {
        None => "n.d.".to_owned(),
        Some(date) => match (date.month_name(), date.day) {
            (Some(month), Some(day)) => format!("{}, {month} {day}", date.year),
            (Some(month), None) => format!("{}, {month}", date.year),
            _ => date.year.to_string(),
        },
    };
    // A page that names its day is cited by that day.
    let undated = parts.accessed.filter(|_| parts.published.is_none());
    let seen = undated.map(|date| format!(" Retrieved {}, from", american(date)));
    let address = match (parts.url, seen) {
        ("", _) => String::new(),
        (url, Some(seen)) => format!("{seen} {url}"),
        (url, None) => format!(" {url}"),
    };
    format!("{}. ({date}). {}.{address}", parts.site, parts.title)
}

fn mla(parts: &CitationParts<'_>) -> String {
    let date = parts.published.map(|date| format!(", {}", short(date))).unwrap_or_default();
    let seen = parts.accessed.map(|date| format!(" Accessed {}.", short(date))).unwrap_or_default();
    format!("“{}.” {}{date}{}.{seen}", parts.title, parts.site, parts.url_after(", "))
}

fn chicago(parts: &CitationParts<'_>) -> String {
    let date = parts.published.map(|date| format!(" {}.", american(date))).unwrap_or_default();
    let seen = parts.accessed.map(|date| format!(" Accessed {}.", american(date))).unwrap_or_default();
    let address = if parts.url.is_empty() { String::new() } else { format!(" {}.", parts.url) };
    format!("{}. “{}.”{date}{seen}{address}", parts.site, parts.title)
}

fn ieee(parts: &CitationParts<'_>) -> String {
    let seen = parts.accessed.map(|date| format!(" Accessed: {}.", ieee_date(date))).unwrap_or_default();
    let online =
        if parts.url.is_empty() { String::new() } else { format!(" [Online]. Available: {}", parts.url) };
    format!("[{}] “{},” {}.{seen}{online}", parts.number, parts.title, parts.site)
}

fn numbered(parts: &CitationParts<'_>) -> String {
    let date = parts.published.map(|date| format!(", {}", american(date))).unwrap_or_default();
    format!("{}. {} ({}{date}){}", parts.number, parts.title, parts.site, parts.url_after(": "))
}
