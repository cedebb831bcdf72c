//! The figures of the MCP face: right in both eras, small, quick beside the bare library, and never untrue.

mod clients;
mod cold_start;
mod conformance;
mod escapes;
mod finished_runs;
mod impatient_clients;
mod kill_calls;
mod malformed_input;
mod notification;
mod raw_connections;
pub mod session;
mod status_calls;
pub mod tool_tokens;

use crate::{
    area::Measurement,
    tested::{self, TestedFigure},
};

pub const MEASUREMENTS: &[Measurement] = &[
    ("conformance", conformance::measure),
    ("clients", clients::measure),
    ("http_matrix", |size| tested::measure(&HTTP_MATRIX, size)),
    ("tool_tokens", tool_tokens::measure),
    ("cold_start", cold_start::measure),
    ("status_calls", status_calls::measure),
    ("notification", notification::measure),
    ("escapes", escapes::measure),
    ("stdout_purity", |size| tested::measure(&STDOUT_PURITY, size)),
    ("malformed", malformed_input::measure),
    ("cutting_clients", impatient_clients::measure),
    ("kill_calls", kill_calls::measure),
];

const HTTP_MATRIX: [TestedFigure; 3] = [
    TestedFigure {
        test: "admission::only_an_own_host_an_own_origin_a_known_token_and_a_body_of_some_size_get_in",
        key: "http.admission",
        name: "HTTP requests that got in with a wrong host, origin, token or size",
        goal: "0",
    },
    TestedFigure {
        test: "admission::many_that_drip_are_cut_off_and_keep_nobody_waiting",
        key: "http.drip",
        name: "Clients that drip headers or bodies and keep their connection",
        goal: "0",
    },
    TestedFigure {
        test: "isolation::what_belongs_to_another_person_is_not_there",
        key: "http.isolation",
        name: "Requests that told one person anything of another's research, both eras",
        goal: "0",
    },
];

const STDOUT_PURITY: [TestedFigure; 1] = [TestedFigure {
    test: "stdout_purity::every_line_on_stdout_is_a_message",
    key: "stdout",
    name: "lines on stdout that are not JSON-RPC, log at its loudest",
    goal: "0, and every request answered",
}];
