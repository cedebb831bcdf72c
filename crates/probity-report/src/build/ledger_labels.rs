//! Labels for the values of the ledger.

use probity_types::ledger::NotCheckedReason;
use serde::Serialize;

/// The name under which a value is stored, such as `not-in-source`.
pub fn stored_name(value: &impl Serialize) -> String {
    let stored = serde_json::to_value(value).unwrap_or_default();
    stored.as_str().unwrap_or_default().to_owned()
}

/// Continues "not checked: …".
pub fn not_checked_reason(why: NotCheckedReason) -> &'static str {
    match why {
        NotCheckedReason::OwnWords => "the report's own words, which no source could say",
        NotCheckedReason::Question => "a question",
        NotCheckedReason::Uncited => "it cites nothing",
        NotCheckedReason::Unreachable => "its page could not be fetched or read",
        NotCheckedReason::Limit => "its page is beyond the limit of pages that are read",
        NotCheckedReason::NoJudge => "nobody judged whether the page says it",
        NotCheckedReason::Budget => "the budget did not carry the check",
        NotCheckedReason::Deadline => "there was no time left for the check",
        NotCheckedReason::NotComputable => "the figure could not be computed again",
    }
}
