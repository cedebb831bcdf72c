//! The evidence benchmark: how well texts are checked, measured on labelled data.
//!
//! Only what needs no process and no network is here, so that it builds in seconds; `benches` runs these with the
//! rest of `just figures evidence`.

pub mod audit;
pub mod data;
pub mod independence;
pub mod judge_chain;
pub mod localisation;
pub mod mutations;
pub mod no_judge;
pub mod outcome;
pub mod quote_integrity;
pub mod random;
pub mod speed;
pub mod veto;

use outcome::{EvalExtent, EvalOutcome};

/// A measurement: its name (for `--only`) and the function that yields its outcomes.
pub type EvalMeasurement = (&'static str, fn(EvalExtent) -> anyhow::Result<Vec<EvalOutcome>>);

/// In the order of the table.
pub const MEASUREMENTS: &[EvalMeasurement] = &[
    ("localisation", localisation::measure),
    ("quote_integrity", quote_integrity::measure),
    ("independence", independence::measure),
    ("veto", veto::measure),
    ("judge_chain", judge_chain::measure),
    ("mutations", mutations::measure),
    ("no_judge", no_judge::measure),
    ("audit", audit::measure),
    ("speed", speed::measure),
];
