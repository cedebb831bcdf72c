//! A language model behind `/v1/chat/completions` and `/v1/messages`, as a pure state machine: same calls, same
//! answers.
//!
//! It recognises the questions of our own web engines by the names of their schemas and answers from the
//! words of the prompt alone. Scripts make it forget, break off, refuse or obey whatever it reads. Never
//! checks its own answers.

mod honest;
mod inquiry;
mod judge;
mod ledger;
mod messages;
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
    research::{ModelAnswer, ResearchModel, embeddings},
};
pub(crate) use judge::{verdict as judge_item, with_shared_passages};
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

/// Whose API the model is asked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChatFace {
    OpenAi,
    Anthropic,
}

impl ChatFace {
    fn header_refusal(self, call: &SimulatorCall) -> Option<SimulatorAnswer> {
        match self {
            Self::OpenAi => reply::key_refusal(call),
            Self::Anthropic => messages::header_refusal(call),
        }
    }

    fn read(self, body: &[u8]) -> Result<ChatRequest, String> {
        match self {
            Self::OpenAi => ChatRequest::read(body),
            Self::Anthropic => messages::read(body),
        }
    }

    fn answer(self, reply: &ChatModelReply, request: &ChatRequest) -> SimulatorAnswer {
        match self {
            Self::OpenAi => reply.answer(request),
            Self::Anthropic => messages::answer(reply, request),
        }
    }

    /// Anthropic has no codes: its types follow from the status.
    fn error(self, status: u16, message: &str, code: &str) -> SimulatorAnswer {
        match self {
            Self::OpenAi => reply::error(status, message, code),
            Self::Anthropic => messages::error(status, message),
        }
    }

    fn plain(self, status: u16) -> SimulatorAnswer {
        match self {
            Self::OpenAi => reply::plain(status),
            Self::Anthropic => messages::plain(status),
        }
    }

    fn limited(self, seconds: u32) -> SimulatorAnswer {
        match self {
            Self::OpenAi => reply::limited(seconds),
            Self::Anthropic => reply::retry_after(messages::plain(429), seconds),
        }
    }
}

/// One model under any name. A name that is a script's selects that script.
#[derive(Debug, Default)]
pub struct ChatModel {
    script: Script,
    faults: FaultQueue<ChatFault>,
    ledger: ChatLedger,
    reports: Reports,
    /// Answers instead of the honest script, where a research world is served.
    research: Option<ResearchModel>,
}

impl ChatModel {
    /// The answer to a call that is meant for this model; `None` for one that is meant for the world beside
    /// it.
    pub fn answer(&mut self, now_ms: u64, call: &SimulatorCall) -> Option<SimulatorAnswer> {
        let path = call.target.split('?').next().unwrap_or_default();
        match (call.method, path) {
            (CallMethod::Post, path) if path.ends_with("/chat/completions") => {
                Some(self.complete(now_ms, call, ChatFace::OpenAi))
            }
            (CallMethod::Post, path) if path.ends_with("/v1/messages") => {
                Some(self.complete(now_ms, call, ChatFace::Anthropic))
            }
            (CallMethod::Post, path) if self.research.is_some() && path.ends_with("/embeddings") => {
                Some(reply::json_body(200, &embeddings(&call.body)))
            }
            (CallMethod::Get, path) if path.ends_with("/v1/models") => {
                Some(match call.header("anthropic-version") {
                    Some(_) => messages::models(),
                    None => reply::models(),
                })
            }
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

    /// The model of a research world; it answers every call that no script or fault is named for.
    pub fn set_research(&mut self, research: ResearchModel) {
        self.research = Some(research);
    }

    pub fn research(&self) -> Option<&ResearchModel> {
        self.research.as_ref()
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
        if let Some(research) = &mut self.research {
            research.start_over();
        }
    }

    fn complete(&mut self, now_ms: u64, call: &SimulatorCall, face: ChatFace) -> SimulatorAnswer {
        if let Some(refusal) = face.header_refusal(call) {
            return self.count_refusal(refusal);
        }
        let request = match face.read(&call.body) {
            Ok(request) => request,
            Err(message) => return self.count_refusal(face.error(400, &message, "invalid_request_error")),
        };
        if request.model == UNKNOWN_MODEL {
            let message =
                format!("The model `{UNKNOWN_MODEL}` does not exist or you do not have access to it.");
            return self.count_refusal(face.error(404, &message, "model_not_found"));
        }
        let tag = request.tag();
        let behaviour = self.behaviour(&request, &tag);
        if behaviour == ChatBehaviour::Script(Script::Honest)
            && let Some(research) = &mut self.research
        {
            let answer = research.answer(&call.body);
            return self.research_reply(now_ms, (&request, &tag, face), answer);
        }
        match behaviour {
            ChatBehaviour::Script(Script::NoSchema) if request.has_schema_parameter() => {
                let message = "response_format of type json_schema is not supported";
                self.count_refusal(face.error(400, message, "unsupported_parameter"))
            }
            ChatBehaviour::Script(script) => self.charge_and_reply(now_ms, &request, &tag, script, face),
            ChatBehaviour::Fault(FaultKind::Lost) => {
                drop(self.charge_and_reply(now_ms, &request, &tag, Script::Honest, face));
                SimulatorAnswer::Lost
            }
            ChatBehaviour::Fault(FaultKind::Drop) => self.count_refusal(SimulatorAnswer::Lost),
            ChatBehaviour::Fault(FaultKind::Hang) => self.count_refusal(SimulatorAnswer::Hang),
            ChatBehaviour::Fault(FaultKind::Html) => self.count_refusal(reply::html()),
            ChatBehaviour::Fault(FaultKind::Status(status)) => self.count_refusal(face.plain(status)),
            ChatBehaviour::Fault(FaultKind::RetryAfter(seconds)) => self.count_refusal(face.limited(seconds)),
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
        face: ChatFace,
    ) -> SimulatorAnswer {
        let prompt = PromptParts::read(request);
        let given = self.reports.named_in(prompt.question).filter(|_| request.asked() == Some(Asked::Write));
        let reply = match given {
            Some(given) => ChatModelReply::text(honest::given_report(&given, &prompt).to_string()),
            None if script == Script::NoJson => ChatModelReply::text(without_json(request, &prompt)),
            None => compose(request.asked(), &prompt, script),
        };
        self.ledger.record_charge(ChatEntry::new(now_ms, request, tag, script, &reply));
        let answer = face.answer(&reply, request);
        match script {
            Script::Slow => {
                let at_ms = now_ms.saturating_add(tag.duration_ms.unwrap_or(SLOW_MS));
                SimulatorAnswer::Later { at_ms, then: Box::new(answer) }
            }
            _ => answer,
        }
    }

    fn research_reply(
        &mut self,
        now_ms: u64,
        (request, tag, face): (&ChatRequest, &ChatTag, ChatFace),
        answer: ModelAnswer,
    ) -> SimulatorAnswer {
        match answer {
            ModelAnswer::Said { text, cut, tool_calls, input_tokens, output_tokens } => {
                let finish = match (cut, tool_calls.is_empty()) {
                    (true, _) => "length",
                    (false, false) => "tool_calls",
                    (false, true) => "stop",
                };
                let tokens = Some((input_tokens, output_tokens));
                let reply = ChatModelReply { finish, tool_calls, tokens, ..ChatModelReply::text(text) };
                self.ledger.record_charge(ChatEntry::new(now_ms, request, tag, Script::Honest, &reply));
                let answer = face.answer(&reply, request);
                let model = self.research.as_mut();
                match model.and_then(|model| model.written_at(now_ms, output_tokens)) {
                    Some(at_ms) => SimulatorAnswer::Later { at_ms, then: Box::new(answer) },
                    None => answer,
                }
            }
            ModelAnswer::TooLong { tokens } => {
                let message = format!(
                    "This model's maximum context length is exceeded: your messages resulted in {tokens} tokens."
                );
                self.count_refusal(face.error(400, &message, "context_length_exceeded"))
            }
            ModelAnswer::Unreadable => {
                self.count_refusal(face.error(400, "messages are missing", "invalid_request_error"))
            }
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

/// A model that writes plain lines where it is asked for them, and prose where it is asked for JSON.
fn without_json(request: &ChatRequest, prompt: &PromptParts<'_>) -> String {
    match request.asked_in_lines() {
        Some(asked) => inquiry::as_lines(asked, &honest::value(asked, prompt)),
        None => honest::plain_answer(prompt),
    }
}

/// The model's answer to one question under one script.
fn compose(asked: Option<Asked>, prompt: &PromptParts<'_>, script: Script) -> ChatModelReply {
    let Some(asked) = asked else { return ChatModelReply::text(honest::plain_answer(prompt)) };
    let honest = honest::value(asked, prompt);
    match script {
        Script::Honest | Script::Slow | Script::NoSchema | Script::NoJson => {
            ChatModelReply::text(honest.to_string())
        }
        Script::NoUsage => ChatModelReply { counted: false, ..ChatModelReply::text(honest.to_string()) },
        Script::YesSayer => {
            ChatModelReply::text(judge::approve_everything(asked, prompt, honest).to_string())
        }
        Script::NaySayer => ChatModelReply::text(judge::find_nothing(asked, prompt, honest).to_string()),
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
