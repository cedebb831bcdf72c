//! The Gemini CLI as a child process: one door, one question in, one answer out.
//!
//! Starts it confined under a keeper, feeds it through stdin, reads what it searched, fetched and wrote, and
//! names every known way it fails. Never decides what to ask, never asks twice, never resolves a link.

mod account;
mod acp;
mod agent;
mod bounds;
mod command;
mod failure;
mod find;
mod folder;
pub mod keeper;
mod pool;
mod process;
pub mod prompt;
mod question;
mod reports;
mod running;
mod session;
mod stream;

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
    error::{Code, Problem},
    model::ModelName,
    report::SourceLink,
};
use tokio::{sync::OnceCell, time::timeout};
use url::Url;

use self::{
    agent::{Agent, Conversation},
    command::Mode,
    find::Found,
    folder::RunFolder,
    pool::{Place, Pool},
    process::{Input, Printed},
    question::Question,
};
use crate::secret::ApiKey;

pub use command::ENVIRONMENT;
pub use find::VERSION_MIN;
pub use folder::ALLOWED_TOOLS;
pub use keeper::confine::{Confinement, confinement};
pub use pool::PROCESSES_MAX;
pub use process::OUTPUT_BYTES_MAX;
pub use running::Running;

/// Until the CLI has told its version: 1.5 s on an idle machine, ten times that on a crowded one.
const VERSION_WAIT_MAX: Duration = Duration::from_secs(60);

/// So many starts over the protocol in a row have to fail before it is no longer tried: each costs seconds.
const PROTOCOL_FAILURES_MAX: u32 = 2;

/// How to find and run the CLI. The program reads the environment and hands in what is needed of it.
#[derive(Debug, Clone)]
pub struct CliSettings {
    /// The configured path; `None` looks for `gemini` in `path`.
    pub program: Option<PathBuf>,
    /// The PATH to look in and to hand to the child.
    pub path: OsString,
    /// The command that runs the keeper, such as this program with the word `keep`.
    pub keeper: Vec<OsString>,
    /// A private directory; every process gets a folder of its own in it.
    pub directory: PathBuf,
    pub key: ApiKey,
    pub base_url: Url,
    /// Stands in for the CLI's own prompt of 30 KB, which is for programmers.
    pub system_prompt: String,
    pub reuse: Reuse,
}

/// Whether the rounds of one research share a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// One process per research over the Agent Client Protocol; one process per question where that fails.
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
pub struct Ask {
    /// Questions of the same session share a process; each starts with an empty memory.
    pub session: String,
    pub prompt: String,
    /// `None` lets the CLI choose.
    pub model: Option<ModelName>,
    /// Text to work on. `{{path}}` in the prompt becomes the path of a file that holds it; it also follows
    /// the prompt, since the model may not read the file.
    pub attachment: Option<String>,
}

/// What is heard from a running question.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    Searched(String),
    Fetching(String),
    Thought(String),
    Wrote(String),
    /// The last thing heard.
    Ended(Box<Ended>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// `Ok` only where the CLI itself said that it succeeded.
    pub outcome: Result<(), Problem>,
    /// What the model wrote in its last turn.
    pub text: String,
    /// Searches that were run, as the tool was called.
    pub queries: Vec<String>,
    /// Where the searches led. Redirects are left as they are.
    pub sources: Vec<SourceLink>,
    /// Addresses whose fetch succeeded.
    pub pages: Vec<String>,
    pub usage: Option<Usage>,
    /// What `usage` covers.
    pub counted: Counted,
    /// The model that wrote the answer, from the CLI's own record; never a guess.
    pub model: Option<String>,
    /// All models that were at work.
    pub models: Vec<String>,
    /// What the CLI printed, cut in the middle where it was long.
    pub raw: Vec<u8>,
}

/// What the counted tokens cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
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
    /// Found out once it was there; looked for again while it is not.
    found: OnceCell<(Found, CliVersion)>,
    pool: Arc<Pool>,
    protocol_failures: AtomicU32,
}

/// Where the CLI is: at the configured place, or along PATH.
pub fn locate(program: Option<&Path>, path: &OsStr) -> Result<PathBuf, Problem> {
    find::find(program, path).map(|found| found.program)
}

/// Removes what dead owners left behind in the directory of processes; says how many `temp-invalid-output` files
/// went.
pub fn sweep(directory: &Path) -> Result<u32, Problem> {
    folder::sweep(directory)
}

impl GeminiCli {
    pub fn new(settings: CliSettings) -> Self {
        let protocol_failures = AtomicU32::new(0);
        Self { settings, found: OnceCell::new(), pool: Pool::new(), protocol_failures }
    }

    /// The version of the CLI, once it was found and is new enough. Found out once.
    pub async fn version(&self) -> Result<CliVersion, Problem> {
        self.found().await.map(|(_, version)| *version)
    }

    /// Asks. An error says that provably nothing was asked of the provider.
    #[tracing::instrument(level = "debug", skip_all)]
    pub async fn begin(&self, ask: Ask) -> Result<Running, Problem> {
        let (found, _) = self.found().await?;
        let failures = self.protocol_failures.load(Ordering::Relaxed);
        if self.settings.reuse == Reuse::Pool && failures < PROTOCOL_FAILURES_MAX {
            match Box::pin(self.pooled(found, &ask)).await {
                Ok(running) => {
                    self.protocol_failures.store(0, Ordering::Relaxed);
                    return Ok(running);
                }
                Err(problem) if problem.code == Code::CliInput => return Err(problem),
                Err(problem) => {
                    self.protocol_failures.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(%problem, "no process to share; this question gets one of its own");
                }
            }
        }
        let room = self.pool.room().await?;
        Question::begin(&self.settings, found, &ask, room).map(Running::alone)
    }

    /// Closes the process kept for a session.
    pub async fn end_session(&self, session: &str) {
        self.pool.end(session).await;
    }

    /// The same without waiting: its pipes close, and the keeper ends the rest.
    pub fn drop_session(&self, session: &str) {
        self.pool.forget(session);
    }

    /// Closes every process that waits; one at work ends with its question.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    async fn found(&self) -> Result<&(Found, CliVersion), Problem> {
        self.found.get_or_try_init(|| Box::pin(self.look())).await
    }

    async fn look(&self) -> Result<(Found, CliVersion), Problem> {
        let found = find::find(self.settings.program.as_deref(), &self.settings.path)?;
        let version = match found.packaged {
            Some(version) => version,
            None => self.told_version(&found).await?,
        };
        find::check(version)?;
        tracing::debug!(%version, program = %found.program.display(), "found the Gemini CLI");
        Ok((found, version))
    }

    /// Asks the program itself.
    async fn told_version(&self, found: &Found) -> Result<CliVersion, Problem> {
        let folder = RunFolder::make(&self.settings.directory, "")?;
        let command = command::kept(&self.settings, found, &folder, Mode::Version, None);
        let mut process = question::start(command, folder)?;
        process.send(b"", Input::Closed);
        let told = timeout(VERSION_WAIT_MAX, async {
            while let Printed::Line(line) = process.printed().await {
                if let Some(version) = find::version_in(&line) {
                    return Some(version);
                }
            }
            None
        });
        let told = told.await.ok().flatten();
        let errors = process.errors().shown(&self.settings.key);
        process.stop().await;
        told.ok_or_else(|| {
            let evidence = failure::Evidence { exit: Some(1), errors: &errors, ..Default::default() };
            let cause = failure::problem(&evidence, &self.settings.key);
            Problem::new(
                Code::CliFailed,
                &format!("the Gemini CLI does not tell its version; {}", cause.message),
            )
        })
    }

    async fn pooled(&self, found: &Found, ask: &Ask) -> Result<Running, Problem> {
        let place = Place { session: ask.session.clone(), model: ask.model.clone() };
        let (mut agent, session) = self.ready(found, &place).await?;
        // From here on nothing fails until the question is on its way.
        let prepared = question::prepare(agent.folder(), ask);
        let (attached, text) = match prepared {
            Ok(prepared) => prepared,
            Err(problem) => {
                self.pool.put(place, agent);
                return Err(problem);
            }
        };
        agent.fresh();
        let conversation = Conversation::begin(agent, session, &text, attached);
        Ok(Running::shared(conversation, place, Arc::clone(&self.pool)))
    }

    /// A process with a new session: the one that waits here, or else a new one.
    async fn ready(&self, found: &Found, place: &Place) -> Result<(Agent, String), Problem> {
        if let Some(mut agent) = self.pool.take(place) {
            match agent.session().await {
                Ok(session) => return Ok((agent, session)),
                Err(problem) => {
                    tracing::debug!(%problem, "the process that waited is of no use; a new one is started");
                    agent.stop().await;
                }
            }
        }
        let room = self.pool.room().await?;
        let mut agent = Agent::start(&self.settings, found, place.model.as_ref(), room).await?;
        let session = agent.session().await?;
        Ok((agent, session))
    }
}
