//! Drives runs to their end: the loop, the local executor, reconcile, waiting and watching.
//!
//! Decides nothing about research itself (that is `probity-research`) and knows no database and no provider.

pub mod admission;
pub mod clock;
pub mod driver;
pub mod event_bus;
pub mod executor;
mod limited_task;
pub mod recorder;
pub mod run_service;
pub mod tasks;

pub use clock::SystemClock;
pub use event_bus::EventBus;
pub use executor::{LocalExecutor, RunnerSettings};
pub use run_service::{ExecutorContext, PayAgain, RunService, RunStart, RunStartKind, first_entry};
