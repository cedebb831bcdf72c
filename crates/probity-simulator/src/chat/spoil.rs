//! Honest answers gone wrong: invented quotations, changed numbers, JSON that is none.

use serde_json::{Value, json};

use super::request::Asked;

/// A quotation that no page has.
pub const INVENTED: &str = "An independent panel confirmed the figure of 4,711 units in the spring of 1887.";

/// The answer of a model that writes from memory.
pub(super) fn forgetful(asked: Asked, mut honest: Value) -> Value {
    match asked {
        Asked::Plan
        | Asked::Choose
        | Asked::Brief
        | Asked::Line
        | Asked::Outline
        | Asked::Synthesis
        | Asked::Front => {}
        Asked::Survey => {
            if let Some(quotes) = honest.get_mut("quotes").and_then(Value::as_array_mut) {
                if let Some(text) = quotes.get_mut(1).and_then(|quote| quote.get_mut("text")) {
                    *text = json!(changed(text.as_str().unwrap_or_default()));
                }
                quotes.push(json!({"text": INVENTED, "facets": ["F1"], "role": "finding", "facts": []}));
            }
        }
        Asked::Section => {
            let sentences = honest.pointer_mut("/blocks/0/sentences").and_then(Value::as_array_mut);
            if let Some(sentences) = sentences {
                for sentence in sentences.iter_mut().skip(1).step_by(2) {
                    let text = changed(sentence.get("text").and_then(Value::as_str).unwrap_or_default());
                    *sentence = json!({"text": text, "kind": "fact", "quotes": ["Q999"]});
                }
                sentences.push(json!({"text": INVENTED, "kind": "fact", "quotes": []}));
            }
        }
        Asked::Judge => {
            for answer in honest.get_mut("answers").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(fields) = answer.as_object_mut() {
                    fields.insert("verdict".to_owned(), json!("supported"));
                    fields.insert("quotations".to_owned(), json!([INVENTED]));
                }
            }
        }
        Asked::Read => {
            if let Some(quotes) = honest.get_mut("quotes").and_then(Value::as_array_mut) {
                // The second is nearly right, which is worse than wrong.
                if let Some(quote) = quotes.get_mut(1) {
                    *quote = json!(changed(quote.as_str().unwrap_or_default()));
                }
                quotes.push(json!(INVENTED));
            }
            if let Some(facts) = honest.get_mut("facts").and_then(Value::as_array_mut) {
                facts.push(json!({"kind": "number", "value": "4711", "quote": 0}));
                facts.push(json!({"kind": "name", "value": "Nobody Knows", "quote": 99}));
            }
        }
        Asked::Write => {
            let sentences = honest.pointer_mut("/sections/0/sentences").and_then(Value::as_array_mut);
            for sentence in sentences.into_iter().flatten().skip(1).step_by(2) {
                let text = changed(sentence.get("text").and_then(Value::as_str).unwrap_or_default());
                *sentence = json!({"text": text, "notes": [999]});
            }
            let sentences = honest.pointer_mut("/sections/0/sentences").and_then(Value::as_array_mut);
            if let Some(sentences) = sentences {
                sentences.push(json!({"text": INVENTED, "notes": []}));
            }
        }
    }
    honest
}

/// The same text with every digit another; a text without one ends otherwise.
fn changed(text: &str) -> String {
    let other = |letter: char| match letter.to_digit(10) {
        Some(digit) => char::from_digit((digit + 1) % 10, 10).unwrap_or('0'),
        None => letter,
    };
    let changed: String = text.chars().map(other).collect();
    if changed == text { format!("{text} Nobody doubts it.") } else { changed }
}

/// JSON with a comma too much and a quotation mark too few.
pub(super) fn broken(json: &str) -> String {
    let inside = json.trim_end_matches('}');
    format!("{inside},\"more: }}")
}

pub(super) fn half(json: &str) -> String {
    json.get(..json.floor_char_boundary(json.len() / 2)).unwrap_or_default().to_owned()
}

pub(super) fn prose(honest: &Value) -> String {
    format!("Sure! Here is what you asked for:\n\n```json\n{honest:#}\n```\n\nLet me know if you need more.")
}

/// Well-formed, and nothing that was asked for.
pub(super) fn wrong_shape(asked: Asked) -> Value {
    json!({"answer": format!("This is about {asked}."), "quotes": "none", "indices": {"first": "0"}, "sections": 3,
        "queries": [1, null, {"q": "x"}], "relevant": "yes", "enough": "no"})
}
