//! Input and output of the world: one call, one answer, chunks of a stream.

use std::time::Duration;

use bytes::Bytes;

use crate::world::StreamCursor;

/// The key that test calls have. Any text but the refused ones listed in `world::key` is accepted.
pub const TEST_KEY: &str = "test-key";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMethod {
    Get,
    Head,
    Post,
    Delete,
    Other,
}

/// One request, as the service sees it.
#[derive(Debug, Clone)]
pub struct SimulatorCall {
    pub method: CallMethod,
    /// Path and query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl SimulatorCall {
    /// A call with the test key and no body.
    pub fn new(method: CallMethod, target: impl Into<String>) -> Self {
        let headers = vec![("x-goog-api-key".to_owned(), TEST_KEY.to_owned())];
        Self { method, target: target.into(), headers, body: Bytes::new() }
    }

    /// The same call with this body.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// What the service does with a call.
#[derive(Debug)]
pub enum SimulatorAnswer {
    Whole {
        status: u16,
        headers: Vec<(String, String)>,
        body: Bytes,
    },
    /// Status 200, then whatever `World::pull` gives for the cursor.
    Stream {
        headers: Vec<(String, String)>,
        cursor: StreamCursor,
    },
    /// Status 200, then this piece for ever, with a pause in real time after each.
    Endless {
        piece: Bytes,
        pause: Duration,
    },
    /// The connection is cut without one byte. Whether the call was processed is in the ledger.
    Lost,
    /// Nothing is ever answered; the connection stays open.
    Hang,
    /// The first byte leaves at `at_ms`, not earlier.
    Later {
        at_ms: u64,
        then: Box<SimulatorAnswer>,
    },
}

/// The part of a stream that is due now.
#[derive(Debug, PartialEq, Eq)]
pub struct StreamPull {
    /// Whole frames, in order.
    pub frames: Vec<Bytes>,
    pub then: StreamNext,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamNext {
    /// Nothing more before this time. A cancel brings the end forward: pull again after one.
    WaitUntil(u64),
    /// The stream ended properly.
    Closed,
    /// The connection is cut in the middle.
    Cut,
}
