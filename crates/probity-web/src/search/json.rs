//! Reads responses whose fields may be missing or of another type: such a field counts as missing.

use serde_json::Value;

use super::provider::{ProviderQuery, RawHit};
use probity_types::{error::CodedError, web::search::HITS_MAX};

/// Results read of one response: a hostile one lists millions. Some are removed later, so more than are kept.
const RESULTS_READ_MAX: usize = 5 * HITS_MAX;

/// A text that is not empty.
pub(super) fn text<'json>(value: &'json Value, field: &str) -> Option<&'json str> {
    value.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

pub(super) fn owned(value: &Value, field: &str) -> Option<String> {
    text(value, field).map(str::to_owned)
}

/// The hits of a list. A list without one usable result is no empty answer but an unknown shape.
pub(super) fn hits(
    question: &ProviderQuery<'_>,
    list: Option<&Value>,
    read: impl Fn(&Value) -> Option<RawHit>,
) -> Result<Vec<RawHit>, CodedError> {
    let list = list.and_then(Value::as_array).ok_or_else(|| question.unreadable_problem())?;
    let hits: Vec<RawHit> = list.iter().take(RESULTS_READ_MAX).filter_map(read).collect();
    if hits.is_empty() && !list.is_empty() { Err(question.unreadable_problem()) } else { Ok(hits) }
}
