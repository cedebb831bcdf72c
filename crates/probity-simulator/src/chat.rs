//! A language model behind `/v1/chat/completions`, as a pure state machine: same calls, same answers.
//!
//! It recognises the four questions of our own web engine by the names of their schemas and answers from the
//! words of the prompt alone. Scripts make it forget, break off, refuse or obey whatever it reads. Never
//! checks its own answers.

mod honest;
mod judge;
mod ledger;
pub mod obey;
mod prompt;
mod reply;
mod request;
mod script;
mod spoil;

use crate::{
    call::{CallMethod, SimulatorAnswer, SimulatorCall},
    fault::{FaultKind, FaultQueue},
    reports::Reports,
};
pub use ledger::{ChatEntry, ChatLedger};
pub use request::Asked;
pub use script::{ChatBehaviour, ChatFault, Script};

use prompt::PromptParts;
use reply::ChatModelReply;
use request::{ChatRequest, ChatTag};

/// How long a `slow` answer takes in world time unless the tag says otherwise.
const SLOW_MS: u64 = 60_000;
/// The answer to a call of an unknown model.
const UNKNOWN_MODEL: &str = "no-such-model";

/// One model under any name. A name that is a script's selects that script.
#[derive(Debug, Default)]
pub struct ChatModel {
    script: Script,
    faults: FaultQueue<ChatFault>,
    ledger: ChatLedger,
    reports: Reports,
}

impl ChatModel {
    /// The answer to a call that is meant for this model; `None` for one that is meant for the world beside
    /// it.
    pub fn answer(&mut self, now_ms: u64, call: &SimulatorCall) -> Option<SimulatorAnswer> {
        let path = call.target.split('?').next().unwrap_or_default();
        match (call.method, path) {
            (CallMethod::Post, path) if path.ends_with("/chat/completions") => {
                Some(self.complete(now_ms, call))
            }
            (CallMethod::Get, path) if path.ends_with("/v1/models") => Some(reply::models()),
            _ => None,
        }
    }

    /// The script of calls that name none.
    pub fn set_script(&mut self, script: Script) {
        self.script = script;
    }

    /// Texts that questions ask for by name.
    pub fn set_reports(&mut self, reports: Reports) {
        self.reports = reports;
    }

    /// The next calls of one kind, or of any, use another script.
    pub fn add_fault(&mut self, fault: ChatFault) {
        self.faults.add(fault);
    }

    pub fn ledger(&self) -> &ChatLedger {
        &self.ledger
    }

    /// Resets calls and faults; the script stays.
    pub fn start_over(&mut self) {
        self.ledger = ChatLedger::default();
        self.faults.clear();
    }

    fn complete(&mut self, now_ms: u64, call: &SimulatorCall) -> SimulatorAnswer {
        if let Some(refusal) = reply::key_refusal(call) {
            return self.count_refusal(refusal);
        }
        let request = match ChatRequest::read(&call.body) {
            Ok(request) => request,
            Err(message) => return self.count_refusal(reply::error(400, &message, "invalid_request_error")),
        };
        if request.model == UNKNOWN_MODEL {
            let message =
                format!("The model `{UNKNOWN_MODEL}` does not exist or you do not have access to it.");
            return self.count_refusal(reply::error(404, &message, "model_not_found"));
        }
        let tag = request.tag();
        let behaviour = self.behaviour(&request, &tag);
        match behaviour {
            ChatBehaviour::Script(Script::NoSchema) if request.has_schema_parameter() => {
                let message = "response_format of type json_schema is not supported";
                self.count_refusal(reply::error(400, message, "unsupported_parameter"))
            }
            ChatBehaviour::Script(script) => self.charge_and_reply(now_ms, &request, &tag, script),
            ChatBehaviour::Fault(FaultKind::Lost) => {
                drop(self.charge_and_reply(now_ms, &request, &tag, Script::Honest));
                SimulatorAnswer::Lost
            }
            ChatBehaviour::Fault(FaultKind::Drop) => self.count_refusal(SimulatorAnswer::Lost),
            ChatBehaviour::Fault(FaultKind::Hang) => self.count_refusal(SimulatorAnswer::Hang),
            ChatBehaviour::Fault(FaultKind::Html) => self.count_refusal(reply::html()),
            ChatBehaviour::Fault(FaultKind::Status(status)) => self.count_refusal(reply::plain(status)),
            ChatBehaviour::Fault(FaultKind::RetryAfter(seconds)) => {
                self.count_refusal(reply::limited(seconds))
            }
        }
    }

    /// Faults ordered from outside come first, then the prompt's own tag, then the model's name.
    fn behaviour(&mut self, request: &ChatRequest, tag: &ChatTag) -> ChatBehaviour {
        let meant = |fault: &ChatFault| fault.asked.is_none_or(|asked| Some(asked) == request.asked());
        if let Some(fault) = self.faults.take(meant) {
            return fault.behaviour;
        }
        let named = tag.script.or_else(|| Script::parse(&request.model));
        ChatBehaviour::Script(named.unwrap_or(self.script))
    }

    fn charge_and_reply(
        &mut self,
        now_ms: u64,
        request: &ChatRequest,
        tag: &ChatTag,
        script: Script,
    ) -> SimulatorAnswer {
        let prompt = PromptParts::read(request);
        let given = self.reports.named_in(prompt.question).filter(|_| request.asked() == Some(Asked::Write));
        let reply = match given {
            Some(given) => ChatModelReply::text(honest::given_report(&given, &prompt).to_string()),
            None => compose(request.asked(), &prompt, script),
        };
        self.ledger.record_charge(ChatEntry::new(now_ms, request, tag, script, &reply));
        let answer = reply.answer(request);
        match script {
            Script::Slow => {
                let at_ms = now_ms.saturating_add(tag.duration_ms.unwrap_or(SLOW_MS));
                SimulatorAnswer::Later { at_ms, then: Box::new(answer) }
            }
            _ => answer,
        }
    }

    fn count_refusal(&mut self, answer: SimulatorAnswer) -> SimulatorAnswer {
        let status = if let SimulatorAnswer::Whole { status, .. } = &answer { *status } else { 0 };
        self.ledger.record_refusal(status);
        answer
    }
}

/// What the honest model answers to the question that a schema of this name asks; none for another schema.
pub(crate) fn honest_answer(schema_name: &str, user: &str) -> Option<String> {
    let asked = Asked::parse(schema_name)?;
    let request = ChatRequest::of_user(user, schema_name);
    Some(honest::value(asked, &PromptParts::read(&request)).to_string())
}

/// The model's answer to one question under one script.
fn compose(asked: Option<Asked>, prompt: &PromptParts<'_>, script: Script) -> ChatModelReply {
    let Some(asked) = asked else { return ChatModelReply::text(honest::plain_answer(prompt)) };
    let honest = honest::value(asked, prompt);
    match script {
        Script::Honest | Script::Slow | Script::NoSchema => ChatModelReply::text(honest.to_string()),
        Script::NoUsage => ChatModelReply { counted: false, ..ChatModelReply::text(honest.to_string()) },
        Script::YesSayer => {
            ChatModelReply::text(judge::approve_everything(asked, prompt, honest).to_string())
        }
        Script::Forgetful => ChatModelReply::text(spoil::forgetful(asked, honest).to_string()),
        Script::BrokenJson => ChatModelReply::text(spoil::broken(&honest.to_string())),
        Script::Cut => {
            ChatModelReply { finish: "length", ..ChatModelReply::text(spoil::half(&honest.to_string())) }
        }
        Script::CutSilently => ChatModelReply::text(spoil::half(&honest.to_string())),
        Script::Empty => ChatModelReply::text(String::new()),
        Script::Prose => ChatModelReply::text(spoil::prose(&honest)),
        Script::WrongShape => ChatModelReply::text(spoil::wrong_shape(asked).to_string()),
        Script::Refusing => {
            ChatModelReply { refusal: Some("I can't help with that."), ..ChatModelReply::text(String::new()) }
        }
        Script::Filtered => {
            ChatModelReply { finish: "content_filter", ..ChatModelReply::text(String::new()) }
        }
        Script::Obedient => ChatModelReply::text(obey::answer(asked, honest, &prompt.whole).to_string()),
        Script::ObedientWild => {
            let wild = obey::wild_answer(asked, honest, &prompt.whole);
            ChatModelReply {
                tool_calls: obey::tool_calls(&prompt.whole),
                ..ChatModelReply::text(wild.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests;
