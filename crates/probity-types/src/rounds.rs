//! Research in rounds, as values: by which tool it was asked for, what is told of it, the addresses in its texts.

pub mod links;
pub mod mode;
pub mod record;

pub use mode::Mode;
pub use record::{RoundNote, RoundsRecord, RoundsStop};
