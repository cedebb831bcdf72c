use std::time::Duration;

use expect_test::{Expect, expect};
use probity_research::{time::Moment, web::bill::Bill};
use serde_json::json;

use super::{
    ChatCall, ChatClient, ChatError, ChatKind, ChatReply, ChatSettings,
    dialect::{EndpointDialect, RequestStyleMemory},
    openai,
};
use crate::{
    ApiKey,
    transport::{
        SendState,
        scripted::{BodyStep, ScriptedResponse, ScriptedTransport, json as answers},
    },
};

const SAID: &str = r#"{"model":"gpt-5-2025-08-07","choices":[{"message":{"role":"assistant","content":"{\"a\":1}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":300,"total_tokens":1300,"prompt_tokens_details":{"cached_tokens":200},"completion_tokens_details":{"reasoning_tokens":100}}}"#;
const HOSTED: &str = "https://api.openai.com/v1/";
const LOCAL: &str = "http://127.0.0.1:8080/v1/";

fn call() -> ChatCall {
    ChatCall {
        system: "Be brief.".to_owned(),
        user: "What?".to_owned(),
        schema: Some(json!({"type": "object", "additionalProperties": false, "required": ["a"],
            "properties": {"a": {"type": "integer"}}})),
        schema_name: "read",
        output_tokens_max: 50,
        deadline: Duration::from_secs(20),
    }
}

fn chat(kind: ChatKind, base_url: &str, transport: ScriptedTransport) -> ChatClient<ScriptedTransport> {
    let mut settings = ChatSettings::new(kind, "gpt-5");
    settings.base_url = base_url.to_owned();
    settings.key = Some(ApiKey::parse("canary-key").unwrap());
    ChatClient::new(transport, settings, || Moment::of_date("2026-11-15").unwrap()).unwrap()
}

fn told(outcome: Result<ChatReply, ChatError>) -> String {
    let money =
        |bill: Bill| format!("{:?} {} of {} tokens", bill.basis, bill.cost.0, bill.usage.total_tokens);
    match outcome {
        Ok(reply) => format!("{} [{}] {}", reply.text, reply.model.unwrap_or_default(), money(reply.bill)),
        Err(failure) => {
            let wait = failure.problem.retry_after_ms.map_or(String::new(), |wait| format!(" wait {wait}"));
            let (code, message) = (failure.problem.code, failure.problem.message);
            format!("{code}{wait} | {message} | {}", money(failure.bill))
        }
    }
}

fn run<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(future)
}

/// Requests sent and what came of them.
#[track_caller]
fn check(base_url: &str, scripts: impl IntoIterator<Item = ScriptedResponse>, expected: &Expect) {
    let transport = ScriptedTransport::new(scripts);
    let chat = chat(ChatKind::OpenAi, base_url, transport.clone());
    let outcome = told(run(chat.ask(call())));
    assert!(!outcome.contains("canary"), "{outcome}");
    expected.assert_eq(&format!("{}× {outcome}", transport.take_targets().len()));
}

#[test]
fn an_answer_is_priced_by_the_endpoints_own_count() {
    check(
        HOSTED,
        [answers(200, SAID)],
        &expect![[r#"1× {"a":1} [gpt-5-2025-08-07] Counted 4025 of 1300 tokens"#]],
    );
    check(
        LOCAL,
        [answers(200, SAID)],
        &expect![[r#"1× {"a":1} [gpt-5-2025-08-07] Nothing 0 of 1300 tokens"#]],
    );
    let uncounted = r#"{"choices":[{"message":{"content":"yes"}}]}"#;
    check(HOSTED, [answers(200, uncounted)], &expect!["1× yes [] Unknown 0 of 0 tokens"]);
    let dollars = r#"{"model":"a/b","choices":[{"message":{"content":"yes"}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"cost":0.00012,"is_byok":true,"cost_details":{"upstream_inference_cost":0.001}}}"#;
    check(
        "https://openrouter.ai/api/v1/",
        [answers(200, dollars)],
        &expect!["1× yes [a/b] Counted 1120 of 4 tokens"],
    );
}

#[test]
fn thoughts_are_no_part_of_an_answer() {
    let tagged = r#"{"choices":[{"message":{"reasoning_content":"hm","content":"<think>\nhm</think>\n\nyes"},"finish_reason":"stop"}]}"#;
    check(LOCAL, [answers(200, tagged)], &expect!["1× yes [] Nothing 0 of 0 tokens"]);
    let parts = r#"{"choices":[{"message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"}]}}]}"#;
    check(LOCAL, [answers(200, parts)], &expect!["1× yes [] Nothing 0 of 0 tokens"]);
}

#[test]
fn an_answer_that_says_nothing_is_a_failure_that_was_paid() {
    let shapes = [
        r#"{"choices":[{"message":{"content":null,"refusal":"I cannot help with that."},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":0}}"#,
        r#"{"choices":[{"message":{"content":"{\"a\""},"finish_reason":"length"}],"usage":{"prompt_tokens":1000,"completion_tokens":50}}"#,
        r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#,
        r#"{"choices":[{"message":{"content":"  "},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000}}"#,
        r#"{"choices":[{"message":{"content":null,"tool_calls":[{}]},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[]}"#,
        "<html>",
        r#"{"error":{"code":402,"message":"Insufficient credits"}}"#,
        r#"{"choices":[{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"canary-key overloaded"}}}]}"#,
    ];
    let outcomes: Vec<String> = shapes
        .into_iter()
        .map(|shape| {
            let chat = chat(ChatKind::OpenAi, HOSTED, ScriptedTransport::new([answers(200, shape)]));
            told(run(chat.ask(call())))
        })
        .collect();
    expect![[r#"
        PROVIDER_FAILED | the chat model declines to answer: I cannot help with that. | Counted 1250 of 1000 tokens
        INCOMPLETE | the chat model's answer was cut at its limit of output tokens | Counted 1750 of 1050 tokens
        PROVIDER_FAILED | the chat model declines to answer: its content filter stopped it | Unknown 0 of 0 tokens
        UNUSABLE_ANSWER | the chat model answered without a word | AtLeast 1250 of 1000 tokens
        UNUSABLE_ANSWER | the chat model wants to call tools, and there are none | Unknown 0 of 0 tokens
        UNREADABLE_ANSWER | the chat model's answer has no choice in it | Unknown 0 of 0 tokens
        UNREADABLE_ANSWER | the chat model's answer is not JSON | Unknown 0 of 0 tokens
        QUOTA_EXHAUSTED | the account at the chat endpoint has nothing left (402): Insufficient credits | Unknown 0 of 0 tokens
        PROVIDER_UNAVAILABLE | the chat endpoint answered 502: Provider returned error: [key] overloaded | Unknown 0 of 0 tokens"#]].assert_eq(&outcomes.join("\n"));
}

#[test]
fn a_refused_call_is_free_and_one_that_may_have_arrived_is_not() {
    let plain = |status, body| {
        let chat = chat(ChatKind::OpenAi, HOSTED, ScriptedTransport::new([answers(status, body)]));
        let mut asked = call();
        asked.schema = None;
        told(run(chat.ask(asked)))
    };
    let outcomes = [
        plain(
            401,
            r#"{"error":{"message":"Incorrect API key provided: canary-key","type":"invalid_request_error","code":"invalid_api_key"}}"#,
        ),
        plain(
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
        ),
        plain(402, r#"{"error":{"message":"Insufficient Balance"}}"#),
        plain(403, r#"{"error":{"message":"Your country is not supported"}}"#),
        plain(
            404,
            r#"{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}"#,
        ),
        plain(404, "404 page not found"),
        plain(400, r#"{"object":"error","message":"The model `x` does not exist.","code":404}"#),
        plain(
            400,
            r#"{"error":{"message":"This model's maximum context length is 4096 tokens.","code":"context_length_exceeded"}}"#,
        ),
        plain(422, r#"{"detail":[{"msg":"field required"}]}"#),
        plain(429, r#"{"error":{"message":"Rate limit reached"}}"#),
        plain(
            429,
            r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}"#,
        ),
        plain(500, r#"{"error":{"message":"boom"}}"#),
        plain(503, r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#),
        plain(503, "<html>"),
        plain(504, "<html>"),
        plain(302, ""),
        plain(400, "<html>"),
    ];
    expect![[r#"
        KEY_REFUSED | the chat endpoint refuses the key (401); check the key of the chat model: Incorrect API key provided: [key] | Nothing 0 of 0 tokens
        KEY_REFUSED | the chat endpoint refuses the key (400); check the key of the chat model: API key not valid. Please pass a valid API key. | Nothing 0 of 0 tokens
        QUOTA_EXHAUSTED | the account at the chat endpoint has nothing left (402): Insufficient Balance | Nothing 0 of 0 tokens
        PERMISSION_DENIED | the chat endpoint answered 403: Your country is not supported | Nothing 0 of 0 tokens
        UNKNOWN_MODEL | the chat endpoint does not know the model (404); name or pull another: model "x" not found, try pulling it first | Nothing 0 of 0 tokens
        SETTINGS | the chat endpoint has no such address (404); check its base URL: no reason given | Unknown 0 of 0 tokens
        UNKNOWN_MODEL | the chat endpoint does not know the model (400); name or pull another: The model `x` does not exist. | Nothing 0 of 0 tokens
        BAD_REQUEST | the chat endpoint answered 400: This model's maximum context length is 4096 tokens. | Nothing 0 of 0 tokens
        BAD_REQUEST | the chat endpoint answered 422: field required | Nothing 0 of 0 tokens
        RATE_LIMITED | the chat endpoint answered 429: Rate limit reached | Nothing 0 of 0 tokens
        QUOTA_EXHAUSTED | the account at the chat endpoint has nothing left (429): You exceeded your current quota, please check your plan and billing details. | Nothing 0 of 0 tokens
        PROVIDER_UNAVAILABLE | the chat endpoint answered 500: boom | Unknown 0 of 0 tokens
        PROVIDER_UNAVAILABLE | the chat endpoint answered 503: Loading model | Unknown 0 of 0 tokens
        PROVIDER_UNAVAILABLE | the chat endpoint answered 503: no reason given | Unknown 0 of 0 tokens
        TIMEOUT | the chat endpoint answered 504: no reason given | Unknown 0 of 0 tokens
        SETTINGS | the chat endpoint answers with a redirect (302), which is not followed; check its base URL | Unknown 0 of 0 tokens
        BAD_REQUEST | the chat endpoint answered 400: no reason given | Unknown 0 of 0 tokens"#]].assert_eq(&outcomes.join("\n"));
}

#[test]
fn a_lost_connection_is_told_by_how_far_it_got() {
    check(
        HOSTED,
        [ScriptedResponse::Fails(SendState::NotSent)],
        &expect!["1× NETWORK | the connection was cut | Nothing 0 of 0 tokens"],
    );
    check(
        HOSTED,
        [ScriptedResponse::Fails(SendState::MaybeSent)],
        &expect!["1× NETWORK | the connection was cut | Unknown 0 of 0 tokens"],
    );
    check(
        LOCAL,
        [ScriptedResponse::Fails(SendState::MaybeSent)],
        &expect![
            "1× NETWORK | the chat model's server on this machine does not answer: the connection was cut | Nothing 0 of 0 tokens"
        ],
    );
    check(
        HOSTED,
        [ScriptedResponse::Silent],
        &expect!["1× TIMEOUT | the chat model did not answer within 20 s | Unknown 0 of 0 tokens"],
    );
    let playing = |plays: &[BodyStep]| ScriptedResponse::Answers {
        status: 200,
        content_type: "application/json",
        plays: plays.to_vec(),
    };
    check(
        HOSTED,
        [playing(&[BodyStep::Piece("{"), BodyStep::Hang])],
        &expect!["1× TIMEOUT | the chat model did not answer within 20 s | Unknown 0 of 0 tokens"],
    );
    check(
        HOSTED,
        [playing(&[BodyStep::Piece("{"), BodyStep::Cut])],
        &expect!["1× NETWORK | the connection was cut | Unknown 0 of 0 tokens"],
    );
    check(
        HOSTED,
        [playing(&[BodyStep::Bytes(8 * 1024 * 1024), BodyStep::Bytes(1)])],
        &expect![
            "1× UNREADABLE_ANSWER | the chat model's answer has more than 8388608 bytes | Unknown 0 of 0 tokens"
        ],
    );
}

#[test]
fn an_unpaid_refusal_of_the_schema_is_asked_once_more_without_it() {
    let no_schema = r#"{"error":{"message":"response_format is not supported"}}"#;
    check(
        LOCAL,
        [answers(400, no_schema), answers(200, SAID)],
        &expect![[r#"2× {"a":1} [gpt-5-2025-08-07] Nothing 0 of 1300 tokens"#]],
    );
    check(
        HOSTED,
        [answers(400, no_schema), answers(400, no_schema)],
        &expect![
            "2× BAD_REQUEST | the chat endpoint answered 400: response_format is not supported | Nothing 0 of 0 tokens"
        ],
    );
    check(
        HOSTED,
        [answers(400, no_schema), ScriptedResponse::Fails(SendState::MaybeSent)],
        &expect!["2× NETWORK | the connection was cut | Unknown 0 of 0 tokens"],
    );
    let limit = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","code":"unsupported_parameter"}}"#;
    check(
        "https://models.example/v1/",
        [answers(400, limit), answers(200, SAID)],
        &expect![[r#"2× {"a":1} [gpt-5-2025-08-07] AtLeast 0 of 1300 tokens"#]],
    );
    // Not a word about the request, or perhaps paid: never again.
    check(
        HOSTED,
        [answers(500, no_schema)],
        &expect![
            "1× PROVIDER_UNAVAILABLE | the chat endpoint answered 500: response_format is not supported | Unknown 0 of 0 tokens"
        ],
    );
    check(
        HOSTED,
        [answers(429, no_schema)],
        &expect![
            "1× RATE_LIMITED | the chat endpoint answered 429: response_format is not supported | Nothing 0 of 0 tokens"
        ],
    );
    check(
        HOSTED,
        [answers(400, "<html>")],
        &expect!["1× BAD_REQUEST | the chat endpoint answered 400: no reason given | Unknown 0 of 0 tokens"],
    );
}

#[test]
fn what_an_endpoint_refused_once_is_not_tried_before_every_call() {
    let no_schema = r#"{"error":{"message":"unknown field response_format"}}"#;
    let transport = ScriptedTransport::new([answers(400, no_schema), answers(200, SAID), answers(200, SAID)]);
    let chat = chat(ChatKind::OpenAi, LOCAL, transport.clone());
    run(async {
        chat.ask(call()).await.unwrap();
        chat.ask(call()).await.unwrap();
    });
    assert_eq!(transport.take_targets().len(), 3);
}

#[test]
fn a_key_is_asked_for_where_one_is_needed() {
    let made = |base: &str| {
        let mut settings = ChatSettings::new(ChatKind::OpenAi, "m");
        settings.base_url = base.to_owned();
        ChatClient::new(ScriptedTransport::default(), settings, Moment::default)
            .map(|chat| chat.is_local())
            .map_err(|problem| problem.code.as_str())
    };
    assert_eq!(made("http://localhost:11434"), Ok(true));
    assert_eq!(made("https://models.company.example/v1"), Ok(false));
    assert_eq!(made("https://api.openai.com/v1"), Err("KEY_MISSING"));
    assert_eq!(made("http://models.company.example/v1"), Err("SETTINGS"));
}

#[test]
fn a_proxy_on_this_machine_is_neither_local_nor_free() {
    let mut settings = ChatSettings::new(ChatKind::OpenAi, "gpt-5");
    settings.base_url = "http://localhost:4000/v1".to_owned();
    settings.stands_for = Some("openai".to_owned());
    let now = || Moment::of_date("2026-11-15").unwrap();
    let chat = ChatClient::new(ScriptedTransport::new([answers(200, SAID)]), settings, now).unwrap();
    assert!(!chat.is_local());
    assert_eq!(run(chat.ask(call())).unwrap().bill.cost.0, 4_025);
    assert_eq!(chat.expected_cost(1_000, 0).unwrap().0, 1_250);
}

#[test]
fn the_body_says_what_the_endpoint_understands() {
    let body = |base: &str| {
        let dialect = EndpointDialect::of(ChatKind::OpenAi, base).unwrap();
        openai::body("m", &call(), RequestStyleMemory::default().style(), &dialect).to_string()
    };
    expect![[r#"{"max_completion_tokens":50,"messages":[{"content":"Be brief.","role":"system"},{"content":"What?","role":"user"}],"model":"m","response_format":{"json_schema":{"name":"read","schema":{"additionalProperties":false,"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"},"strict":true},"type":"json_schema"},"stream":false}"#]]
        .assert_eq(&body("https://api.openai.com"));
    let local = body("http://localhost:11434");
    assert!(local.contains(r#""max_tokens":50"#) && local.contains(r#""temperature":0"#), "{local}");
    assert!(body("https://openrouter.ai/api/v1").contains(r#""usage":{"include":true}"#));
}

#[test]
fn gemini_answers_without_its_thoughts_and_is_never_free() {
    let said = r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"{\"a\":"},{"text":"1}"}]},"finishReason":"STOP"}],"modelVersion":"gemini-3.8-flash","usageMetadata":{"promptTokenCount":1000,"candidatesTokenCount":100,"thoughtsTokenCount":100,"totalTokenCount":1200}}"#;
    let cut = r#"{"candidates":[{"content":{"parts":[{"text":"{"}]},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":1000}}"#;
    let blocked = r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":1000}}"#;
    let refused = r#"{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel"}]}]}}"#;
    let scripts = [answers(200, said), answers(200, cut), answers(200, blocked), answers(429, refused)];
    let outcomes: Vec<String> = scripts
        .into_iter()
        .map(|script| {
            let mut settings = ChatSettings::new(ChatKind::Gemini, "gemini-3.8-flash");
            settings.base_url = "http://127.0.0.1:1/v1/".to_owned();
            settings.key = Some(ApiKey::parse("canary-key").unwrap());
            let now = || Moment::of_date("2026-11-15").unwrap();
            let chat = ChatClient::new(ScriptedTransport::new([script]), settings, now).unwrap();
            assert!(!chat.is_local());
            told(run(chat.ask(call())))
        })
        .collect();
    expect![[r#"
        {"a":1} [gemini-3.8-flash] Counted 1500 of 1200 tokens
        INCOMPLETE | the chat model's answer was cut at its limit of output tokens | Counted 750 of 0 tokens
        PROVIDER_FAILED | the chat model declines to answer: PROHIBITED_CONTENT | Counted 750 of 0 tokens
        QUOTA_EXHAUSTED | the account at the chat endpoint has nothing left (429): You exceeded your current quota. | Nothing 0 of 0 tokens"#]].assert_eq(&outcomes.join("\n"));
}

fn anthropic(base_url: &str, script: ScriptedResponse) -> ChatClient<ScriptedTransport> {
    let mut settings = ChatSettings::new(ChatKind::Anthropic, "claude-sonnet-5");
    settings.base_url = base_url.to_owned();
    settings.key = Some(ApiKey::parse("canary-key").unwrap());
    let now = || Moment::of_date("2026-11-15").unwrap();
    ChatClient::new(ScriptedTransport::new([script]), settings, now).unwrap()
}

#[test]
fn anthropic_is_asked_by_one_tool_that_must_be_called() {
    let chat = anthropic("https://api.anthropic.com", ScriptedResponse::Silent);
    let request = chat.request(&call(), chat.learned.style()).unwrap();
    let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
    let shown = format!("{request:?}\n{body}");
    assert!(!shown.contains("canary"), "{shown}");
    expect![[r#"
        HttpRequest { method: Post, url: "https://api.anthropic.com/v1/messages", headers: [("accept", Plain("application/json")), ("content-type", Plain("application/json")), ("anthropic-version", Plain("2023-06-01")), ("x-api-key", Secret([key]))], body_bytes: 364, connection: Fresh }
        {"max_tokens":50,"messages":[{"content":"What?","role":"user"}],"model":"claude-sonnet-5","system":"Be brief.","tool_choice":{"disable_parallel_tool_use":true,"name":"read","type":"tool"},"tools":[{"description":"Give the answer.","input_schema":{"additionalProperties":false,"properties":{"a":{"type":"integer"}},"required":["a"],"type":"object"},"name":"read"}]}"#]].assert_eq(&shown);
    // Where no schema is taken it stands in the prompt, and no tool is offered.
    let mut words = chat.learned.style();
    words.schema = super::dialect::SchemaPlacement::Words;
    let body = String::from_utf8(chat.request(&call(), words).unwrap().body.to_vec()).unwrap();
    assert!(!body.contains("tools") && body.contains("JSON schema"), "{body}");
}

#[test]
fn anthropic_answers_by_its_tool_and_is_billed_by_its_own_count() {
    let answered = [
        r#"{"model":"claude-sonnet-5","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"tool_use","id":"t","name":"read","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1000,"cache_read_input_tokens":1000,"output_tokens":100,"output_tokens_details":{"thinking_tokens":40}}}"#,
        r#"{"model":"claude-sonnet-5","content":[{"type":"text","text":"{\"a\":"},{"type":"text","text":"1}"}],"stop_reason":"end_turn","usage":{"input_tokens":1000,"output_tokens":0}}"#,
        r#"{"content":[{"type":"text","text":"yes"}],"stop_reason":"end_turn","usage":{"input_tokens":0,"cache_creation_input_tokens":1000,"output_tokens":0}}"#,
        r#"{"content":[{"type":"tool_use","id":"t","name":"read","input":{"a":1}}],"stop_reason":"max_tokens","usage":{"input_tokens":1000,"output_tokens":50}}"#,
        r#"{"content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":null},"usage":{"input_tokens":1000,"output_tokens":0}}"#,
        r#"{"content":[{"type":"tool_use","id":"t","name":"fetch","input":{"url":"http://evil.example"}}],"stop_reason":"tool_use"}"#,
        r#"{"content":[{"type":"thinking","thinking":"hm"}],"stop_reason":"end_turn"}"#,
        r#"{"content":[],"stop_reason":"pause_turn"}"#,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        r#"{"id":"msg_1"}"#,
    ];
    let outcomes: Vec<String> = answered
        .into_iter()
        .map(|said| told(run(anthropic("https://api.anthropic.com", answers(200, said)).ask(call()))))
        .collect();
    expect![[r#"
        {"a":1} [claude-sonnet-5] Counted 3200 of 2100 tokens
        {"a":1} [claude-sonnet-5] Counted 2000 of 1000 tokens
        yes [] AtLeast 2000 of 1000 tokens
        INCOMPLETE | the chat model's answer was cut at its limit of output tokens | Counted 2500 of 1050 tokens
        PROVIDER_FAILED | the chat model declines to answer: cyber | Counted 2000 of 1000 tokens
        UNUSABLE_ANSWER | the chat model wants to call tools, and there are none | Unknown 0 of 0 tokens
        UNUSABLE_ANSWER | the chat model answered without a word | Unknown 0 of 0 tokens
        UNUSABLE_ANSWER | the chat model ended its answer with pause_turn | Unknown 0 of 0 tokens
        PROVIDER_UNAVAILABLE | the chat endpoint answered 502: Overloaded | Unknown 0 of 0 tokens
        UNREADABLE_ANSWER | the chat model's answer has no content in it | Unknown 0 of 0 tokens"#]].assert_eq(&outcomes.join("\n"));
    // A server on this machine that speaks the same is free.
    let local = anthropic("http://127.0.0.1:8080", answers(200, answered[0]));
    assert!(local.is_local());
    assert_eq!(run(local.ask(call())).unwrap().bill.cost.0, 0);
}

#[test]
fn anthropics_refusals_are_free_and_its_overload_may_have_been_billed() {
    let refused = [
        (
            401,
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key: canary-key"},"request_id":"req_1"}"#,
        ),
        (
            403,
            r#"{"type":"error","error":{"type":"permission_error","message":"Your API key may not use this."},"request_id":"req_2"}"#,
        ),
        (
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"},"request_id":"req_3"}"#,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
        ),
        (
            413,
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        ),
        (
            429,
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed the rate limit of your organization."},"request_id":"req_4"}"#,
        ),
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_5"}"#,
        ),
    ];
    let outcomes: Vec<String> = refused
        .into_iter()
        .map(|(status, said)| {
            let mut plain = call();
            plain.schema = None;
            told(run(anthropic("https://api.anthropic.com", answers(status, said)).ask(plain)))
        })
        .collect();
    assert!(!outcomes.concat().contains("canary"));
    expect![[r#"
        KEY_REFUSED | the chat endpoint refuses the key (401); check the key of the chat model: invalid x-api-key: [key] [req_1] | Nothing 0 of 0 tokens
        PERMISSION_DENIED | the chat endpoint answered 403: Your API key may not use this. [req_2] | Nothing 0 of 0 tokens
        UNKNOWN_MODEL | the chat endpoint does not know the model (404); name or pull another: model: claude-9 [req_3] | Nothing 0 of 0 tokens
        QUOTA_EXHAUSTED | the account at the chat endpoint has nothing left (400): Your credit balance is too low to access the Anthropic API. | Nothing 0 of 0 tokens
        BAD_REQUEST | the chat endpoint answered 413: Request exceeds the maximum size | Nothing 0 of 0 tokens
        RATE_LIMITED | the chat endpoint answered 429: This request would exceed the rate limit of your organization. [req_4] | Nothing 0 of 0 tokens
        PROVIDER_UNAVAILABLE | the chat endpoint answered 529: Overloaded [req_5] | Unknown 0 of 0 tokens"#]].assert_eq(&outcomes.join("\n"));
}
