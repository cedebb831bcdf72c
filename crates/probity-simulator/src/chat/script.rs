//! How the model behaves, and orders from outside to behave differently.

use super::Asked;
use crate::{
    fault::{FaultKind, RepeatingFault},
    named_set::named,
};

named! {
    /// The outcome of a question.
    pub enum Script {
        /// Quotes what is there, counts what it quotes.
        Honest = "honest",
        /// Invents quotations and changes numbers.
        Forgetful = "forgetful",
        /// As a judge: calls everything supported, and quotes true words that are unrelated.
        YesSayer = "yes-sayer",
        /// As a judge: finds nothing on any page.
        NaySayer = "nay-sayer",
        /// JSON with a mistake in it.
        BrokenJson = "broken-json",
        /// Half an answer, with the reason `length`.
        Cut = "cut",
        /// Half an answer that claims to be whole.
        CutSilently = "cut-silently",
        Empty = "empty",
        /// The right JSON inside a fence, with text around it.
        Prose = "prose",
        /// Prose instead of JSON; plain lines where lines are asked for.
        NoJson = "no-json",
        /// JSON of another shape than was asked for.
        WrongShape = "wrong-shape",
        Slow = "slow",
        Refusing = "refusing",
        Filtered = "filtered",
        /// An endpoint that answers 400 to a schema.
        NoSchema = "no-schema",
        /// An endpoint that counts nothing.
        NoUsage = "no-usage",
        /// Does what any text it can decode orders, within the types of the schema.
        Obedient = "obedient",
        /// The same without regard for the schema.
        ObedientWild = "obedient-wild",
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "the names are made by a macro that derives the same for all lists"
)]
impl Default for Script {
    fn default() -> Self {
        Self::Honest
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatBehaviour {
    Script(Script),
    Fault(FaultKind),
}

impl ChatBehaviour {
    /// The name of a script, or of a fault such as `503` or `lost`.
    pub fn parse(text: &str) -> Option<Self> {
        Script::parse(text).map(Self::Script).or_else(|| FaultKind::parse(text).map(Self::Fault))
    }
}

/// The next calls use another script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatFault {
    /// Calls for this; any call if not set.
    pub asked: Option<Asked>,
    pub behaviour: ChatBehaviour,
    pub times: u32,
}

impl RepeatingFault for ChatFault {
    fn times_mut(&mut self) -> &mut u32 {
        &mut self.times
    }
}
