//! The Gemini CLI as a child process: one question in, one answer out.
//!
//! Starts it confined under a supervisor, feeds it through stdin, reads what it searched, fetched and wrote,
//! and names every known way it fails. Never decides what to ask, never asks twice, never resolves a link.

mod acp;
mod acp_agent;
mod answer_collector;
mod call;
mod command;
mod error_reports;
mod failure;
mod installation;
mod json_stream;
mod mcp_servers;
mod one_shot;
mod output_buffers;
mod process;
mod process_folder;
mod process_pool;
pub mod prompt;
mod session_record;
pub mod supervisor;

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use probity_research::{
    cost::Usage,
    error::{Code, CodedError},
    model::ModelName,
    report::SourceLink,
};
use tokio::{sync::OnceCell, time::timeout};
use url::Url;

use self::{
    acp_agent::{AcpAgent, AcpConversation},
    command::CliMode,
    installation::CliInstallation,
    one_shot::OneShotQuestion,
    process::{ProcessOutput, StdinState},
    process_folder::ProcessFolder,
    process_pool::{PoolKey, ProcessPool},
};
use crate::secret::ApiKey;

pub use call::CliCall;
pub use command::ENVIRONMENT;
pub use installation::VERSION_MIN;
pub use mcp_servers::{
    CliMcpServers, SERVERS_MAX as MCP_SERVERS_MAX, SETTINGS_BYTES_MAX, SETTINGS_FILE, is_server_name,
};
pub use process::OUTPUT_BYTES_MAX;
pub use process_folder::ALLOWED_TOOLS;
pub use process_pool::PROCESSES_MAX;
pub use supervisor::confine::{Confinement, confinement};

/// Timeout for the CLI's `--version`: 1.5 s on an idle machine, ten times that on a loaded one.
const VERSION_WAIT_MAX: Duration = Duration::from_secs(60);

/// So many starts over the protocol in a row must fail before it is no longer tried: each costs seconds.
const PROTOCOL_FAILURES_MAX: u32 = 2;

/// How to find and run the CLI. The program reads the environment and passes what is needed of it.
#[derive(Debug, Clone)]
pub struct CliSettings {
    /// The configured path; `None` looks for `gemini` in `path`.
    pub program: Option<PathBuf>,
    /// The PATH to search and to pass to the child.
    pub path: OsString,
    /// The command that runs the supervisor, such as this program with the argument `keep`.
    pub supervisor: Vec<OsString>,
    /// A private directory; every process gets a folder of its own in it.
    pub directory: PathBuf,
    pub key: ApiKey,
    pub base_url: Url,
    /// Replaces the CLI's own prompt of 30 KB, which is for programmers.
    pub system_prompt: String,
    pub reuse: CliProcessReuse,
    /// Servers of the user's own CLI that may be used.
    pub mcp: CliMcpServers,
}

/// Whether the rounds of one run share a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliProcessReuse {
    /// One process per run over the Agent Client Protocol; one process per question where that fails.
    Pool,
    /// One process per question.
    Spawn,
}

/// The version of an installed CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CliVersion {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// One question.
#[derive(Debug, Clone)]
pub struct CliRequest {
    /// Questions of the same session share a process; each starts with an empty memory.
    pub session: String,
    pub prompt: String,
    /// `None` lets the CLI choose.
    pub model: Option<ModelName>,
    /// Text to work on. `{{path}}` in the prompt becomes the path of a file that contains it; it also follows
    /// the prompt, since the model may not read the file.
    pub attachment: Option<String>,
}

/// What a question under way reports.
#[derive(Debug, Clone, PartialEq)]
pub enum CliEvent {
    Searched(String),
    Fetching(String),
    Thought(String),
    Wrote(String),
    /// The final report of a question.
    Ended(Box<CliReply>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct CliReply {
    /// `Ok` only where the CLI itself said that it succeeded.
    pub outcome: Result<(), CodedError>,
    /// What the model wrote in its last turn.
    pub text: String,
    /// Searches that were run, as the tool was called.
    pub queries: Vec<String>,
    /// The links that the searches returned. Redirects are left unresolved.
    pub sources: Vec<SourceLink>,
    /// Addresses whose fetch succeeded.
    pub pages: Vec<String>,
    pub usage: Option<Usage>,
    /// What `usage` covers.
    pub counted: UsageCoverage,
    /// The model that wrote the answer, from the CLI's own record; never a guess.
    pub model: Option<String>,
    /// All models that were used.
    pub models: Vec<String>,
    /// What the CLI printed, cut in the middle where it was long.
    pub raw: Vec<u8>,
}

/// What the counted tokens cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageCoverage {
    Everything,
    /// The model that answers; the small calls inside a search are not reported in this mode.
    MainModelOnly,
}

impl fmt::Display for CliVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

pub struct GeminiCli {
    settings: CliSettings,
    /// Cached once found; searched again while it is not.
    found: OnceCell<(CliInstallation, CliVersion)>,
    pool: Arc<ProcessPool>,
    protocol_failures: AtomicU32,
}

/// The path of the CLI: as configured, or along PATH.
pub fn locate(program: Option<&Path>, path: &OsStr) -> Result<PathBuf, CodedError> {
    installation::find(program, path).map(|found| found.program)
}

/// Removes what dead owners left behind in the directory of processes; returns how many `temp-invalid-output`
/// files were removed.
pub fn sweep(directory: &Path) -> Result<u32, CodedError> {
    process_folder::sweep(directory)
}

impl GeminiCli {
    pub fn new(settings: CliSettings) -> Self {
        let protocol_failures = AtomicU32::new(0);
        Self { settings, found: OnceCell::new(), pool: ProcessPool::new(), protocol_failures }
    }

    /// The version of the CLI, once it was found and is new enough. Read once.
    pub async fn version(&self) -> Result<CliVersion, CodedError> {
        self.installation().await.map(|(_, version)| *version)
    }

    /// Asks. An error means that provably nothing was sent to the provider.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn begin(&self, ask: CliRequest) -> Result<CliCall, CodedError> {
        let (found, _) = self.installation().await?;
        let failures = self.protocol_failures.load(Ordering::Relaxed);
        if self.settings.reuse == CliProcessReuse::Pool && failures < PROTOCOL_FAILURES_MAX {
            match Box::pin(self.begin_pooled(found, &ask)).await {
                Ok(running) => {
                    self.protocol_failures.store(0, Ordering::Relaxed);
                    return Ok(running);
                }
                Err(problem) if problem.code == Code::CliInput => return Err(problem),
                Err(problem) => {
                    self.protocol_failures.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(%problem, "no shared process; this question gets its own");
                }
            }
        }
        let room = self.pool.acquire_slot().await?;
        OneShotQuestion::begin(&self.settings, found, &ask, room).map(CliCall::alone)
    }

    /// Ends the process kept for a session.
    pub async fn end_session(&self, session: &str) {
        self.pool.end(session).await;
    }

    /// The same without waiting: its pipes close, and the supervisor ends the rest.
    pub fn drop_session(&self, session: &str) {
        self.pool.forget(session);
    }

    /// Ends every idle process; a busy one ends with its question.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    async fn installation(&self) -> Result<&(CliInstallation, CliVersion), CodedError> {
        self.found.get_or_try_init(|| Box::pin(self.detect())).await
    }

    async fn detect(&self) -> Result<(CliInstallation, CliVersion), CodedError> {
        let found = installation::find(self.settings.program.as_deref(), &self.settings.path)?;
        let version = match found.packaged {
            Some(version) => version,
            None => self.query_version(&found).await?,
        };
        installation::check_version(version)?;
        tracing::debug!(%version, program = %found.program.display(), "found the Gemini CLI");
        Ok((found, version))
    }

    /// Asks the program itself.
    async fn query_version(&self, found: &CliInstallation) -> Result<CliVersion, CodedError> {
        let folder = ProcessFolder::make(&self.settings.directory, "", &CliMcpServers::default())?;
        let command = command::supervised_command(&self.settings, found, &folder, CliMode::Version, None);
        let mut process = one_shot::start_process(command, folder)?;
        process.send(b"", StdinState::Closed);
        let version = timeout(VERSION_WAIT_MAX, async {
            while let ProcessOutput::Line(line) = process.next_output().await {
                if let Some(version) = installation::version_in(&line) {
                    return Some(version);
                }
            }
            None
        });
        let version = version.await.ok().flatten();
        let errors = process.errors().redacted_text(&self.settings.key);
        process.stop().await;
        version.ok_or_else(|| {
            let evidence =
                failure::CliFailureContext { exit: Some(1), errors: &errors, ..Default::default() };
            let cause = failure::problem(&evidence, &self.settings.key);
            CodedError::new(
                Code::CliFailed,
                &format!("the Gemini CLI does not tell its version; {}", cause.message),
            )
        })
    }

    async fn begin_pooled(&self, found: &CliInstallation, ask: &CliRequest) -> Result<CliCall, CodedError> {
        let place = PoolKey { session: ask.session.clone(), model: ask.model.clone() };
        let (mut agent, session) = self.ready_agent(found, &place).await?;
        // From here on nothing fails until the question is sent.
        let prepared = one_shot::prepare_prompt(agent.folder(), ask);
        let (attached, text) = match prepared {
            Ok(prepared) => prepared,
            Err(problem) => {
                self.pool.put(place, agent);
                return Err(problem);
            }
        };
        agent.reset_output();
        let conversation = AcpConversation::begin(agent, session, &text, attached);
        Ok(CliCall::shared(conversation, place, Arc::clone(&self.pool)))
    }

    /// A process with a new session: the idle one of this session, or else a new one.
    async fn ready_agent(
        &self,
        found: &CliInstallation,
        place: &PoolKey,
    ) -> Result<(AcpAgent, String), CodedError> {
        if let Some(mut agent) = self.pool.take(place) {
            match agent.open_session().await {
                Ok(session) => return Ok((agent, session)),
                Err(problem) => {
                    tracing::debug!(%problem, "idle process unusable; starting a new one");
                    agent.stop().await;
                }
            }
        }
        let room = self.pool.acquire_slot().await?;
        let mut agent = AcpAgent::start(&self.settings, found, place.model.as_ref(), room).await?;
        let session = agent.open_session().await?;
        Ok((agent, session))
    }
}
