//! One process for one question: the prompt goes in on stdin, the answer comes as lines of JSON.

use std::time::Duration;

use probity_research::error::{Code, Problem};
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use super::{
    Ask, CliSettings, Ended, Heard,
    account::Account,
    command::{self, Mode},
    failure::{self, Evidence},
    find::Found,
    folder::{Attached, RunFolder},
    process::{Input, OUTPUT_BYTES_MAX, Printed, Process},
    prompt,
    session::{self, Record},
    stream::{Stream, Verdict},
};
use crate::secret::ApiKey;

/// After its result the CLI has only to leave.
const LEAVE_MAX: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Question {
    /// Nothing once it has ended.
    process: Option<Process>,
    account: Account,
    stream: Stream,
    attached: Option<Attached>,
    key: ApiKey,
    _room: OwnedSemaphorePermit,
}

impl Question {
    pub fn begin(
        settings: &CliSettings,
        found: &Found,
        ask: &Ask,
        room: OwnedSemaphorePermit,
    ) -> Result<Self, Problem> {
        let folder = RunFolder::make(&settings.directory, &settings.system_prompt)?;
        let (attached, text) = prepare(&folder, ask)?;
        let command = command::kept(settings, found, &folder, Mode::Question, ask.model.as_ref());
        let mut process = start(command, folder)?;
        process.send(text.as_bytes(), Input::Closed);
        Ok(Self {
            process: Some(process),
            account: Account::new(&settings.key),
            stream: Stream::default(),
            attached,
            key: settings.key.clone(),
            _room: room,
        })
    }

    pub async fn next(&mut self) -> Heard {
        loop {
            if let Some(heard) = self.account.next_heard() {
                return heard;
            }
            let Some(process) = &mut self.process else { return Heard::Ended(Box::new(over(&self.key))) };
            let printed = if self.stream.verdict.is_some() {
                timeout(LEAVE_MAX, process.printed()).await.unwrap_or(Printed::Over(None))
            } else {
                process.printed().await
            };
            match printed {
                Printed::Line(line) => {
                    self.account.printed(&line);
                    self.stream.take(&line, &mut self.account);
                }
                Printed::TooMuch => return Heard::Ended(Box::new(self.end(Err(too_much())))),
                Printed::Over(exit) => {
                    let outcome = self.outcome(exit);
                    return Heard::Ended(Box::new(self.end(outcome)));
                }
            }
        }
    }

    pub async fn stop(mut self) {
        // Before the process: its folder goes with it.
        self.attached = None;
        if let Some(process) = self.process.take() {
            process.stop().await;
        }
    }

    fn outcome(&self, exit: Option<i32>) -> Result<(), Problem> {
        let errors =
            self.process.as_ref().map(|process| process.errors().shown(&self.key)).unwrap_or_default();
        let said = match &self.stream.verdict {
            Some(Verdict::Success) if !failure::policy_refused(&errors) => return Ok(()),
            Some(Verdict::Failed(said)) if failure::is_empty_answer(exit, said) => return Ok(()),
            Some(Verdict::Failed(said)) => Some(said.as_str()),
            Some(Verdict::Success) | None => None,
        };
        Err(failure::problem(&Evidence { exit, status: None, said, errors: &errors }, &self.key))
    }

    fn end(&mut self, outcome: Result<(), Problem>) -> Ended {
        let record = match (&self.process, &self.stream.session_id) {
            (Some(process), Some(session_id)) => session::read(&process.folder().home(), session_id),
            _ => Record::default(),
        };
        self.attached = None;
        self.process = None;
        let account = std::mem::replace(&mut self.account, Account::new(&self.key));
        account.ended(outcome, record)
    }
}

/// Writes the attached text, if there is one, and makes the whole prompt.
pub fn prepare(folder: &RunFolder, ask: &Ask) -> Result<(Option<Attached>, String), Problem> {
    let attached = ask.attachment.as_deref().map(|text| folder.attach(text)).transpose()?;
    let path = attached.as_ref().map(|attached| attached.path().display().to_string());
    let text = prompt::whole(&ask.prompt, path.as_deref().zip(ask.attachment.as_deref()))?;
    Ok((attached, text))
}

pub fn start(command: tokio::process::Command, folder: RunFolder) -> Result<Process, Problem> {
    Process::start(command, folder).map_err(|error| {
        Problem::new(Code::CliFailed, &format!("the keeper of the Gemini CLI could not be started: {error}"))
    })
}

pub fn too_much() -> Problem {
    let message =
        format!("the Gemini CLI printed more than {} MiB, or a line without end", OUTPUT_BYTES_MAX >> 20);
    Problem::new(Code::CliOutputLimit, &message)
}

/// For whoever listens on after the end.
pub fn over(key: &ApiKey) -> Ended {
    let problem = Problem::new(Code::CliNoResult, "this question has ended; there is nothing more to hear");
    Account::new(key).ended(Err(problem), Record::default())
}
