//! What a run will likely cost and take, as it is told and written into its plan.

use serde::{Deserialize, Serialize};

use crate::cost::MicroUsd;

/// How much a question asks for, judged by its words alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Complexity {
    Simple,
    Medium,
    Complex,
}

impl Complexity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Medium => "medium",
            Self::Complex => "complex",
        }
    }
}

/// Where the figures come from; always shown beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "from")]
pub enum EstimateBasis {
    Documentation,
    /// Typical calls at the model's prices.
    Assumed,
    History {
        researches: u32,
    },
}

impl EstimateBasis {
    pub fn sentence(self) -> String {
        match self {
            Self::Documentation => {
                "the provider's documentation of this agent (not yet your own history)".to_owned()
            }
            Self::Assumed => {
                "typical calls at the model's listed prices (not yet your own history)".to_owned()
            }
            Self::History { researches } => {
                format!("your own {researches} newest finished researches with this agent")
            }
        }
    }
}

/// Ranges with their basis. The provider documents a threefold spread, so a single figure would be a lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    pub complexity: Complexity,
    pub cost_min: MicroUsd,
    pub cost_likely: MicroUsd,
    pub cost_max: MicroUsd,
    pub minutes_min: u32,
    pub minutes_likely: u32,
    pub minutes_max: u32,
    pub basis: EstimateBasis,
}
