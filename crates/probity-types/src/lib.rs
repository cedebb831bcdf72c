//! The values of Probity: ids, error codes, cost, time, text, the question, the report and its ledger, pages, searches
//! and the tasks that bring them.
//!
//! Pure data with its parsing and its arithmetic. No rule of a run is here: what comes next, when to stop and how deep
//! to go stands in `probity-research`, so that a changed rule does not rebuild those who only read and write values.

pub mod agent;
pub mod approval;
pub mod checking;
pub mod cost;
pub mod error;
pub mod estimate;
pub mod id;
pub mod inquiry;
pub mod ledger;
pub mod list;
pub mod model;
pub mod notify;
pub mod price;
pub mod principal;
pub mod progress;
pub mod query;
pub mod report;
pub mod rounds;
pub mod scope;
pub mod shelf;
pub mod status;
pub mod stop;
pub mod text;
pub mod time;
pub mod way_out;
pub mod web;

pub use error::{Code, CodedError, Retry};
pub use id::{Digest, Fence, OwnerId, RunId, Sequence};
