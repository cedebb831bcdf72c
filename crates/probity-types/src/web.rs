//! Our own web engine, as values: searches, pages, notes, tasks, bills and the record of a finished run.

pub mod address;
pub mod bill;
pub mod canonical;
pub mod cluster;
pub mod note;
pub mod origin;
pub mod page;
pub mod providers;
pub mod receipt;
pub mod record;
pub mod search;
pub mod strategy;
pub mod task;

pub use bill::{Bill, BillBasis};
pub use note::{NoteFact, Quote, ReaderNote};
pub use page::{Extract, MediaKind, PageRecord};
pub use search::{ProviderName, SearchCall, SearchDepth, SearchFilters, SearchHit, SearchReply};
pub use strategy::{Strategy, StrategyHints, StrategyLevel, TaskScope, TaskType};
