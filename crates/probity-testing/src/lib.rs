//! What tests, examples, figures and fuzzing share: an invented report, a directory full of traps for exports, and how
//! much is measured.
//!
//! A dev-dependency everywhere; no product crate may use it (`tidy`).

pub mod export_testbed;
pub mod figure_size;
pub mod report_fixture;
