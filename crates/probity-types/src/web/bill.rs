//! What one call cost, as whoever made it knows it.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use serde::{Deserialize, Serialize};

use crate::cost::{Cost, MicroUsd, Usage};

/// How well the price of a call is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BillBasis {
    /// Free, or provably not accepted.
    #[default]
    Nothing,
    /// From the provider's own count and a dated price table, or from the provider's own dollars.
    Counted,
    /// Counted in part; it is known that there was more, or the model has no price in the table.
    AtLeast,
    /// Accepted, or perhaps accepted, and not counted.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bill {
    pub basis: BillBasis,
    #[serde(default)]
    pub cost: MicroUsd,
    #[serde(default)]
    pub usage: Usage,
}

impl Bill {
    pub const NOTHING: Self = Self { basis: BillBasis::Nothing, cost: MicroUsd(0), usage: Usage::NONE };
    pub const UNKNOWN: Self = Self { basis: BillBasis::Unknown, ..Self::NOTHING };

    pub fn counted(cost: MicroUsd, usage: Usage) -> Self {
        Self { basis: BillBasis::Counted, cost, usage }
    }
}

/// The bills of many calls together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SpendTotal {
    pub cost: MicroUsd,
    pub usage: Usage,
    /// Calls that were, or may have been, billed.
    pub calls: u32,
    /// Those of them whose price is not known in full.
    pub uncounted: u32,
    /// The dearest single call: what another one may cost.
    pub dearest: MicroUsd,
}

impl SpendTotal {
    pub fn add(&mut self, bill: &Bill) {
        if bill.basis == BillBasis::Nothing {
            return;
        }
        self.calls = self.calls.saturating_add(1);
        if bill.basis != BillBasis::Counted {
            self.uncounted = self.uncounted.saturating_add(1);
        }
        self.cost = self.cost.plus(bill.cost);
        self.usage = self.usage.plus(&bill.usage);
        self.dearest = self.dearest.max(bill.cost);
    }

    pub fn as_cost(&self) -> Cost {
        match (self.calls, self.uncounted) {
            (0, _) => Cost::Nothing,
            (_, 0) => Cost::FromUsage(self.cost),
            (calls, uncounted) if calls == uncounted && self.cost == MicroUsd(0) => Cost::Unknown,
            _ => Cost::AtLeast(self.cost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bill, SpendTotal};
    use crate::cost::{Cost, MicroUsd, Usage};

    #[test]
    fn one_uncounted_call_makes_the_sum_a_lower_bound() {
        let mut spent = SpendTotal::default();
        spent.add(&Bill::NOTHING);
        assert_eq!(spent.as_cost(), Cost::Nothing);
        spent.add(&Bill::UNKNOWN);
        assert_eq!(spent.as_cost(), Cost::Unknown);
        spent.add(&Bill::counted(MicroUsd(700), Usage::default()));
        assert_eq!(spent.as_cost(), Cost::AtLeast(MicroUsd(700)));
        assert_eq!((spent.calls, spent.uncounted, spent.dearest), (2, 1, MicroUsd(700)));
    }
}
