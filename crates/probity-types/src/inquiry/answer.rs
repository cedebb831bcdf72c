//! What each call to a model answers, as the journal keeps it. Nothing here is trusted: ids are compared with the state,
//! quotations with the page, words are bounded and never act.

use serde::{Deserialize, Serialize};

use super::{
    block::{Block, BlockKind},
    fact::{QuoteRole, TypedFact},
    id::{ClaimId, FacetId, NodeId, QuoteId},
};

/// Bounds of one answer; what lies beyond is left out when it is taken.
pub const REQUIREMENTS_MAX: usize = 20;
pub const CLARIFICATIONS_MAX: usize = 3;
pub const LINE_QUERIES_MAX: usize = 3;
pub const SURVEY_QUOTES_MAX: usize = 12;
pub const SURVEY_FACETS_MAX: usize = 4;
/// Terms of one page that may enter queries, and the words of each: choosing words must not become a message.
pub const TERMS_MAX: usize = 3;
pub const TERM_WORDS_MAX: usize = 5;
pub const OPERATIONS_MAX: usize = 60;
pub const BLOCKS_MAX: usize = 40;
pub const POINTS_MAX: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BriefAnswer {
    /// What the reader wants to know or decide, in a sentence.
    #[serde(default)]
    pub reader_wants: String,
    /// Of the question, ISO 639-1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default)]
    pub requirements: Vec<Requirement>,
    pub facets: Vec<BriefFacet>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clarifications: Vec<Clarification>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requirement {
    pub text: String,
    pub kind: RequirementKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequirementKind {
    /// Something that must be found; the others are about the form.
    #[default]
    Content,
    Format,
    Length,
    Language,
    Dates,
}

impl RequirementKind {
    pub const ALL: [Self; 5] = [Self::Content, Self::Format, Self::Length, Self::Language, Self::Dates];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Format => "format",
            Self::Length => "length",
            Self::Language => "language",
            Self::Dates => "dates",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BriefFacet {
    pub question: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The first query, unlike those of the others.
    pub query: String,
}

/// A question back to the user, with the answer that is assumed meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Clarification {
    pub question: String,
    pub default_answer: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LineAnswer {
    #[serde(default)]
    pub queries: Vec<LineQuery>,
    /// There is enough on this facet.
    #[serde(default)]
    pub done: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LineQuery {
    pub query: String,
    /// What it is to find.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gap: String,
}

/// As the reader returned it: nothing is accepted before it is found on the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SurveyAnswer {
    pub quotes: Vec<SurveyQuote>,
    /// Positions of links worth following.
    pub links: Vec<usize>,
    /// Names on the page that other queries could use.
    pub new_terms: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SurveyQuote {
    /// Words of the page, exactly.
    pub text: String,
    pub facets: Vec<FacetId>,
    pub role: QuoteRole,
    pub facts: Vec<TypedFact>,
}

/// What of a `SurveyAnswer` is on the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SurveyNote {
    pub quotes: Vec<SurveyedQuote>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// Quotations that the reader returned and that are not on the page.
    #[serde(default)]
    pub invented: u32,
    /// Read by rule, without a model.
    #[serde(default)]
    pub by_rule: bool,
}

/// A byte range of the page's text, the words there, and what they say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyedQuote {
    pub start: usize,
    pub end: usize,
    pub text: String,
    pub facets: Vec<FacetId>,
    #[serde(default)]
    pub role: QuoteRole,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<TypedFact>,
}

/// Changes only: what is not named stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OutlineAnswer {
    pub operations: Vec<OutlineOperation>,
    /// Requirements that the bound quotations meet, or that cannot be met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub met: Vec<super::id::RequirementId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "kebab-case")]
pub enum OutlineOperation {
    Add {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<NodeId>,
        #[serde(flatten)]
        new: NewNode,
    },
    /// The node becomes these; quotations that none of them takes go to the first.
    Split {
        node: NodeId,
        into: Vec<NewNode>,
    },
    /// All become the first of them.
    Merge {
        nodes: Vec<NodeId>,
    },
    Move {
        node: NodeId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<NodeId>,
        /// Place among its new neighbours, from 0.
        position: u32,
    },
    Retitle {
        node: NodeId,
        heading: String,
    },
    Drop {
        node: NodeId,
    },
    /// These quotations have their home here.
    Bind {
        node: NodeId,
        quotes: Vec<QuoteId>,
    },
    /// The evidence that is missing here; replaces what was named before.
    Want {
        node: NodeId,
        wants: Vec<String>,
    },
    Form {
        node: NodeId,
        block: BlockKind,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewNode {
    pub heading: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wants: Vec<String>,
    #[serde(default)]
    pub block: BlockKind,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<QuoteId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SectionAnswer {
    pub blocks: Vec<Block>,
    /// What the writer missed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thin: Vec<String>,
    /// The model's output ended at its limit; the blocks are whole sentences all the same.
    #[serde(default)]
    pub cut: bool,
}

/// What kind of step an inference makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InferenceMove {
    #[default]
    Compare,
    Trend,
    Cause,
    Implication,
    Limit,
    Outlook,
    Advice,
}

impl InferenceMove {
    pub const ALL: [Self; 7] = [
        Self::Compare,
        Self::Trend,
        Self::Cause,
        Self::Implication,
        Self::Limit,
        Self::Outlook,
        Self::Advice,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Trend => "trend",
            Self::Cause => "cause",
            Self::Implication => "implication",
            Self::Limit => "limit",
            Self::Outlook => "outlook",
            Self::Advice => "advice",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SynthesisAnswer {
    /// The heading of the part, in the language of the report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    pub points: Vec<SynthesisPoint>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SynthesisPoint {
    pub text: String,
    pub rests_on: Vec<ClaimId>,
    #[serde(default, rename = "move")]
    pub inference_move: InferenceMove,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FrontAnswer {
    pub title: String,
    /// The question answered directly, in two to four sentences.
    pub answer: Vec<FrontSentence>,
    pub key_points: Vec<FrontSentence>,
    /// "Key points" in the language of the report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub points_heading: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FrontSentence {
    pub text: String,
    pub claims: Vec<ClaimId>,
}
