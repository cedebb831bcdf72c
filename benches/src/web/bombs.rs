//! Bombs: answers and files made to take all memory or all time.

mod parsers;
mod wire;

use crate::figure::{Figure, MeasurementSize};

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut figures = wire::measure(size)?;
    figures.extend(parsers::measure(size)?);
    Ok(figures)
}

/// The process that is bombed.
pub(super) fn work(words: &[&str]) -> anyhow::Result<()> {
    wire::work(words)
}
