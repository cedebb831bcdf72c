//! Two requests side by side: everything that ours says must stand in theirs, with the same value.

use std::collections::BTreeMap;

use probity_simulator::web::RequestRecord;
use serde_json::Value;

/// Headers that carry meaning; the others name the client.
const HEADERS: [&str; 5] =
    ["authorization", "x-api-key", "x-subscription-token", "x-tavily-access-mode", "content-type"];

/// What a request says, field by field.
pub fn fields(request: &RequestRecord) -> BTreeMap<String, String> {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let mut fields =
        BTreeMap::from([("method".to_owned(), request.method.clone()), ("path".to_owned(), path.to_owned())]);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        fields.insert(format!("?{name}"), value.to_owned());
    }
    let headers = request.headers.iter().filter(|(name, _)| HEADERS.contains(&name.as_str()));
    fields.extend(headers.map(|(name, value)| (format!("{name}:"), value.clone())));
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    for (name, value) in body.as_object().into_iter().flatten() {
        fields.insert(format!(".{name}"), value.to_string());
    }
    fields
}

/// The fields of ours that theirs does not say, or says otherwise.
pub fn differences(ours: &RequestRecord, theirs: &RequestRecord) -> Vec<String> {
    let theirs = fields(theirs);
    fields(ours)
        .into_iter()
        .filter(|(name, value)| theirs.get(name) != Some(value))
        .map(|(name, value)| format!("{name} is {value}, theirs is {:?}", theirs.get(&name)))
        .collect()
}
