//! Lines and headings of a report's text: where a reader finds a sentence.

/// Longest heading shown.
const HEADING_CHARACTERS_MAX: usize = 120;

/// Lines and headings of one text, looked up by byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPlaces<'a> {
    text: &'a str,
    line_starts: Vec<usize>,
    /// Where each heading begins, and its words.
    headings: Vec<(usize, String)>,
}

impl<'a> TextPlaces<'a> {
    pub fn of(text: &'a str) -> Self {
        let mut places = Self { text, line_starts: vec![0], headings: Vec::new() };
        let mut fence: Option<&str> = None;
        let (mut at, mut before) = (0, "");
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim();
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (Some(_), _) => {}
                (None, None) => places.headings.extend(heading(line, at)),
            }
            let underlined = !trimmed.is_empty() && trimmed.chars().all(|c| c == '=');
            if fence.is_none() && underlined && !before.trim().is_empty() {
                places.headings.push((at - before.len(), plain(before)));
            }
            before = line;
            at += line.len();
            if line.ends_with('\n') {
                places.line_starts.push(at);
            }
        }
        places
    }

    /// From 1.
    pub fn line(&self, byte: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= byte)
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let byte = self.text.floor_char_boundary(byte.min(self.text.len()));
        let line = self.line(byte);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let before = self.text.get(start..byte).unwrap_or_default();
        (line, before.chars().count() + 1)
    }

    /// The heading that a byte is under; none before the first one.
    pub fn section(&self, byte: usize) -> Option<&str> {
        let under = self.headings.partition_point(|(start, _)| *start <= byte);
        let (_, words) = self.headings.get(under.checked_sub(1)?)?;
        Some(words.as_str())
    }
}

/// `## Results ##` at this byte.
fn heading(line: &str, at: usize) -> Option<(usize, String)> {
    let inner = line.trim_start_matches(' ');
    let indent = line.len() - inner.len();
    let words = inner.trim_start_matches('#');
    let level = inner.len() - words.len();
    let is_heading = indent < 4 && (1..=6).contains(&level) && words.starts_with([' ', '\t']);
    let words = plain(words.trim().trim_end_matches('#'));
    (is_heading && !words.is_empty()).then_some((at, words))
}

fn plain(words: &str) -> String {
    let bare: String = words.chars().filter(|c| !matches!(c, '*' | '`' | '_')).collect();
    crate::text::line(&bare, HEADING_CHARACTERS_MAX)
}

#[cfg(test)]
mod tests {
    use super::TextPlaces;

    const TEXT: &str =
        "Lead.\n\n# Über **alles** #\nIt rose.\n```\n# no heading\n```\nStill.\n\nEnd\n===\nüber it.";

    #[test]
    fn lines_columns_and_headings() {
        let places = TextPlaces::of(TEXT);
        let find = |words: &str| TEXT.find(words).unwrap();
        for (words, expected) in [
            ("Lead", (1, 1, None)),
            ("rose", (4, 4, Some("Über alles"))),
            ("Still", (8, 1, Some("Über alles"))),
            ("it.", (12, 6, Some("End"))),
        ] {
            let at = find(words);
            let (line, column) = places.line_and_column(at);
            assert_eq!((line, column, places.section(at)), expected, "{words}");
        }
        assert_eq!(places.line_and_column(TEXT.len() + 9).0, 12, "beyond the end is the end");
        assert_eq!(TextPlaces::of("").line_and_column(0), (1, 1));
    }
}
