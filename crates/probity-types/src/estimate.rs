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
                format!("your own {researches} newest finished researches of this kind")
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

impl Estimate {
    /// `$1.00 to $3.00`, or one amount where both ends look the same.
    pub fn cost_range(&self) -> String {
        range(&self.cost_min.to_string(), &self.cost_max.to_string(), "")
    }

    /// `5 to 15 min`
    pub fn minutes_range(&self) -> String {
        range(&self.minutes_min.to_string(), &self.minutes_max.to_string(), " min")
    }

    /// `$1.00 to $3.00, likely $2.00`
    pub fn cost_with_likely(&self) -> String {
        with_likely(self.cost_range(), &self.cost_likely.to_string())
    }

    /// `5 to 15 min, likely 8`
    pub fn minutes_with_likely(&self) -> String {
        with_likely(self.minutes_range(), &self.minutes_likely.to_string())
    }
}

fn range(least: &str, most: &str, unit: &str) -> String {
    if least == most { format!("{most}{unit}") } else { format!("{least} to {most}{unit}") }
}

/// Where there is no choice, nothing is likelier.
fn with_likely(range: String, likely: &str) -> String {
    if range.contains(" to ") { format!("{range}, likely {likely}") } else { range }
}

#[cfg(test)]
mod tests {
    use super::{range, with_likely};

    #[test]
    fn a_range_of_one_value_is_that_value() {
        assert_eq!(range("$1.00", "$3.00", ""), "$1.00 to $3.00");
        assert_eq!(range("1", "1", " min"), "1 min");
        assert_eq!(with_likely(range("5", "15", " min"), "8"), "5 to 15 min, likely 8");
        assert_eq!(with_likely(range("$0.00", "$0.00", ""), "$0.00"), "$0.00");
    }
}
