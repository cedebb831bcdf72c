//! Two answers field by field, without those that are each engine's own.

use serde_json::Value;

/// Fields that are not compared, and why.
pub const OWN_FIELDS: &[(&str, &str)] = &[
    ("answer.task_id", "random"),
    ("answer.metadata.duration_ms", "a clock"),
    ("answer.metadata.timestamp", "a clock"),
    ("answer.metadata.engine", "its name"),
    ("answer.metadata.cost_usd", "the CLI makes other calls and counts only some"),
    ("answer.metadata.cost_basis", "follows the cost"),
    ("answer.error.message", "the provider's words, which are its two APIs' own; the code is compared"),
];

/// Where a text quotes the provider: before it, between it and the rest. What stands around it is compared.
const QUOTES: &[(&str, &str, &str)] = &[
    ("answer.note", "a round failed for good: ", "; this is the best result"),
    ("answer.metadata.rounds.*.problem", ": ", ""),
];

/// Longest piece of a value that is shown.
const SHOWN_CHARACTERS_MAX: usize = 160;

/// One line for each field that differs.
pub fn differences(one: &Value, other: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", one, other, &mut found);
    found
}

fn compare(path: &str, one: &Value, other: &Value, found: &mut Vec<String>) {
    if OWN_FIELDS.iter().any(|(field, _)| *field == path) {
        return;
    }
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match (one, other) {
        (Value::Object(ones), Value::Object(others)) => {
            let missing = Value::Null;
            let names = ones.keys().chain(others.keys().filter(|name| !ones.contains_key(*name)));
            for name in names {
                let (one, other) = (ones.get(name).unwrap_or(&missing), others.get(name).unwrap_or(&missing));
                compare(&below(name), one, other, found);
            }
        }
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
            for (place, (one, other)) in ones.iter().zip(others).enumerate() {
                compare(&below(&place.to_string()), one, other, found);
            }
        }
        _ if one == other => {}
        (Value::String(one), Value::String(other)) if unquoted(path, one) == unquoted(path, other) => {}
        _ => found.push(format!("{path}: {} | {}", shown(one), shown(other))),
    }
}

/// The text without the words that it quotes.
fn unquoted(path: &str, text: &str) -> String {
    let Some((_, before, after)) = QUOTES.iter().find(|(field, ..)| names(field, path)) else {
        return text.to_owned();
    };
    match text.split_once(before) {
        Some((head, rest)) if after.is_empty() => format!("{head}{before}{}", usize::from(!rest.is_empty())),
        Some((head, rest)) => {
            let tail = rest.split_once(after).map(|(_, tail)| tail);
            format!("{head}{before}{after}{}", tail.unwrap_or(rest))
        }
        None => text.to_owned(),
    }
}

/// Whether `path` is one that `field` stands for; `*` stands for any one part.
fn names(field: &str, path: &str) -> bool {
    let (mut wanted, mut parts) = (field.split('.'), path.split('.'));
    loop {
        match (wanted.next(), parts.next()) {
            (None, None) => return true,
            (Some(wanted), Some(part)) if wanted == "*" || wanted == part => {}
            _ => return false,
        }
    }
}

fn shown(value: &Value) -> String {
    value.to_string().chars().take(SHOWN_CHARACTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::differences;

    #[test]
    fn own_fields_are_left_out_and_every_other_one_is_told() {
        let one = json!({"answer": {"task_id": "a", "metadata": {"engine": "x", "rounds": [{"n": 1}], "stop": "limit"}}});
        let other = json!({"answer": {"task_id": "b", "metadata": {"engine": "y", "rounds": [{"n": 2}]}}});
        assert_eq!(differences(&one, &one), Vec::<String>::new());
        assert_eq!(
            differences(&one, &other),
            ["answer.metadata.rounds.0.n: 1 | 2", "answer.metadata.stop: \"limit\" | null"]
        );
    }

    #[test]
    fn the_providers_words_may_differ_and_what_stands_around_them_may_not() {
        let told = |problem: &str, note: &str| json!({"answer": {"note": note, "metadata": {"rounds": [{"problem": problem}]}}});
        let note = |words: &str, round: u32| {
            format!(
                "Not verified: a round failed for good: {words}; this is the best result obtained, from round {round}."
            )
        };
        let one = told("KEY_REFUSED: no", &note("no", 1));
        assert_eq!(differences(&one, &told("KEY_REFUSED: never", &note("never", 1))), Vec::<String>::new());
        assert_eq!(differences(&one, &told("TIMEOUT: no", &note("no", 1))).len(), 1);
        assert_eq!(differences(&one, &told("KEY_REFUSED: no", &note("no", 2))).len(), 1);
    }
}
