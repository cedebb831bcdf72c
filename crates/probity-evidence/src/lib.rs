//! Does the source say it?
//!
//! Pure functions of texts: a report is split into sentences and claims, passages are found in the pages it cites,
//! quotations are anchored in their bytes, and numbers, dates, names and polarity are compared. What is found here
//! may refute, block and route a claim; it never calls one supported. That is left to a judge.

pub mod anchor;
pub mod audit;
pub mod citations;
pub mod compare;
pub mod formula;
pub mod hedge;
pub mod names;
pub mod polarity;
pub mod examine;
pub mod flips;
mod hash;
pub mod locate;
pub mod mend;
pub mod origins;
pub mod output;
pub mod page;
pub mod split;
pub mod value;
pub mod words;
