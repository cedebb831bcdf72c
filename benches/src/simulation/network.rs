//! The way to the provider, with weather. The provider behind it is the simulator's own world.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use probity_models::{
    HeaderText, HttpMethod, HttpRequest, HttpResponse, ResponseBody, ResponseHeaders, SendState, Transport,
    TransportError,
};
use probity_research::{Code, CodedError};
use probity_simulator::{SimulatorAnswer, SimulatorCall, StreamCursor, StreamNext, World};

use super::{clock::SimulatedClock, process_life::ProcessLife, simulation_random::SimulationRandom};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkWeather {
    Clear,
    /// Nothing connects.
    Partition,
    /// One call in four is lost, before or after the provider saw it.
    Lossy,
    /// One call in two is answered by a tired gateway.
    Errors,
    Slow,
}

pub const WEATHERS: [NetworkWeather; 5] = [
    NetworkWeather::Clear,
    NetworkWeather::Partition,
    NetworkWeather::Lossy,
    NetworkWeather::Errors,
    NetworkWeather::Slow,
];

/// What all processes share: one provider, one weather.
#[derive(Clone)]
pub struct SharedProvider {
    pub world: Arc<Mutex<World>>,
    pub weather: Arc<Mutex<NetworkWeather>>,
}

#[derive(Clone)]
pub struct SimulatedNetwork {
    pub provider: SharedProvider,
    pub clock: SimulatedClock,
    pub dice: SimulationRandom,
    pub life: ProcessLife,
}

impl SimulatedNetwork {
    fn weather(&self) -> NetworkWeather {
        *self.provider.weather.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, call: &SimulatorCall) -> SimulatorAnswer {
        let now_ms = self.clock.elapsed_ms();
        self.provider.world.lock().unwrap_or_else(PoisonError::into_inner).handle(now_ms, call)
    }

    async fn pass(&self, milliseconds: u64) {
        self.life.needed().await;
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        self.life.needed().await;
    }

    async fn answer(&self, answer: SimulatorAnswer) -> Result<HttpResponse<SimulatedBody>, TransportError> {
        let mut answer = answer;
        while let SimulatorAnswer::Later { at_ms, then } = answer {
            self.pass(at_ms.saturating_sub(self.clock.elapsed_ms())).await;
            answer = *then;
        }
        match answer {
            SimulatorAnswer::Whole { status, headers, body } => Ok(HttpResponse {
                status,
                headers: read(&headers),
                body: self.body(BodySource::Whole(Some(body))),
            }),
            SimulatorAnswer::Stream { headers, cursor } => Ok(HttpResponse {
                status: 200,
                headers: read(&headers),
                body: self.body(BodySource::Stream(cursor)),
            }),
            SimulatorAnswer::Hang | SimulatorAnswer::Endless { .. } => {
                std::future::pending::<()>().await;
                Err(lost())
            }
            SimulatorAnswer::Lost | SimulatorAnswer::Later { .. } => Err(lost()),
        }
    }

    fn body(&self, source: BodySource) -> SimulatedBody {
        let cut_after = (self.weather() == NetworkWeather::Lossy).then(|| self.dice.within(1..6));
        SimulatedBody { network: self.clone(), source, cut_after }
    }
}

impl Transport for SimulatedNetwork {
    type Body = SimulatedBody;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<SimulatedBody>, TransportError> {
        let weather = self.weather();
        self.pass(self.dice.within(1..if weather == NetworkWeather::Slow { 8_000 } else { 200 })).await;
        let call = call(request);
        match weather {
            NetworkWeather::Partition => {
                self.pass(self.dice.within(10..5_000)).await;
                return Err(refused());
            }
            NetworkWeather::Lossy if self.dice.chance(12) => return Err(lost()),
            NetworkWeather::Lossy if self.dice.chance(12) => {
                drop(self.handle(&call));
                self.pass(self.dice.within(1..2_000)).await;
                return Err(lost());
            }
            NetworkWeather::Errors if self.dice.chance(50) => return Ok(self.gateway_error()),
            NetworkWeather::Clear | NetworkWeather::Lossy | NetworkWeather::Errors | NetworkWeather::Slow => {
            }
        }
        let answer = self.handle(&call);
        self.pass(self.dice.within(1..150)).await;
        self.answer(answer).await
    }
}

impl SimulatedNetwork {
    /// A gateway in front of the provider answers; the provider never saw the call.
    fn gateway_error(&self) -> HttpResponse<SimulatedBody> {
        let (status, text) = match self.dice.within(0..4) {
            0 => (
                429,
                r#"{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}]}}"#,
            ),
            1 => (503, r#"{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}"#),
            2 => (500, "<html>oops</html>"),
            _ => (502, "bad gateway"),
        };
        let body = self.body(BodySource::Whole(Some(Bytes::from_static(text.as_bytes()))));
        HttpResponse { status, headers: ResponseHeaders::default(), body }
    }
}

enum BodySource {
    Whole(Option<Bytes>),
    Stream(StreamCursor),
}

pub struct SimulatedBody {
    network: SimulatedNetwork,
    source: BodySource,
    cut_after: Option<u64>,
}

impl ResponseBody for SimulatedBody {
    async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        self.network.life.needed().await;
        if let Some(left) = &mut self.cut_after {
            *left = left.saturating_sub(1);
            if *left == 0 {
                return Err(lost());
            }
        }
        match &mut self.source {
            BodySource::Whole(body) => Ok(body.take()),
            BodySource::Stream(cursor) => loop {
                if self.network.weather() == NetworkWeather::Partition {
                    return Err(lost());
                }
                let now_ms = self.network.clock.elapsed_ms();
                let pulled = self
                    .network
                    .provider
                    .world
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pull(now_ms, cursor);
                if !pulled.frames.is_empty() {
                    return Ok(Some(pulled.frames.concat().into()));
                }
                match pulled.then {
                    StreamNext::Closed => return Ok(None),
                    StreamNext::Cut => return Err(lost()),
                    StreamNext::WaitUntil(at_ms) => {
                        let wait = at_ms.saturating_sub(now_ms).clamp(1, 1_000);
                        self.network.pass(wait).await;
                    }
                }
            },
        }
    }
}

fn call(request: HttpRequest) -> SimulatorCall {
    let method = match request.method {
        HttpMethod::Get => probity_simulator::CallMethod::Get,
        HttpMethod::Post => probity_simulator::CallMethod::Post,
        HttpMethod::Delete => probity_simulator::CallMethod::Delete,
    };
    let target = request.url.splitn(4, '/').nth(3).map_or_else(String::new, |path| format!("/{path}"));
    let text = |header: HeaderText| match header {
        HeaderText::Plain(text) => text.into_owned(),
        HeaderText::Secret(key) => key.expose().to_owned(),
        HeaderText::Bearer(key) => format!("Bearer {}", key.expose()),
    };
    let headers = request.headers.into_iter().map(|(name, value)| (name.to_owned(), text(value))).collect();
    SimulatorCall { method, target, headers, body: request.body }
}

fn read(headers: &[(String, String)]) -> ResponseHeaders {
    let get = |name: &str| {
        headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
    };
    ResponseHeaders {
        content_type: get("content-type"),
        retry_after: get("retry-after"),
        retry_after_ms: get("retry-after-ms"),
        location: get("location"),
    }
}

fn lost() -> TransportError {
    TransportError {
        reached: SendState::MaybeSent,
        problem: CodedError::new(Code::Network, "the connection was cut"),
    }
}

fn refused() -> TransportError {
    TransportError { reached: SendState::NotSent, problem: CodedError::new(Code::Network, "no connection") }
}
