//! Seeded closed worlds for measuring a research engine, and a scripted model with a real model's limits.
//!
//! `ResearchWorld` is made from a seed: pages for the small web, what is true on them, and one request. `ResearchModel`
//! answers any chat prompt from the words of that prompt alone and never sees the world. Nothing here scores a report:
//! that is the measuring program's work.

mod fact;
mod find;
mod lexicon;
mod model;
mod random;
mod tokens;
mod world;

pub use fact::{FactAttribute, FactLanguage, FactTuple};
pub use find::{FoundFact, attributes_in, entities_in, find_facts, sentences};
pub use lexicon::{
    CONFLICT_WORDS, GAP_WORDS, HIGHER_WORDS, INFERENCE_WORDS, LOWER_WORDS, REVISED_WORDS, SCOPE_WORDS,
    facet_name, main_language,
};
pub(crate) use model::{ModelAnswer, embeddings};
pub use model::{ResearchCall, ResearchLimits, ResearchModel, ResearchTask};
pub use tokens::{count_tokens, count_words};
pub use world::{
    ConflictKind, FactRole, ResearchRequest, ResearchWorld, TrapKind, WorldConflict, WorldFact, WorldTrap,
};

#[cfg(test)]
mod tests;
