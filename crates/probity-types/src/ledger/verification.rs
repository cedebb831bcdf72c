//! When a report is called verified: arithmetic over the verdicts of all its factual sentences. A model's own statement
//! never suffices, and a judge that nobody examined never suffices.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    AttentionGroup, Claim, ClaimId, ClaimKind, ClaimVerdict, FactTally, JudgeStanding, Ledger,
    NotCheckedReason, Restatement, Verdict, restatement::SupportedSentences,
};

/// The rule as text, beside every `verified`.
pub const RULE: &str = "every factual sentence is supported by a stored page, contested ones by two independent origins, \
    or says only what supported ones say; none is uncited, none is contradicted, no part of the text was left out; the \
    judge passed its exam or is trusted by the settings; and the model that wrote it, where it was asked, confirms it";

/// The rule of earlier versions, as it is stored with what they checked.
pub const RULE_KEY_CLAIMS: &str = "every load-bearing claim is supported, contested ones by two independent origins; \
    nothing is contradicted; nothing load-bearing is unchecked; and the model that wrote it, where it was asked, \
    confirms it";

/// Origins that a contested claim needs.
pub const ORIGINS_IF_CONTESTED: u32 = 2;

/// Which rule was applied; versioned because bundles outlive it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerificationRule {
    /// Key claims only, whoever judged.
    LoadBearingSupported1,
    EveryFactSupported2,
}

impl VerificationRule {
    pub fn in_words(self) -> &'static str {
        match self {
            Self::LoadBearingSupported1 => RULE_KEY_CLAIMS,
            Self::EveryFactSupported2 => RULE,
        }
    }
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
    /// Key claims: they have a number, a date, a name, a quotation or a citation, or begin the answer.
    pub load_bearing: u32,
    pub load_bearing_supported: u32,
    pub contradicted: u32,
    /// Claims that sources disagree about, whatever supports them.
    pub contested: u32,
    /// Claims that keep it from being verified.
    pub failing: Vec<ClaimId>,
    /// Supported by one origin only: worth a second check.
    pub single_origin: Vec<ClaimId>,
    /// All factual sentences; all zero where an earlier rule was applied.
    #[serde(default)]
    pub facts: FactTally,
    /// Uncited sentences that say only what supported ones say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restated: Vec<Restatement>,
}

/// By the rule of this version.
pub fn verify(ledger: &Ledger, model_says: Option<bool>) -> VerificationResult {
    by_every_fact(ledger, model_says)
}

/// By the rule that a stored result names.
pub fn verify_by(rule: VerificationRule, ledger: &Ledger, model_says: Option<bool>) -> VerificationResult {
    match rule {
        VerificationRule::LoadBearingSupported1 => by_key_claims(ledger, model_says),
        VerificationRule::EveryFactSupported2 => by_every_fact(ledger, model_says),
    }
}

/// Claims that sources disagree about.
pub(super) fn contested(ledger: &Ledger) -> impl Iterator<Item = ClaimId> + '_ {
    ledger.conflicts.iter().map(|conflict| conflict.claim)
}

/// Whether enough independent origins support a contested claim.
pub(super) fn has_origins(settled: &ClaimVerdict) -> bool {
    settled.origins >= ORIGINS_IF_CONTESTED
}

fn by_every_fact(ledger: &Ledger, model_says: Option<bool>) -> VerificationResult {
    let contested: BTreeSet<ClaimId> = contested(ledger).collect();
    let restated = restatements(ledger, &contested);
    let is_restated: BTreeSet<ClaimId> = restated.iter().map(|one| one.claim).collect();
    let group = |claim: &Claim| match ledger.verdict(claim.id) {
        Some(settled) => {
            let is_contested = contested.contains(&claim.id) && !has_origins(settled);
            AttentionGroup::of(settled, is_contested, is_restated.contains(&claim.id))
        }
        None => AttentionGroup::NotChecked,
    };
    let counted: Vec<(&Claim, AttentionGroup)> = ledger
        .claims
        .iter()
        .filter(|claim| claim.is_factual() && !ledger.is_repeat(claim))
        .map(|claim| (claim, group(claim)))
        .collect();
    let mut facts = FactTally::default();
    counted.iter().for_each(|(_, group)| facts.add(*group));
    let inferences = ledger.claims.iter().filter(|claim| claim.kind == ClaimKind::Inference);
    inferences.for_each(|claim| facts.add_inference(group(claim)));
    // What comes first is taken for the answer, whatever it carries.
    let first = counted.first().map(|(claim, _)| claim.id);
    let is_key = |claim: &Claim| claim.load_bearing || Some(claim.id) == first;
    let key: Vec<bool> =
        counted.iter().filter(|(claim, _)| is_key(claim)).map(|(_, group)| group.holds()).collect();
    let tally = ledger.tally();
    let contradicted = tally.contradicted;
    // Also of what does not count, such as a question that cites: nothing that its source refuses stands in a verified
    // text.
    let evidence_holds = facts.all_hold()
        && facts.inferences_hold()
        && contradicted == 0
        && tally.not_in_source == 0
        && ledger.unread.is_empty()
        && ledger.skipped_sentences().next().is_none()
        && ledger.judge_standing == JudgeStanding::Trusted;
    let one_origin = |id: &ClaimId| {
        let settled = ledger.verdict(*id);
        settled.is_some_and(|settled| settled.verdict == Verdict::Supported && !has_origins(settled))
    };
    VerificationResult {
        verified: evidence_holds && model_says.unwrap_or(true),
        rule: VerificationRule::EveryFactSupported2,
        rule_in_words: RULE.to_owned(),
        evidence_holds,
        model_says,
        load_bearing: count(key.len()),
        load_bearing_supported: count(key.iter().filter(|holds| **holds).count()),
        contradicted,
        contested: count(contested.len()),
        failing: counted.iter().filter(|(_, group)| !group.holds()).map(|(claim, _)| claim.id).collect(),
        single_origin: counted.iter().map(|(claim, _)| claim.id).filter(one_origin).collect(),
        facts,
        restated,
    }
}

/// Uncited sentences that say only what supported ones of the same report say.
fn restatements(ledger: &Ledger, contested: &BTreeSet<ClaimId>) -> Vec<Restatement> {
    let settled = |claim: &&Claim| ledger.verdict(claim.id).map(|settled| &settled.verdict);
    let uncited = Verdict::NotChecked { why: NotCheckedReason::Uncited };
    // Half a sentence has its subject in the other half: the same words elsewhere may speak of something else.
    let later: BTreeSet<ClaimId> =
        ledger.sentences.iter().flat_map(|sentence| sentence.claims.iter().skip(1)).copied().collect();
    let is_half =
        |claim: &Claim| later.contains(&claim.id) && claim.words.trim_start().starts_with(char::is_lowercase);
    let is_open = |claim: &&Claim| claim.is_factual() && settled(claim) == Some(&uncited) && !is_half(claim);
    let open: Vec<&Claim> = ledger.claims.iter().filter(is_open).collect();
    if open.is_empty() {
        return Vec::new();
    }
    let stands = |claim: &&Claim| {
        claim.is_factual() && settled(claim) == Some(&Verdict::Supported) && !contested.contains(&claim.id)
    };
    let supported = SupportedSentences::of(
        ledger.claims.iter().filter(stands).map(|claim| (claim.id, claim.words.as_str())),
    );
    let restatement = |claim: &&Claim| {
        let of = supported.that_say(&claim.words)?;
        Some(Restatement { claim: claim.id, of })
    };
    open.iter().filter_map(restatement).collect()
}

/// The rule of earlier versions, for what they stored.
fn by_key_claims(ledger: &Ledger, model_says: Option<bool>) -> VerificationResult {
    let contested: Vec<ClaimId> = contested(ledger).collect();
    let stands = |settled: &ClaimVerdict| {
        let is_contested = contested.contains(&settled.claim);
        settled.verdict == Verdict::Supported && (!is_contested || has_origins(settled))
    };
    let bearing: Vec<&ClaimVerdict> = ledger
        .claims
        .iter()
        .zip(&ledger.settled)
        .filter(|(claim, _)| claim.load_bearing && claim.kind != ClaimKind::Question)
        .map(|(_, settled)| settled)
        .collect();
    let failing: Vec<ClaimId> =
        bearing.iter().filter(|settled| !stands(settled)).map(|settled| settled.claim).collect();
    let contradicted = ledger.tally().contradicted;
    let evidence_holds = !bearing.is_empty() && failing.is_empty() && contradicted == 0;
    VerificationResult {
        verified: evidence_holds && model_says.unwrap_or(true),
        rule: VerificationRule::LoadBearingSupported1,
        rule_in_words: RULE_KEY_CLAIMS.to_owned(),
        evidence_holds,
        model_says,
        load_bearing: count(bearing.len()),
        load_bearing_supported: count(bearing.len() - failing.len()),
        contradicted,
        contested: count(contested.len()),
        single_origin: bearing
            .iter()
            .filter(|settled| settled.verdict == Verdict::Supported && !has_origins(settled))
            .map(|settled| settled.claim)
            .collect(),
        failing,
        facts: FactTally::default(),
        restated: Vec::new(),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
