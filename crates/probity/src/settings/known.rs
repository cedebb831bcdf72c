//! Every setting there is: its name, its kind, its default, and what a project's file may do with it.

mod fleet;

use probity_research::rounds::plan::{ROUNDS_MAX, ROUNDS_MIN};

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Address,
    Names,
    Agent,
    Span,
    Dollars,
    Directory,
    Count {
        min: u64,
        max: u64,
    },
    Socket,
    Switch,
    /// One of a few words.
    Choice(&'static [&'static str]),
    Model,
    /// How many rounds; a number outside of the range counts as its nearest end.
    Rounds,
    Program,
    /// May hold a password: never shown.
    Secret,
}

/// What `probity.toml` may do. It arrives with a cloned repository: it must not spend or leak anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InProject {
    /// The smaller of the two values stays.
    OnlyLower,
    /// Only an agent that is documented to cost no more.
    OnlyCheaper,
    Refused,
}

#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub key: &'static str,
    pub kind: Kind,
    /// As it would be written; empty means that there is none.
    pub default: &'static str,
    pub in_project: InProject,
    #[cfg_attr(not(test), expect(dead_code, reason = "the reference page is made by a test"))]
    pub meaning: &'static str,
}

pub const ENGINES: &[&str] = &["auto", "gemini-api", "gemini-cli", "web"];
pub const VERIFICATIONS: &[&str] = &["evidence", "model"];
pub const REUSES: &[&str] = &["pool", "spawn"];
pub const CHAT_KINDS: &[&str] = &["auto", "openai", "gemini", "none"];
pub const JUDGES: &[&str] = &["auto", "chat", "program", "none"];
pub const BROWSERS: &[&str] = &["auto", "off"];

const KNOWN: &[Known] = &[
    Known {
        key: "gemini.base_url",
        kind: Kind::Address,
        default: "https://generativelanguage.googleapis.com",
        in_project: InProject::Refused,
        meaning: "Where Google's API is. The key is sent there.",
    },
    Known {
        key: "gemini.api_version",
        kind: Kind::Text,
        default: "v1",
        in_project: InProject::Refused,
        meaning: "Version segment of the address: `v1` or `v1beta`.",
    },
    Known {
        key: "gemini.agents",
        kind: Kind::Names,
        default: "",
        in_project: InProject::Refused,
        meaning: "Agents to allow besides the known ones. Preview agents appear between releases.",
    },
    Known {
        key: "research.agent",
        kind: Kind::Agent,
        default: probity_research::agent::DEFAULT_AGENT,
        in_project: InProject::OnlyCheaper,
        meaning: "The agent that researches.",
    },
    Known {
        key: "research.engine",
        kind: Kind::Choice(ENGINES),
        default: "auto",
        in_project: InProject::Refused,
        meaning: "What answers `search`, `deep_search` and `deep_research`: Google's API, the Gemini CLI, or our own web engine. `auto` takes the API where there is a key, else the web engine; `deep_research` takes the web engine as soon as a search provider is configured. It always says which it took.",
    },
    Known {
        key: "research.deadline",
        kind: Kind::Span,
        default: "1h",
        in_project: InProject::OnlyLower,
        meaning: "How long one research may take, such as `20m`. The provider ends every run after 60 minutes.",
    },
    Known {
        key: "rounds.max_iterations",
        kind: Kind::Rounds,
        default: "5",
        in_project: InProject::OnlyLower,
        meaning: "Rounds of a deep search. Each is paid for; it ends earlier once the answer is verified.",
    },
    Known {
        key: "rounds.model",
        kind: Kind::Model,
        default: "",
        in_project: InProject::Refused,
        meaning: "The model that answers rounds; none lets the engine choose.",
    },
    Known {
        key: "rounds.correction_model",
        kind: Kind::Model,
        default: "",
        in_project: InProject::Refused,
        meaning: "The model that brings an answer of the wrong form into the right one; none lets the engine choose.",
    },
    Known {
        key: "rounds.verification",
        kind: Kind::Choice(VERIFICATIONS),
        default: "evidence",
        in_project: InProject::Refused,
        meaning: "What makes `verified` true: `evidence` wants the model's word and what the server can compute, `model` takes the model's word alone.",
    },
    Known {
        key: "rounds.round_deadline",
        kind: Kind::Span,
        default: "5m",
        in_project: InProject::OnlyLower,
        meaning: "How long one call of one round may take.",
    },
    Known {
        key: "gemini_cli.program",
        kind: Kind::Program,
        default: "",
        in_project: InProject::Refused,
        meaning: "Where the Gemini CLI is; none looks for `gemini` along PATH.",
    },
    Known {
        key: "gemini_cli.reuse",
        kind: Kind::Choice(REUSES),
        default: "pool",
        in_project: InProject::Refused,
        meaning: "Whether the rounds of one research share a process of the Gemini CLI (`pool`) or each question gets its own (`spawn`).",
    },
    Known {
        key: "search.providers",
        kind: Kind::Names,
        default: "",
        in_project: InProject::Refused,
        meaning: "Search providers that the web engine asks, best first; none takes those that are configured, and those that need nothing.",
    },
    Known {
        key: "search.searxng_url",
        kind: Kind::Text,
        default: "",
        in_project: InProject::Refused,
        meaning: "Where your own SearXNG is, such as `http://localhost:8888`. Its `search.formats` must hold `json`.",
    },
    Known {
        key: "search.bases",
        kind: Kind::Names,
        default: "",
        in_project: InProject::Refused,
        meaning: "Where a provider is instead of its own address: `tavily=https://…`. Its key is sent there.",
    },
    Known {
        key: "chat.kind",
        kind: Kind::Choice(CHAT_KINDS),
        default: "auto",
        in_project: InProject::Refused,
        meaning: "The language model of the web engine: an OpenAI-compatible endpoint, Gemini, or none. `auto` takes the endpoint that `chat.model` names, else Gemini where there is a key, else none: then reports are made of quotations.",
    },
    Known {
        key: "chat.base_url",
        kind: Kind::Text,
        default: "",
        in_project: InProject::Refused,
        meaning: "Where the OpenAI-compatible endpoint is, such as `http://localhost:11434/v1` for Ollama; none is OpenAI's own. The key is sent there.",
    },
    Known {
        key: "chat.model",
        kind: Kind::Text,
        default: "",
        in_project: InProject::Refused,
        meaning: "The model that plans, reads and writes for the web engine.",
    },
    Known {
        key: "chat.stands_for",
        kind: Kind::Text,
        default: "",
        in_project: InProject::Refused,
        meaning: "Whose prices hold at an endpoint on this machine that passes everything on, such as `openai`; none means that it is free and nothing leaves the machine.",
    },
    Known {
        key: "web.reach",
        kind: Kind::Names,
        default: "",
        in_project: InProject::Refused,
        meaning: "Hosts to reach although they are not public: `HOST:PORT=ADDRESS:PORT`, HOST may be `*.suffix`. Your word alone opens them, never a page's.",
    },
    Known {
        key: "web.contact",
        kind: Kind::Text,
        default: probity_web::fetch::CONTACT,
        in_project: InProject::Refused,
        meaning: "A page or mail address that tells site owners who is asking; part of the User-Agent.",
    },
    Known {
        key: "web.proxy",
        kind: Kind::Text,
        default: "",
        in_project: InProject::Refused,
        meaning: "A proxy that fetches pages; it then does the checking of addresses. Never taken from the environment.",
    },
    Known {
        key: "web.archive",
        kind: Kind::Switch,
        default: "true",
        in_project: InProject::Refused,
        meaning: "Whether dead pages are looked up in the Internet Archive; its copies are marked.",
    },
    Known {
        key: "web.browser",
        kind: Kind::Choice(BROWSERS),
        default: "auto",
        in_project: InProject::Refused,
        meaning: "Whether Chromium may be used for pages that scripts build, where a research asks for it.",
    },
    Known {
        key: "web.browser_program",
        kind: Kind::Program,
        default: "",
        in_project: InProject::Refused,
        meaning: "Where Chromium is; none looks for it along PATH.",
    },
    Known {
        key: "checks.enabled",
        kind: Kind::Switch,
        default: "true",
        in_project: InProject::Refused,
        meaning: "Check every claim of a report against the pages it cites before the research ends.",
    },
    Known {
        key: "checks.judge",
        kind: Kind::Choice(JUDGES),
        default: "auto",
        in_project: InProject::Refused,
        meaning: "Who judges whether a page says what a claim says: `auto` asks the program of `checks.judge_program` if there is one, else the chat model if there is one; `none` asks nobody, and then the best a claim can be called is `quoted`.",
    },
    Known {
        key: "checks.judge_model",
        kind: Kind::Text,
        default: "",
        in_project: InProject::Refused,
        meaning: "The model that judges, at the chat model's address; none takes the chat model itself. Another model than the one that writes is the better judge.",
    },
    Known {
        key: "checks.judge_program",
        kind: Kind::Program,
        default: "",
        in_project: InProject::Refused,
        meaning: "A program of yours that runs a local entailment model: it is given the path of the weights, reads lines of `{\"premise\": …, \"hypothesis\": …}` and writes `{\"entailment\": 0.98, \"contradiction\": 0.01}` for each.",
    },
    Known {
        key: "checks.judge_weights",
        kind: Kind::Directory,
        default: "",
        in_project: InProject::Refused,
        meaning: "The weights of that model.",
    },
    Known {
        key: "checks.judge_hash",
        kind: Kind::Text,
        default: "",
        in_project: InProject::Refused,
        meaning: "BLAKE3 of the weights (`b3sum FILE`). Other weights are not used.",
    },
    Known {
        key: "budget.max_usd",
        kind: Kind::Dollars,
        default: "",
        in_project: InProject::OnlyLower,
        meaning: "What one research may cost, in US dollars.",
    },
    Known {
        key: "budget.per_day_usd",
        kind: Kind::Dollars,
        default: "",
        in_project: InProject::OnlyLower,
        meaning: "What all researches that MCP clients start within 24 hours may cost, running ones counted at the most they were expected to.",
    },
    Known {
        key: "mcp.ask_above_usd",
        kind: Kind::Dollars,
        default: "5",
        in_project: InProject::OnlyLower,
        meaning: "An MCP client must have a yes from its user before a research that may cost more than this.",
    },
    Known {
        key: "mcp.start_wait",
        kind: Kind::Span,
        default: "25s",
        in_project: InProject::OnlyLower,
        meaning: "How long `start_deep_research` waits for a report before it hands the id back.",
    },
    Known {
        key: "mcp.call_wait",
        kind: Kind::Span,
        default: "45s",
        in_project: InProject::OnlyLower,
        meaning: "The same for the other long tools. Most clients cut a call after 60 seconds.",
    },
    Known {
        key: "store.directory",
        kind: Kind::Directory,
        default: "$XDG_DATA_HOME/probity",
        in_project: InProject::Refused,
        meaning: "Where researches are kept.",
    },
    Known {
        key: "reports.directory",
        kind: Kind::Directory,
        default: "$XDG_DATA_HOME/probity/reports",
        in_project: InProject::Refused,
        meaning: "Where a report is written as Markdown when the database cannot take it.",
    },
    Known {
        key: "reports.roots",
        kind: Kind::Names,
        default: "",
        in_project: InProject::Refused,
        meaning: "Further directories below which `save_research_to_markdown` may write; absolute paths.",
    },
    Known {
        key: "reports.template",
        kind: Kind::Text,
        default: "",
        in_project: InProject::Refused,
        meaning: "A Jinja template for saved reports, as an absolute path; none takes ours.",
    },
    Known {
        key: "limits.calls_in_flight",
        kind: Kind::Count { min: 1, max: 1_024 },
        default: "64",
        in_project: InProject::OnlyLower,
        meaning: "Calls to the provider at the same time.",
    },
    Known {
        key: "limits.streams_open",
        kind: Kind::Count { min: 0, max: 256 },
        default: "16",
        in_project: InProject::OnlyLower,
        meaning: "Researches followed live; the others are looked at every few seconds.",
    },
    Known {
        key: "limits.driven_max",
        kind: Kind::Count { min: 1, max: 20_000 },
        default: "20000",
        in_project: InProject::OnlyLower,
        meaning: "Researches that one process drives at the same time.",
    },
    Known {
        key: "notifications.enabled",
        kind: Kind::Switch,
        default: "true",
        in_project: InProject::Refused,
        meaning: "Whether the desktop is told when a research in the background or for an MCP client ends.",
    },
    Known {
        key: "notifications.show_query",
        kind: Kind::Switch,
        default: "false",
        in_project: InProject::Refused,
        meaning: "Whether such a notification shows the question. Others may see the screen.",
    },
    Known {
        key: "serve.listen",
        kind: Kind::Socket,
        default: "127.0.0.1:8765",
        in_project: InProject::Refused,
        meaning: "Where `probity serve` listens. Port 0 takes any free one.",
    },
    Known {
        key: "serve.allow_beyond_loopback",
        kind: Kind::Switch,
        default: "false",
        in_project: InProject::Refused,
        meaning: "Whether `serve.listen` may be an address that other machines reach. Put TLS before it: tokens travel in clear.",
    },
    Known {
        key: "serve.allowed_hosts",
        kind: Kind::Names,
        default: "",
        in_project: InProject::Refused,
        meaning: "Host names besides `localhost`, `127.0.0.1` and `[::1]` under which clients may call, such as `research.example` or `research.example:8443`.",
    },
    Known {
        key: "serve.allowed_origins",
        kind: Kind::Names,
        default: "",
        in_project: InProject::Refused,
        meaning: "Web pages besides this machine's own that may call, such as `https://research.example`.",
    },
    Known {
        key: "serve.calls_per_second",
        kind: Kind::Count { min: 1, max: 1_000_000 },
        default: "200",
        in_project: InProject::Refused,
        meaning: "Calls that each token may make per second over HTTP. Twice as many may come at once after a pause.",
    },
];

/// Every one of them, the fleet's last.
pub fn all() -> impl Iterator<Item = &'static Known> {
    KNOWN.iter().chain(fleet::KNOWN)
}

pub fn find(key: &str) -> Option<&'static Known> {
    all().find(|known| known.key == key)
}

impl Known {
    /// `PROBITY_BUDGET__MAX_USD` for `budget.max_usd`.
    pub fn variable(&self) -> String {
        format!("{}{}", crate::environment::SETTING_PREFIX, self.key.replace('.', "__").to_uppercase())
    }
}

impl Kind {
    /// What a value must look like, to end the sentence "… is not".
    pub fn expected(self) -> String {
        match self {
            Self::Text => "a short word of letters and digits".to_owned(),
            Self::Address => {
                "an address that starts with https:// (http:// only for this machine)".to_owned()
            }
            Self::Names => "a list of names".to_owned(),
            Self::Agent => "the name of an agent".to_owned(),
            Self::Span => "a span of time with its unit, such as 20m or 1h30m".to_owned(),
            Self::Dollars => "an amount in US dollars, such as 2 or 2.50".to_owned(),
            Self::Directory => "an absolute path of a directory".to_owned(),
            Self::Count { min, max } => format!("a whole number from {min} to {max}"),
            Self::Socket => "an address with its port, such as 127.0.0.1:8765".to_owned(),
            Self::Switch => "true or false".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Model => "the name of a model, such as gemini-3.8-flash".to_owned(),
            Self::Rounds => format!(
                "a whole number; below {ROUNDS_MIN} counts as {ROUNDS_MIN}, above {ROUNDS_MAX} as {ROUNDS_MAX}"
            ),
            Self::Program => "an absolute path of a program".to_owned(),
            Self::Secret => "an address with its password".to_owned(),
        }
    }
}
