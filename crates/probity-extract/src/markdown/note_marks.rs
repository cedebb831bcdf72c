//! Marks of notes and raised numbers inside a block of Markdown: `14[^2]`, `14<sup>2</sup>`, `10<sup>6</sup>`.

use std::collections::HashSet;

use crate::html::note_marks::{in_raised, is_mark, is_power};

/// Longest label of a note, and longest raised text, in bytes.
const LABEL_BYTES_MAX: usize = 40;
/// Code inside a line ends within this many bytes.
const CODE_BYTES_MAX: usize = 4000;

/// The labels of the notes of a page, as written: `[^2]: …`.
pub fn labels(page: &str) -> HashSet<&str> {
    page.lines()
        .filter_map(|line| line.trim_start().strip_prefix("[^")?.split_once("]:"))
        .map(|(label, _)| label)
        .filter(|label| !label.is_empty() && label.len() <= LABEL_BYTES_MAX)
        .collect()
}

/// A block's words without marks of notes; powers in raised characters. Code stays as it is.
pub fn without_marks(written: &str, labels: &HashSet<&str>) -> String {
    let mut out = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(found) = rest.find(['`', '[', '<']) {
        let (before, at) = rest.split_at(found);
        out.push_str(before);
        let taken = code_length(at)
            .inspect(|length| out.push_str(at.get(..*length).unwrap_or_default()))
            .or_else(|| mark_length(at, &out, labels))
            .or_else(|| raised(at, &mut out));
        let length = taken.unwrap_or_else(|| {
            let fence = at.len() - at.trim_start_matches('`').len();
            out.push_str(at.get(..fence.max(1)).unwrap_or_default());
            fence.max(1)
        });
        rest = at.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// How long the code at the beginning is, with its marks.
pub fn code_length(text: &str) -> Option<usize> {
    let text = beginning(text, CODE_BYTES_MAX);
    let rest = text.trim_start_matches('`');
    let marks = text.len() - rest.len();
    let fence = text.get(..marks).filter(|fence| !fence.is_empty())?;
    let mut at = marks;
    loop {
        let found = at + text.get(at..)?.find(fence)?;
        let run = text.get(found..)?;
        let length = run.len() - run.trim_start_matches('`').len();
        at = found + length;
        if length == marks {
            return Some(at);
        }
    }
}

/// `[^2]` of a note that the page has.
fn mark_length(at: &str, before: &str, labels: &HashSet<&str>) -> Option<usize> {
    let at = beginning(at, LABEL_BYTES_MAX + "[^]:".len());
    let (label, after) = at.strip_prefix("[^")?.split_once(']')?;
    let begins_note = before.trim().is_empty() && after.starts_with(':');
    (labels.contains(label) && !begins_note).then_some("[^]".len() + label.len())
}

/// Writes a raised number; nothing for a mark of a note.
fn raised(at: &str, out: &mut String) -> Option<usize> {
    const OPEN: &str = "<sup>";
    const CLOSE: &str = "</sup>";
    let at = beginning(at, OPEN.len() + LABEL_BYTES_MAX + CLOSE.len());
    let (inside, _) = at.strip_prefix(OPEN)?.split_once(CLOSE)?;
    if !out.ends_with(|last: char| !last.is_whitespace()) {
        return None;
    }
    let bare = inside.trim();
    // `[2](#note)` and `[[2]](#note)`.
    let linked = bare.split_once("](").and_then(|(words, _)| words.strip_prefix('['));
    let refers = linked.is_some_and(is_mark) || (bare.starts_with('[') && is_mark(bare));
    if !refers {
        let is_number = is_power(out, bare) || is_mark(bare);
        is_number.then(|| out.push_str(&in_raised(bare)))?;
    }
    Some(OPEN.len() + inside.len() + CLOSE.len())
}

fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{labels, without_marks};

    #[track_caller]
    fn check(written: &str, expected: &str) {
        let labels = labels("[^2]: See the yearbook.\n  [^a-b]: And this.\n[^c]d");
        assert_eq!(without_marks(written, &labels), expected, "{written}");
    }

    #[test]
    fn marks_are_left_out_and_powers_stay() {
        check("It has 14[^2] rooms[^2][^a-b].", "It has 14 rooms.");
        check("[^2]: See the yearbook.", "[^2]: See the yearbook.");
        check("Matched by [^c] and `[^2]` and ``a`[^2]``.", "Matched by [^c] and `[^2]` and ``a`[^2]``.");
        check("10<sup>6</sup> m<sup>2</sup>, 14<sup>2</sup>", "10⁶ m², 14²");
        check("14<sup>[2]</sup> or 14<sup>[2](#n)</sup> or 14<sup>[[2]](#n)</sup>", "14 or 14 or 14");
        check("the 19<sup>th</sup>, <sup>2</sup> <sup", "the 19<sup>th</sup>, <sup>2</sup> <sup");
        check("[a](b) [^2", "[a](b) [^2");
    }
}
