//! The text between quotation marks, in every language's marks.

/// A quotation is not longer; an opening mark without an end must not swallow a report.
const QUOTATION_BYTES_MAX: usize = 2_000;
/// Straight marks also mean inches and seconds, so that they must close soon.
const STRAIGHT_BYTES_MAX: usize = 600;

/// The bytes between the outermost pairs of quotation marks, without the marks.
pub fn quotations(text: &str, start: usize, end: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = start;
    let mut before: Option<char> = None;
    while let Some(c) = text.get(at..end).and_then(|rest| rest.chars().next()) {
        let inside = at + c.len_utf8();
        let next = match close(text, c, before, inside, end) {
            Some((close, behind)) => {
                found.push((inside, close));
                behind
            }
            None => inside,
        };
        before = Some(c);
        at = next;
    }
    found
}

/// Where the quotation that `open` begins ends, and the place after its mark.
fn close(text: &str, open: char, before: Option<char>, inside: usize, end: usize) -> Option<(usize, usize)> {
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
        _ => return None,
    };
    let is_straight = matches!(open, '"' | '＂' | '‘');
    if is_straight
        && before.is_some_and(char::is_alphanumeric)
        && !before.is_some_and(super::script::is_dense)
    {
        return None;
    }
    let bytes_max = if is_straight { STRAIGHT_BYTES_MAX } else { QUOTATION_BYTES_MAX };
    let rest = text.get(inside..end)?;
    if rest.starts_with(char::is_whitespace) && is_straight {
        return None;
    }
    let mut last = open;
    let mut depth = 0_u32;
    for (offset, c) in rest.char_indices() {
        if offset > bytes_max {
            return None;
        }
        if closers.contains(&c) && depth > 0 {
            depth -= 1;
        } else if closers.contains(&c) {
            let behind = inside + offset + c.len_utf8();
            let after = text.get(behind..end).and_then(|rest| rest.chars().next());
            let is_apostrophe = open == '‘' && after.is_some_and(char::is_alphanumeric);
            let is_opening = is_straight && last.is_whitespace();
            if !is_apostrophe && !is_opening {
                return (offset > 0).then_some((inside + offset, behind));
            }
        } else if c == open && !is_straight {
            depth += 1;
        }
        last = c;
    }
    None
}
