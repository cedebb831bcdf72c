//! Who let a run spend what it may cost, and through which channel.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cost::MicroUsd;

/// How a start was approved. Part of a run's first event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    pub channel: ApprovalChannel,
    /// The amount that was approved; none where none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<MicroUsd>,
}

/// Where a yes came from. Only the first three are a person's answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalChannel {
    /// The user of an MCP client answered the client's question.
    Elicitation,
    /// The user at the terminal answered the prompt.
    Terminal,
    /// The user sent the form of the local page, which shows the price.
    Page,
    /// `--yes` or `--budget` on the command line.
    Flag,
    /// It may cost so little that the settings ask nobody.
    Setting,
    /// An argument of a client that cannot ask its user, within the cap that the settings put on it.
    Argument,
}

impl ApprovalChannel {
    pub const ALL: [Self; 6] =
        [Self::Elicitation, Self::Terminal, Self::Page, Self::Flag, Self::Setting, Self::Argument];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Terminal => "terminal",
            Self::Page => "page",
            Self::Flag => "flag",
            Self::Setting => "setting",
            Self::Argument => "argument",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::Elicitation => "by the client's user, who was asked",
            Self::Terminal => "by the user at the terminal, who was asked",
            Self::Page => "by the user of the local page",
            Self::Flag => "on the command line, without a question",
            Self::Setting => "without a question: below the amount that is asked about",
            Self::Argument => "by an argument of a client that cannot ask its user",
        }
    }
}

impl Approval {
    pub fn new(channel: ApprovalChannel, up_to: Option<MicroUsd>) -> Self {
        Self { channel, up_to }
    }
}

impl fmt::Display for Approval {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.channel.sentence())?;
        self.up_to.map_or(Ok(()), |amount| write!(out, "; up to {amount}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Approval, ApprovalChannel, MicroUsd};

    #[test]
    fn the_channel_is_written_as_it_is_named() {
        for channel in ApprovalChannel::ALL {
            assert_eq!(serde_json::to_value(channel).unwrap(), channel.as_str());
        }
    }

    #[test]
    fn an_approval_is_told_with_its_amount() {
        let asked = Approval::new(ApprovalChannel::Elicitation, Some(MicroUsd(2_000_000)));
        assert_eq!(asked.to_string(), "by the client's user, who was asked; up to $2.00");
        let unasked = Approval::new(ApprovalChannel::Setting, None);
        assert_eq!(unasked.to_string(), "without a question: below the amount that is asked about");
    }
}
