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

use crate::area::Measurement;

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
];
