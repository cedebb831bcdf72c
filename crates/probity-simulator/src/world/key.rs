//! Which API keys are refused, and how.

use super::{errors, route};
use crate::call::{SimulatorAnswer, SimulatorCall};

/// The refusal for a call without a usable key: none at all, `invalid` or `unauthorized`.
pub(crate) fn refusal(call: &SimulatorCall) -> Option<SimulatorAnswer> {
    let bearer = call.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let query = call.target.split_once('?').and_then(|(_, query)| route::parameter(query, "key"));
    match call.header("x-goog-api-key").or(bearer).or(query).unwrap_or_default() {
        "" => Some(errors::rpc(
            403,
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
            "PERMISSION_DENIED",
        )),
        "invalid" => Some(errors::key_invalid()),
        "unauthorized" => Some(errors::interactions(
            401,
            "unauthenticated",
            "API key not valid. Please pass a valid API key.",
        )),
        _ => None,
    }
}
