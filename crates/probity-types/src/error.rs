//! What can go wrong, as codes with a retry answer and a hint. Callers branch on the code, never on text.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

/// Longest foreign message kept with a problem: enough to recognise it, too short to flood a terminal.
const MESSAGE_CHARACTERS_MAX: usize = 400;

macro_rules! codes {
    ($($name:ident = $text:literal, $retry:expr, $hint:literal;)*) => {
        /// Stable names; each has a page in `docs/errors/`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code { $(#[serde(rename = $text)] $name,)* }

        impl Code {
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// Whether the same call may be tried again, and after how long at least.
            /// Never answers for a paid create on its own: see `react::after_refusal`.
            pub fn retry(self) -> Retry {
                match self { $(Self::$name => $retry,)* }
            }

            /// One sentence that names the next command.
            pub fn hint(self) -> &'static str {
                match self { $(Self::$name => $hint,)* }
            }
        }
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    Never,
    After(Duration),
}

const SOON: Retry = Retry::After(Duration::from_secs(2));
const LATER: Retry = Retry::After(Duration::from_secs(10));

codes! {
    InvalidQuery = "INVALID_QUERY", Retry::Never, "ask one question: `probity research \"…\"`";
    InvalidArguments = "INVALID_ARGUMENTS", Retry::Never, "see what each option takes with `probity help`; tools and their arguments are in `docs/generated/tools.md`";
    UnknownAgent = "UNKNOWN_AGENT", Retry::Never, "list the known agents with `probity doctor`, then pass one with `--agent`, or leave it out";
    KeyMissing = "KEY_MISSING", Retry::Never, "set GEMINI_API_KEY, then run `probity doctor`";
    KeyRefused = "KEY_REFUSED", Retry::Never, "check GEMINI_API_KEY, then run `probity doctor --probe`, which asks the provider";
    PermissionDenied = "PERMISSION_DENIED", Retry::Never, "Deep Research needs a paid API key; check it, then run `probity doctor --probe`, which asks the provider";
    BadRequest = "BAD_REQUEST", Retry::Never, "the same request is refused again: change what the provider's message names, then ask: `probity research \"…\"`";
    RateLimited = "RATE_LIMITED", LATER, "nothing to do: Probity waits as long as the provider asks; follow with `probity runs watch ID`";
    QuotaExhausted = "QUOTA_EXHAUSTED", Retry::Never, "the provider's daily quota is used up; ask again tomorrow with `probity research \"…\"`";
    ProviderUnavailable = "PROVIDER_UNAVAILABLE", SOON, "the provider is down; Probity keeps trying; follow with `probity runs watch ID`";
    Network = "NETWORK", SOON, "check the connection with `probity doctor`, then try again; a research that the provider has goes on there";
    Timeout = "TIMEOUT", SOON, "the provider did not answer in time; follow with `probity runs watch ID`";
    UnreadableAnswer = "UNREADABLE_ANSWER", SOON, "the provider's answer has a shape Probity does not know; run `probity runs show ID --raw` and report it";
    EmptyReport = "EMPTY_REPORT", Retry::Never, "the provider finished without a report; the raw answer is kept: `probity runs show ID --raw`";
    CreateUncertain = "CREATE_UNCERTAIN", Retry::Never, "the provider may have started and billed this; to pay for a new start type `probity runs resume ID --pay-again`";
    UnknownModel = "UNKNOWN_MODEL", Retry::Never, "name a model such as `gemini-3.8-flash` in GEMINI_MODEL, or unset it; `probity doctor` lists the known ones";
    UnknownEngine = "UNKNOWN_ENGINE", Retry::Never, "choose `auto`, `gemini-api`, `gemini-cli` or `web` with `--engine`; `probity doctor` says which of them work";
    UnusableAnswer = "UNUSABLE_ANSWER", SOON, "nothing to do: Probity has the answer corrected and asks again; follow with `probity runs watch ID`";
    NoEvidence = "NO_EVIDENCE", SOON, "the model answered without searching; ask again with `probity ask \"…\"`, or say in the question what to look up";
    ExecutionError = "EXECUTION_ERROR", Retry::Never, "ask again with `probity ask \"…\"`; `probity runs show ID --raw` has the last answer";
    RoundLost = "ROUND_LOST", SOON, "nothing to do: the round is asked again and both are counted; see `probity runs show ID`";
    CliNotFound = "CLI_NOT_FOUND", Retry::Never, "install it with `npm install -g @google/gemini-cli`, then run `probity doctor`; or take the engine that needs neither it nor a key: `--engine web`, for good PROBITY_RESEARCH__ENGINE=web";
    CliTooOld = "CLI_TOO_OLD", Retry::Never, "update it with `npm install -g @google/gemini-cli`, then run `probity doctor`";
    CliAuth = "CLI_AUTH", Retry::Never, "the Gemini CLI needs an API key: set GEMINI_API_KEY, then run `probity doctor`";
    CliUntrusted = "CLI_UNTRUSTED", Retry::Never, "the Gemini CLI does not trust its folder; run `probity doctor`, or use `--engine gemini-api`";
    CliInput = "CLI_INPUT", Retry::Never, "the Gemini CLI refused its input; run `probity doctor`, or use `--engine gemini-api`";
    CliConfiguration = "CLI_CONFIGURATION", Retry::Never, "the Gemini CLI refuses its configuration; run `probity doctor`, or use `--engine gemini-api`";
    CliTurnLimit = "CLI_TURN_LIMIT", SOON, "the Gemini CLI used up its turns; ask a narrower question with `probity ask \"…\"`";
    CliToolFailed = "CLI_TOOL_FAILED", SOON, "a tool of the Gemini CLI failed; ask again with `probity ask \"…\"`";
    CliNoResult = "CLI_NO_RESULT", SOON, "the Gemini CLI ended without a result; ask again, or use `--engine gemini-api`";
    CliOutputLimit = "CLI_OUTPUT_LIMIT", SOON, "the Gemini CLI printed more than Probity keeps; ask a narrower question, or use `--engine gemini-api`";
    CliFailed = "CLI_FAILED", SOON, "run `probity doctor`; `probity runs show ID --raw` has what the Gemini CLI said";
    AddressRefused = "ADDRESS_REFUSED", Retry::Never, "Probity fetches public addresses only; give a page that the open web can reach, or the file itself with `--folder`";
    RobotsRefused = "ROBOTS_REFUSED", Retry::Never, "the site asks programs not to read this page; look for another source with `probity ask \"…\"`";
    PageUnreachable = "PAGE_UNREACHABLE", SOON, "nothing to do: the research goes on without this page; see `probity runs show ID`";
    PageTooLarge = "PAGE_TOO_LARGE", Retry::Never, "nothing to do: the research goes on without this page; see `probity runs show ID`";
    PageUnreadable = "PAGE_UNREADABLE", Retry::Never, "nothing to do: the research goes on without this page; see `probity runs show ID`";
    SearchFailed = "SEARCH_FAILED", SOON, "run `probity doctor --probe` to see which search providers answer; add one, such as TAVILY_API_KEY or SEARXNG_URL";
    NothingFound = "NOTHING_FOUND", Retry::Never, "ask with other words: `probity ask \"…\"`; `probity doctor` lists the search providers that were asked";
    BrowserMissing = "BROWSER_MISSING", Retry::Never, "install Chromium (`apt install chromium`), then run `probity doctor`";
    SourceFolder = "SOURCE_FOLDER", Retry::Never, "name a folder that you may read: `probity ask \"…\" --folder ./notes`";
    Expired = "EXPIRED", Retry::Never, "ask again with `probity research \"…\"`";
    ProviderFailed = "PROVIDER_FAILED", Retry::Never, "the provider reports a failure; start anew with `probity research \"…\"`";
    Incomplete = "INCOMPLETE", Retry::Never, "the provider stopped early; what it had is in `probity runs show ID`";
    Deadline = "DEADLINE", Retry::Never, "what was there is in `probity runs show ID`; ask again with a longer `--max-time`";
    Budget = "BUDGET", Retry::Never, "allow more with `--budget`, or with `budget.max_usd` if no `--budget` was given: `probity config show --origin` says where it is set";
    DayLimit = "DAY_LIMIT", Retry::Never, "raise `budget.per_day_usd`, ask for less, or wait if the message says when there is room again; `probity config show --origin` says where the limit is set";
    Cancelled = "CANCELLED", Retry::Never, "what was there is in `probity runs show ID`";
    NotFound = "NOT_FOUND", Retry::Never, "list the researches with `probity runs list`";
    AlreadyEnded = "ALREADY_ENDED", Retry::Never, "read it with `probity runs show ID`";
    NotFinished = "NOT_FINISHED", SOON, "follow it with `probity runs watch ID`";
    LeaseLost = "LEASE_LOST", SOON, "another Probity process drives this research; follow it with `probity runs watch ID`";
    StoreFull = "STORE_FULL", LATER, "free some disk space, then run `probity doctor`";
    StoreReadOnly = "STORE_READ_ONLY", Retry::Never, "make the data directory writable, then run `probity doctor`";
    StoreCorrupt = "STORE_CORRUPT", Retry::Never, "run `probity doctor`; it says what is damaged. `probity store restore` goes back to the newest backup";
    StoreGone = "STORE_GONE", Retry::Never, "start again what said this: if it lists your researches, go on with it and restore nothing; otherwise put `probity.db` back where it was, or go back to the newest backup with `probity store restore`";
    StoreWhole = "STORE_WHOLE", Retry::Never, "go on as before: `probity runs list` shows what there is. To go back to the backup all the same, move `probity.db` away yourself (with `probity.db-wal`, if it is there), then type `probity store restore` again";
    NoBackup = "NO_BACKUP", Retry::Never, "keep a copy of the data directory and begin anew in an empty one: set `store.directory`, or `PROBITY_STORE__DIRECTORY` for one command; `probity store restore --accept-loss` goes on with a database that only lacks its newest changes";
    StoreDisk = "STORE_DISK", LATER, "the disk or its file system fails: look at the system's log, mount it again or repair it, then run `probity doctor`; the database itself need not be restored";
    StoreBusy = "STORE_BUSY", SOON, "another process holds the database; run `probity doctor`";
    StoreNewer = "STORE_NEWER", Retry::Never, "this database was written by a newer Probity; upgrade, then run `probity doctor`";
    StoreFailed = "STORE_FAILED", LATER, "run `probity doctor`; it names the file and the cause";
    OutputPath = "OUTPUT_PATH", Retry::Never, "name a folder below the directory for reports, such as `./research_reports`; `probity config show --origin` says where that directory is";
    Settings = "SETTINGS", Retry::Never, "run `probity config show --origin` to see where each value comes from";
    AlreadyServing = "ALREADY_SERVING", Retry::Never, "use the one that runs: `probity mcp` attaches to it by itself";
    ListenFailed = "LISTEN_FAILED", Retry::Never, "choose another address; `probity serve --listen 127.0.0.1:0` takes any free port";
    TokenExposed = "TOKEN_EXPOSED", Retry::Never, "make the file private with `chmod 600`; if somebody may have read it, delete it and run `probity serve` again";
    BundleRefused = "BUNDLE_REFUSED", Retry::Never, "ask whoever made it for the file and its key again, then run `probity bundle verify FILE --key HEX`";
    ReleaseRefused = "RELEASE_REFUSED", Retry::Never, "nothing was installed: look at the address and the key, then run `probity update` again";
    BenchFailed = "BENCH_FAILED", Retry::Never, "read the log that is named, install what the clone needs, then run `probity bench drb --judge-only --dir CLONE`";
    ServerGone = "SERVER_GONE", SOON, "your client starts `probity mcp` again by itself; start the background with `probity serve`";
    EngineUnreachable = "ENGINE_UNREACHABLE", SOON, "look at the parts with `probity fleet status`; what was told is kept and goes on by itself";
    Unauthorised = "UNAUTHORISED", Retry::Never, "send `Authorization: Bearer …` with an API key, or with a token of the issuer that `/.well-known/oauth-protected-resource` names";
    ScopeMissing = "SCOPE_MISSING", Retry::Never, "use a key or token that has the scope; whoever administers the tenant makes one with `POST /v1/admin/keys`";
    KeyReused = "KEY_REUSED", Retry::Never, "send another request with another `Idempotency-Key`, or the first one unchanged";
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// An error with all its causes, in one line. The caller has removed what must not be shown.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        words.push_str(": ");
        words.push_str(&inner.to_string());
        cause = inner.source();
    }
    words
}

/// A failure as data: its code, its message, and how long the provider asked us to wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct CodedError {
    pub code: Code,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl CodedError {
    pub fn new(code: Code, message: &str) -> Self {
        let message = crate::text::line(message, MESSAGE_CHARACTERS_MAX);
        Self { code, message, http_status: None, retry_after_ms: None }
    }

    pub fn with_status(mut self, http_status: u16) -> Self {
        self.http_status = Some(http_status);
        self
    }

    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after_ms = wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// The message as a part of a longer sentence: providers end theirs with a full stop.
    pub fn clause(&self) -> &str {
        self.message.trim_end().trim_end_matches('.')
    }

    /// The longer of what the code asks for and what the provider asked for; `None` means never.
    pub fn wait_before_retry(&self) -> Option<Duration> {
        match self.code.retry() {
            Retry::Never => None,
            Retry::After(least) => Some(least.max(Duration::from_millis(self.retry_after_ms.unwrap_or(0)))),
        }
    }
}
