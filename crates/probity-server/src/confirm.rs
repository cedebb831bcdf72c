//! Asks before a run that may cost more than the user wants to spend unasked.
//!
//! Three ways, by what the client supports: a question in the answer, a question during the call, or an
//! answer that says what to pass next time. A question that was asked in an answer comes back with sealed
//! state, bound to the caller and to the arguments: a call that changes either is asked again.
//!
//! Arguments are written by a model, so they approve nothing where the client can ask its user, and little
//! where it cannot.

use std::time::Duration;

use probity_research::{
    Code, CodedError,
    approval::{Approval, ApprovalChannel},
    cost::MicroUsd,
    estimate::Estimate,
    principal::RunAccess,
    text,
};
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
    InputRequests, InputRequiredResult, InputResponses, RequestStateCodec, SealOptions,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    answer::{ToolAnswer, ToolReply},
    caller::{Caller, QuestionChannel},
    mcp_server::McpServer,
    tools::{ToolCall, ToolName, start_deep_research::StartDeepResearchOutput},
};

/// How long an answer to a question is accepted.
const QUESTION_LIVES: Duration = Duration::from_secs(600);
/// A question during the call must leave time for the call itself: clients cut it after 60 seconds.
const ANSWER_WITHIN: Duration = Duration::from_secs(40);
/// Longest part of a question that the person is shown: enough to know which one it is.
const SUBJECT_CHARACTERS_MAX: usize = 160;
/// Name of the question, and of the field in its answer.
const QUESTION: &str = "start";

pub enum ConfirmationOutcome {
    /// Go on; the amount is named if one was asked for.
    Yes(Approval),
    Not(ToolReply),
}

/// What a second call returns from the first, and what the question is bound to.
pub struct RetryContext {
    bound_to: Vec<u8>,
    state: Option<String>,
    responses: Option<InputResponses>,
}

impl RetryContext {
    pub fn of(call: &mut ToolCall, tool: ToolName, reach: &RunAccess) -> Self {
        let arguments = serde_json::to_vec(&call.arguments).unwrap_or_default();
        let bound_to = format!("{}|{reach:?}|{}", tool.as_str(), blake3::hash(&arguments).to_hex());
        Self {
            bound_to: bound_to.into_bytes(),
            state: call.request_state.take(),
            responses: call.input_responses.take(),
        }
    }

    /// The amount that was shown, if this call answers a question of ours.
    fn shown_amount(&self, seal: &RequestStateCodec) -> Option<MicroUsd> {
        let opened = seal.open_with(self.state.as_deref()?, &self.bound_to).ok()?;
        Some(MicroUsd(u64::from_le_bytes(opened.try_into().ok()?)))
    }

    fn answer(&self) -> Option<UserDecision> {
        let answer = self.responses.as_ref()?.get(QUESTION)?;
        let answer: ElicitResult = serde_json::from_value(answer.clone()).ok()?;
        Some(UserDecision::of(&answer))
    }
}

/// The user's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UserDecision {
    Yes,
    No,
}

impl UserDecision {
    fn of(answer: &ElicitResult) -> Self {
        let said = answer.content.as_ref().and_then(|content| content.get(QUESTION));
        let agreed = said.and_then(serde_json::Value::as_bool).unwrap_or(false);
        match answer.action {
            ElicitationAction::Accept if agreed => Self::Yes,
            _ => Self::No,
        }
    }
}

/// The form that the person sees.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Form")]
struct ConfirmationForm {
    /// Start this research
    start: bool,
}
rmcp::elicit_safe!(ConfirmationForm);

/// What the person decides on: the question or text, and its price.
#[derive(Clone, Copy)]
pub struct SpendingQuestion<'a> {
    pub subject: &'a str,
    pub price: &'a Estimate,
    /// What starts the same in a terminal; none where nothing does.
    pub command: Option<&'static str>,
}

pub async fn confirm(
    server: &McpServer,
    caller: &Caller,
    asked: SpendingQuestion<'_>,
    confirmed_usd: Option<f64>,
    retried: RetryContext,
) -> Result<ConfirmationOutcome, CodedError> {
    let price = asked.price;
    let rules = server.backend().run_settings();
    if price.cost_max <= rules.ask_above {
        return Ok(ConfirmationOutcome::Yes(Approval::new(ApprovalChannel::Setting, None)));
    }
    match caller.questions() {
        QuestionChannel::InTheAnswer => in_the_answer(server, asked, &retried),
        QuestionChannel::DuringTheCall => during_the_call(caller, asked).await,
        QuestionChannel::Impossible => Ok(by_argument(asked, confirmed_usd, rules.unasked_max)),
    }
}

/// For clients that cannot ask their user: the model asks in the conversation, and calls again. Nobody sees
/// whether it asked, so this goes up to a small amount only.
fn by_argument(
    asked: SpendingQuestion<'_>,
    confirmed_usd: Option<f64>,
    most: MicroUsd,
) -> ConfirmationOutcome {
    let price = asked.price;
    if price.cost_max > most {
        return ConfirmationOutcome::Not(needs_a_person(asked, most));
    }
    let accepted = confirmed_usd.and_then(parse_amount).map(|accepted| accepted.min(most));
    match accepted.filter(|accepted| *accepted >= price.cost_max) {
        Some(accepted) => ConfirmationOutcome::Yes(Approval::new(ApprovalChannel::Argument, Some(accepted))),
        None => ConfirmationOutcome::Not(needs_confirmation(asked)),
    }
}

fn in_the_answer(
    server: &McpServer,
    asked: SpendingQuestion<'_>,
    retried: &RetryContext,
) -> Result<ConfirmationOutcome, CodedError> {
    let price = asked.price;
    let shown = retried.shown_amount(server.seal()).filter(|shown| *shown >= price.cost_max);
    match (shown, retried.answer()) {
        (Some(shown), Some(UserDecision::Yes)) => Ok(answered_yes(shown)),
        (Some(_), Some(UserDecision::No)) => Ok(ConfirmationOutcome::Not(declined())),
        _ => {
            let options = SealOptions::new().associated_data(&retried.bound_to).ttl(QUESTION_LIVES);
            let state = server.seal().seal_with(&price.cost_max.0.to_le_bytes(), &options);
            let requests = InputRequests::from([(QUESTION.to_owned(), question(asked)?)]);
            let result = InputRequiredResult::new(Some(requests), Some(state));
            Ok(ConfirmationOutcome::Not(ToolReply::Ask(Box::new(result))))
        }
    }
}

async fn during_the_call(
    caller: &Caller,
    asked: SpendingQuestion<'_>,
) -> Result<ConfirmationOutcome, CodedError> {
    let asking = caller.peer().elicit_with_timeout::<ConfirmationForm>(sentence(asked), Some(ANSWER_WITHIN));
    let answered = tokio::select! {
        answered = asking => answered,
        _ = caller.wait_until_gone() => return Err(call_cancelled_error()),
    };
    match answered {
        Ok(Some(ConfirmationForm { start: true })) => Ok(answered_yes(asked.price.cost_max)),
        Ok(_) => Ok(ConfirmationOutcome::Not(declined())),
        Err(
            rmcp::service::ElicitationError::UserDeclined | rmcp::service::ElicitationError::UserCancelled,
        ) => Ok(ConfirmationOutcome::Not(declined())),
        Err(error) => {
            tracing::debug!(%error, "the client could not ask its user");
            Ok(ConfirmationOutcome::Not(no_answer(asked)))
        }
    }
}

fn answered_yes(amount: MicroUsd) -> ConfirmationOutcome {
    ConfirmationOutcome::Yes(Approval::new(ApprovalChannel::Elicitation, Some(amount)))
}

fn question(asked: SpendingQuestion<'_>) -> Result<InputRequest, CodedError> {
    let schema = ElicitationSchema::from_type::<ConfirmationForm>().map_err(|error| {
        CodedError::new(Code::InvalidArguments, &format!("the question has no schema: {error}"))
    })?;
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: sentence(asked),
        requested_schema: schema,
    };
    Ok(InputRequest::Elicitation(ElicitRequest::new(params)))
}

fn sentence(asked: SpendingQuestion<'_>) -> String {
    let SpendingQuestion { subject, price, .. } = asked;
    let subject = text::line(subject, SUBJECT_CHARACTERS_MAX);
    format!(
        "\u{201c}{subject}\u{201d} will cost {} (likely {}) and take {}. Start it? Basis: {}.",
        price.cost_range(),
        price.cost_likely,
        price.minutes_range(),
        price.basis.sentence()
    )
}

/// The model asks, and calls again.
fn needs_confirmation(asked: SpendingQuestion<'_>) -> ToolReply {
    let cost = to_confirm(asked.price.cost_max);
    let message = format!(
        "{} Nothing was started. Ask the user; if they agree, call again with confirmed_cost_usd={cost}.",
        sentence(asked)
    );
    not_started("needs_confirmation", message)
}

/// More than a model may confirm on its own: the person starts it, or allows more.
fn needs_a_person(asked: SpendingQuestion<'_>, most: MicroUsd) -> ToolReply {
    let terminal = asked.command.map(|command| format!("start it with `{command}` in a terminal, or "));
    let message = format!(
        "{} Nothing was started: this client cannot ask its user, and no argument confirms more than {most}. \
         The user can {}allow more with the setting mcp.unasked_max_usd.",
        sentence(asked),
        terminal.unwrap_or_default()
    );
    not_started("needs_confirmation", message)
}

/// The client said that it can ask, and brought no answer.
fn no_answer(asked: SpendingQuestion<'_>) -> ToolReply {
    let terminal =
        asked.command.map(|command| format!(", or let the user start it with `{command}` in a terminal"));
    let message = format!(
        "{} Nothing was started: the client brought no answer of its user. Call again to ask once more{}.",
        sentence(asked),
        terminal.unwrap_or_default()
    );
    not_started("needs_confirmation", message)
}

/// The amount to pass back, in the digits that amounts have here. Rounded up: a lower one would not be enough,
/// and the user would be asked the same question for ever.
fn to_confirm(cost: MicroUsd) -> f64 {
    cost.0.div_ceil(100) as f64 / 10_000.0
}

fn declined() -> ToolReply {
    not_started("declined", "The user declined. Nothing was started and nothing was paid.".to_owned())
}

fn not_started(status: &'static str, message: String) -> ToolReply {
    let output = StartDeepResearchOutput {
        success: false,
        task_id: String::new(),
        status,
        mode: "none",
        message: Some(message.clone()),
        check_status_command: None,
        results: None,
        cost_usd: Some(0.0),
    };
    ToolReply::Done(ToolAnswer::new(&output, message))
}

/// The client cancelled its call before anything was stored.
pub fn call_cancelled_error() -> CodedError {
    CodedError::new(Code::Cancelled, "the call was withdrawn; nothing was started")
}

fn parse_amount(dollars: f64) -> Option<MicroUsd> {
    let micro = (dollars * 1_000_000.0).round();
    // Beyond a million dollars it is not an amount that a user confirmed.
    (micro.is_finite() && (0.0..=1e12).contains(&micro)).then_some(MicroUsd(micro as u64))
}

#[cfg(test)]
mod tests {
    use probity_research::cost::MicroUsd;

    use super::{parse_amount, to_confirm};

    #[test]
    fn the_amount_that_is_asked_for_is_enough() {
        for micro_usd in [0, 1, 99, 100, 1_234_540, 1_234_560, 2_900_001, 7_777_777] {
            let (cost, asked) = (MicroUsd(micro_usd), to_confirm(MicroUsd(micro_usd)));
            let confirmed = parse_amount(format!("{asked}").parse().unwrap()).unwrap();
            assert!(confirmed >= cost && confirmed.0 - cost.0 < 100, "{cost:?}: {asked}");
        }
    }
}
