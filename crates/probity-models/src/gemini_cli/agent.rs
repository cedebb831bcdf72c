//! A process that answers one question after another over the Agent Client Protocol.
//!
//! Every question gets a session of its own, so that no answer leaks into the next.

use std::{path::PathBuf, time::Duration};

use probity_research::error::{Code, Problem};
use serde_json::Value;
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use super::{
    CliSettings, Heard,
    account::Account,
    acp::{self, Incoming, Refusal},
    command::{self, Mode},
    failure::{self, Evidence},
    find::Found,
    folder::{Attached, RunFolder},
    process::{Input, Printed, Process},
    question, reports,
    session::{self, Record},
};
use crate::secret::ApiKey;

/// Until the CLI has introduced itself. 1.5 s on an idle machine, ten times that on a crowded one.
const INTRODUCE_MAX: Duration = Duration::from_secs(60);
/// Until a session is there: 40 ms on an idle machine.
const SESSION_MAX: Duration = Duration::from_secs(30);
/// Until a cancelled question has come back: 10 ms on an idle machine.
const CANCEL_MAX: Duration = Duration::from_secs(2);

/// A living process that can be asked.
#[derive(Debug)]
pub struct Agent {
    process: Process,
    last_id: u64,
    key: ApiKey,
    _room: OwnedSemaphorePermit,
}

impl Agent {
    pub async fn start(
        settings: &CliSettings,
        found: &Found,
        model: Option<&probity_research::model::ModelName>,
        room: OwnedSemaphorePermit,
    ) -> Result<Self, Problem> {
        let folder = RunFolder::make(&settings.directory, &settings.system_prompt)?;
        let command = command::kept(settings, found, &folder, Mode::Protocol, model);
        let process = question::start(command, folder)?;
        let mut agent = Self { process, last_id: 0, key: settings.key.clone(), _room: room };
        match timeout(INTRODUCE_MAX, agent.call(acp::initialize)).await {
            Ok(introduced) => introduced.map(|_| agent),
            Err(_) => Err(no_answer("introduce itself", INTRODUCE_MAX)),
        }
    }

    pub fn folder(&self) -> &RunFolder {
        self.process.folder()
    }

    pub fn is_dead(&mut self) -> bool {
        self.process.is_dead()
    }

    /// What was printed so far does not count against the next question.
    pub fn fresh(&mut self) {
        self.process.fresh();
        reports::clear(&self.folder().temporary());
    }

    /// A session with an empty memory.
    pub async fn session(&mut self) -> Result<String, Problem> {
        let directory: PathBuf = self.folder().work();
        let directory = directory.display().to_string();
        let opened = timeout(SESSION_MAX, self.call(|id| acp::new_session(id, &directory)));
        let opened = opened.await.map_err(|_| no_answer("open a session", SESSION_MAX))??;
        if failure::policy_refused(&self.process.errors().shown(&self.key)) {
            return Err(self.ended(Some(0)));
        }
        let session = opened.get("sessionId").and_then(Value::as_str).map(str::to_owned);
        session.ok_or_else(|| Problem::new(Code::CliFailed, "the Gemini CLI opened a session without a name"))
    }

    pub async fn stop(self) {
        self.process.stop().await;
    }

    /// Sends a request and waits for its answer; what else arrives belongs to sessions that are over.
    async fn call(&mut self, request: impl FnOnce(u64) -> String) -> Result<Value, Problem> {
        let id = self.send(request);
        loop {
            match self.process.printed().await {
                Printed::Line(line) => match acp::read(&line) {
                    Incoming::Answer(answered, answer) if answered == id => {
                        return answer.map_err(|refusal| self.refused(&refusal));
                    }
                    Incoming::Asked { reply } => self.process.send(reply.as_bytes(), Input::Open),
                    Incoming::Answer(..) | Incoming::Update { .. } | Incoming::Other => {}
                },
                Printed::TooMuch => return Err(question::too_much()),
                Printed::Over(exit) => return Err(self.ended(exit)),
            }
        }
    }

    fn send(&mut self, request: impl FnOnce(u64) -> String) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.process.send(request(id).as_bytes(), Input::Open);
        id
    }

    fn refused(&self, refusal: &Refusal) -> Problem {
        let errors =
            self.process.errors().shown(&self.key) + "\n" + &reports::read(&self.folder().temporary());
        let evidence = Evidence {
            exit: Some(1),
            status: refusal.status(),
            said: Some(&refusal.message),
            errors: &errors,
        };
        failure::problem(&evidence, &self.key)
    }

    fn ended(&self, exit: Option<i32>) -> Problem {
        let errors = self.process.errors().shown(&self.key);
        failure::problem(&Evidence { exit, status: None, said: None, errors: &errors }, &self.key)
    }
}

/// One question to an agent.
#[derive(Debug)]
pub struct Conversation {
    /// Nothing once it has ended.
    agent: Option<Agent>,
    session: String,
    request: u64,
    account: Account,
    attached: Option<Attached>,
    key: ApiKey,
}

impl Conversation {
    pub fn begin(mut agent: Agent, session: String, text: &str, attached: Option<Attached>) -> Self {
        let request = agent.send(|id| acp::prompt(id, &session, text));
        let key = agent.key.clone();
        let account = Account::new(&key);
        Self { agent: Some(agent), session, request, account, attached, key }
    }

    /// The next thing heard, and with the last one the agent. Cancel-safe.
    pub async fn next(&mut self) -> (Heard, Option<Agent>) {
        loop {
            if let Some(heard) = self.account.next_heard() {
                return (heard, None);
            }
            let Some(agent) = &mut self.agent else {
                return (Heard::Ended(Box::new(question::over(&self.key))), None);
            };
            match agent.process.printed().await {
                Printed::Line(line) => {
                    if let Some(outcome) = self.take(&line) {
                        return self.end(outcome, After::Reuse);
                    }
                }
                Printed::TooMuch => return self.end(Err(question::too_much()), After::Drop),
                Printed::Over(exit) => {
                    let problem = agent.ended(exit);
                    return self.end(Err(problem), After::Drop);
                }
            }
        }
    }

    /// Cancels the question. The agent is left for the next one if it answers in time, and ended if not.
    pub async fn stop(mut self) -> Option<Agent> {
        self.attached = None;
        let mut agent = self.agent.take()?;
        agent.process.send(acp::cancel(&self.session).as_bytes(), Input::Open);
        let returned = timeout(CANCEL_MAX, async {
            loop {
                match agent.process.printed().await {
                    Printed::Line(line) => match acp::read(&line) {
                        Incoming::Answer(id, _) if id == self.request => return true,
                        Incoming::Asked { reply } => agent.process.send(reply.as_bytes(), Input::Open),
                        _ => {}
                    },
                    Printed::TooMuch | Printed::Over(_) => return false,
                }
            }
        });
        if returned.await == Ok(true) {
            return Some(agent);
        }
        agent.stop().await;
        None
    }

    /// Takes a line; says how the question ended, if it did.
    fn take(&mut self, line: &str) -> Option<Result<(), Problem>> {
        match acp::read(line) {
            Incoming::Update { session, update } => {
                // The list of commands comes with every session and says nothing of the question.
                if session == self.session && update.get("availableCommands").is_none() {
                    self.account.printed(line);
                    acp::take(&update, &mut self.account);
                }
                None
            }
            Incoming::Asked { reply } => {
                self.account.printed(line);
                if let Some(agent) = &mut self.agent {
                    agent.process.send(reply.as_bytes(), Input::Open);
                }
                None
            }
            Incoming::Answer(id, answer) if id == self.request => {
                self.account.printed(line);
                Some(self.outcome(answer))
            }
            Incoming::Answer(..) | Incoming::Other => None,
        }
    }

    fn outcome(&self, answer: Result<Value, Refusal>) -> Result<(), Problem> {
        let Some(agent) = &self.agent else { return Ok(()) };
        let answer = answer.map_err(|refusal| agent.refused(&refusal))?;
        match answer.get("stopReason").and_then(Value::as_str) {
            Some("end_turn" | "max_tokens") => Ok(()),
            Some("max_turn_requests") => Err(Problem::new(
                Code::CliTurnLimit,
                "the Gemini CLI used up its turns before it had an answer",
            )),
            other => {
                let reason = other.unwrap_or("no reason");
                Err(Problem::new(
                    Code::CliNoResult,
                    &format!("the Gemini CLI stopped without an answer: {reason}"),
                ))
            }
        }
    }

    fn end(&mut self, outcome: Result<(), Problem>, after: After) -> (Heard, Option<Agent>) {
        let home = self.agent.as_ref().map(|agent| agent.folder().home());
        let record = home.map_or_else(Record::default, |home| session::read(&home, &self.session));
        self.attached = None;
        let agent = self.agent.take().filter(|_| after == After::Reuse);
        let account = std::mem::replace(&mut self.account, Account::new(&self.key));
        let ended = account.ended(outcome, record);
        (Heard::Ended(Box::new(ended)), agent)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Reuse,
    Drop,
}

fn no_answer(what: &str, limit: Duration) -> Problem {
    Problem::new(Code::CliFailed, &format!("the Gemini CLI did not {what} within {} s", limit.as_secs()))
}
