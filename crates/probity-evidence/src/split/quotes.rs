//! The text between quotation marks, in every language's marks.

/// A quotation is not longer; an opening mark without an end must not swallow a report.
const QUOTATION_BYTES_MAX: usize = 2_000;
/// Bytes that are read to find closing marks, for each byte of a block. Ordinary text needs fewer than two; after so
/// many the rest of the block has no quotations, for only a text made to hold the reader up goes there.
const READ_PER_BYTE_MAX: usize = 64;
/// The same for a block of a few words.
const READ_MIN: usize = 16 * 1024;
/// Straight marks also mean inches and seconds, so that they must close soon.
const STRAIGHT_BYTES_MAX: usize = 600;

/// The bytes between the outermost pairs of quotation marks, without the marks.
pub fn quotations(text: &str, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = start;
    let mut before: Option<char> = None;
    let mut left = READ_MIN + (end - start).saturating_mul(READ_PER_BYTE_MAX);
    while left > 0
        && let Some(c) = text.get(at..end).and_then(|rest| rest.chars().next())
    {
        let inside = at + c.len_utf8();
        let next = match close(text, c, before, inside, end) {
            CloseSearch::Found { close, behind } => {
                found.push((inside, close));
                behind
            }
            CloseSearch::Missing { read } => {
                left = left.saturating_sub(read);
                inside
            }
        };
        before = Some(c);
        at = next;
    }
    found
}

/// Where the quotation ends that an opening mark begins.
enum CloseSearch {
    Found { close: usize, behind: usize },
    Missing { read: usize },
}

fn close(text: &str, open: char, before: Option<char>, inside: usize, end: usize) -> CloseSearch {
    const AT_ONCE: CloseSearch = CloseSearch::Missing { read: 0 };
    let closers: &[char] = match open {
        '“' => &['”'],
        '„' => &['“', '”'],
        '«' => &['»'],
        '»' => &['«'],
        '‹' => &['›'],
        '「' => &['」'],
        '『' => &['』'],
        '〝' => &['〟', '〞'],
        '‘' => &['’'],
        '"' | '＂' => &['"', '＂'],
        _ => return AT_ONCE,
    };
    let is_straight = matches!(open, '"' | '＂' | '‘');
    if is_straight
        && before.is_some_and(char::is_alphanumeric)
        && !before.is_some_and(super::script::is_dense)
    {
        return AT_ONCE;
    }
    let bytes_max = if is_straight { STRAIGHT_BYTES_MAX } else { QUOTATION_BYTES_MAX };
    let rest = text.get(inside..end).unwrap_or_default();
    if rest.starts_with(char::is_whitespace) && is_straight {
        return AT_ONCE;
    }
    let mut last = open;
    let mut depth = 0_u32;
    for (offset, c) in rest.char_indices() {
        if offset > bytes_max {
            return CloseSearch::Missing { read: offset };
        }
        if closers.contains(&c) && depth > 0 {
            depth -= 1;
        } else if closers.contains(&c) {
            let behind = inside + offset + c.len_utf8();
            let after = text.get(behind..end).and_then(|rest| rest.chars().next());
            let is_apostrophe = open == '‘' && after.is_some_and(char::is_alphanumeric);
            let is_opening = is_straight && last.is_whitespace();
            if !is_apostrophe && !is_opening {
                return match offset {
                    0 => AT_ONCE,
                    _ => CloseSearch::Found { close: inside + offset, behind },
                };
            }
        } else if c == open && !is_straight {
            depth += 1;
        }
        last = c;
    }
    CloseSearch::Missing { read: rest.len() }
}
