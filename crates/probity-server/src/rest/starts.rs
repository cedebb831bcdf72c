//! Starting: a question, a follow-up question, a text to check. With an `Idempotency-Key` a client may repeat
//! a start as often as it needs to be sure.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing,
};
use probity_research::{
    Code, CodedError, Digest,
    approval::{Approval, ApprovalChannel},
    cost::MicroUsd,
    estimate::{self, Estimate},
    plan::{Notify, Plan},
    query::Query,
    rounds::{
        Mode as InRounds,
        plan::{ROUNDS_MAX, ROUNDS_MIN},
    },
    scope::KeyScope,
    spending::RepeatRule,
    text,
    web::{
        StrategyHints,
        strategy::{CONTEXT_BYTES_MAX, WORDS_MAX, WORDS_MIN, fits_words, parse_language},
    },
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    ApiOperation, RestApi, RouteHandler,
    operation::HttpVerb,
    problem::ApiError,
    wire::{CheckTextBody, FollowUpBody, RequestMode, RunBody, StartRunBody, micro_usd},
};
use crate::{
    backend::{
        PlanOptions,
        admin::{Idempotency, StartKind, StartOutcome, StartRequest, StartSubject},
    },
    http::CallerIdentity,
    tools::{
        check_citations::TEXT_BYTES_MAX, depth::DepthInput, follow_up_research, start_deep_research::lower,
    },
};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Header of the answer to a start that was made before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Longest key accepted.
const KEY_BYTES_MAX: usize = 255;
const KEY_MEANING: &str = "The same start with the same key within a day gives the same research";
const STARTED: &str = "It is stored and will be carried out";
const AGAIN: &str = "It was started before with the same key, or without a key is running already";

pub(super) fn routes() -> Vec<(ApiOperation, RouteHandler)> {
    let starts = |path, id, summary| {
        ApiOperation::new(HttpVerb::Post, path, id, KeyScope::Start, summary)
            .header("Idempotency-Key", KEY_MEANING)
            .gives::<RunBody>(202, STARTED)
            .gives::<RunBody>(200, AGAIN)
    };
    vec![
        (
            starts("/v1/researches", "startResearch", "Start a research. Paid").takes::<StartRunBody>(),
            routing::post(start),
        ),
        (
            starts(
                "/v1/researches/{id}/follow-up",
                "followUp",
                "Ask a further question about a completed research, with its context. Paid",
            )
            .takes::<FollowUpBody>(),
            routing::post(follow_up),
        ),
        (
            starts("/v1/checks", "checkText", "Check every citation of a text of your own. Paid")
                .takes::<CheckTextBody>(),
            routing::post(check),
        ),
    ]
}

async fn start(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let (input, asked) = StartCall::read::<StartRunBody>(&headers, "start", &body)?;
    let query = Query::parse(&input.query)?;
    let plan = plan_run(&rest, &admitted, &input, &query).await?;
    asked
        .or_again(input.again)
        .begin(&rest, &admitted, StartSubject::Question { query, plan: Box::new(plan) })
        .await
}

async fn follow_up(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let before = rest.find(&admitted, &id).await?;
    let (input, asked) =
        StartCall::read::<FollowUpBody>(&headers, &format!("follow-up {}", before.id), &body)?;
    let query = Query::parse(&input.question)?;
    let tenant = admitted.reach.principal().cloned();
    let plan = follow_up_research::plan(rest.mcp_server.backend().run_settings(), &before, tenant)?;
    let plan = Plan { approval: Some(UNASKED), handed_over: true, ..plan };
    asked
        .or_again(input.again)
        .begin(&rest, &admitted, StartSubject::Question { query, plan: Box::new(plan) })
        .await
}

async fn check(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    let (CheckTextBody { text, again }, asked) = StartCall::read::<CheckTextBody>(&headers, "check", &body)?;
    if text.trim().is_empty() || text.len() > TEXT_BYTES_MAX {
        let message = format!("the text has {} bytes; from 1 to {TEXT_BYTES_MAX} are taken", text.len());
        return Err(invalid_arguments(&message));
    }
    asked.or_again(again).begin(&rest, &admitted, StartSubject::Text { text, handed_over: true }).await
}

/// A start that was parsed, with its idempotency key.
struct StartCall {
    action: String,
    idempotency: Option<Idempotency>,
    repeat: RepeatRule,
}

/// It costs so little that the settings ask nobody.
const UNASKED: Approval = Approval { channel: ApprovalChannel::Setting, up_to: None };

impl StartCall {
    fn read<T: DeserializeOwned>(
        headers: &HeaderMap,
        action: &str,
        body: &[u8],
    ) -> Result<(T, Self), ApiError> {
        let value: Value =
            serde_json::from_slice(body).map_err(|error| invalid_arguments(&error.to_string()))?;
        // Serialized anew, so that blanks and the order of fields do not make it another request.
        let whole = format!("{action}\n{value}");
        let request = Digest(*blake3::hash(whole.as_bytes()).as_bytes());
        let key = key(headers)?;
        let input = serde_json::from_value(value).map_err(|error| invalid_arguments(&error.to_string()))?;
        let idempotency = key.map(|key| Idempotency { key, request });
        let action = action.split(' ').next().unwrap_or(action).to_owned();
        // A key of its own is the client's word that this is a start of its own.
        let repeat = if idempotency.is_some() { RepeatRule::StartAnother } else { RepeatRule::default() };
        Ok((input, Self { action, idempotency, repeat }))
    }

    fn or_again(self, again: bool) -> Self {
        if again { Self { repeat: RepeatRule::StartAnother, ..self } } else { self }
    }

    async fn begin(
        self,
        rest: &RestApi,
        admitted: &CallerIdentity,
        subject: StartSubject,
    ) -> Result<Response, ApiError> {
        let begin = StartRequest {
            tenant: admitted.reach.principal().cloned(),
            actor: admitted.actor.clone(),
            subject,
            idempotency: self.idempotency,
            approval: UNASKED,
            repeat: self.repeat,
        };
        let begun = rest.fleet.start_idempotent(begin).await;
        let id = begun.as_ref().ok().map(|begun| begun.summary.id);
        Ok(answer(&rest.audit_outcome(admitted, &self.action, id, begun).await?))
    }
}

fn answer(begun: &StartOutcome) -> Response {
    let shown = Json(RunBody::of(&begun.summary));
    let status = match begun.which {
        StartKind::New => StatusCode::ACCEPTED,
        StartKind::Same => StatusCode::OK,
    };
    let mut response = (status, shown).into_response();
    if let Ok(place) = HeaderValue::from_str(&format!("/v1/researches/{}", begun.summary.id)) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    if begun.which == StartKind::Same {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

async fn plan_run(
    rest: &RestApi,
    admitted: &CallerIdentity,
    input: &StartRunBody,
    query: &Query,
) -> Result<Plan, ApiError> {
    let (backend, rules) = (rest.mcp_server.backend(), rest.mcp_server.backend().run_settings());
    let accepted = input.max_cost_usd.map(|dollars| {
        micro_usd(dollars).ok_or_else(|| invalid_arguments("`max_cost_usd` is not an amount of dollars"))
    });
    let accepted = accepted.transpose()?;
    let budget = lower(rules.budget, accepted);
    let (plan, price) = match rounds_options(input, budget)? {
        Some(wanted) => {
            let plan = backend.plan(&admitted.reach, wanted, query).await?;
            let price = plan.estimate.unwrap_or_else(estimate::follow_up);
            (plan, price)
        }
        None => {
            let agent = rules.agent_named(input.agent.as_deref())?;
            let price = backend.estimate(&admitted.reach, &agent, query).await?;
            (Plan::new(agent, rules.limits(None, rules.budget)), price)
        }
    };
    let approval = check_accepted_cost(accepted, rules.ask_above, &price)?;
    let minutes = input.max_minutes.map(|minutes| Duration::from_secs(u64::from(minutes) * 60));
    let limits = rules.limits(minutes, budget);
    Ok(Plan {
        asked_by: admitted.reach.principal().cloned(),
        // No user has a screen on a machine of the fleet.
        notify: Notify::Never,
        estimate: Some(price),
        approval: Some(approval),
        limits,
        handed_over: true,
        ..plan
    })
}

/// No user can be asked here: a client that accepts more than the usual cost says so in the request.
fn check_accepted_cost(
    accepted: Option<MicroUsd>,
    ask_above: MicroUsd,
    price: &Estimate,
) -> Result<Approval, ApiError> {
    if price.cost_max <= ask_above {
        return Ok(Approval { up_to: accepted, ..UNASKED });
    }
    if accepted.is_some_and(|accepted| accepted >= price.cost_max) {
        return Ok(Approval::new(ApprovalChannel::Argument, accepted));
    }
    let message = format!(
        "this may cost up to {}; nothing was started. Send `max_cost_usd` of at least {} to accept it",
        price.cost_max,
        price.cost_max.0.div_ceil(100) as f64 / 10_000.0
    );
    Err(CodedError::new(Code::Budget, &message).into())
}

fn rounds_options(input: &StartRunBody, budget: Option<MicroUsd>) -> Result<Option<PlanOptions>, ApiError> {
    let manner = match input.manner {
        RequestMode::Agent => None,
        RequestMode::Search => Some(InRounds::Search),
        RequestMode::DeepSearch => Some(InRounds::DeepSearch),
        RequestMode::DeepResearch => Some(InRounds::DeepResearch),
    };
    let misplaced = [
        ("agent", input.agent.is_some() && input.manner != RequestMode::Agent),
        ("rounds", input.rounds.is_some() && input.manner != RequestMode::DeepSearch),
        ("context", input.context.is_some() && input.manner != RequestMode::DeepResearch),
        ("depth", input.depth.is_some() && input.manner != RequestMode::DeepResearch),
        ("words", input.words.is_some() && input.manner != RequestMode::DeepResearch),
        ("language", input.language.is_some() && input.manner != RequestMode::DeepResearch),
    ];
    if let Some((name, _)) = misplaced.into_iter().find(|(_, misplaced)| *misplaced) {
        return Err(invalid_arguments(&format!("`{name}` does not go with this manner")));
    }
    if input.rounds.is_some_and(|rounds| !(ROUNDS_MIN..=ROUNDS_MAX).contains(&rounds)) {
        return Err(invalid_arguments(&format!("`rounds` must be from {ROUNDS_MIN} to {ROUNDS_MAX}")));
    }
    let context = input.context.as_deref().map(text::block).filter(|context| !context.trim().is_empty());
    if context.as_ref().is_some_and(|context| context.len() > CONTEXT_BYTES_MAX) {
        return Err(invalid_arguments(&format!("`context` may have {CONTEXT_BYTES_MAX} bytes")));
    }
    if input.words.is_some_and(|words| !fits_words(words)) {
        return Err(invalid_arguments(&format!("`words` must be from {WORDS_MIN} to {WORDS_MAX}")));
    }
    let language = input.language.as_deref().map(|text| {
        parse_language(text).ok_or_else(|| invalid_arguments("`language` does not name a language"))
    });
    let hints = StrategyHints {
        context_snippet: context,
        level: input.depth.map(DepthInput::level),
        words: input.words,
        language: language.transpose()?,
        ..StrategyHints::default()
    };
    Ok(manner.map(|manner| PlanOptions { mode: manner, rounds: input.rounds, hints, budget }))
}

/// Visible characters only: it is compared, stored and shown in logs.
fn key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut sent = headers.get_all(KEY).iter();
    let Some(first) = sent.next() else { return Ok(None) };
    let text = first.to_str().unwrap_or_default().trim();
    let fits = (1..=KEY_BYTES_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !fits || sent.next().is_some() {
        return Err(invalid_arguments(&format!(
            "`Idempotency-Key` must be 1 to {KEY_BYTES_MAX} visible characters"
        )));
    }
    Ok(Some(text.to_owned()))
}

pub(super) fn invalid_arguments(message: &str) -> ApiError {
    CodedError::new(Code::InvalidArguments, message).into()
}
