//! What checking is allowed to do; part of a run's plan.

use serde::{Deserialize, Serialize};

use crate::cost::MicroUsd;

/// Pages that one report may have fetched for it: the longest published reports cite about ninety.
pub const PAGES_MAX: u32 = 120;
/// Claims put to a judge in one call. Eight with five passages each are about 4,000 tokens: that fits a small
/// model, and a call that fails loses little.
pub const CLAIMS_PER_CALL: usize = 8;
/// Calls to a judge under way at once, at most; fewer after it answers with a rate limit.
pub const TOGETHER_MAX: usize = 4;
/// Times that a question is put to a judge that does not answer it.
pub const TRIES_MAX: u32 = 3;

/// The judge of whether a passage supports a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgePlan {
    pub name: String,
    /// Version of the question put to it; another one is another judge.
    pub version: String,
    /// It runs on this machine: asking twice costs nothing.
    pub local: bool,
    /// What one call is expected to cost.
    pub price: MicroUsd,
    /// The judge is the model that wrote the text.
    pub wrote_it: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckPlan {
    pub pages_max: u32,
    /// None: the best verdict of a claim is `quoted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgePlan>,
}

impl CheckPlan {
    pub fn without_judge() -> Self {
        Self { pages_max: PAGES_MAX, judge: None }
    }
}
