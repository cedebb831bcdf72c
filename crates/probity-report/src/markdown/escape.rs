//! Escapes foreign text for Markdown and its front matter.

use probity_types::text as clean;

/// A line of text: every character that Markdown, HTML or a viewer's additions could read is written so that it is not.
pub fn text(foreign: &str) -> String {
    let mut kept = String::with_capacity(foreign.len() + 8);
    for character in clean::block(foreign).chars() {
        match character {
            '<' => kept.push_str("&lt;"),
            '>' => kept.push_str("&gt;"),
            '&' => kept.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '$' | '^' | '{' | '}' => {
                kept.push('\\');
                kept.push(character);
            }
            '\n' | '\t' => kept.push(' '),
            _ => kept.push(character),
        }
    }
    kept
}

/// The first line of a block: what would make a list, a rule or a heading of it is escaped.
pub fn first(line: &str) -> String {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if line.starts_with(['-', '+', '=', ':']) {
        return format!("\\{line}");
    }
    match line.split_at_checked(digits) {
        Some((number, rest)) if digits > 0 && rest.starts_with(['.', ')']) => format!("{number}\\{rest}"),
        _ => line.to_owned(),
    }
}

/// A span of code; sequences that would act in a viewer that does not see the code are split by a space.
pub fn code(foreign: &str) -> String {
    let inert = inert(&clean::line(foreign, 2_000)).replace('|', "¦");
    if inert.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest(&inert) + 1);
    format!("{fence} {inert} {fence}")
}

pub fn code_block(language: &str, foreign: &str) -> Vec<String> {
    let inert = inert(&clean::block(foreign));
    let fence = "`".repeat((longest(&inert) + 1).max(3));
    let language: String =
        language.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-')).collect();
    let mut lines = vec![format!("{fence}{language}")];
    lines.extend(inert.trim_end().lines().map(str::to_owned));
    lines.push(fence);
    lines
}

/// A web address with everything that Markdown could read in percent form; none if it is not one.
pub fn address(url: &str) -> Option<String> {
    if !(url.starts_with("https://") || url.starts_with("http://")) {
        return None;
    }
    let mut kept = String::with_capacity(url.len());
    for character in clean::line(url, 8_000).chars() {
        match character {
            ' ' | '<' | '>' | '"' | '`' | '\\' | '^' | '{' | '|' | '}' | '[' | ']' | '(' | ')' | '*'
            | '\'' | '!' => {
                kept.push_str(&format!("%{:02X}", u32::from(character)));
            }
            '&' => kept.push_str("&amp;"),
            _ => kept.push(character),
        }
    }
    Some(kept)
}

/// A YAML string in double quotes that no viewer can read as anything else.
pub fn yaml(foreign: &str) -> String {
    let mut kept = String::from("\"");
    for character in clean::block(foreign).chars() {
        match character {
            '"' => kept.push_str("\\\""),
            '\\' => kept.push_str("\\\\"),
            '\n' => kept.push_str("\\n"),
            '\t' => kept.push_str("\\t"),
            // Viewers that do not know front matter show it as Markdown.
            '<' | '[' | ']' | '&' | '!' | '`' => kept.push_str(&format!("\\x{:02X}", u32::from(character))),
            '\u{FFFE}' | '\u{FFFF}' => kept.push_str(&format!("\\u{:04X}", u32::from(character))),
            _ => kept.push(character),
        }
    }
    kept.push('"');
    kept
}

fn longest(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

/// Tags and images lose what makes them one.
fn inert(code: &str) -> String {
    let mut kept = String::with_capacity(code.len());
    let mut characters = code.chars().peekable();
    while let Some(character) = characters.next() {
        kept.push(character);
        let opens = |next: &char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?');
        let acts = match character {
            '<' => characters.peek().is_some_and(opens),
            '!' => characters.peek() == Some(&'['),
            ']' => characters.peek().is_some_and(|next| matches!(next, '(' | ':')),
            _ => false,
        };
        if acts {
            kept.push(' ');
        }
    }
    kept
}
