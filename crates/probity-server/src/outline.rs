//! A long text in pages that begin and end at its headings, and the table of those headings.

use probity_research::{Code, CodedError, text};
use schemars::JsonSchema;
use serde::Serialize;

/// Headings in one answer. A report has some twenty; a text of nothing but headings must not flood.
const HEADINGS_MAX: usize = 60;
const TITLE_CHARACTERS_MAX: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Heading")]
pub struct OutlineHeading {
    pub title: String,
    pub cursor: String,
}

/// A part of a text, and where the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPage {
    pub text: String,
    from: usize,
    pub next: Option<usize>,
}

impl TextPage {
    pub fn is_whole(&self) -> bool {
        self.from == 0 && self.next.is_none()
    }
}

/// At most `characters` from `from`. Ends before a heading if one lies in the second half of the page, else
/// at a line, else where it must.
pub fn page(whole: &str, from: usize, characters: usize) -> TextPage {
    let rest = whole.get(from..).unwrap_or_default();
    let Some((full, _)) = rest.char_indices().nth(characters) else {
        return TextPage { text: rest.to_owned(), from, next: None };
    };
    let room = rest.get(..full).unwrap_or_default();
    let half = full / 2;
    let heading = headings(room).map(|(at, _)| at).filter(|at| *at > half).last();
    let line = || room.rfind('\n').map(|at| at + 1).filter(|at| *at > half);
    let end = heading.or_else(line).unwrap_or(full);
    TextPage { text: room.get(..end).unwrap_or(room).to_owned(), from, next: Some(from + end) }
}

pub fn list_headings(whole: &str) -> Vec<OutlineHeading> {
    headings(whole)
        .take(HEADINGS_MAX)
        .map(|(at, line)| OutlineHeading {
            title: text::line(line.trim_start_matches('#'), TITLE_CHARACTERS_MAX),
            cursor: cursor(at),
        })
        .collect()
}

/// Opaque to clients: the byte at which a page begins.
pub fn cursor(at: usize) -> String {
    format!("at-{at}")
}

/// Where a cursor points in `whole`. Cursors come back from clients: any text may arrive.
pub fn parse_cursor(cursor: Option<&str>, whole: &str) -> Result<usize, CodedError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let at = cursor.strip_prefix("at-").and_then(|digits| digits.parse::<usize>().ok());
    at.filter(|at| *at <= whole.len() && whole.is_char_boundary(*at)).ok_or_else(|| {
        let message = format!("`{}` is not a cursor of this report", text::line(cursor, 40));
        CodedError::new(Code::InvalidArguments, &message)
    })
}

/// Headings of the first two levels outside fenced code, with the byte at which their line begins.
fn headings(whole: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let mut fenced = false;
    whole.split_inclusive('\n').filter_map(move |line| {
        let begins = at;
        at += line.len();
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let heading = !fenced && (line.starts_with("# ") || line.starts_with("## "));
        heading.then_some((begins, line))
    })
}

#[cfg(test)]
mod tests {
    use super::{list_headings, page, parse_cursor};

    const REPORT: &str = "# A\none two\n## B\nthree\n```\n# not a heading\n```\n## C\nfour five six\n";

    #[test]
    fn pages_end_before_headings_and_lose_nothing() {
        let mut from = 0;
        let mut pages = Vec::new();
        loop {
            let found = page(REPORT, from, 50);
            pages.push(found.text);
            match found.next {
                Some(next) => from = next,
                None => break,
            }
        }
        assert_eq!(pages.concat(), REPORT);
        assert!(pages.iter().skip(1).any(|page| page.starts_with("## ")), "{pages:?}");
    }

    #[test]
    fn the_outline_leads_to_each_section_and_code_is_not_one() {
        let titles: Vec<String> = list_headings(REPORT).into_iter().map(|heading| heading.title).collect();
        assert_eq!(titles, ["A", "B", "C"]);
        for heading in list_headings(REPORT) {
            let at = parse_cursor(Some(&heading.cursor), REPORT).unwrap();
            assert!(REPORT.get(at..).is_some_and(|rest| rest.starts_with('#')));
        }
    }

    #[test]
    fn a_text_without_lines_is_cut_between_characters() {
        let found = page(&"ä".repeat(100), 0, 30);
        assert_eq!((found.text.chars().count(), found.next), (30, Some(60)));
    }

    #[test]
    fn foreign_cursors_are_refused() {
        for cursor in ["", "at-", "at--1", "at-999", "9", "at-1", "at-18446744073709551616"] {
            let whole = "ää";
            assert!(parse_cursor(Some(cursor), whole).is_err(), "{cursor}");
        }
        assert_eq!(parse_cursor(Some("at-2"), "ää"), Ok(2));
        assert_eq!(parse_cursor(None, "ää"), Ok(0));
    }
}
