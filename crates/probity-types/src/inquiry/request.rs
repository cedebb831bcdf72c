//! What each call to a model is shown, as values. The rules have already cut every list to the model's window: a prompt
//! shows all of it.

use super::{
    answer::RequirementKind,
    block::BlockKind,
    fact::{QuoteRole, TypedFact},
    id::{ClaimId, ConflictId, FacetId, NodeId, QuoteId, RequirementId},
};
use crate::web::strategy::StrategyLevel;

/// What is the question, in parts?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefRequest {
    pub question: String,
    /// Only what the user lets leave the machine: the first queries are written from it.
    pub context: Option<String>,
    pub depth: StrategyLevel,
    /// Beside those that the user wants.
    pub facets_min: u32,
    pub facets_max: u32,
    /// Parts that are looked into in any case.
    pub wanted: Vec<String>,
    pub words: u32,
    /// The language that the user asked for; otherwise that of the question.
    pub language: Option<String>,
    pub today: String,
}

/// What to search for next on one facet?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRequest {
    pub question: String,
    pub facet: FacetId,
    pub facet_question: String,
    /// From 1.
    pub round: u32,
    /// The best quotations of the facet so far.
    pub quotes: Vec<PromptQuote>,
    /// Queries that any line asked.
    pub asked_before: Vec<String>,
    /// Requirements that no quotation meets yet.
    pub requirements: Vec<PromptRequirement>,
    /// What the outline misses on this facet.
    pub wants: Vec<String>,
    /// Names that pages on this facet mentioned, as plain words.
    pub terms: Vec<String>,
    /// To be settled by this line: the primary source, the definition, the newest date.
    pub conflict: Option<PromptConflict>,
    pub queries_max: u32,
    /// The user's own words while the run goes on.
    pub steer: Vec<String>,
    pub today: String,
}

/// What does one page say on up to four facets? The only call that sees a page; it sees nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyRequest {
    pub facets: Vec<SurveyFacet>,
    /// The parts of the page's text that fit, in order; table rows have ` | ` between cells.
    pub text: String,
    /// Texts of the page's links, to be named by their position, from 0.
    pub links: Vec<String>,
    pub quotes_max: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyFacet {
    pub facet: FacetId,
    pub question: String,
    /// The query that found the page, on the facet that it was found for.
    pub searched_for: Option<String>,
}

/// How should the outline change?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineRequest {
    pub question: String,
    pub reader_wants: String,
    /// From 1.
    pub round: u32,
    pub rounds_max: u32,
    pub requirements: Vec<PromptRequirement>,
    pub facets: Vec<PromptFacet>,
    /// Quotations that came since the last round, as short gists.
    pub quotes: Vec<PromptQuote>,
    /// The former outline in its order.
    pub nodes: Vec<PromptNode>,
    pub conflicts: Vec<PromptConflict>,
    pub sections_max: u32,
    pub words: u32,
    pub language: Option<String>,
    pub steer: Vec<String>,
}

/// Write one section from its own quotations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionRequest {
    pub question: String,
    pub reader_wants: String,
    /// The whole outline in its order, as headings: what the others tell.
    pub outline: Vec<PromptNode>,
    pub node: PromptNode,
    pub quotes: Vec<PromptQuote>,
    /// At home in another section: may be pointed to, not told again.
    pub told_elsewhere: Vec<ToldElsewhere>,
    /// Both sides of each must stand in the section.
    pub conflicts: Vec<PromptConflict>,
    pub requirements: Vec<PromptRequirement>,
    pub block: BlockKind,
    pub words: u32,
    pub language: Option<String>,
    pub steer: Vec<String>,
    pub today: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldElsewhere {
    pub quote: QuoteId,
    pub node: NodeId,
    /// A few words of it.
    pub gist: String,
}

/// What follows from the written claims together?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SynthesisRequest {
    pub question: String,
    pub reader_wants: String,
    pub claims: Vec<PromptClaim>,
    /// Claims that can be set side by side.
    pub groups: Vec<PromptGroup>,
    pub requirements: Vec<PromptRequirement>,
    pub conflicts: Vec<PromptConflict>,
    pub points_max: u32,
    pub words: u32,
    pub language: Option<String>,
    pub today: String,
}

/// Title, direct answer and key points over the written claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontRequest {
    pub question: String,
    pub reader_wants: String,
    pub headings: Vec<PromptNode>,
    pub claims: Vec<PromptClaim>,
    /// Requirements that nothing found meets: the direct answer says so.
    pub unmet: Vec<PromptRequirement>,
    pub points_max: u32,
    pub words: u32,
    pub language: Option<String>,
    pub today: String,
}

/// A quotation as planner and writer see it: foreign words, marked as such in every prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptQuote {
    pub id: QuoteId,
    pub text: String,
    /// The site, such as `example.org`; never an address.
    pub site: String,
    pub published: Option<String>,
    pub facets: Vec<FacetId>,
    pub role: QuoteRole,
    pub facts: Vec<TypedFact>,
    /// Quotations with the same number are not independent of each other.
    pub origin: u32,
    /// Other pages that carry the same words.
    pub copies: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRequirement {
    pub id: RequirementId,
    pub text: String,
    pub kind: RequirementKind,
    pub met: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptFacet {
    pub id: FacetId,
    pub question: String,
    pub quotes: u32,
    pub origins: u32,
    pub origins_wanted: u32,
    /// Nothing more is searched for it.
    pub closed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptNode {
    pub id: NodeId,
    pub parent: Option<NodeId>,
    pub heading: String,
    pub question: String,
    /// Evidence that is missing.
    pub wants: Vec<String>,
    pub block: BlockKind,
    pub quotes: Vec<QuoteId>,
    pub words: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptConflict {
    pub id: ConflictId,
    pub entity: String,
    pub attribute: String,
    pub period: String,
    pub sides: Vec<ConflictSide>,
    /// Their words do not tell whether both are about the same; whoever reads both can.
    pub is_suspected: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictSide {
    pub quote: QuoteId,
    pub value: String,
    pub unit: String,
    pub site: String,
    pub published: Option<String>,
}

/// Claims that say the same of different things, or of one thing for different times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptGroup {
    pub about: String,
    pub claims: Vec<ClaimId>,
}

/// A written sentence that states a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptClaim {
    pub id: ClaimId,
    pub node: NodeId,
    pub text: String,
    pub origins: u32,
}
