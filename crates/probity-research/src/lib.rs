//! The rules of Probity: what a run is, what comes next, when it stops, what it costs.
//!
//! Pure. No tokio, sockets, files, processes, environment or wall clock: drivers perform the steps that these
//! rules name and append their outcomes. A laptop and a fleet run the same rules.

pub mod checking;
pub mod driver_state;
pub mod engine_call;
pub mod estimate;
pub mod event;
#[cfg(test)]
mod fixture;
pub mod inquiry;
pub mod instruction;
pub mod limits;
pub mod plan;
pub mod planning;
pub mod ports;
pub mod react;
pub mod rounds;
mod serde_helpers;
pub mod spending;
pub mod state;
pub mod status;
pub mod step;
pub mod tenant;
pub mod throttle;
pub mod time_left;
pub mod trace;
pub mod watch;
pub mod web;
pub mod work_done;

pub use event::{Event, StoredEvent};
pub use probity_types::{
    Code, CodedError, Digest, Fence, OwnerId, Retry, RunId, Sequence, agent, approval, cost, error, id,
    ledger, list, model, notify, price, principal, progress, query, report, scope, shelf, stop, text, time,
    way_out,
};
pub use state::RunState;
pub use step::{Step, next_step};
