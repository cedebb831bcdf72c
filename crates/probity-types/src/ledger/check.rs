//! One check of one claim: its author, its passage, and its outcome. Never overwritten.

use serde::{Deserialize, Serialize};

use super::ClaimId;
use crate::{id::Digest, time::Moment};

/// The aspect that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckAspect {
    /// Does it cite a page that exists and can be read?
    Citation,
    /// Is its quotation there, word for word?
    Quotation,
    Number,
    Unit,
    Date,
    Name,
    Polarity,
    Comparison,
    Hedge,
    Scope,
    Attribution,
    Freshness,
    /// How much of it the page mentions at all.
    Coverage,
    /// A derived figure, computed again.
    Arithmetic,
    /// The whole claim, by a judge.
    Meaning,
    /// The same by the second judge, where the first one calls it supported.
    SecondOpinion,
    /// Whether an inference follows from the claims it rests on: `Agrees` that it does, `Absent` or `Contradicts` that it
    /// does not. No page is looked at, so it never supports anything.
    Inference,
}

/// The outcome. Only a judge's opinion on the meaning can be `Supports`, and only with its quotation found on
/// the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opinion {
    /// Nothing contradicts it here.
    Agrees,
    /// The quotation is there, word for word.
    Quoted,
    Supports,
    /// A part of it is there.
    Partly,
    /// The page says it with a reservation that the claim leaves out.
    Qualifies,
    Contradicts,
    /// Too little of it is on the page for any opinion that it is supported to be accepted.
    Doubts,
    /// The page does not have it.
    Absent,
    /// The judge or rule could not check it.
    Abstains,
}

/// The author of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum CheckAuthor {
    /// Rules of this program: the same on every machine.
    Rules { version: String },
    /// A model that was asked.
    Model { name: String, version: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub claim: ClaimId,
    pub aspect: CheckAspect,
    pub opinion: Opinion,
    #[serde(flatten)]
    pub by: CheckAuthor,
    /// In percent; for rules, as measured on labelled data.
    pub confidence: u8,
    /// Position in `Ledger::sources`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
    /// Byte range in that page's extracted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(usize, usize)>,
    /// The page's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<Digest>,
    pub at: Moment,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Check {
    /// `Supports` counts as nothing unless a judge names a position on a stored page.
    pub fn opinion(&self) -> Opinion {
        let on_meaning = matches!(self.aspect, CheckAspect::Meaning | CheckAspect::SecondOpinion);
        let judged = matches!(self.by, CheckAuthor::Model { .. }) && on_meaning;
        let grounded = self.span.is_some() && self.page.is_some();
        match self.opinion {
            Opinion::Supports if !(judged && grounded) => Opinion::Abstains,
            Opinion::Quoted if !grounded => Opinion::Abstains,
            opinion @ (Opinion::Agrees
            | Opinion::Quoted
            | Opinion::Supports
            | Opinion::Partly
            | Opinion::Qualifies
            | Opinion::Contradicts
            | Opinion::Doubts
            | Opinion::Absent
            | Opinion::Abstains) => opinion,
        }
    }
}
