//! A language model behind `/v1/chat/completions`, as a pure state machine: same calls, same answers.
//!
//! It knows the four questions of our own web engine by the names of their schemas and answers from the words of the
//! prompt alone. Scripts make it forget, break off, refuse or obey whatever it reads. Never checks its own answers.

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
    call::{Answer, Call, Method},
    fault::{FaultKind, Faults},
    reports::Reports,
};
pub use ledger::{ChatEntry, ChatLedger};
pub use request::Asked;
pub use script::{ChatBehaviour, ChatFault, Script};

use prompt::Prompt;
use reply::Reply;
use request::{Request, Tag};

/// How long a `slow` answer takes in world time unless the tag says otherwise.
const SLOW_MS: u64 = 60_000;
/// What a call to a model that is not there is answered with.
const UNKNOWN_MODEL: &str = "no-such-model";

/// One model, whatever name it is called by. A name that is a script's is that script.
#[derive(Debug, Default)]
pub struct ChatModel {
    script: Script,
    faults: Faults<ChatFault>,
    ledger: ChatLedger,
    reports: Reports,
}

impl ChatModel {
    /// The answer to a call that is meant for this model; nothing for one that is meant for the world beside it.
    pub fn answer(&mut self, now_ms: u64, call: &Call) -> Option<Answer> {
        let path = call.target.split('?').next().unwrap_or_default();
        match (call.method, path) {
            (Method::Post, path) if path.ends_with("/chat/completions") => Some(self.complete(now_ms, call)),
            (Method::Get, path) if path.ends_with("/v1/models") => Some(reply::models()),
            _ => None,
        }
    }

    /// How calls are answered that name no script by themselves.
    pub fn set_script(&mut self, script: Script) {
        self.script = script;
    }

    /// Texts that questions ask for by name.
    pub fn set_reports(&mut self, reports: Reports) {
        self.reports = reports;
    }

    /// The next calls of one kind, or of any, are answered otherwise.
    pub fn add_fault(&mut self, fault: ChatFault) {
        self.faults.add(fault);
    }

    pub fn ledger(&self) -> &ChatLedger {
        &self.ledger
    }

    /// Forgets what was asked and what should go wrong; the script stays.
    pub fn start_over(&mut self) {
        self.ledger = ChatLedger::default();
        self.faults.clear();
    }

    fn complete(&mut self, now_ms: u64, call: &Call) -> Answer {
        if let Some(refusal) = reply::key_refusal(call) {
            return self.refused(refusal);
        }
        let request = match Request::read(&call.body) {
            Ok(request) => request,
            Err(message) => return self.refused(reply::error(400, &message, "invalid_request_error")),
        };
        if request.model == UNKNOWN_MODEL {
            let message =
                format!("The model `{UNKNOWN_MODEL}` does not exist or you do not have access to it.");
            return self.refused(reply::error(404, &message, "model_not_found"));
        }
        let tag = request.tag();
        let behaviour = self.behaviour(&request, &tag);
        match behaviour {
            ChatBehaviour::Script(Script::NoSchema) if request.has_schema_parameter() => {
                let message = "response_format of type json_schema is not supported";
                self.refused(reply::error(400, message, "unsupported_parameter"))
            }
            ChatBehaviour::Script(script) => self.said(now_ms, &request, &tag, script),
            ChatBehaviour::Fault(FaultKind::Lost) => {
                drop(self.said(now_ms, &request, &tag, Script::Honest));
                Answer::Lost
            }
            ChatBehaviour::Fault(FaultKind::Drop) => self.refused(Answer::Lost),
            ChatBehaviour::Fault(FaultKind::Hang) => self.refused(Answer::Hang),
            ChatBehaviour::Fault(FaultKind::Html) => self.refused(reply::html()),
            ChatBehaviour::Fault(FaultKind::Status(status)) => self.refused(reply::plain(status)),
            ChatBehaviour::Fault(FaultKind::RetryAfter(seconds)) => self.refused(reply::limited(seconds)),
        }
    }

    /// What was ordered from outside comes first, then the prompt's own tag, then the model's name.
    fn behaviour(&mut self, request: &Request, tag: &Tag) -> ChatBehaviour {
        let meant = |fault: &ChatFault| fault.asked.is_none_or(|asked| Some(asked) == request.asked());
        if let Some(fault) = self.faults.take(meant) {
            return fault.behaviour;
        }
        let named = tag.script.or_else(|| Script::parse(&request.model));
        ChatBehaviour::Script(named.unwrap_or(self.script))
    }

    fn said(&mut self, now_ms: u64, request: &Request, tag: &Tag, script: Script) -> Answer {
        let prompt = Prompt::read(request);
        let given = self.reports.named_in(prompt.question).filter(|_| request.asked() == Some(Asked::Write));
        let reply = match given {
            Some(given) => Reply::text(honest::given(&given, &prompt).to_string()),
            None => compose(request.asked(), &prompt, script),
        };
        self.ledger.charge(ChatEntry::new(now_ms, request, tag, script, &reply));
        let answer = reply.answer(request);
        match script {
            Script::Slow => {
                let at_ms = now_ms.saturating_add(tag.duration_ms.unwrap_or(SLOW_MS));
                Answer::Later { at_ms, then: Box::new(answer) }
            }
            _ => answer,
        }
    }

    fn refused(&mut self, answer: Answer) -> Answer {
        let status = if let Answer::Whole { status, .. } = &answer { *status } else { 0 };
        self.ledger.refuse(status);
        answer
    }
}

/// What the model says to one question under one script.
fn compose(asked: Option<Asked>, prompt: &Prompt<'_>, script: Script) -> Reply {
    let Some(asked) = asked else { return Reply::text(honest::talk(prompt)) };
    let honest = honest::value(asked, prompt);
    match script {
        Script::Honest | Script::Slow | Script::NoSchema => Reply::text(honest.to_string()),
        Script::NoUsage => Reply { counted: false, ..Reply::text(honest.to_string()) },
        Script::YesSayer => Reply::text(judge::yes(asked, prompt, honest).to_string()),
        Script::Forgetful => Reply::text(spoil::forgetful(asked, honest).to_string()),
        Script::BrokenJson => Reply::text(spoil::broken(&honest.to_string())),
        Script::Cut => Reply { finish: "length", ..Reply::text(spoil::half(&honest.to_string())) },
        Script::CutSilently => Reply::text(spoil::half(&honest.to_string())),
        Script::Empty => Reply::text(String::new()),
        Script::Prose => Reply::text(spoil::prose(&honest)),
        Script::WrongShape => Reply::text(spoil::wrong_shape(asked).to_string()),
        Script::Refusing => Reply { refusal: Some("I can't help with that."), ..Reply::text(String::new()) },
        Script::Filtered => Reply { finish: "content_filter", ..Reply::text(String::new()) },
        Script::Obedient => Reply::text(obey::answer(asked, honest, &prompt.whole).to_string()),
        Script::ObedientWild => {
            let wild = obey::wild_answer(asked, honest, &prompt.whole);
            Reply { tool_calls: obey::tool_calls(&prompt.whole), ..Reply::text(wild.to_string()) }
        }
    }
}

#[cfg(test)]
mod tests;
