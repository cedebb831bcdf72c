//! A client without a network: calls the world directly and lets time pass by hand.

use probity_simulator::{Answer, Call, Method, StreamCursor, Then, World, WorldSettings};
use serde_json::{Value, json};

pub const AGENT: &str = "deep-research-preview-04-2026";

pub struct Driver {
    pub world: World,
    pub now_ms: u64,
}

/// What an answer is to somebody who looks at status and body only.
#[derive(Debug)]
pub enum Seen {
    Json(u16, Value),
    NotJson(u16),
    Stream(StreamCursor),
    Lost,
    Hang,
    Later(u64),
}

impl Driver {
    pub fn new() -> Self {
        Self { world: World::new(WorldSettings::default()), now_ms: 0 }
    }

    pub fn call(&mut self, call: &Call) -> Seen {
        match self.world.handle(self.now_ms, call) {
            Answer::Whole { status, body, .. } => match serde_json::from_slice(&body) {
                Ok(json) => Seen::Json(status, json),
                Err(_) => Seen::NotJson(status),
            },
            Answer::Stream { cursor, .. } => Seen::Stream(cursor),
            Answer::Lost => Seen::Lost,
            Answer::Hang => Seen::Hang,
            Answer::Later { at_ms, .. } => Seen::Later(at_ms),
        }
    }

    /// A deep-research create with these fields on top.
    pub fn create(&mut self, input: &str, more: Value) -> Seen {
        let mut body = json!({
            "agent": AGENT, "input": input, "background": true,
            "agent_config": {"type": "deep-research", "thinking_summaries": "auto"},
        });
        for (field, value) in more.as_object().unwrap() {
            body[field] = value.clone();
        }
        self.call(&Call::new(Method::Post, "/v1beta/interactions").with_body(body.to_string()))
    }

    /// The id of a create that must succeed.
    pub fn start(&mut self, input: &str) -> String {
        self.start_with(input, json!({}))
    }

    pub fn start_with(&mut self, input: &str, more: Value) -> String {
        match self.create(input, more) {
            Seen::Json(200, created) => created["id"].as_str().unwrap().to_owned(),
            other => panic!("{input} was not created: {other:?}"),
        }
    }

    pub fn get(&mut self, id: &str) -> Seen {
        self.call(&Call::new(Method::Get, format!("/v1/interactions/{id}")))
    }

    /// The interaction, which must be there.
    pub fn read(&mut self, id: &str) -> Value {
        match self.get(id) {
            Seen::Json(200, interaction) => interaction,
            other => panic!("{id} could not be read: {other:?}"),
        }
    }

    /// `in_progress`, or the status of a refusal: `404`.
    pub fn status(&mut self, id: &str) -> String {
        match self.get(id) {
            Seen::Json(200, interaction) => interaction["status"].as_str().unwrap().to_owned(),
            Seen::Json(status, _) => status.to_string(),
            Seen::NotJson(status) => format!("{status} not json"),
            other => format!("{other:?}"),
        }
    }

    pub fn cancel(&mut self, id: &str) -> Seen {
        self.call(&Call::new(Method::Post, format!("/v1/interactions/{id}/cancel")))
    }

    pub fn resume(&mut self, id: &str, after: &str) -> StreamCursor {
        let target = format!("/v1/interactions/{id}?stream=true&last_event_id={after}");
        match self.call(&Call::new(Method::Get, target)) {
            Seen::Stream(cursor) => cursor,
            other => panic!("no stream: {other:?}"),
        }
    }

    /// Reads a stream to its end, letting time pass. Gives the text and how it ended.
    pub fn drain(&mut self, cursor: &mut StreamCursor) -> (String, Then) {
        let mut text = String::new();
        loop {
            let pulled = self.world.pull(self.now_ms, cursor);
            for frame in pulled.frames {
                text.push_str(std::str::from_utf8(&frame).unwrap());
            }
            match pulled.then {
                Then::WaitUntil(at_ms) => self.now_ms = at_ms,
                ended => return (text, ended),
            }
        }
    }

    /// Creates with a stream and reads it to its end.
    pub fn stream(&mut self, input: &str, more: Value) -> (String, Then) {
        let mut fields = more;
        fields["stream"] = json!(true);
        match self.create(input, fields) {
            Seen::Stream(mut cursor) => self.drain(&mut cursor),
            other => panic!("{input} was not streamed: {other:?}"),
        }
    }
}

/// The events of a stream, without the last line that is no JSON.
pub fn events(stream: &str) -> Vec<Value> {
    stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter(|data| *data != "[DONE]")
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

pub fn kinds(stream: &str) -> Vec<String> {
    events(stream).iter().map(|event| event["event_type"].as_str().unwrap().to_owned()).collect()
}
