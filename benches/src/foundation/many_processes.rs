//! Four processes, one database: each research is claimed once and ends once, and nobody is told "busy".

use crate::{
    figure::{Figure, MeasurementSize},
    tested::{self, TestedFigure},
};

const TEST: &str = "processes::four_processes_share_the_work_without_a_double_claim";
const FIGURES: &[TestedFigure] = &[
    TestedFigure {
        test: TEST,
        key: "double_claims",
        name: "double claims, 4 processes on one database",
        goal: "0 and 0",
    },
    TestedFigure {
        test: TEST,
        key: "refused_claims",
        name: "busy errors and lost claims, 4 processes on one database",
        goal: "0",
    },
];

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    tested::measure(FIGURES, size)
}
