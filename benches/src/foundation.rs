//! The figures of the foundation: nothing lost, nothing paid twice, and what it costs beside the bare parts.

use crate::{
    figure::{Figure, Size},
    output,
};

/// A measurement: its name (for `--only`) and the function that yields its figures.
type Measurement = (&'static str, fn(Size) -> anyhow::Result<Vec<Figure>>);

const MEASUREMENTS: &[Measurement] = &[];

pub fn measure(size: Size, only: Option<&str>) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, run) in MEASUREMENTS {
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        output::progress(name);
        for figure in run(size)? {
            figure.print();
            figures.push(figure);
        }
    }
    Ok(figures)
}

/// Work that a measurement runs in a process of its own.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    anyhow::bail!("no such worker: {arguments:?}")
}
