//! What is sent to a collector, decoded with the published definitions of OTLP.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use probity_research::cost::Usage;
use probity_telemetry::{
    OtlpGuard, OtlpSettings,
    gen_ai::{self, CallTarget, ContentCapture},
    otlp::ServiceIdentity,
    otlp_layer,
};
use serde_json::Value;
use tracing::Subscriber;
use tracing_subscriber::{layer::SubscriberExt as _, registry};

use crate::tools;

/// Longest that the end of a process may be held up: two exporters with five seconds each, and some slack.
const END_MAX: Duration = Duration::from_secs(13);

struct Collector {
    child: Child,
    port: u16,
}

impl Collector {
    fn start() -> Option<Self> {
        let python = tools::python()?;
        let mut child =
            Command::new(python).arg(tools::check("collector.py")).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Some(Self { child, port: line.trim().parse().unwrap() })
    }

    fn received(&self) -> Vec<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(b"GET /received HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

fn layer(port: u16, more: &[(&str, &str)]) -> (impl Subscriber + Send + Sync, OtlpGuard, ContentCapture) {
    let endpoint = format!("http://127.0.0.1:{port}");
    let lookup = |name: &str| match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some(endpoint.clone()),
        _ => more.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()),
    };
    let service = ServiceIdentity { name: "probity-worker", version: "0.1.0", instance: "own_7".to_owned() };
    let settings = OtlpSettings::read(lookup, service).unwrap().unwrap();
    let (layer, guard) = otlp_layer(&settings).unwrap();
    (registry().with(layer), guard, settings.capture)
}

/// A model call within a step, with a line beside it.
fn call(capture: ContentCapture) {
    let step = tracing::info_span!("step", research = "res_1");
    let _in_step = step.enter();
    let span =
        gen_ai::model_call(CallTarget { provider: "gcp.gemini", model: "gemini-3-pro", research: "res_1" });
    gen_ai::record_question(&span, capture, "why is the sky blue?");
    let usage = Usage { input_tokens: 12, output_tokens: 30, thought_tokens: 4, ..Usage::default() };
    gen_ai::record_usage(&span, &usage);
    gen_ai::record_answer(&span, capture, "scattering");
    gen_ai::record_failure(&span, "RATE_LIMITED");
    span.in_scope(|| tracing::warn!(pages = 3, "round ended"));
    tracing::debug!("too quiet to be sent");
    tracing::info!(target: "hyper", "about the exporter itself");
}

fn named<'a>(received: &'a [Value], is: &str, field: &str, value: &str) -> &'a Value {
    received
        .iter()
        .find(|one| one["is"] == is && one[field] == value)
        .unwrap_or_else(|| panic!("no {is} {value}: {received:#?}"))
}

#[test]
fn a_collector_gets_spans_and_logs_with_the_names_of_the_conventions() {
    let Some(collector) = Collector::start() else { return };
    let more = [
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20t0ken"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"),
    ];
    let (subscriber, guard, capture) = layer(collector.port, &more);
    tracing::subscriber::with_default(subscriber, || call(capture));
    drop(guard);

    let received = collector.received();
    let (step, model) =
        (named(&received, "span", "name", "step"), named(&received, "span", "name", "chat gemini-3-pro"));
    assert_eq!(model["parent"], step["span"]);
    assert_eq!(model["trace"], step["trace"]);
    assert_eq!((&model["kind"], &model["status"]), (&Value::from(3), &Value::from(2)), "client, error");
    let attributes = &model["attributes"];
    assert_eq!(attributes["gen_ai.operation.name"], "chat");
    assert_eq!(attributes["gen_ai.provider.name"], "gcp.gemini");
    assert_eq!(attributes["gen_ai.request.model"], "gemini-3-pro");
    assert_eq!(attributes["gen_ai.usage.input_tokens"], 12);
    assert_eq!(attributes["gen_ai.usage.output_tokens"], 34);
    assert_eq!(attributes["error.type"], "RATE_LIMITED");
    let resource = &model["resource"];
    assert_eq!(resource["service.name"], "probity-worker");
    assert_eq!(resource["service.instance.id"], "own_7");
    assert_eq!(resource["deployment.environment.name"], "test");
    assert_eq!(model["headers"]["authorization"], "Bearer t0ken");

    let log = named(&received, "log", "body", "round ended");
    assert_eq!(log["severity"], "WARN");
    assert_eq!(log["attributes"]["pages"], 3);
    assert_eq!((&log["trace"], &log["span"]), (&model["trace"], &model["span"]), "the line knows its span");
    let text = serde_json::to_string(&received).unwrap();
    assert!(!text.contains("sky") && !text.contains("scattering"), "content went out unasked: {text}");
    assert!(!text.contains("too quiet") && !text.contains("about the exporter"), "{text}");
}

#[test]
fn content_goes_out_where_it_was_asked_for() {
    let Some(collector) = Collector::start() else { return };
    let more = [("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")];
    let (subscriber, guard, capture) = layer(collector.port, &more);
    tracing::subscriber::with_default(subscriber, || call(capture));
    drop(guard);
    let received = collector.received();
    let span = named(&received, "span", "name", "chat gemini-3-pro");
    let question: Value =
        serde_json::from_str(span["attributes"]["gen_ai.input.messages"].as_str().unwrap()).unwrap();
    assert_eq!(question[0]["parts"][0]["content"], "why is the sky blue?");
    assert!(span["attributes"]["gen_ai.output.messages"].as_str().unwrap().contains("scattering"));
}

/// The guard is dropped within the program's runtime, and the collector is of no use.
#[test]
fn a_collector_that_is_away_or_silent_holds_nothing_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let away = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for port in [away, silent.local_addr().unwrap().port()] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let began = Instant::now();
        runtime.block_on(async {
            let (subscriber, guard, capture) = layer(port, &[]);
            tracing::subscriber::with_default(subscriber, || call(capture));
            drop(guard);
        });
        assert!(began.elapsed() < END_MAX, "{:?}", began.elapsed());
    }
}
