//! What tests, examples, figures and fuzzing share: an invented report, and a directory full of traps for exports.
//!
//! A dev-dependency everywhere; no product crate may use it (`tidy`).

pub mod export_testbed;
pub mod report_fixture;
