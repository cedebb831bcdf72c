//! What tests, examples, figures and fuzzing share: an invented report, a directory full of traps for exports, how much
//! is measured, and whether the machine could be measured on.
//!
//! A dev-dependency everywhere; no product crate may use it (`tidy`).

pub mod export_testbed;
pub mod figure_size;
pub mod report_fixture;
pub mod stolen_time;
