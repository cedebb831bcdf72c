//! The figures of research in rounds: what a round costs beside a bare client, that no kill loses or hides one,
//! and that both engines answer alike.

mod overhead;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[("overhead", overhead::measure)];
