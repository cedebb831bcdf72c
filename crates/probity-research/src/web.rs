//! Our own web engine, as rules: how deep to search, which task is next, what its output means, when to stop.
//!
//! Search, read and write calls are performed by the outer crates; their outputs are the types below.

pub mod anchor;
pub mod compose;
pub mod conclude;
pub mod fuse;
pub mod gain;
pub mod markdown;
pub mod page_to_store;
pub mod parent;
pub mod passages;
pub mod plan;
pub mod plan_cut;
pub mod plan_flags;
pub mod react;
pub mod receipt;
pub mod state;
pub mod step;
pub mod strategy;
pub mod take_over;

pub use probity_types::web::{
    Bill, BillBasis, Extract, MediaKind, NoteFact, PageRecord, ProviderName, Quote, ReaderNote, SearchCall,
    SearchDepth, SearchFilters, SearchHit, SearchReply, Strategy, StrategyHints, StrategyLevel, TaskScope,
    TaskType, bill, canonical, cluster, note, origin, page, providers, record, search, task,
};

#[cfg(test)]
mod tests;
