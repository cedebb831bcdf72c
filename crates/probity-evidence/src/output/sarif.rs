//! SARIF 2.1.0: one result for each claim, at its line and column, what needs attention first. Claims that hold are
//! results too, of the kind `pass`, so that the file says what was checked and not only what failed.

use probity_types::{
    ledger::{AttentionGroup, Claim},
    report::{claim_list::ListedClaim, places::TextPlaces},
    text,
};
use serde_json::{Value, json};

use super::{CheckedText, VerdictSeverity, listed_sentence, severity};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub fn document(labelled: &CheckedText<'_>) -> String {
    let places = TextPlaces::of(&labelled.report.text);
    let list = labelled.list();
    let results: Vec<Value> =
        list.claims().map(|(group, listed)| result(labelled, &places, group, listed)).collect();
    let rules: Vec<Value> = AttentionGroup::ALL
        .iter()
        .map(|group| {
            json!({
                "id": group.name(),
                "shortDescription": { "text": group.word() },
                "fullDescription": { "text": group.heading() },
            })
        })
        .collect();
    let sources: Vec<String> = list.sources.iter().map(|source| source.line()).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "probity",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {
                "claims": labelled.ledger.tally().line(),
                "outcome": labelled.report.verification().sentence(),
                "sources": sources,
                "notListed": list.aside(),
                "notExamined": labelled.ledger.not_examined(),
            },
        }],
    });
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

fn result(
    labelled: &CheckedText<'_>,
    places: &TextPlaces<'_>,
    group: AttentionGroup,
    listed: &ListedClaim<'_>,
) -> Value {
    let (claim, settled): (&Claim, _) = (listed.claim, listed.settled);
    let (start_line, start_column) = places.line_and_column(claim.start);
    let (end_line, end_column) = places.line_and_column(claim.end);
    // A result that passes has no level, says the standard.
    let (kind, level) = match severity(&settled.verdict) {
        _ if group.holds() => ("pass", "none"),
        // The words stand on the page; whether the rest is meant so, a reader decides.
        _ if group == AttentionGroup::Quoted => ("review", "none"),
        VerdictSeverity::Error => ("fail", "error"),
        VerdictSeverity::Warning => ("fail", "warning"),
        VerdictSeverity::Note | VerdictSeverity::Fine => ("fail", "note"),
    };
    let inference = claim.inference_mark().map(|mark| format!("{mark}, ")).unwrap_or_default();
    let message = format!("{inference}{}: {}", listed_sentence(listed), text::line(&claim.words, 300));
    let rule = AttentionGroup::ALL.iter().position(|known| *known == group);
    let mut document = json!({
        "ruleId": group.name(),
        "ruleIndex": rule,
        "kind": kind,
        "level": level,
        "message": { "text": message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(labelled.path) },
            "region": {
                "startLine": start_line, "startColumn": start_column,
                "endLine": end_line, "endColumn": end_column,
            },
        }}],
        "partialFingerprints": { "claim/v1": fingerprint(&claim.words) },
        "properties": {
            "claim": claim.id,
            "confidence": settled.confidence,
            "section": listed.section,
            "sources": listed.sources,
        },
    });
    if let Some(properties) = document.get_mut("properties").and_then(Value::as_object_mut)
        && claim.inference_mark().is_some()
    {
        properties.insert("kind".to_owned(), json!(claim.kind));
        properties.insert("restsOn".to_owned(), json!(claim.rests_on));
    }
    document
}

/// A path as a relative address: what is no letter, digit or sign of a path is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// Stable for the same words, wherever they move to.
fn fingerprint(words: &str) -> String {
    let hash = words.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}
