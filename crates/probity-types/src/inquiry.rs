//! The second research engine (`web/2`), as values: what each call to a model is asked, what it answers, and the ids
//! by which both speak of the same thing.
//!
//! No rule is here and no prompt: what comes next stands in `probity-research`, how it is worded in `probity-engines`.
//! Everything that a prompt shows of a page is a quotation with an id; no address is among these values.

pub mod answer;
pub mod block;
pub mod fact;
pub mod id;
pub mod request;
pub mod role;
pub mod steering;

pub use answer::{
    BriefAnswer, BriefFacet, Clarification, FrontAnswer, FrontSentence, InferenceMove, LineAnswer, LineQuery,
    NewNode, OutlineAnswer, OutlineOperation, Requirement, RequirementKind, SectionAnswer, SurveyAnswer,
    SurveyNote, SurveyQuote, SurveyedQuote, SynthesisAnswer, SynthesisPoint,
};
pub use block::{Block, BlockKind, Sentence, SentenceKind, Table, TableCell, TableColumn, TableRow};
pub use fact::{QuoteRole, TypedFact};
pub use id::{ClaimId, ConflictId, FacetId, NodeId, QuoteId, RequirementId};
pub use request::{
    BriefRequest, ConflictSide, FrontRequest, LineRequest, OutlineRequest, PromptClaim, PromptConflict,
    PromptFacet, PromptGroup, PromptNode, PromptQuote, PromptRequirement, SectionRequest, SurveyFacet,
    SurveyRequest, SynthesisRequest, ToldElsewhere,
};
pub use role::ModelRole;
pub use steering::{SteeringNote, WantedFacet};
