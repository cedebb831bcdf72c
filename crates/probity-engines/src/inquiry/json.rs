//! Finds the JSON object in what a model wrote. Whole items of an answer that breaks off are kept, half ones are not.

use probity_research::rounds::answer::{AnswerError, extract_json};
use serde_json::Value;

/// Deeper nesting than any answer needs.
const DEPTH_MAX: usize = 32;

#[derive(Debug, PartialEq)]
pub(crate) struct FoundObject {
    pub(crate) value: Value,
    /// The text broke off; only its whole items are here.
    pub(crate) cut: bool,
}

pub(crate) fn find_object(text: &str) -> Result<FoundObject, AnswerError> {
    let text = without_fence(text);
    let end = ObjectEnd::of(text);
    let problem = match extract_json::<Value>(text) {
        Ok(value) if end != ObjectEnd::Open => return object(value, false),
        Ok(_) => AnswerError::Cut,
        Err(problem) => problem,
    };
    match problem {
        AnswerError::Empty | AnswerError::TooLong => Err(problem),
        AnswerError::Cut | AnswerError::NoJson | AnswerError::OtherShape | AnswerError::NoReport => {
            match whole_items(text) {
                Some(mended) => extract_json(&mended).and_then(|value| object(value, true)),
                None => Err(problem),
            }
        }
    }
}

/// A list around the object is a common slip.
fn object(value: Value, cut: bool) -> Result<FoundObject, AnswerError> {
    let found = match value {
        Value::Object(_) => Some(value),
        Value::Array(items) => items.into_iter().find(Value::is_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    };
    found.map(|value| FoundObject { value, cut }).ok_or(AnswerError::NoJson)
}

fn without_fence(text: &str) -> &str {
    match text.split_once("```") {
        Some((before, behind)) if !before.contains('{') => {
            behind.rsplit_once("```").map_or(behind, |(inside, _)| inside)
        }
        Some(_) | None => text,
    }
}

/// Whether the first object of a text is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObjectEnd {
    Missing,
    Open,
    Closed,
}

impl ObjectEnd {
    fn of(text: &str) -> Self {
        match text.find('{') {
            None => Self::Missing,
            Some(start) => match BracketScan::of(text.get(start..).unwrap_or_default()).closed {
                true => Self::Closed,
                false => Self::Open,
            },
        }
    }
}

/// The text up to its last whole item, with its brackets closed.
fn whole_items(text: &str) -> Option<String> {
    let text = text.get(text.find('{')?..)?;
    let scan = BracketScan::of(text);
    let (end, open) = scan.last_whole.filter(|_| !scan.closed)?;
    let closers: String = open.into_iter().rev().map(char::from).collect();
    Some(format!("{}{closers}", text.get(..end)?))
}

/// Brackets outside of strings, from the first one of a text.
struct BracketScan {
    closed: bool,
    /// Where the last whole item ends, and the brackets to close there.
    last_whole: Option<(usize, Vec<u8>)>,
}

impl BracketScan {
    fn of(text: &str) -> Self {
        let mut scan = Self { closed: false, last_whole: None };
        let (mut open, mut in_string, mut escaped) = (Vec::<u8>::new(), false, false);
        for (place, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'{' if open.len() < DEPTH_MAX => open.push(b'}'),
                b'[' if open.len() < DEPTH_MAX => open.push(b']'),
                b'{' | b'[' => return scan,
                b'}' | b']' => {
                    open.pop();
                    if open.is_empty() {
                        scan.closed = true;
                        return scan;
                    }
                    scan.last_whole = Some((place + 1, open.clone()));
                }
                // An item of a list that is no object: a text or a number.
                b',' if open.last() == Some(&b']') => scan.last_whole = Some((place, open.clone())),
                _ => {}
            }
        }
        scan
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::find_object;

    #[track_caller]
    fn check(said: &str, expected: &serde_json::Value, cut: bool) {
        let found = find_object(said).unwrap();
        assert_eq!((&found.value, found.cut), (expected, cut), "{said}");
    }

    #[test]
    fn whole_answers_are_found_in_whatever_is_around_them() {
        let expected = json!({"a": [1, 2]});
        for said in [
            r#"{"a": [1, 2]}"#,
            "Sure!\n```json\n{\"a\": [1, 2]}\n```\nAnything else?",
            "```\n{\"a\": [1, 2],}\n```",
            r#"[{"a": [1, 2]}]"#,
        ] {
            check(said, &expected, false);
        }
    }

    #[test]
    fn an_answer_that_breaks_off_keeps_its_whole_items() {
        let blocks = json!({"blocks": [{"kind": "list", "sentences": [{"text": "One."}]}]});
        check(r#"{"blocks": [{"kind": "list", "sentences": [{"text": "One."}, {"text": "Tw"#, &blocks, true);
        check(r#"{"blocks": [{"kind": "list", "sentences": [{"text": "One."}"#, &blocks, true);
        check(r#"{"terms": ["one", "two", "thr"#, &json!({"terms": ["one", "two"]}), true);
        check(r#"{"a": [{"b": 1}],"more: }"#, &json!({"a": [{"b": 1}]}), true);
    }

    #[test]
    fn a_text_without_an_object_is_none() {
        for said in ["", "I cannot help.", "17", r#"{"text": "never clos"#] {
            assert!(find_object(said).is_err(), "{said}");
        }
    }
}
