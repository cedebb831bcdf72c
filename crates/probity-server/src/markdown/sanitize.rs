//! Removes from foreign text what could act in a Markdown viewer: images, HTML, script links, hidden
//! characters.
//!
//! Works on characters, not on a parsed document: what is left is inert in every reading of it, so that no
//! difference between viewers matters. Headings, tables, lists, code and web links stay as they were.

mod code_tracker;

use probity_research::text;

use self::code_tracker::{CodeContext, CodeTracker};

/// Longest address between angle brackets that is still taken for one.
const ADDRESS_CHARACTERS_MAX: usize = 4_096;
/// A link whose target is not clearly harmless within this many characters is taken apart.
const TARGET_CHARACTERS_MAX: usize = 256;
/// Longest character reference considered: the longest name below, with its marks.
const REFERENCE_CHARACTERS_MAX: usize = 26;

/// Characters at which a checked piece may begin.
const SPECIAL_CHARACTERS: [char; 7] = ['!', '<', ']', '[', '&', '`', '\n'];

/// Names of invisible characters, as HTML knows them.
const UNSEEN: &[&str] = &[
    "shy",
    "lrm",
    "rlm",
    "zwj",
    "zwnj",
    "ZeroWidthSpace",
    "NegativeVeryThinSpace",
    "NegativeThinSpace",
    "NegativeMediumSpace",
    "NegativeThickSpace",
    "NoBreak",
    "ApplyFunction",
    "af",
    "InvisibleTimes",
    "it",
    "InvisibleComma",
    "ic",
];

/// A report: Markdown that stays Markdown.
pub fn sanitize_report(report: &str) -> String {
    let text = text::block(report);
    let text = text.trim();
    let mut kept = String::with_capacity(text.len() + text.len() / 16);
    let mut spot = CodeTracker::default();
    let mut rest = text;
    while !rest.is_empty() {
        spot.look_ahead(rest);
        let used = write_inert(rest, spot.code_context(), &mut kept);
        let (passed, left) = rest.split_at_checked(used).unwrap_or((rest, ""));
        spot.advance(passed);
        rest = left;
    }
    // What follows the report must not become part of a code block that it left open.
    if let Some(fence) = spot.open_fence() {
        kept.push('\n');
        kept.push_str(&fence);
    }
    without_front_matter(kept)
}

/// One line of text that means only itself: a title, a question.
pub fn sanitize_line(foreign: &str, characters_max: usize) -> String {
    let line = text::line(foreign, characters_max);
    let mut kept = String::with_capacity(line.len() + 8);
    for character in line.chars() {
        match character {
            '<' => kept.push_str("&lt;"),
            '>' => kept.push_str("&gt;"),
            '&' => kept.push_str("&amp;"),
            '-' | '+' if kept.is_empty() => {
                kept.push('\\');
                kept.push(character);
            }
            '(' | ':' if kept.ends_with(']') => {
                kept.push('\\');
                kept.push(character);
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '$' => {
                kept.push('\\');
                kept.push(character);
            }
            _ => kept.push(character),
        }
    }
    kept
}

/// A web address in full, or nothing if it is not one. What Markdown could read is written in percent form.
pub fn sanitize_web_address(foreign: &str) -> Option<String> {
    let address = text::line(foreign, ADDRESS_CHARACTERS_MAX);
    if !is_web(&address) {
        return None;
    }
    let mut kept = String::with_capacity(address.len());
    for (at, character) in address.char_indices() {
        match character {
            '&' if is_unseen_reference(address.get(at..).unwrap_or_default()) => kept.push_str("&amp;"),
            ' ' | '<' | '>' | '"' | '`' | '\\' | '^' | '{' | '|' | '}' | '[' | ']' => {
                kept.push_str(&format!("%{:02X}", u32::from(character)));
            }
            _ => kept.push(character),
        }
    }
    Some(kept)
}

/// A value of the front matter: a YAML string in double quotes that no viewer can read as anything else.
pub fn quote_front_matter(foreign: &str) -> String {
    let mut kept = String::from("\"");
    for character in text::block(foreign).chars() {
        match character {
            '"' => kept.push_str("\\\""),
            '\\' => kept.push_str("\\\\"),
            '\n' => kept.push_str("\\n"),
            '\t' => kept.push_str("\\t"),
            // Viewers that do not know front matter show it as Markdown.
            '<' | '[' | ']' | '&' => kept.push_str(&format!("\\x{:02X}", u32::from(character))),
            '\u{FFFE}' | '\u{FFFF}' => kept.push_str(&format!("\\u{:04X}", u32::from(character))),
            _ => kept.push(character),
        }
    }
    kept.push('"');
    kept
}

/// The first piece of a finished file that a viewer would load, run or hide; tests look for it.
/// Written without the code above, so that it does not share its mistakes.
pub fn find_active_markup(markdown: &str) -> Option<String> {
    let shown = |at: usize| markdown.get(at..).map(|rest| text::short(rest, 40)).unwrap_or_default();
    let opens_tag = |next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
    for (at, character) in markdown.char_indices() {
        let rest = markdown.get(at..).unwrap_or_default();
        let next = rest.chars().nth(1);
        let acts = match character {
            '<' => next.is_some_and(opens_tag),
            '!' => next == Some('['),
            ']' => {
                let target = rest.strip_prefix("](").or_else(|| rest.strip_prefix("]:"));
                target.is_some_and(|target| {
                    let word = target.trim_start().trim_start_matches('<').to_ascii_lowercase();
                    ["javascript:", "data:", "vbscript:", "file:"]
                        .iter()
                        .any(|scheme| word.starts_with(scheme))
                })
            }
            '\n' | '\t' => false,
            _ => text::block(character.encode_utf8(&mut [0; 4])).is_empty(),
        };
        if acts {
            return Some(shown(at));
        }
    }
    None
}

/// Writes the beginning of `rest` in a form that cannot act; returns how many bytes it used.
fn write_inert(rest: &str, code: CodeContext, kept: &mut String) -> usize {
    if rest.starts_with("![") {
        kept.push_str(if code == CodeContext::InCode { "! " } else { "image: " });
        return 1;
    }
    if rest.starts_with('<') {
        return write_angle_bracket(rest, code, kept);
    }
    if rest.starts_with("](") || rest.starts_with("]:") {
        kept.push(']');
        if !is_harmless_target(rest.get(2..).unwrap_or_default()) {
            kept.push(' ');
        }
        return 1;
    }
    if rest.starts_with("[[") && !is_harmless_page_name(rest.get(2..).unwrap_or_default()) {
        kept.push_str("[ ");
        return 1;
    }
    if rest.starts_with('&') && code == CodeContext::OutsideCode && is_unseen_reference(rest) {
        kept.push_str("&amp;");
        return 1;
    }
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let behind = rest.get(first..).unwrap_or_default();
    // Letters and the like are most of a text: they are taken together.
    let used = first + behind.find(SPECIAL_CHARACTERS).unwrap_or(behind.len());
    let used = if rest.starts_with('\n') { first } else { used };
    kept.push_str(rest.get(..used).unwrap_or_default());
    used
}

/// `<`: an address in brackets loses them, a line break becomes a space, every other tag becomes text.
fn write_angle_bracket(rest: &str, code: CodeContext, kept: &mut String) -> usize {
    let inside = rest.get(1..).unwrap_or_default();
    let opens_tag =
        inside.starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
    match (opens_tag, code) {
        // `<<https://…>` would lose its inner brackets and become a link.
        (false, CodeContext::OutsideCode) if inside.starts_with('<') => {}
        (false, _) => {
            kept.push('<');
            return 1;
        }
        (true, CodeContext::InCode) => {
            kept.push_str("< ");
            return 1;
        }
        (true, CodeContext::OutsideCode) => {}
    }
    if let Some((end, address)) = bracketed_address(inside) {
        kept.push_str(&address);
        return end + 2;
    }
    if let Some((end, word)) = bracketed_word(inside)
        && word.trim_end_matches('/').trim_end().eq_ignore_ascii_case("br")
    {
        kept.push(' ');
        return end + 2;
    }
    kept.push_str("&lt;");
    1
}

/// Whether the text behind `](` or `]:` leads to the web, to a heading of the same page or to a file beside
/// it.
/// Anything that could become another scheme, in whatever disguise, does not.
fn is_harmless_target(behind: &str) -> bool {
    if let Some(inside) = behind.trim_start().strip_prefix('<') {
        // Any other bracket is written as text, and then it is a part of the address.
        return bracketed_address(inside).is_some();
    }
    let behind: String = behind.chars().take(TARGET_CHARACTERS_MAX).collect();
    let target = behind.trim_start();
    if is_web(target) || starts_without_case(target, "mailto:") {
        return true;
    }
    // As Markdown has it: any other space, such as one that does not break, is a part of the address.
    let end = target.find(|c: char| c.is_ascii_whitespace() || matches!(c, ')' | ':' | '&' | '\\' | '<'));
    end.and_then(|end| target.get(end..)?.chars().next()).is_some_and(|c| c.is_ascii_whitespace() || c == ')')
}

/// The word up to `>` of text behind `<`, in the form it is written in, if it is a web address.
fn bracketed_address(inside: &str) -> Option<(usize, String)> {
    let (end, word) = bracketed_word(inside)?;
    Some((end, sanitize_web_address(word).filter(|_| !word.contains(' '))?))
}

/// The word up to `>` of text behind `<`, and its length.
fn bracketed_word(inside: &str) -> Option<(usize, &str)> {
    let mut near = inside.char_indices().take(ADDRESS_CHARACTERS_MAX);
    let (end, _) = near.find(|(_, c)| matches!(c, '<' | '>' | '\n')).filter(|(_, c)| *c == '>')?;
    Some((end, inside.get(..end)?))
}

/// Whether the text behind `[[`, which some viewers take for the name of a page, names no scheme either.
fn is_harmless_page_name(behind: &str) -> bool {
    let near: String = behind.chars().take(TARGET_CHARACTERS_MAX).collect();
    near.split_once("]]").is_some_and(|(name, _)| !name.contains([':', '&', '\\']))
}

fn is_web(address: &str) -> bool {
    starts_without_case(address, "https://") || starts_without_case(address, "http://")
}

fn starts_without_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// `&#8238;`, `&rlm;`: a reference that a viewer turns into a character which is not seen.
fn is_unseen_reference(rest: &str) -> bool {
    let near: String = rest.chars().skip(1).take(REFERENCE_CHARACTERS_MAX).collect();
    let Some((name, _)) = near.split_once(';') else { return near.starts_with('#') };
    let number = match name.strip_prefix('#') {
        Some(digits) => match digits.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        },
        None => return UNSEEN.contains(&name),
    };
    let character = number.and_then(char::from_u32);
    character.is_none_or(|c| text::block(c.encode_utf8(&mut [0; 4])).is_empty())
}

/// A first line that a viewer could take for the start of metadata becomes a plain rule, or plain text.
fn without_front_matter(text: String) -> String {
    let first = text.lines().next().unwrap_or_default().trim_end();
    match first {
        "---" | "+++" => text.replacen(first, "***", 1),
        _ if first.starts_with("---") || first.starts_with("+++") => format!("\\{text}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests;
