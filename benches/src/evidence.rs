//! The figures of the evidence ledger: which faults of a report it sees, and what it never says.

mod bundle;
mod cases;
mod documents;
mod eval_figures;
mod faults;
mod frozen_web;
mod judge_calls;
mod kills;
mod lying_models;
mod own_reports;
mod peer_checks;
mod planted_faults;
mod planted_runs;
mod sentences;
mod small_judge;
pub mod test_bed;
mod verdict_support;
mod verdicts;
mod web_cases;

use crate::{
    area::{Measurement, MeasurementTask},
    figure::Figure,
};

/// Those that need processes, stores and a network, in the order of the table.
pub const MEASUREMENTS: &[Measurement] = &[
    ("planted", planted_faults::measure),
    ("sentences", sentences::measure),
    ("own_reports", own_reports::measure),
    ("judge_calls", judge_calls::measure),
    ("lying", lying_models::measure),
    ("small_judge", small_judge::measure),
    ("documents", documents::measure),
    ("kills", kills::measure),
    ("bundle", bundle::measure),
];

/// Figures that are published as short where they are short: by measurement, and by words of their name.
const AIMS: &[(&str, &str)] = &[
    // A letter wrong in a name is a slip or another name; the strict reading is kept.
    ("quote_integrity", "names too"),
    // Forty cases of the quick run: one is too many.
    ("quote_integrity", "behind an ellipsis"),
    ("veto", "claims not borne out"),
    ("judge_chain", "behind the checks"),
    ("planted", "planted faults on"),
    ("planted", "hyperresearch"),
    // Against a judge that says yes to everything only rules stand.
    ("lying", "a judge that says yes"),
    ("lying", "inventions called supported or quoted"),
    ("lying", "called verified"),
    ("documents", "planted faults of documents"),
    ("documents", "right exit code"),
];

pub fn is_aim(figure: &Figure) -> bool {
    AIMS.iter().any(|(measurement, words)| figure.measurement == *measurement && figure.name.contains(words))
}

/// Those that are pure functions on labelled data; they come first.
pub fn light() -> Vec<MeasurementTask> {
    eval_figures::tasks()
}
