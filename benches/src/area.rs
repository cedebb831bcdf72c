//! An area of figures: its measurements in the order of its table, run all or one.

use crate::{
    figure::{Figure, Size},
    foundation, mcp, output, rounds, web,
};

/// A measurement: its name (for `--only`) and the function that yields its figures.
pub type Measurement = (&'static str, fn(Size) -> anyhow::Result<Vec<Figure>>);

/// The measurements of an area, or nothing if there is no such area.
pub fn measurements(area: &str) -> Option<&'static [Measurement]> {
    match area {
        "foundation" => Some(foundation::MEASUREMENTS),
        "mcp" => Some(mcp::MEASUREMENTS),
        "rounds" => Some(rounds::MEASUREMENTS),
        "web" => Some(web::MEASUREMENTS),
        _ => None,
    }
}

/// Names of the measurements, in the order of the table.
pub fn names(measurements: &[Measurement]) -> Vec<&'static str> {
    measurements.iter().map(|(name, _)| *name).collect()
}

pub fn measure(measurements: &[Measurement], size: Size, only: Option<&str>) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, run) in measurements {
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        output::progress(name);
        for mut figure in run(size)? {
            figure.measurement = (*name).to_owned();
            figure.print();
            figures.push(figure);
        }
    }
    Ok(figures)
}
