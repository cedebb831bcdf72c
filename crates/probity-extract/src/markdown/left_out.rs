//! What stands in a Markdown file and is not said: comments of HTML, and words that are struck through.

use std::{borrow::Cow, ops::Range};

use super::note_marks::code_length;

/// What is struck through ends within this many bytes.
const STRUCK_BYTES_MAX: usize = 2000;
const COMMENT: (&str, &str) = ("<!--", "-->");
/// Elements that strike out what they contain.
const STRUCK_TAGS: [(&str, &str); 3] = [("<del", "</del>"), ("<s", "</s>"), ("<strike", "</strike>")];

/// The page with spaces in place of what is not said: every other byte stays where it is.
pub fn without_unsaid(page: &str) -> Cow<'_, str> {
    let ranges = unsaid(page);
    if ranges.is_empty() {
        return Cow::Borrowed(page);
    }
    let mut out = String::with_capacity(page.len());
    let mut at = 0;
    for Range { start, end } in ranges {
        out.push_str(page.get(at..start).unwrap_or_default());
        let left_out = page.get(start..end).unwrap_or_default();
        out.extend(left_out.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        at = end;
    }
    out.push_str(page.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// The comments of a page, one after the other.
pub fn comments(page: &str) -> String {
    let all = unsaid(page).into_iter().filter_map(|range| page.get(range));
    all.filter(|text| text.starts_with(COMMENT.0)).collect::<Vec<_>>().join(" ")
}

/// In the order of the page, outside of code.
fn unsaid(page: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    let mut may_comment = true;
    let mut line_end = 0;
    while at < page.len() {
        if at >= line_end {
            let line = page.get(at..).and_then(|rest| rest.split_inclusive('\n').next()).unwrap_or_default();
            line_end = at + line.len().max(1);
            let trimmed = line.trim();
            let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
            if fence.is_some() || mark.is_some() {
                fence = match fence {
                    Some(open) if mark == Some(open) => None,
                    open => open.or(mark),
                };
                at = line_end;
                continue;
            }
        }
        let Some(rest) = page.get(at..) else { break };
        let next = rest.find(['`', '<', '~', '\\', '\n']).unwrap_or(rest.len());
        at += next;
        let rest = rest.get(next..).unwrap_or_default();
        let skipped = match rest.as_bytes() {
            [b'`', ..] => {
                let marks = rest.len() - rest.trim_start_matches('`').len();
                code_length(paragraph(rest)).unwrap_or(marks)
            }
            [b'\\', _, ..] => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            [b'<' | b'~', ..] => {
                let comment = if may_comment { comment_length(rest) } else { None };
                may_comment &= comment.is_some() || !rest.starts_with(COMMENT.0);
                let length = comment.or_else(|| struck_length(rest));
                found.extend(length.map(|length| at..at + length));
                length.unwrap_or_else(|| (rest.len() - rest.trim_start_matches('~').len()).max(1))
            }
            _ => 1,
        };
        at += skipped;
        if at > line_end {
            // What went over several lines ends inside one of them.
            let rest = page.get(at..).unwrap_or_default();
            line_end = at + rest.split_inclusive('\n').next().map_or(0, str::len);
        }
    }
    found
}

fn comment_length(text: &str) -> Option<usize> {
    let (open, close) = COMMENT;
    let length = text.strip_prefix(open)?.find(close)?;
    Some(open.len() + length + close.len())
}

/// `~~words~~`, `<del>words</del>`.
fn struck_length(text: &str) -> Option<usize> {
    let text = beginning(text);
    if text.starts_with('~') {
        let inside = paragraph(text).strip_prefix("~~")?;
        if inside.starts_with(|first: char| first.is_whitespace() || first == '~') {
            return None;
        }
        let length = inside.find("~~")?;
        let (words, after) = inside.split_at_checked(length)?;
        let is_closed = !words.ends_with(char::is_whitespace) && !after.starts_with("~~~");
        return is_closed.then_some(length + 4);
    }
    STRUCK_TAGS.into_iter().find_map(|(open, close)| {
        let name = text.get(..open.len()).filter(|name| name.eq_ignore_ascii_case(open))?;
        let behind = text.get(name.len()..)?;
        if !behind.starts_with(|next: char| next == '>' || next.is_ascii_whitespace()) {
            return None;
        }
        let length = behind.to_ascii_lowercase().find(close)?;
        Some(open.len() + length + close.len())
    })
}

/// To the next empty line.
fn paragraph(text: &str) -> &str {
    let text = beginning(text);
    let end = text.match_indices('\n').map(|(at, _)| at).find(|at| {
        let next = text.get(at + 1..).and_then(|rest| rest.split('\n').next());
        next.is_some_and(|line| line.trim().is_empty())
    });
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(STRUCK_BYTES_MAX)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{comments, without_unsaid};

    /// What is said, with single spaces; nothing moves.
    #[track_caller]
    fn check(page: &str, expected: &str) {
        let said = without_unsaid(page);
        assert_eq!(said.len(), page.len(), "{page}");
        assert_eq!(said.matches('\n').count(), page.matches('\n').count(), "{page}");
        assert_eq!(said.split([' ']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn comments_and_struck_words_are_left_out() {
        check("It is <!-- was > it? --> old.", "It is old.");
        check("It is\n<!-- a\n\nb é -->\nold.", "It is\n \n\n \nold.");
        check(
            "It cost ~~80~~ 86 <del>pounds</del> <S class=x>or\nso</S> <s>x</s>crowns.",
            "It cost 86 \n crowns.",
        );
        check("~~gone\naway~~ here", "\n here");
        for said in [
            "`<!-- a -->` and ``~~b~~``",
            "```\n<!-- a -->\n~~b~~\n```",
            "~~~\n~~b~~\n~~~",
            "a ~~ b ~~ c",
            "a ~~b\n\nc~~",
            "a ~~~b~~~ c",
            "a \\~~b~~ <!-- c",
            "about ~5 to ~6, <section>, <delta>",
            "<s>never ended",
        ] {
            check(said, said);
        }
        assert_eq!(comments("a <!-- b --> ~~c~~ <!--d-->"), "<!-- b --> <!--d-->");
    }

    #[test]
    fn long_pages_are_read_in_time() {
        for piece in ["~~a ", "<!--", "`", "<s>", "``a`", "~~", "\\", "<del> ~~"] {
            assert_eq!(without_unsaid(&piece.repeat(50_000)).len(), piece.len() * 50_000);
        }
    }
}
