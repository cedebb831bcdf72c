//! The figures of the evidence ledger: which faults of a report it sees, and what it never says.

mod audit;
mod bundle;
mod cases;
mod documents;
mod faults;
mod free_wording;
mod frozen_web;
mod independence;
mod judge_calls;
mod judge_chain;
mod judged_verify;
mod kills;
pub mod labelled_data;
mod local_model;
mod localisation;
mod lying_models;
mod mutations;
mod no_judge;
mod own_reports;
mod peer_checks;
mod planted_faults;
mod planted_runs;
mod quote_integrity;
mod scripted_judge;
mod seeded_random;
mod small_judge;
mod speed;
pub mod test_bed;
mod verdicts;
mod veto;
mod whole_reports;

use crate::{area::Measurement, figure::Figure};

/// In the order of the table: first what is pure and reads labelled data, then what needs processes and a network.
pub const MEASUREMENTS: &[Measurement] = &[
    ("localisation", localisation::measure),
    ("quote_integrity", quote_integrity::measure),
    ("independence", independence::measure),
    ("veto", veto::measure),
    ("judge_chain", judge_chain::measure),
    ("mutations", mutations::measure),
    ("no_judge", no_judge::measure),
    ("audit", audit::measure),
    ("speed", speed::measure),
    ("planted", planted_faults::measure),
    ("sentences", planted_faults::measure_sentences),
    ("own_reports", own_reports::measure),
    ("judge_calls", judge_calls::measure),
    ("lying", lying_models::measure),
    ("free_wording", free_wording::measure),
    ("whole_reports", whole_reports::measure),
    ("small_judge", small_judge::measure),
    ("local_model", local_model::measure),
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
    // One author each, written to be hard.
    ("audit", "cite nothing"),
    ("free_wording", "free wording"),
    ("whole_reports", "reports called verified"),
    ("documents", "planted faults of documents"),
    ("documents", "right exit code"),
];

pub fn is_aim(figure: &Figure) -> bool {
    AIMS.iter().any(|(measurement, words)| figure.measurement == *measurement && figure.name.contains(words))
}
