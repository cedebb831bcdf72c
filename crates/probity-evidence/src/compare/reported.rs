//! Words that stand on a page as what somebody denied, claimed or was told: the page does not say them itself.

use crate::words;

/// What leads over from whoever says it, right before the words, folded.
const THAT: &[&str] = &["that", "dass", "que", "che", "dat", "że", "что"];
/// Words before that, by which a page denies what follows or gives it as the word of somebody else.
const LEADS: &[&str] = &[
    "denied",
    "denies",
    "deny",
    "denying",
    "false",
    "untrue",
    "wrong",
    "wrongly",
    "myth",
    "rejected",
    "rejects",
    "disputed",
    "disputes",
    "doubt",
    "doubts",
    "doubted",
    "rumour",
    "rumours",
    "rumor",
    "rumors",
    "alleged",
    "alleges",
    "allegedly",
    "claimed",
    "claims",
    "claim",
    "believed",
    "speculated",
    "suggested",
    "feared",
    "hoped",
    "evidence",
    "proof",
    "unlikely",
    "impossible",
    "bestritt",
    "bestreitet",
    "falsch",
    "unwahr",
    "behauptete",
    "behauptet",
    "nie",
    "dementi",
    "faux",
    "pretend",
    "falso",
    "nego",
    "niega",
    "falsa",
];
/// Beginnings that give a whole sentence as somebody's word.
const ACCORDING: &[&str] =
    &["according to", "laut ", "selon ", "según ", "secondo ", "segundo ", "по словам"];
/// Words between a lead and its "that".
const LEAD_REACH: usize = 5;
/// Bytes of a sentence before the words that are looked at.
const BEFORE_BYTES_MAX: usize = 200;

/// The words of the sentence by which the page hands the span over to somebody else; none where it says it itself.
pub(crate) fn lead(page: &str, span: (usize, usize)) -> Option<&str> {
    let before = page.get(..span.0)?;
    let from = before.rfind(['.', '!', '?', '\n', '。', '；', ';']).map_or(0, |at| at + 1);
    let from = from.max(span.0.saturating_sub(BEFORE_BYTES_MAX));
    let lead = page.get(from..span.0)?.trim();
    if lead.is_empty() {
        return None;
    }
    let lower = lead.to_lowercase();
    if ACCORDING.iter().any(|start| lower.starts_with(start)) {
        return Some(lead);
    }
    let said = words::words(lead);
    said.last().filter(|last| THAT.contains(&last.folded.as_str()))?;
    let near = said.iter().rev().skip(1).take(LEAD_REACH);
    let leads =
        near.into_iter().any(|word| LEADS.contains(&crate::names::plain_token(&word.folded).as_str()));
    leads.then_some(lead)
}

#[cfg(test)]
mod tests {
    use super::lead;

    #[track_caller]
    fn check(page: &str, words: &str, expected: Option<&str>) {
        let start = page.find(words).unwrap();
        assert_eq!(lead(page, (start, start + words.len())), expected);
    }

    #[test]
    fn what_is_denied_or_somebodys_word_is_handed_over() {
        let dam = "the dam was built by prisoners";
        check(&format!("It is false that {dam}."), dam, Some("It is false that"));
        check(&format!("Rowe denied that {dam}."), dam, Some("Rowe denied that"));
        check(&format!("There is no evidence that {dam}."), dam, Some("There is no evidence that"));
        check(&format!("According to a leaflet, {dam}."), dam, Some("According to a leaflet,"));
        check(&format!("The council said that {dam}."), dam, None);
        check(&format!("In 1950 {dam}."), dam, None);
        check(&format!("It is false. Yes, {dam}."), dam, None);
    }
}
