//! A process that answers one question after another over the Agent Client Protocol.
//!
//! Every question gets a session of its own, so that no answer leaks into the next.

use std::{path::PathBuf, time::Duration};

use probity_research::error::{Code, CodedError};
use serde_json::Value;
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use super::{
    CliEvent, CliSettings,
    acp::{self, AcpError, AcpMessage},
    answer_collector::AnswerCollector,
    command::{self, CliMode},
    error_reports,
    failure::{self, CliFailureContext},
    installation::CliInstallation,
    one_shot,
    process::{CliProcess, ProcessOutput, StdinState},
    process_folder::{AttachmentFile, ProcessFolder},
    session_record::{self, SessionRecord},
};
use crate::secret::ApiKey;

/// Timeout of `initialize`. 1.5 s on an idle machine, ten times that on a loaded one.
const INTRODUCE_MAX: Duration = Duration::from_secs(60);
/// Timeout of a new session: 40 ms on an idle machine.
const SESSION_MAX: Duration = Duration::from_secs(30);
/// Timeout of a cancelled question: 10 ms on an idle machine.
const CANCEL_MAX: Duration = Duration::from_secs(2);

/// A running process that can be asked.
#[derive(Debug)]
pub struct AcpAgent {
    process: CliProcess,
    last_id: u64,
    key: ApiKey,
    _room: OwnedSemaphorePermit,
}

impl AcpAgent {
    pub async fn start(
        settings: &CliSettings,
        found: &CliInstallation,
        model: Option<&probity_research::model::ModelName>,
        room: OwnedSemaphorePermit,
    ) -> Result<Self, CodedError> {
        let folder = ProcessFolder::make(&settings.directory, &settings.system_prompt, &settings.mcp)?;
        let command = command::supervised_command(settings, found, &folder, CliMode::Protocol, model);
        let process = one_shot::start_process(command, folder)?;
        let mut agent = Self { process, last_id: 0, key: settings.key.clone(), _room: room };
        match timeout(INTRODUCE_MAX, agent.call(acp::initialize)).await {
            Ok(introduced) => introduced.map(|_| agent),
            Err(_) => Err(no_answer("introduce itself", INTRODUCE_MAX)),
        }
    }

    pub fn folder(&self) -> &ProcessFolder {
        self.process.folder()
    }

    pub fn is_dead(&mut self) -> bool {
        self.process.is_dead()
    }

    /// Output so far does not count against the next question.
    pub fn reset_output(&mut self) {
        self.process.reset_output();
        error_reports::clear(&self.folder().temporary());
    }

    /// A session with an empty memory.
    pub async fn open_session(&mut self) -> Result<String, CodedError> {
        let directory: PathBuf = self.folder().work();
        let directory = directory.display().to_string();
        let opened = timeout(SESSION_MAX, self.call(|id| acp::new_session(id, &directory)));
        let opened = opened.await.map_err(|_| no_answer("open a session", SESSION_MAX))??;
        if failure::policy_refused(&self.process.errors().redacted_text(&self.key)) {
            return Err(self.ended(Some(0)));
        }
        let session = opened.get("sessionId").and_then(Value::as_str).map(str::to_owned);
        session
            .ok_or_else(|| CodedError::new(Code::CliFailed, "the Gemini CLI opened a session without a name"))
    }

    pub async fn stop(self) {
        self.process.stop().await;
    }

    /// Sends a request and waits for its answer; other messages belong to sessions that are over.
    async fn call(&mut self, request: impl FnOnce(u64) -> String) -> Result<Value, CodedError> {
        let id = self.send(request);
        loop {
            match self.process.next_output().await {
                ProcessOutput::Line(line) => match acp::parse_message(&line) {
                    AcpMessage::Answer(answered, answer) if answered == id => {
                        return answer.map_err(|refusal| self.refused(&refusal));
                    }
                    AcpMessage::Asked { reply } => self.process.send(reply.as_bytes(), StdinState::Open),
                    AcpMessage::Answer(..) | AcpMessage::Update { .. } | AcpMessage::Other => {}
                },
                ProcessOutput::TooMuch => return Err(one_shot::output_limit_error()),
                ProcessOutput::Over(exit) => return Err(self.ended(exit)),
            }
        }
    }

    fn send(&mut self, request: impl FnOnce(u64) -> String) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.process.send(request(id).as_bytes(), StdinState::Open);
        id
    }

    fn refused(&self, refusal: &AcpError) -> CodedError {
        let errors = self.process.errors().redacted_text(&self.key)
            + "\n"
            + &error_reports::read(&self.folder().temporary());
        let evidence = CliFailureContext {
            exit: Some(1),
            status: refusal.status(),
            said: Some(&refusal.message),
            errors: &errors,
        };
        failure::problem(&evidence, &self.key)
    }

    fn ended(&self, exit: Option<i32>) -> CodedError {
        let errors = self.process.errors().redacted_text(&self.key);
        failure::problem(&CliFailureContext { exit, status: None, said: None, errors: &errors }, &self.key)
    }
}

/// One question to an agent.
#[derive(Debug)]
pub struct AcpConversation {
    /// `None` once it has ended.
    agent: Option<AcpAgent>,
    session: String,
    request: u64,
    account: AnswerCollector,
    attached: Option<AttachmentFile>,
    key: ApiKey,
}

impl AcpConversation {
    pub fn begin(mut agent: AcpAgent, session: String, text: &str, attached: Option<AttachmentFile>) -> Self {
        let request = agent.send(|id| acp::prompt(id, &session, text));
        let key = agent.key.clone();
        let account = AnswerCollector::new(&key);
        Self { agent: Some(agent), session, request, account, attached, key }
    }

    /// The next update, and with the last one the agent. Cancel-safe.
    pub async fn next(&mut self) -> (CliEvent, Option<AcpAgent>) {
        loop {
            if let Some(heard) = self.account.next_event() {
                return (heard, None);
            }
            let Some(agent) = &mut self.agent else {
                return (CliEvent::Ended(Box::new(one_shot::reply_after_end(&self.key))), None);
            };
            match agent.process.next_output().await {
                ProcessOutput::Line(line) => {
                    if let Some(outcome) = self.handle_line(&line) {
                        return self.end(outcome, AgentDisposition::Reuse);
                    }
                }
                ProcessOutput::TooMuch => {
                    return self.end(Err(one_shot::output_limit_error()), AgentDisposition::Drop);
                }
                ProcessOutput::Over(exit) => {
                    let problem = agent.ended(exit);
                    return self.end(Err(problem), AgentDisposition::Drop);
                }
            }
        }
    }

    /// Cancels the question. The agent is kept for the next one if it answers in time, and ended if not.
    pub async fn stop(mut self) -> Option<AcpAgent> {
        self.attached = None;
        let mut agent = self.agent.take()?;
        agent.process.send(acp::cancel(&self.session).as_bytes(), StdinState::Open);
        let returned = timeout(CANCEL_MAX, async {
            loop {
                match agent.process.next_output().await {
                    ProcessOutput::Line(line) => match acp::parse_message(&line) {
                        AcpMessage::Answer(id, _) if id == self.request => return true,
                        AcpMessage::Asked { reply } => agent.process.send(reply.as_bytes(), StdinState::Open),
                        _ => {}
                    },
                    ProcessOutput::TooMuch | ProcessOutput::Over(_) => return false,
                }
            }
        });
        if returned.await == Ok(true) {
            return Some(agent);
        }
        agent.stop().await;
        None
    }

    /// Parses a line; returns how the question ended, if it did.
    fn handle_line(&mut self, line: &str) -> Option<Result<(), CodedError>> {
        match acp::parse_message(line) {
            AcpMessage::Update { session, update } => {
                // The list of commands comes with every session and says nothing of the question.
                if session == self.session && update.get("availableCommands").is_none() {
                    self.account.record_line(line);
                    acp::record_update(&update, &mut self.account);
                }
                None
            }
            AcpMessage::Asked { reply } => {
                self.account.record_line(line);
                if let Some(agent) = &mut self.agent {
                    agent.process.send(reply.as_bytes(), StdinState::Open);
                }
                None
            }
            AcpMessage::Answer(id, answer) if id == self.request => {
                self.account.record_line(line);
                Some(self.outcome(answer))
            }
            AcpMessage::Answer(..) | AcpMessage::Other => None,
        }
    }

    fn outcome(&self, answer: Result<Value, AcpError>) -> Result<(), CodedError> {
        let Some(agent) = &self.agent else { return Ok(()) };
        let answer = answer.map_err(|refusal| agent.refused(&refusal))?;
        match answer.get("stopReason").and_then(Value::as_str) {
            Some("end_turn" | "max_tokens") => Ok(()),
            Some("max_turn_requests") => Err(CodedError::new(
                Code::CliTurnLimit,
                "the Gemini CLI used up its turns before it had an answer",
            )),
            other => {
                let reason = other.unwrap_or("no reason");
                Err(CodedError::new(
                    Code::CliNoResult,
                    &format!("the Gemini CLI stopped without an answer: {reason}"),
                ))
            }
        }
    }

    fn end(
        &mut self,
        outcome: Result<(), CodedError>,
        after: AgentDisposition,
    ) -> (CliEvent, Option<AcpAgent>) {
        let home = self.agent.as_ref().map(|agent| agent.folder().home());
        let record = home
            .map_or_else(SessionRecord::default, |home| session_record::read_record(&home, &self.session));
        self.attached = None;
        let agent = self.agent.take().filter(|_| after == AgentDisposition::Reuse);
        let account = std::mem::replace(&mut self.account, AnswerCollector::new(&self.key));
        let ended = account.finish(outcome, record);
        (CliEvent::Ended(Box::new(ended)), agent)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentDisposition {
    Reuse,
    Drop,
}

fn no_answer(what: &str, limit: Duration) -> CodedError {
    CodedError::new(Code::CliFailed, &format!("the Gemini CLI did not {what} within {} s", limit.as_secs()))
}
