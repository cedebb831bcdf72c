//! `evals [quick|full] [NAME]` measures and prints, for working on the checks; `just figures evidence` publishes.
#![expect(clippy::print_stdout, reason = "a tool of the developers that prints its results")]

use std::process::ExitCode;

use probity_evals::{
    MEASUREMENTS,
    outcome::{EvalExtent, GoalStatus},
};

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let extent =
        if arguments.iter().any(|word| word == "full") { EvalExtent::Full } else { EvalExtent::Quick };
    let only = arguments.iter().find(|word| !matches!(word.as_str(), "full" | "quick"));
    let mut short = 0_u32;
    for (name, measure) in MEASUREMENTS {
        if only.is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        for outcome in measure(extent)? {
            short += u32::from(outcome.standing == GoalStatus::Short);
            println!(
                "{:?} {}: {} (goal: {}) {}",
                outcome.standing, outcome.name, outcome.measured, outcome.goal, outcome.note
            );
        }
    }
    Ok(if short == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
