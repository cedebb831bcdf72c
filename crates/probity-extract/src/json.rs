//! JSON as text: each value on a line of its own with its key, in the order of the page.
//!
//! A scanner, not a parser: it needs no memory per level, and a document that breaks off is read up to there.

use probity_types::web::page::{Extract, ExtractBlockKind};

use crate::{
    clean::{TextCleaner, WhiteSpace},
    extract::ExtractWriter,
};

pub fn extract(page: &str) -> Extract {
    let mut writer = ExtractWriter::default();
    let mut key: Option<String> = None;
    let bytes = page.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'"' => {
                at = end_of_string(bytes, start);
                let text = unescaped(page.get(start + 1..at.saturating_sub(1)).unwrap_or_default());
                let next =
                    bytes.get(at..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
                if next == Some(&b':') {
                    key = Some(text);
                } else {
                    value(&mut writer, key.as_deref(), &text, (start, at));
                }
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => {
                at += 1;
                if matches!(byte, b'{' | b'}' | b']') {
                    key = None;
                }
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"{}[],:\"".contains(byte);
                let rest = bytes.get(start..).unwrap_or_default();
                at = start + rest.iter().position(is_end).unwrap_or(rest.len());
                value(&mut writer, key.as_deref(), page.get(start..at).unwrap_or_default(), (start, at));
            }
        }
    }
    writer.extract
}

fn value(writer: &mut ExtractWriter, key: Option<&str>, text: &str, source: (usize, usize)) {
    let mut cleaner = TextCleaner::default();
    cleaner.push(text, WhiteSpace::Collapsed);
    if cleaner.text.is_empty() || cleaner.text == "null" {
        return;
    }
    let line = key.map_or_else(|| cleaner.text.clone(), |key| format!("{key}: {}", cleaner.text));
    writer.push(ExtractBlockKind::ListItem, &line, Some(source));
}

/// One past the closing quotation mark, or the end of the page.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
        }
    }
}

fn unescaped(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    let mut quoted = String::with_capacity(raw.len() + 2);
    quoted.push('"');
    // Line breaks inside strings are wrong and common.
    quoted.extend(raw.chars().map(|c| if c.is_control() { ' ' } else { c }));
    quoted.push('"');
    serde_json::from_str(&quoted).unwrap_or_else(|_| raw.to_owned())
}

#[cfg(test)]
mod tests {
    use super::extract;

    #[test]
    fn values_stand_with_their_keys_and_places() {
        let page = r#"{"name": "K\u00e9ttle", "tags": ["hot", "new"], "x": {"degrees": 100, "y": null}, "end": "brok"#;
        let found = extract(page);
        assert_eq!(found.text, "name: Kéttle\ntags: hot\ntags: new\ndegrees: 100\nend: bro");
        let source = found.blocks[3].source.unwrap();
        assert_eq!(page.get(source.0..source.1).unwrap(), "100");
    }

    #[test]
    fn depth_costs_nothing() {
        let page = format!("{}1{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(extract(&page).text, "1");
    }
}
