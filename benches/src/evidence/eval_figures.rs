//! The light measurements of `evals`, as figures of this table.

use probity_evals::outcome::{EvalExtent, EvalOutcome, GoalStatus};

use crate::{
    area::MeasurementTask,
    figure::{Figure, FigureKind, FigureVerdict, MeasurementSize},
};

/// Each under its own name.
pub fn tasks() -> Vec<MeasurementTask> {
    let task = |(name, run): &probity_evals::EvalMeasurement| {
        let run = *run;
        let figures = move |size: MeasurementSize| Ok(run(extent(size))?.into_iter().map(figure).collect());
        MeasurementTask { name, run: Box::new(figures) }
    };
    probity_evals::MEASUREMENTS.iter().map(task).collect()
}

fn extent(size: MeasurementSize) -> EvalExtent {
    size.pick(EvalExtent::Quick, EvalExtent::Full)
}

fn figure(outcome: EvalOutcome) -> Figure {
    Figure {
        measurement: String::new(),
        kind: if outcome.timing { FigureKind::Timing } else { FigureKind::Promise },
        verdict: match outcome.standing {
            GoalStatus::Reached => FigureVerdict::Ok,
            GoalStatus::Short => FigureVerdict::Short,
            GoalStatus::Skipped => FigureVerdict::Skipped,
        },
        name: outcome.name,
        measured: outcome.measured,
        goal: outcome.goal,
        note: outcome.note,
        commit: String::new(),
        profile: String::new(),
    }
}
