//! An area of figures: its measurements in the order of its table, run all or one.

use crate::{
    evidence,
    figure::{Figure, Kind, Size},
    fleet, foundation, mcp, output, people, rounds, web,
};

/// A measurement: its name (for `--only`) and the function that yields its figures.
pub type Measurement = (&'static str, fn(Size) -> anyhow::Result<Vec<Figure>>);

/// A measurement as the area runs it: an own one, or one of the light ones behind an adapter.
pub struct Task {
    pub name: &'static str,
    pub run: Box<dyn Fn(Size) -> anyhow::Result<Vec<Figure>>>,
}

impl From<&Measurement> for Task {
    fn from((name, run): &Measurement) -> Self {
        let run = *run;
        Self { name: *name, run: Box::new(run) }
    }
}

/// The measurements of an area, or nothing if there is no such area.
pub fn measurements(area: &str) -> Option<Vec<Task>> {
    let own = |measurements: &[Measurement]| -> Vec<Task> { measurements.iter().map(Task::from).collect() };
    match area {
        "foundation" => Some(own(foundation::MEASUREMENTS)),
        "mcp" => Some(own(mcp::MEASUREMENTS)),
        "rounds" => Some(own(rounds::MEASUREMENTS)),
        "web" => Some(own(web::MEASUREMENTS)),
        "people" => Some(own(people::MEASUREMENTS)),
        "fleet" => Some(own(fleet::MEASUREMENTS)),
        "evidence" => Some(evidence::light().into_iter().chain(own(evidence::MEASUREMENTS)).collect()),
        _ => None,
    }
}

/// Names of the measurements, in the order of the table.
pub fn names(tasks: &[Task]) -> Vec<&'static str> {
    tasks.iter().map(|task| task.name).collect()
}

pub fn measure(tasks: &[Task], size: Size, only: Option<&str>) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for task in tasks {
        if only.is_some_and(|only| !task.name.contains(only)) {
            continue;
        }
        output::progress(task.name);
        for mut figure in (task.run)(size)? {
            task.name.clone_into(&mut figure.measurement);
            if evidence::is_aim(&figure) {
                figure.kind = Kind::Aim;
            }
            figure.print();
            figures.push(figure);
        }
    }
    Ok(figures)
}
