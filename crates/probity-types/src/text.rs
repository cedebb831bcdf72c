//! Makes foreign text safe to show and to store: bounded, and without characters that act.

/// At most `characters_max` characters, with an ellipsis where something was cut.
pub fn short(text: &str, characters_max: usize) -> String {
    if text.chars().count() <= characters_max {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(characters_max.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

/// One line without control, bidirectional, zero-width or tag characters.
/// Provider text reaches terminals, logs and notifications: none of them may be steered by it.
pub fn line(text: &str, characters_max: usize) -> String {
    let mut kept = String::with_capacity(text.len().min(characters_max.saturating_add(2)));
    let mut characters = 0_usize;
    let mut is_apart = false;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        // Letters `a` to `z`, digits and their signs come in runs, and none of them acts. One more than may stay:
        // enough to see that something is cut, and a long text is not read to its end.
        let room = characters_max.saturating_sub(characters).saturating_add(1);
        let run = rest.bytes().take(room).take_while(u8::is_ascii_graphic).count();
        let length = if run > 0 { run } else { character.len_utf8() };
        let (Some(part), Some(behind)) = (rest.get(..length), rest.get(length..)) else { break };
        rest = behind;
        if character.is_whitespace() {
            is_apart = characters > 0;
            continue;
        }
        if acts(character) {
            continue;
        }
        if std::mem::take(&mut is_apart) {
            kept.push(' ');
            characters += 1;
        }
        kept.push_str(part);
        characters += run.max(1);
        if characters > characters_max {
            break;
        }
    }
    if characters > characters_max { short(&kept, characters_max) } else { kept }
}

/// The same for text of several lines: line breaks and tabs stay.
pub fn block(text: &str) -> String {
    into_block(text.to_owned())
}

/// The same without a copy: a report may have megabytes.
pub fn into_block(mut text: String) -> String {
    text.retain(|c| matches!(c, '\n' | '\t') || !acts(c));
    text
}

/// The lines of a text that hold something, each as `line` makes it, until so many characters are used.
pub fn rows(text: &str, characters_max: usize) -> Vec<String> {
    let mut left = characters_max;
    let mut rows = Vec::new();
    for row in text.lines().map(|row| line(row, characters_max)).filter(|row| !row.is_empty()) {
        if left == 0 {
            break;
        }
        let row = short(&row, left);
        left = left.saturating_sub(row.chars().count());
        rows.push(row);
    }
    rows
}

/// Characters that change what a reader or a terminal sees without being seen.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00AD}' | '\u{061C}' | '\u{180E}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests;
