//! The same runs on a distributed engine.
//!
//! The engine (Restate) keeps the running work: which run is due when, which worker has it now, timers and
//! signals. The rules, the step and the journal are the same as on a laptop. Never decides anything about a
//! run, and never stores more in the engine than ids and small numbers.

pub mod endpoint;
pub mod executor;
pub mod ingress;
pub mod throttled_engine;
pub mod turn_request;
pub mod worker;

pub use executor::FleetExecutor;
pub use ingress::Ingress;
pub use worker::{Worker, WorkerSettings};
