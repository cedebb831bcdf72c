//! Words of the ledger for people.

use probity_research::ledger::WhyNot;
use serde::Serialize;

/// The name under which a value is stored, such as `not-in-source`.
pub fn word(value: &impl Serialize) -> String {
    let stored = serde_json::to_value(value).unwrap_or_default();
    stored.as_str().unwrap_or_default().to_owned()
}

/// Continues "not checked: …".
pub fn why_not(why: WhyNot) -> &'static str {
    match why {
        WhyNot::OwnWords => "the report's own words, which no source could say",
        WhyNot::Question => "a question",
        WhyNot::Uncited => "it cites nothing",
        WhyNot::Unreachable => "its page could not be fetched or read",
        WhyNot::NoJudge => "nothing speaks against it, and nobody judged whether the page says it",
        WhyNot::Budget => "the budget did not carry the check",
        WhyNot::Deadline => "there was no time left for the check",
        WhyNot::NotComputable => "the figure could not be computed again",
    }
}
