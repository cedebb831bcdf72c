//! One process for one question: the prompt goes in on stdin, the answer comes as lines of JSON.

use std::time::Duration;

use probity_research::error::{Code, CodedError};
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use super::{
    CliEvent, CliReply, CliRequest, CliSettings,
    answer_collector::AnswerCollector,
    command::{self, CliMode},
    failure::{self, CliFailureContext},
    installation::CliInstallation,
    json_stream::{CliResult, JsonStreamReader},
    process::{CliProcess, OUTPUT_BYTES_MAX, ProcessOutput, StdinState},
    process_folder::{AttachmentFile, ProcessFolder},
    prompt,
    session_record::{self, SessionRecord},
};
use crate::secret::ApiKey;

/// After its result the CLI has only to exit.
const LEAVE_MAX: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct OneShotQuestion {
    /// `None` once it has ended.
    process: Option<CliProcess>,
    account: AnswerCollector,
    stream: JsonStreamReader,
    attached: Option<AttachmentFile>,
    key: ApiKey,
    _room: OwnedSemaphorePermit,
}

impl OneShotQuestion {
    pub fn begin(
        settings: &CliSettings,
        found: &CliInstallation,
        ask: &CliRequest,
        room: OwnedSemaphorePermit,
    ) -> Result<Self, CodedError> {
        let folder = ProcessFolder::make(&settings.directory, &settings.system_prompt, &settings.mcp)?;
        let (attached, text) = prepare_prompt(&folder, ask)?;
        let command =
            command::supervised_command(settings, found, &folder, CliMode::Question, ask.model.as_ref());
        let mut process = start_process(command, folder)?;
        process.send(text.as_bytes(), StdinState::Closed);
        Ok(Self {
            process: Some(process),
            account: AnswerCollector::new(&settings.key),
            stream: JsonStreamReader::default(),
            attached,
            key: settings.key.clone(),
            _room: room,
        })
    }

    pub async fn next(&mut self) -> CliEvent {
        loop {
            if let Some(heard) = self.account.next_event() {
                return heard;
            }
            let Some(process) = &mut self.process else {
                return CliEvent::Ended(Box::new(reply_after_end(&self.key)));
            };
            let printed = if self.stream.verdict.is_some() {
                timeout(LEAVE_MAX, process.next_output()).await.unwrap_or(ProcessOutput::Over(None))
            } else {
                process.next_output().await
            };
            match printed {
                ProcessOutput::Line(line) => {
                    self.account.record_line(&line);
                    self.stream.read_line(&line, &mut self.account);
                }
                ProcessOutput::TooMuch => {
                    return CliEvent::Ended(Box::new(self.end(Err(output_limit_error()))));
                }
                ProcessOutput::Over(exit) => {
                    let outcome = self.outcome(exit);
                    return CliEvent::Ended(Box::new(self.end(outcome)));
                }
            }
        }
    }

    pub async fn stop(mut self) {
        // Before the process: its folder is removed with it.
        self.attached = None;
        if let Some(process) = self.process.take() {
            process.stop().await;
        }
    }

    fn outcome(&self, exit: Option<i32>) -> Result<(), CodedError> {
        let errors = self
            .process
            .as_ref()
            .map(|process| process.errors().redacted_text(&self.key))
            .unwrap_or_default();
        let said = match &self.stream.verdict {
            Some(CliResult::Success) if !failure::policy_refused(&errors) => return Ok(()),
            Some(CliResult::Failed(said)) if failure::is_empty_answer(exit, said) => return Ok(()),
            Some(CliResult::Failed(said)) => Some(said.as_str()),
            Some(CliResult::Success) | None => None,
        };
        Err(failure::problem(&CliFailureContext { exit, status: None, said, errors: &errors }, &self.key))
    }

    fn end(&mut self, outcome: Result<(), CodedError>) -> CliReply {
        let record = match (&self.process, &self.stream.session_id) {
            (Some(process), Some(session_id)) => {
                session_record::read_record(&process.folder().home(), session_id)
            }
            _ => SessionRecord::default(),
        };
        self.attached = None;
        self.process = None;
        let account = std::mem::replace(&mut self.account, AnswerCollector::new(&self.key));
        account.finish(outcome, record)
    }
}

/// Writes the attached text, if there is one, and makes the whole prompt.
pub fn prepare_prompt(
    folder: &ProcessFolder,
    ask: &CliRequest,
) -> Result<(Option<AttachmentFile>, String), CodedError> {
    let attached = ask.attachment.as_deref().map(|text| folder.attach(text)).transpose()?;
    let path = attached.as_ref().map(|attached| attached.path().display().to_string());
    let text = prompt::build_prompt(&ask.prompt, path.as_deref().zip(ask.attachment.as_deref()))?;
    Ok((attached, text))
}

pub fn start_process(
    command: tokio::process::Command,
    folder: ProcessFolder,
) -> Result<CliProcess, CodedError> {
    CliProcess::start(command, folder).map_err(|error| {
        CodedError::new(
            Code::CliFailed,
            &format!("the keeper of the Gemini CLI could not be started: {error}"),
        )
    })
}

pub fn output_limit_error() -> CodedError {
    let message =
        format!("the Gemini CLI printed more than {} MiB, or a line without end", OUTPUT_BYTES_MAX >> 20);
    CodedError::new(Code::CliOutputLimit, &message)
}

/// For a caller that polls on after the end.
pub fn reply_after_end(key: &ApiKey) -> CliReply {
    let problem =
        CodedError::new(Code::CliNoResult, "this question has ended; there is nothing more to hear");
    AnswerCollector::new(key).finish(Err(problem), SessionRecord::default())
}
