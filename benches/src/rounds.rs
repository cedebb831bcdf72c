//! The figures of research in rounds: what a round costs beside a bare client, that no kill loses or hides one,
//! that both engines answer alike, and that nothing survives, escapes or tells the key.

mod kill_sweep;
mod network_scope;
mod overhead;
mod pool;
mod promises;
pub(crate) mod real_cli;
mod scenarios;
pub(crate) mod supervision {
    //! Which processes a place has, for everything that must not leave one behind.
    pub mod processes;
}

use crate::{
    area::Measurement,
    tested::{self, TestedFigure},
};

pub const MEASUREMENTS: &[Measurement] = &[
    ("overhead", overhead::measure),
    ("kill_sweep", kill_sweep::measure),
    ("both_engines", promises::both_engines),
    ("pool", pool::measure),
    ("real_cli", promises::real_cli),
    ("supervision", promises::supervision),
    ("escapes", promises::escapes),
    ("secrets", promises::secrets),
    ("scenarios", scenarios::measure),
    ("checked", |size| tested::measure(&CHECKED, size)),
];

const HONEST: &str = "rounds_checked::honest_material_is_verified_and_costs_little_more_than_the_models_word";

/// Rounds as they are shipped, with every claim checked.
const CHECKED: [TestedFigure; 3] = [
    TestedFigure {
        test: HONEST,
        key: "rounds.verified_share",
        name: "deep searches on honest material that reach `verified` with checks on",
        goal: "at least 95 %",
    },
    TestedFigure {
        test: HONEST,
        key: "rounds.cost_ratio",
        name: "cost of a verified answer against the model's word alone",
        goal: "at most 1.3 times",
    },
    TestedFigure {
        test: "rounds_checked::no_round_is_paid_for_whose_text_was_already_there",
        key: "rounds.paid_again",
        name: "paid rounds whose text was already there, pages readable and not",
        goal: "0",
    },
];
