//! SARIF 2.1.0: one result for each claim with a bad verdict, at its line and column.

use probity_types::{
    ledger::{Claim, ClaimVerdict, Verdict},
    text,
};
use serde_json::{Value, json};

use super::{CheckedText, VerdictSeverity, severity, verdict_sentence};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub fn document(labelled: &CheckedText<'_>) -> String {
    let results: Vec<Value> = labelled
        .claims()
        .filter(|(_, settled)| severity(&settled.verdict) > VerdictSeverity::Fine)
        .map(|(claim, settled)| result(labelled, claim, settled))
        .collect();
    let rules: Vec<Value> = Verdict::NAMES
        .iter()
        .map(|name| json!({ "id": name, "shortDescription": { "text": name.replace('-', " ") } }))
        .collect();
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
            "properties": { "claims": labelled.ledger.tally().line() },
        }],
    });
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

fn result(labelled: &CheckedText<'_>, claim: &Claim, settled: &ClaimVerdict) -> Value {
    let (start_line, start_column) = labelled.line_and_column(claim.start);
    let (end_line, end_column) = labelled.line_and_column(claim.end);
    let level = match severity(&settled.verdict) {
        VerdictSeverity::Error => "error",
        VerdictSeverity::Warning => "warning",
        VerdictSeverity::Note | VerdictSeverity::Fine => "note",
    };
    let message = format!("{}: {}", verdict_sentence(settled), text::line(&claim.words, 300));
    json!({
        "ruleId": settled.verdict.name(),
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
        "properties": { "claim": claim.id, "confidence": settled.confidence },
    })
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
