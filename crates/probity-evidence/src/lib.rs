//! Does the source say it?
//!
//! Pure functions of texts: a report is split into sentences and claims, passages are found in the pages it cites,
//! quotations are anchored in their bytes, and numbers, dates, names and polarity are compared. What is found here
//! may refute, block and route a claim; it never calls one supported. That is left to a judge.

pub mod anchor;
pub mod audit;
pub mod citations;
pub mod compare;
pub mod examine;
pub mod formula;
mod hash;
pub mod hedge;
pub mod locate;
pub mod locate_across;
mod locate_loosely;
pub mod names;
pub mod origins;
pub mod output;
pub mod page;
pub mod polarity;
pub mod repair_citations;
pub mod split;
pub mod value;
pub mod verdict_changes;
mod word_set;
mod word_table;
pub mod words;
