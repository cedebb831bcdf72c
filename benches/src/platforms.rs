//! The figures of platforms and releases: who may replace the program, and what somebody who can change the files of a
//! release achieves. Other systems than Linux on x86-64 are untried, so they have no row here.

use crate::{
    area::Measurement,
    tested::{self, TestedFigure},
};

pub const MEASUREMENTS: &[Measurement] = &[("releases", |size| tested::measure(&RELEASES, size))];

const RELEASES: [TestedFigure; 3] = [
    TestedFigure {
        test: "update::a_release_that_somebody_changed_is_never_installed",
        key: "release.accepted",
        name: "changed releases that `probity update` installs: archive swapped or cut, sums, both, key, signature gone, older",
        goal: "0",
    },
    TestedFigure {
        test: "update::the_installer_takes_only_what_the_publisher_signed",
        key: "installer.accepted",
        name: "changed releases that the installer installs, with minisign and with openssl alone",
        goal: "0",
    },
    TestedFigure {
        test: "update::an_update_goes_forward_and_back_and_the_program_goes",
        key: "release.rehearsed",
        name: "rehearsed from a folder, without a network: to a newer release, back, removed",
        goal: "all three",
    },
];
