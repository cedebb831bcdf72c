//! A client without a network: calls the world directly and lets time pass by hand.

use probity_simulator::{
    CallMethod, SimulatorAnswer, SimulatorCall, StreamCursor, StreamNext, World, WorldSettings,
};
use serde_json::{Value, json};

pub const AGENT: &str = "deep-research-preview-04-2026";

pub struct WorldDriver {
    pub world: World,
    pub now_ms: u64,
}

/// What an answer is to somebody who looks at status and body only.
#[derive(Debug)]
pub enum CallObservation {
    Json(u16, Value),
    NotJson(u16),
    Stream(StreamCursor),
    Lost,
    Hang,
    Later(u64),
}

impl WorldDriver {
    pub fn new() -> Self {
        Self { world: World::new(WorldSettings::default()), now_ms: 0 }
    }

    pub fn call(&mut self, call: &SimulatorCall) -> CallObservation {
        match self.world.handle(self.now_ms, call) {
            SimulatorAnswer::Whole { status, body, .. } => match serde_json::from_slice(&body) {
                Ok(json) => CallObservation::Json(status, json),
                Err(_) => CallObservation::NotJson(status),
            },
            SimulatorAnswer::Stream { cursor, .. } => CallObservation::Stream(cursor),
            SimulatorAnswer::Lost => CallObservation::Lost,
            SimulatorAnswer::Hang | SimulatorAnswer::Endless { .. } => CallObservation::Hang,
            SimulatorAnswer::Later { at_ms, .. } => CallObservation::Later(at_ms),
        }
    }

    /// A deep-research create with these fields on top.
    pub fn create(&mut self, input: &str, more: Value) -> CallObservation {
        let mut body = json!({
            "agent": AGENT, "input": input, "background": true,
            "agent_config": {"type": "deep-research", "thinking_summaries": "auto"},
        });
        for (field, value) in more.as_object().unwrap() {
            body[field] = value.clone();
        }
        self.call(&SimulatorCall::new(CallMethod::Post, "/v1beta/interactions").with_body(body.to_string()))
    }

    /// The id of a create that must succeed.
    pub fn start(&mut self, input: &str) -> String {
        self.start_with(input, json!({}))
    }

    pub fn start_with(&mut self, input: &str, more: Value) -> String {
        match self.create(input, more) {
            CallObservation::Json(200, created) => created["id"].as_str().unwrap().to_owned(),
            other => panic!("{input} was not created: {other:?}"),
        }
    }

    pub fn get(&mut self, id: &str) -> CallObservation {
        self.call(&SimulatorCall::new(CallMethod::Get, format!("/v1/interactions/{id}")))
    }

    /// The interaction, which must be there.
    pub fn read(&mut self, id: &str) -> Value {
        match self.get(id) {
            CallObservation::Json(200, interaction) => interaction,
            other => panic!("{id} could not be read: {other:?}"),
        }
    }

    /// `in_progress`, or the status of a refusal: `404`.
    pub fn status(&mut self, id: &str) -> String {
        match self.get(id) {
            CallObservation::Json(200, interaction) => interaction["status"].as_str().unwrap().to_owned(),
            CallObservation::Json(status, _) => status.to_string(),
            CallObservation::NotJson(status) => format!("{status} not json"),
            other => format!("{other:?}"),
        }
    }

    pub fn cancel(&mut self, id: &str) -> CallObservation {
        self.call(&SimulatorCall::new(CallMethod::Post, format!("/v1/interactions/{id}/cancel")))
    }

    pub fn resume(&mut self, id: &str, after: &str) -> StreamCursor {
        let target = format!("/v1/interactions/{id}?stream=true&last_event_id={after}");
        match self.call(&SimulatorCall::new(CallMethod::Get, target)) {
            CallObservation::Stream(cursor) => cursor,
            other => panic!("no stream: {other:?}"),
        }
    }

    /// Reads a stream to its end, letting time pass. Gives the text and how it ended.
    pub fn drain(&mut self, cursor: &mut StreamCursor) -> (String, StreamNext) {
        let mut text = String::new();
        loop {
            let pulled = self.world.pull(self.now_ms, cursor);
            for frame in pulled.frames {
                text.push_str(std::str::from_utf8(&frame).unwrap());
            }
            match pulled.then {
                StreamNext::WaitUntil(at_ms) => self.now_ms = at_ms,
                ended => return (text, ended),
            }
        }
    }

    /// Creates with a stream and reads it to its end.
    pub fn stream(&mut self, input: &str, more: Value) -> (String, StreamNext) {
        let mut fields = more;
        fields["stream"] = json!(true);
        match self.create(input, fields) {
            CallObservation::Stream(mut cursor) => self.drain(&mut cursor),
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
