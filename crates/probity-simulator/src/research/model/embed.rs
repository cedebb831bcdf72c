//! Embeddings for systems that filter pages by them: words hashed into a fixed number of places, so that texts with the
//! same words are near each other.

use serde_json::{Value, json};

use super::{super::random::share_of, material::content_words};

const PLACES: usize = 256;

/// The answer to an embeddings request of one text or several.
pub(crate) fn embeddings(body: &[u8]) -> Value {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let texts: Vec<String> = match body.get("input") {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": embedding(text)}))
        .collect();
    json!({"object": "list", "data": data, "model": body.get("model"), "usage": {"prompt_tokens": 0, "total_tokens": 0}})
}

fn embedding(text: &str) -> Vec<f64> {
    let mut places = vec![0.0_f64; PLACES];
    for word in content_words(text) {
        let place = (share_of(&[&word]) * PLACES as f64) as usize;
        if let Some(place) = places.get_mut(place) {
            *place += 1.0;
        }
    }
    let length = places.iter().map(|place| place * place).sum::<f64>().sqrt().max(1.0);
    places.into_iter().map(|place| place / length).collect()
}
