//! Money in integer micro-dollars, and usage as the provider counted it.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::fmt;

use serde::{Deserialize, Serialize};

/// A millionth of a US dollar. Integers: sums of floats drift and cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl MicroUsd {
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    pub fn as_usd(self) -> f64 {
        self.0 as f64 / 1_000_000.0
    }

    /// Parses `2`, `2.5`, `$0.10`; refuses negatives and more than six decimals.
    pub fn parse_usd(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('$');
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty())
            || fraction.len() > 6
            || !digits(whole)
            || !digits(fraction)
        {
            return None;
        }
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let fraction: u64 = format!("{fraction:0<6}").parse().ok()?;
        whole.checked_mul(1_000_000)?.checked_add(fraction).map(Self)
    }
}

impl MicroUsd {
    /// To the next cent: an amount that is enough where this one is asked for.
    pub fn rounded_up(self) -> Self {
        Self(self.0.div_ceil(10_000).saturating_mul(10_000))
    }
}

impl fmt::Display for MicroUsd {
    /// Rounded to the cent, but never shows money that was spent as `$0.00`. Sums stop at the largest amount
    /// that can be counted: what was cut off there is named.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cents = self.0 / 10_000 + u64::from(self.0 % 10_000 >= 5_000);
        match (self.0, cents) {
            (1.., 0) => write!(out, "under $0.01"),
            (u64::MAX, _) => write!(out, "${}.{:02} or more", cents / 100, cents % 100),
            _ => write!(out, "${}.{:02}", cents / 100, cents % 100),
        }
    }
}

/// What something cost. A missing count is `Unknown`, never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "basis", content = "micro_usd", rename_all = "kebab-case")]
pub enum Cost {
    /// Tokens and searches as the provider counted them, times the dated price table.
    FromUsage(MicroUsd),
    /// The counted part of a bill of which another part was not counted.
    AtLeast(MicroUsd),
    /// The provider reported no usage.
    Unknown,
    /// No call was accepted: provably nothing was billed.
    Nothing,
}

impl Cost {
    /// What is known to have been spent.
    pub fn known(self) -> Option<MicroUsd> {
        match self {
            Self::FromUsage(amount) | Self::AtLeast(amount) => Some(amount),
            Self::Nothing => Some(MicroUsd(0)),
            Self::Unknown => None,
        }
    }
}

impl Cost {
    /// Where the figure comes from, as one word for programs.
    pub fn basis(self) -> &'static str {
        match self {
            Self::FromUsage(_) => "from-usage",
            Self::AtLeast(_) => "at-least",
            Self::Unknown => "unknown",
            Self::Nothing => "nothing",
        }
    }

    /// The same for people; `unknown` is not zero.
    pub fn basis_in_words(self) -> &'static str {
        match self {
            Self::FromUsage(_) => "provider usage x price table",
            Self::AtLeast(_) => "provider usage x price table; at least, some calls were not counted",
            Self::Unknown => "unknown",
            Self::Nothing => "nothing was billed",
        }
    }

    /// The same where another part may have been billed and was not counted.
    pub fn at_least(self) -> Self {
        match self {
            Self::FromUsage(amount) | Self::AtLeast(amount) => Self::AtLeast(amount),
            Self::Nothing | Self::Unknown => Self::Unknown,
        }
    }

    /// Two bills together; if only a part of one is known, the sum is a lower bound.
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, cost) | (cost, Self::Nothing) => cost,
            (Self::Unknown, Self::Unknown) => Self::Unknown,
            (Self::FromUsage(one), Self::FromUsage(two)) => Self::FromUsage(one.plus(two)),
            (one, two) => {
                Self::AtLeast(one.known().unwrap_or_default().plus(two.known().unwrap_or_default()))
            }
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FromUsage(amount) => amount.fmt(out),
            Self::AtLeast(MicroUsd(1..5_000)) => out.write_str("not fully known"),
            Self::AtLeast(amount) => write!(out, "at least {amount}"),
            Self::Nothing => out.write_str("$0.00"),
            Self::Unknown => out.write_str("cost unknown"),
        }
    }
}

/// Tokens and searches, as the provider reported them. `input` includes `cached`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub output_tokens: u64,
    pub thought_tokens: u64,
    pub tool_use_tokens: u64,
    pub total_tokens: u64,
    pub searches: u64,
}

impl Usage {
    pub const NONE: Self = Self {
        input_tokens: 0,
        cached_tokens: 0,
        output_tokens: 0,
        thought_tokens: 0,
        tool_use_tokens: 0,
        total_tokens: 0,
        searches: 0,
    };

    /// What the model read: the question, and what its tools brought.
    pub fn tokens_in(&self) -> u64 {
        self.input_tokens.saturating_add(self.tool_use_tokens)
    }

    /// What the model wrote, its thoughts included.
    pub fn tokens_out(&self) -> u64 {
        self.output_tokens.saturating_add(self.thought_tokens)
    }

    /// What a run used, and its judge. Of a run that cost something and did not say how many tokens, the judge's alone
    /// would be too few: then nobody knows.
    pub fn with_judge(run: Option<Self>, cost: Cost, judge: Self) -> Option<Self> {
        match run {
            None if cost != Cost::Nothing => None,
            None => (judge != Self::NONE).then_some(judge),
            Some(run) => Some(run.plus(&judge)),
        }
    }

    /// Two calls together.
    pub fn plus(&self, other: &Self) -> Self {
        self.each(other, u64::saturating_add)
    }

    /// The larger of the two, count by count.
    pub fn larger(&self, other: &Self) -> Self {
        self.each(other, u64::max)
    }

    fn each(&self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input_tokens: combine(self.input_tokens, other.input_tokens),
            cached_tokens: combine(self.cached_tokens, other.cached_tokens),
            output_tokens: combine(self.output_tokens, other.output_tokens),
            thought_tokens: combine(self.thought_tokens, other.thought_tokens),
            tool_use_tokens: combine(self.tool_use_tokens, other.tool_use_tokens),
            total_tokens: combine(self.total_tokens, other.total_tokens),
            searches: combine(self.searches, other.searches),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, MicroUsd, Usage};

    #[test]
    fn the_judges_tokens_are_added_and_never_stand_for_unknown_ones() {
        let tokens = |input_tokens| Usage { input_tokens, ..Usage::NONE };
        let (free, paid) = (Cost::Nothing, Cost::FromUsage(MicroUsd(5)));
        assert_eq!(Usage::with_judge(Some(tokens(3)), paid, tokens(4)), Some(tokens(7)));
        assert_eq!(Usage::with_judge(None, free, tokens(4)), Some(tokens(4)));
        assert_eq!(Usage::with_judge(None, free, Usage::NONE), None);
        assert_eq!(Usage::with_judge(None, Cost::Unknown, tokens(4)), None);
    }

    #[test]
    fn dollars_are_read_exactly() {
        let read = |text| MicroUsd::parse_usd(text).map(|amount| amount.0);
        assert_eq!(read("2"), Some(2_000_000));
        assert_eq!(read("$0.10"), Some(100_000));
        assert_eq!(read(".000001"), Some(1));
        for refused in ["", ".", "-1", "1e3", "1.0000001", "∞", "99999999999999999999"] {
            assert_eq!(read(refused), None, "{refused}");
        }
    }

    #[test]
    fn spent_money_is_never_shown_as_nothing() {
        let shown: Vec<String> =
            [0, 1, 4_999, 5_000, 2_070_000].map(|micro| MicroUsd(micro).to_string()).into();
        assert_eq!(shown, ["$0.00", "under $0.01", "under $0.01", "$0.01", "$2.07"]);
    }

    #[test]
    fn the_largest_amounts_are_not_shown_as_small_ones() {
        let shown: Vec<String> =
            [u64::MAX - 5_000, u64::MAX - 1, u64::MAX].map(|micro| MicroUsd(micro).to_string()).into();
        let largest = "$18446744073709.55";
        assert_eq!(shown, [largest, largest, "$18446744073709.55 or more"]);
    }
}
