//! The chat client over real HTTP against the simulated model: what comes back, and what the ledger says was paid.

use std::time::Duration;

use probity_models::{ApiKey, ChatCall, ChatClient, ChatKind, ChatSettings, HttpTransport};
use probity_research::{
    error::Code,
    time::Moment,
    web::bill::{Bill, SpendTotal},
};
use probity_simulator::{Asked, ChatBehaviour, ChatFault, Script, Simulator, SimulatorOptions};
use serde_json::json;

const PAGE: &str = "<question>\nWhen was the Grebe Bridge opened?\n</question>\n<page>\nThe Grebe Bridge was opened in 1932.\n</page>";

/// How far a bill may be from what was charged, per call: both round to a millionth of a dollar.
const ROUNDING: u64 = 1;

async fn simulator() -> Simulator {
    Simulator::start(SimulatorOptions::default()).await.unwrap()
}

/// A proxy on this machine, so that the public prices hold.
fn chat(simulator: &Simulator) -> ChatClient<HttpTransport> {
    let mut settings = ChatSettings::new(ChatKind::OpenAi, "gpt-5");
    simulator.base_url().clone_into(&mut settings.base_url);
    settings.key = Some(ApiKey::parse("canary-key-7f3a").unwrap());
    settings.stands_for = Some("openai".to_owned());
    ChatClient::connect(settings, || Moment::of_date("2026-11-15").unwrap()).unwrap()
}

fn call(user: &str) -> ChatCall {
    ChatCall {
        system: "Read the page.".to_owned(),
        user: user.to_owned(),
        schema: Some(json!({"type": "object", "properties": {"quotes": {"type": "array"}}})),
        schema_name: "read",
        output_tokens_max: 500,
        deadline: Duration::from_secs(5),
    }
}

fn order(simulator: &Simulator, kind: &str) {
    let behaviour = ChatBehaviour::parse(kind).unwrap();
    let fault = ChatFault { asked: Some(Asked::Read), behaviour, times: 1 };
    simulator.handle().with_chat(|model, _| model.add_fault(fault));
}

#[tokio::test]
async fn what_is_billed_is_what_was_charged() {
    let simulator = simulator().await;
    let chat = chat(&simulator);
    let mut spent = SpendTotal::default();
    for page in 0..5 {
        let reply = chat.ask(call(&format!("{PAGE}\n{page}"))).await.unwrap();
        assert!(reply.text.contains("The Grebe Bridge was opened in 1932."), "{}", reply.text);
        assert_eq!(reply.model.as_deref(), Some("gpt-5"));
        spent.add(&reply.bill);
    }
    let ledger = simulator.handle().chat_ledger();
    assert_eq!((spent.calls, spent.uncounted, ledger.repeated_count()), (5, 0, 0));
    assert!(spent.cost.0.abs_diff(ledger.charged_micro_usd()) <= 5 * ROUNDING, "{spent:?}");
    assert!(spent.cost.0 > 0);
}

#[tokio::test]
async fn a_failure_says_whether_somebody_pays() {
    let cases = [
        ("lost", Code::Network, Bill::UNKNOWN),
        ("drop", Code::Network, Bill::UNKNOWN),
        ("401", Code::KeyRefused, Bill::NOTHING),
        ("402", Code::QuotaExhausted, Bill::NOTHING),
        ("404", Code::UnknownModel, Bill::NOTHING),
        ("429", Code::QuotaExhausted, Bill::NOTHING),
        ("retry-after-7", Code::RateLimited, Bill::NOTHING),
        ("500", Code::ProviderUnavailable, Bill::UNKNOWN),
        ("503", Code::ProviderUnavailable, Bill::UNKNOWN),
        ("html", Code::UnreadableAnswer, Bill::UNKNOWN),
    ];
    let simulator = simulator().await;
    let chat = chat(&simulator);
    for (kind, code, bill) in cases {
        order(&simulator, kind);
        let failure = chat.ask(call(PAGE)).await.unwrap_err();
        assert_eq!((failure.problem.code, failure.bill), (code, bill), "{kind}: {failure}");
        let paid = usize::from(kind == "lost");
        assert_eq!(simulator.handle().chat_ledger().entries().len(), paid, "{kind} is asked once");
        simulator.handle().with_chat(|model, _| model.start_over());
        let wait = (kind == "retry-after-7").then_some(7_000);
        assert_eq!(failure.problem.retry_after_ms, wait, "{kind}");
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_paid_and_told() {
    let simulator = simulator().await;
    let chat = chat(&simulator);
    for (script, code) in [
        ("cut", Code::Incomplete),
        ("empty", Code::UnusableAnswer),
        ("refusing", Code::ProviderFailed),
        ("filtered", Code::ProviderFailed),
    ] {
        order(&simulator, script);
        let failure = chat.ask(call(PAGE)).await.unwrap_err();
        assert_eq!(failure.problem.code, code, "{script}");
        assert!(failure.bill.cost.0 > 0, "{script}: {:?}", failure.bill);
    }
    order(&simulator, "no-usage");
    assert_eq!(chat.ask(call(PAGE)).await.unwrap().bill, Bill::UNKNOWN);
    order(&simulator, "hang");
    let mut impatient = call(PAGE);
    impatient.deadline = Duration::from_millis(200);
    let failure = chat.ask(impatient).await.unwrap_err();
    assert_eq!((failure.problem.code, failure.bill), (Code::Timeout, Bill::UNKNOWN));
}

#[tokio::test]
async fn an_endpoint_without_schemas_is_asked_in_words_and_paid_once() {
    let simulator = simulator().await;
    simulator.handle().with_chat(|model, _| model.set_script(Script::NoSchema));
    let chat = chat(&simulator);
    for _ in 0..2 {
        let reply = chat.ask(call(PAGE)).await.unwrap();
        assert!(reply.text.contains("The Grebe Bridge was opened in 1932."), "{}", reply.text);
    }
    let ledger = simulator.handle().chat_ledger();
    assert_eq!((ledger.entries().len(), ledger.refused().get(&400)), (2, Some(&1)));
}

#[tokio::test]
async fn a_closed_port_on_this_machine_is_named_and_free() {
    let mut settings = ChatSettings::new(ChatKind::OpenAi, "m");
    "http://127.0.0.1:1".clone_into(&mut settings.base_url);
    let chat = ChatClient::connect(settings, Moment::default).unwrap();
    assert!(chat.is_local());
    let failure = chat.ask(call(PAGE)).await.unwrap_err();
    assert_eq!((failure.problem.code, failure.bill), (Code::Network, Bill::NOTHING));
    assert!(failure.problem.message.contains("server on this machine does not answer"), "{failure}");
}

#[tokio::test]
async fn gemini_is_asked_with_a_schema_and_billed_at_googles_prices() {
    let simulator = simulator().await;
    let mut settings = ChatSettings::new(ChatKind::Gemini, "gemini-3.8-flash");
    simulator.base_url().clone_into(&mut settings.base_url);
    settings.key = Some(ApiKey::parse("canary-key-7f3a").unwrap());
    let chat = ChatClient::connect(settings, || Moment::of_date("2026-11-15").unwrap()).unwrap();
    let reply = chat.ask(call(PAGE)).await.unwrap();
    assert!(reply.text.contains("The Grebe Bridge was opened in 1932."), "{}", reply.text);
    let usage = reply.bill.usage;
    let exact = usage.input_tokens * 75 + (usage.output_tokens + usage.thought_tokens) * 375;
    assert_eq!(reply.bill, Bill::counted(probity_research::cost::MicroUsd(exact.div_ceil(100)), usage));
}

#[tokio::test]
async fn anthropic_is_asked_by_a_tool_and_never_asked_twice_after_a_lost_answer() {
    let simulator = simulator().await;
    let mut settings = ChatSettings::new(ChatKind::Anthropic, "claude-sonnet-5");
    simulator.base_url().clone_into(&mut settings.base_url);
    settings.key = Some(ApiKey::parse("canary-key-7f3a").unwrap());
    settings.stands_for = Some("anthropic".to_owned());
    let chat = ChatClient::connect(settings, || Moment::of_date("2026-11-15").unwrap()).unwrap();
    let reply = chat.ask(call(PAGE)).await.unwrap();
    assert!(reply.text.contains("The Grebe Bridge was opened in 1932."), "{}", reply.text);
    let usage = reply.bill.usage;
    // Two and ten dollars a million.
    let exact = usage.input_tokens * 2 + usage.output_tokens * 10;
    assert_eq!(reply.bill, Bill::counted(probity_research::cost::MicroUsd(exact), usage));
    for (script, code) in
        [("cut", Code::Incomplete), ("refusing", Code::ProviderFailed), ("empty", Code::UnusableAnswer)]
    {
        order(&simulator, script);
        let failure = chat.ask(call(PAGE)).await.unwrap_err();
        assert_eq!(failure.problem.code, code, "{script}");
        assert!(failure.bill.cost.0 > 0, "{script}: {:?}", failure.bill);
    }
    let paid = simulator.handle().chat_ledger().entries().len();
    for (kind, code, bill) in [
        ("lost", Code::Network, Bill::UNKNOWN),
        ("529", Code::ProviderUnavailable, Bill::UNKNOWN),
        ("retry-after-7", Code::RateLimited, Bill::NOTHING),
    ] {
        order(&simulator, kind);
        let failure = chat.ask(call(PAGE)).await.unwrap_err();
        assert_eq!((failure.problem.code, failure.bill), (code, bill), "{kind}");
        assert!(!failure.problem.message.contains("canary"));
        if kind == "retry-after-7" {
            assert_eq!(failure.problem.retry_after_ms, Some(7_000));
            assert!(failure.problem.message.contains("[req_simulator]"), "{}", failure.problem.message);
        }
    }
    assert_eq!(simulator.handle().chat_ledger().entries().len(), paid + 1, "only the lost one was processed");
}
