//! The figures of the MCP face: right in both eras, small, quick beside the bare library, and never untrue.

mod clients;
mod cold_start;
mod conformance;
mod escapes;
mod finished_runs;
mod http_matrix;
mod impatient_clients;
mod kill_calls;
mod malformed_input;
mod notification;
mod raw_connections;
pub mod session;
mod status_calls;
mod stdout_purity;
mod tool_tokens;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[
    ("conformance", conformance::measure),
    ("clients", clients::measure),
    ("http_matrix", http_matrix::measure),
    ("tool_tokens", tool_tokens::measure),
    ("cold_start", cold_start::measure),
    ("status_calls", status_calls::measure),
    ("notification", notification::measure),
    ("escapes", escapes::measure),
    ("stdout_purity", stdout_purity::measure),
    ("malformed", malformed_input::measure),
    ("cutting_clients", impatient_clients::measure),
    ("kill_calls", kill_calls::measure),
];
