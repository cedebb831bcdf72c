//! When a report is called verified: arithmetic over the verdicts of its claims. A model's own statement
//! never suffices.

use serde::{Deserialize, Serialize};

use super::{ClaimId, ClaimKind, ClaimVerdict, Ledger, Verdict};

/// The rule as text, beside every `verified`.
pub const RULE: &str = "every load-bearing claim is supported, contested ones by two independent origins; nothing is \
    contradicted; nothing load-bearing is unchecked; and the model that wrote it, where it was asked, confirms it";

/// Origins that a contested claim needs.
pub const ORIGINS_IF_CONTESTED: u32 = 2;

/// Which rule was applied; versioned because bundles outlive it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerificationRule {
    LoadBearingSupported1,
}

/// The rule, its inputs and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationResult {
    pub verified: bool,
    pub rule: VerificationRule,
    pub rule_in_words: String,
    /// Whether the ledger alone would allow it.
    pub evidence_holds: bool,
    /// Whether the model calls its own text verified; none where it was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_says: Option<bool>,
    pub load_bearing: u32,
    pub load_bearing_supported: u32,
    pub contradicted: u32,
    pub contested: u32,
    /// Key claims that keep it from being verified.
    pub failing: Vec<ClaimId>,
    /// Supported by one origin only: worth a second check.
    pub single_origin: Vec<ClaimId>,
}

/// A question states nothing that could be unsupported; whatever else is load-bearing has to stand.
fn states_something(kind: ClaimKind) -> bool {
    match kind {
        ClaimKind::Fact | ClaimKind::Derived | ClaimKind::OwnWords => true,
        ClaimKind::Question => false,
    }
}

pub fn verify(ledger: &Ledger, model_says: Option<bool>) -> VerificationResult {
    let contested: Vec<ClaimId> = ledger.conflicts.iter().map(|conflict| conflict.claim).collect();
    let stands = |settled: &ClaimVerdict| {
        let is_contested = contested.contains(&settled.claim);
        settled.verdict == Verdict::Supported && (!is_contested || settled.origins >= ORIGINS_IF_CONTESTED)
    };
    let bearing: Vec<&ClaimVerdict> = ledger
        .claims
        .iter()
        .zip(&ledger.settled)
        .filter(|(claim, _)| claim.load_bearing && states_something(claim.kind))
        .map(|(_, settled)| settled)
        .collect();
    let failing: Vec<ClaimId> =
        bearing.iter().filter(|settled| !stands(settled)).map(|settled| settled.claim).collect();
    let contradicted = ledger.tally().contradicted;
    let evidence_holds = !bearing.is_empty() && failing.is_empty() && contradicted == 0;
    let count = |list: usize| u32::try_from(list).unwrap_or(u32::MAX);
    VerificationResult {
        verified: evidence_holds && model_says.unwrap_or(true),
        rule: VerificationRule::LoadBearingSupported1,
        rule_in_words: RULE.to_owned(),
        evidence_holds,
        model_says,
        load_bearing: count(bearing.len()),
        load_bearing_supported: count(bearing.len() - failing.len()),
        contradicted,
        contested: count(contested.len()),
        single_origin: bearing
            .iter()
            .filter(|settled| settled.verdict == Verdict::Supported && settled.origins < ORIGINS_IF_CONTESTED)
            .map(|settled| settled.claim)
            .collect(),
        failing,
    }
}
