//! What the program decides when it opens a store: clocks, randomness and places come in from outside.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use probity_research::{id::OwnerId, plan::EngineName, ports::Clock, time::Moment};

/// Whether to write at all. A directory that cannot be written opens for reading in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenMode {
    #[default]
    ReadWrite,
    ReadOnly,
}

#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Names this process among those that share the directory; never used twice.
    pub owner: OwnerId,
    pub clocks: Clocks,
    /// Where a report is written that the journal refuses.
    pub rescue_directory: PathBuf,
    pub mode: OpenMode,
    /// Only runs of these engines are claimed: those that this process can drive. None claims all.
    pub claims_only: Option<Vec<EngineName>>,
}

impl StoreOptions {
    pub fn new(owner_bits: u128, clocks: Clocks, rescue_directory: impl Into<PathBuf>) -> Self {
        Self {
            owner: OwnerId::from_random(owner_bits),
            clocks,
            rescue_directory: rescue_directory.into(),
            mode: OpenMode::ReadWrite,
            claims_only: None,
        }
    }
}

/// The wall clock dates heartbeats and backups; only the monotonic clock decides which owner fell silent.
#[derive(Clone)]
pub struct Clocks {
    pub wall: Arc<dyn Fn() -> Moment + Send + Sync>,
    pub monotonic: Arc<dyn Fn() -> Duration + Send + Sync>,
}

impl Clocks {
    pub fn of<C: Clock + 'static>(clock: Arc<C>) -> Self {
        let wall = Arc::clone(&clock);
        Self { wall: Arc::new(move || wall.now()), monotonic: Arc::new(move || clock.monotonic()) }
    }
}

impl fmt::Debug for Clocks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Clocks")
    }
}
