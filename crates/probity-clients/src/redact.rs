//! A line of a settings file with its values redacted: keys stay. Settings files contain tokens, and a diff
//! is shown on screens and kept in logs.

/// Replaces every value.
const VALUE: &str = "…";

/// Keys, brackets and numbers stay; texts, plain words and comments do not.
pub fn redact_values(line: &str) -> String {
    let margin: String = line.chars().take_while(|letter| letter.is_whitespace()).collect();
    let text = line.trim();
    for comment in ["//", "/*", "*", "#"] {
        if text.starts_with(comment) {
            return format!("{margin}{comment} {VALUE}");
        }
    }
    if text.starts_with('[') && text.ends_with(']') && !text.contains(['"', '\'', ',']) {
        return line.to_owned();
    }
    if !text.is_empty() && !text.contains([':', '=', '"', '\'', '{', '}', '[', ']']) {
        return format!("{margin}{VALUE}");
    }
    format!("{margin}{}", redact_text(text))
}

fn redact_text(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    // After a separator comes a value, whatever follows it: an address has colons of its own.
    let mut in_value = false;
    while let Some(first) = rest.chars().next() {
        let (piece, tail) = match first {
            '"' | '\'' => literal(rest, first),
            '{' | '}' | '[' | ']' | ',' | ':' | '=' | ' ' | '\t' => rest.split_at(first.len_utf8()),
            _ => {
                rest.split_at(rest.find(['{', '}', '[', ']', ',', ':', '=', '"', '\'']).unwrap_or(rest.len()))
            }
        };
        let is_key = !in_value && tail.trim_start().starts_with([':', '=']);
        in_value = match first {
            ':' | '=' => true,
            '{' | '}' | '[' | ']' | ',' => false,
            _ => in_value,
        };
        shown.push_str(&match first {
            '"' | '\'' if !is_key => format!("{first}{VALUE}{first}"),
            '"' | '\'' | '{' | '}' | '[' | ']' | ',' | ':' | '=' | ' ' | '\t' => piece.to_owned(),
            _ if is_key || is_plain(piece.trim()) => piece.to_owned(),
            _ => VALUE.to_owned(),
        });
        // After an address or a time the colon is no separator: everything after a plain word is redacted
        // with it.
        let hidden_word = !"\"'{}[],:= \t".contains(first) && !is_key && !is_plain(piece.trim());
        rest = if hidden_word {
            tail.find([',', '}', ']']).map_or("", |at| tail.get(at..).unwrap_or_default())
        } else {
            tail
        };
    }
    shown
}

/// A quoted text up to its own end, or to the end of the line.
fn literal(text: &str, quote: char) -> (&str, &str) {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            letter if letter == quote => return text.split_at(at + letter.len_utf8()),
            _ => {}
        }
    }
    (text, "")
}

/// Contains nothing private.
fn is_plain(word: &str) -> bool {
    let number = word.len() <= 12 && word.parse::<f64>().is_ok();
    number || matches!(word, "" | "true" | "false" | "null" | "-")
}

#[cfg(test)]
mod tests {
    use super::redact_values;

    #[test]
    fn keys_stay_and_values_go() {
        for (line, shown) in [
            ("  \"TOKEN\": \"hunter2\", // x", "  \"TOKEN\": \"…\", …"),
            (
                "{\"a\":{\"env\":{\"K\":\"hunter2\"}},\"b\":[\"--key=hunter2\"]}",
                "{\"a\":{\"env\":{\"K\":\"…\"}},\"b\":[\"…\"]}",
            ),
            ("TOKEN = 'hunter2'", "TOKEN = '…'"),
            ("    TOKEN: hunter2", "    TOKEN: …"),
            ("    url: https://a:hunter2@b.example/x", "    url: …"),
            ("    envs: {A: hunter2, B: 1}", "    envs: {A: …, B: 1}"),
            ("timeout = 300", "timeout = 300"),
            ("  \"enabled\": true,", "  \"enabled\": true,"),
            ("# TOKEN=hunter2", "# …"),
            ("hunter2", "…"),
            ("  hunter2 on a line of its own", "  …"),
            ("[mcp_servers.notes.env]", "[mcp_servers.notes.env]"),
            ("  \"a\\\"b\": \"x\\\"hunter2\"", "  \"a\\\"b\": \"…\""),
            ("  \"open: hunter2", "  \"…\""),
            ("}", "}"),
            ("", ""),
        ] {
            assert_eq!(redact_values(line), shown);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_quoted_value_never_shows(key in "[a-z]{1,8}", value in "[a-zA-Z0-9:=,{}\\[\\] /#]{3,40}hunter2") {
            let told = redact_values(&format!("  \"{key}\": \"{value}\","));
            assert_eq!(told, format!("  \"{key}\": \"…\","));
        }
    }
}
