//! The light measurements of `evals`, as figures of this table.

use probity_evals::outcome::{Extent, Outcome, Standing};

use crate::{
    area::Task,
    figure::{Figure, Kind, Size, Verdict},
};

/// Each under its own name.
pub fn tasks() -> Vec<Task> {
    let task = |(name, run): &probity_evals::Measurement| {
        let run = *run;
        let figures = move |size: Size| Ok(run(extent(size))?.into_iter().map(figure).collect());
        Task { name, run: Box::new(figures) }
    };
    probity_evals::MEASUREMENTS.iter().map(task).collect()
}

fn extent(size: Size) -> Extent {
    size.pick(Extent::Quick, Extent::Full)
}

fn figure(outcome: Outcome) -> Figure {
    Figure {
        measurement: String::new(),
        kind: if outcome.timing { Kind::Timing } else { Kind::Promise },
        verdict: match outcome.standing {
            Standing::Reached => Verdict::Ok,
            Standing::Short => Verdict::Short,
            Standing::Skipped => Verdict::Skipped,
        },
        name: outcome.name,
        measured: outcome.measured,
        goal: outcome.goal,
        note: outcome.note,
    }
}
