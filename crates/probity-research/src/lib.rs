//! The rules of Probity: what a run is, what comes next, when it stops, what it costs.
//!
//! Pure. No tokio, sockets, files, processes, environment or wall clock: drivers perform the steps that these
//! rules name and append their outcomes. A laptop and a fleet run the same rules.

pub mod agent;
pub mod checking;
pub mod cost;
pub mod driver_state;
pub mod engine_call;
pub mod error;
pub mod estimate;
pub mod event;
#[cfg(test)]
mod fixture;
pub mod id;
pub mod ledger;
pub mod list;
pub mod model;
pub mod plan;
pub mod ports;
pub mod price;
pub mod principal;
pub mod progress;
pub mod query;
pub mod react;
pub mod report;
pub mod rounds;
pub mod scope;
pub mod state;
pub mod status;
pub mod step;
pub mod stop;
pub mod tenant;
pub mod text;
pub mod throttle;
pub mod time;
pub mod trace;
pub mod web;

pub use error::{Code, CodedError, Retry};
pub use event::{Event, StoredEvent};
pub use id::{Digest, Fence, OwnerId, RunId, Sequence};
pub use state::RunState;
pub use step::{Step, next_step};
