//! Every setting there is: its name, its kind, its default, and what a project's file may do with it.

mod fleet;
mod watch;

use probity_research::{
    checking::plan::PAGES_MAX,
    ledger::CLAIMS_MAX,
    rounds::plan::{ROUNDS_MAX, ROUNDS_MIN},
};

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
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
    /// How many rounds; a number outside of the range is clamped.
    Rounds,
    Program,
    /// May contain a password: never shown.
    Secret,
}

/// What `probity.toml` may do. It arrives with a cloned repository: it must not spend or leak anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectRule {
    /// The smaller of the two values stays.
    OnlyLower,
    /// Only an agent that is documented to cost no more.
    OnlyCheaper,
    Refused,
}

#[derive(Debug, Clone, Copy)]
pub struct SettingDefinition {
    pub key: &'static str,
    pub kind: SettingKind,
    /// As it would be written; empty means that there is none.
    pub default: &'static str,
    pub in_project: ProjectRule,
    pub meaning: &'static str,
}

pub const ENGINES: &[&str] = &["auto", "gemini-api", "gemini-cli", "web"];
pub const VERIFICATIONS: &[&str] = &["evidence", "model"];
pub const REUSES: &[&str] = &["pool", "spawn"];
pub const CHAT_KINDS: &[&str] = &["auto", "openai", "gemini", "anthropic", "none"];
pub const JUDGES: &[&str] = &["auto", "chat", "program", "none"];
pub const EXAMS: &[&str] = &["required", "trusted"];
pub const BROWSERS: &[&str] = &["auto", "off"];

const KNOWN: &[SettingDefinition] = &[
    SettingDefinition {
        key: "gemini.base_url",
        kind: SettingKind::Address,
        default: "https://generativelanguage.googleapis.com",
        in_project: ProjectRule::Refused,
        meaning: "Where Google's API is. The key is sent there.",
    },
    SettingDefinition {
        key: "gemini.api_version",
        kind: SettingKind::Text,
        default: "v1",
        in_project: ProjectRule::Refused,
        meaning: "Version segment of the address: `v1` or `v1beta`.",
    },
    SettingDefinition {
        key: "gemini.agents",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Agents to allow besides the known ones. Preview agents appear between releases.",
    },
    SettingDefinition {
        key: "research.agent",
        kind: SettingKind::Agent,
        default: probity_research::agent::DEFAULT_AGENT,
        in_project: ProjectRule::OnlyCheaper,
        meaning: "The agent that researches.",
    },
    SettingDefinition {
        key: "research.engine",
        kind: SettingKind::Choice(ENGINES),
        default: "auto",
        in_project: ProjectRule::Refused,
        meaning: "What answers `search`, `deep_search` and `deep_research`: Google's API, the Gemini CLI, or our own web engine. `auto` takes the API where there is a key, else the Gemini CLI where that has one, else the web engine; `deep_research` takes the web engine as soon as a search provider is configured. It always says which it took.",
    },
    SettingDefinition {
        key: "research.deadline",
        kind: SettingKind::Span,
        default: "1h",
        in_project: ProjectRule::OnlyLower,
        meaning: "How long one research may take, such as `20m`. The provider ends every run after 60 minutes.",
    },
    SettingDefinition {
        key: "rounds.max_iterations",
        kind: SettingKind::Rounds,
        default: "5",
        in_project: ProjectRule::OnlyLower,
        meaning: "Rounds of a deep search. Each is paid for; it ends earlier once the answer is verified.",
    },
    SettingDefinition {
        key: "rounds.model",
        kind: SettingKind::Model,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "The model that answers rounds; none lets the engine choose.",
    },
    SettingDefinition {
        key: "rounds.correction_model",
        kind: SettingKind::Model,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "The model that brings an answer of the wrong form into the right one; none lets the engine choose.",
    },
    SettingDefinition {
        key: "rounds.verification",
        kind: SettingKind::Choice(VERIFICATIONS),
        default: "evidence",
        in_project: ProjectRule::Refused,
        meaning: "What makes `verified` true: `evidence` wants the model's word and what the server can compute, `model` takes the model's word alone.",
    },
    SettingDefinition {
        key: "rounds.round_deadline",
        kind: SettingKind::Span,
        default: "5m",
        in_project: ProjectRule::OnlyLower,
        meaning: "How long one call of one round may take.",
    },
    SettingDefinition {
        key: "gemini_cli.program",
        kind: SettingKind::Program,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Where the Gemini CLI is; none looks for `gemini` along PATH.",
    },
    SettingDefinition {
        key: "gemini_cli.reuse",
        kind: SettingKind::Choice(REUSES),
        default: "pool",
        in_project: ProjectRule::Refused,
        meaning: "Whether the rounds of one research share a process of the Gemini CLI (`pool`) or each question gets its own (`spawn`).",
    },
    SettingDefinition {
        key: "gemini_cli.mcp_servers",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "MCP servers of your own Gemini CLI (`mcpServers` in `~/.gemini/settings.json`) that it may use when Probity starts it, such as `firecrawl`; none by default. They run inside the same bounds.",
    },
    SettingDefinition {
        key: "search.providers",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Search providers that the web engine asks, best first; none takes those that are configured, and those that need nothing.",
    },
    SettingDefinition {
        key: "search.searxng_url",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Where your own SearXNG is, such as `http://localhost:8888`. Its `search.formats` must hold `json`.",
    },
    SettingDefinition {
        key: "search.firecrawl_url",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Where your own Firecrawl is, such as `http://localhost:3002`; none is its maker's, which needs `FIRECRAWL_API_KEY`. A key that is set is sent there.",
    },
    SettingDefinition {
        key: "search.bases",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Where a provider is instead of its own address: `tavily=https://…`. Its key is sent there.",
    },
    SettingDefinition {
        key: "chat.kind",
        kind: SettingKind::Choice(CHAT_KINDS),
        default: "auto",
        in_project: ProjectRule::Refused,
        meaning: "The language model of the web engine: an OpenAI-compatible endpoint, Gemini, Anthropic, or none. `auto` takes the endpoint that `chat.model` names (Anthropic's own if the model is a `claude`, there is a key for it and no `chat.base_url`), else Gemini where there is a key, else none: then reports are made of quotations.",
    },
    SettingDefinition {
        key: "chat.base_url",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Where the endpoint is, such as `http://localhost:11434/v1` for Ollama; none is OpenAI's own, or Anthropic's. The key is sent there.",
    },
    SettingDefinition {
        key: "chat.model",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "The model that plans, reads and writes for the web engine; one is enough.",
    },
    SettingDefinition {
        key: "chat.planner_model",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "The model that plans queries and chooses pages, at the chat model's address; none takes `chat.model`.",
    },
    SettingDefinition {
        key: "chat.reader_model",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "The model that reads pages, at the chat model's address; none takes `chat.model`. It has the most calls: a cheap one here makes a research cheap.",
    },
    SettingDefinition {
        key: "chat.writer_model",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "The model that writes the report, at the chat model's address; none takes `chat.model`. The model that judges is `checks.judge_model`.",
    },
    SettingDefinition {
        key: "chat.window_tokens",
        kind: SettingKind::Count { min: 0, max: 2_000_000 },
        default: "0",
        in_project: ProjectRule::Refused,
        meaning: "Tokens that the chat model takes at once, prompt and answer together; the least of all models that take a part of its work. 0: 8,192 for a model on this machine, 65,536 elsewhere.",
    },
    SettingDefinition {
        key: "chat.stands_for",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Whose prices hold at an endpoint on this machine that passes everything on, such as `openai`; none means that it is free and nothing leaves the machine.",
    },
    SettingDefinition {
        key: "chat.endpoints",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Further endpoints of models as `NAME=ADDRESS`, such as `groq=https://api.groq.com/openai/v1`. A model is asked there when its setting says `MODEL@NAME`; the key is the variable `NAME_API_KEY`.",
    },
    SettingDefinition {
        key: "web.reach",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Hosts to reach although they are not public: `HOST:PORT=ADDRESS:PORT`, HOST may be `*.suffix`. Your word alone opens them, never a page's.",
    },
    SettingDefinition {
        key: "web.contact",
        kind: SettingKind::Text,
        default: probity_web::fetch::CONTACT,
        in_project: ProjectRule::Refused,
        meaning: "A page or mail address that tells site owners who is asking; part of the User-Agent.",
    },
    SettingDefinition {
        key: "web.proxy",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "A proxy that fetches pages; it then does the checking of addresses. Never taken from the environment.",
    },
    SettingDefinition {
        key: "web.archive",
        kind: SettingKind::Switch,
        default: "true",
        in_project: ProjectRule::Refused,
        meaning: "Whether dead pages are looked up in the Internet Archive; its copies are marked.",
    },
    SettingDefinition {
        key: "web.page_service",
        kind: SettingKind::Switch,
        default: "true",
        in_project: ProjectRule::Refused,
        meaning: "Whether Firecrawl, where it has a key or an address, is asked for pages that cannot be read directly: their server fails, or scripts make their text. One credit a page; such pages are marked as not fetched by us. Never for pages that their owner refuses.",
    },
    SettingDefinition {
        key: "web.browser",
        kind: SettingKind::Choice(BROWSERS),
        default: "auto",
        in_project: ProjectRule::Refused,
        meaning: "Whether Chromium may be used for pages that scripts build, where a research asks for it.",
    },
    SettingDefinition {
        key: "web.browser_program",
        kind: SettingKind::Program,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Where Chromium is; none looks for it along PATH.",
    },
    SettingDefinition {
        key: "checks.enabled",
        kind: SettingKind::Switch,
        default: "true",
        in_project: ProjectRule::Refused,
        meaning: "Check every claim of a report against the pages it cites before the research ends.",
    },
    SettingDefinition {
        key: "checks.pages_max",
        kind: SettingKind::Count { min: 1, max: PAGES_MAX as u64 },
        default: "1000",
        in_project: ProjectRule::OnlyLower,
        meaning: "Cited pages that are fetched for one text. Claims on pages beyond are called `not checked: beyond a limit`.",
    },
    SettingDefinition {
        key: "checks.claims_max",
        kind: SettingKind::Count { min: 1, max: CLAIMS_MAX as u64 },
        default: "10000",
        in_project: ProjectRule::OnlyLower,
        meaning: "Claims of one text that are examined. Of what comes after them the number of claims and the line are said.",
    },
    SettingDefinition {
        key: "checks.judge",
        kind: SettingKind::Choice(JUDGES),
        default: "auto",
        in_project: ProjectRule::Refused,
        meaning: "Who judges whether a page says what a claim says: `auto` asks the program of `checks.judge_program` if there is one, else the chat model if there is one; `none` asks nobody, and then the best a claim can be called is `quoted`.",
    },
    SettingDefinition {
        key: "checks.judge_model",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "The model that judges, at the chat model's address; none takes the chat model itself. Another model than the one that writes is the better judge.",
    },
    SettingDefinition {
        key: "checks.second_judge",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "A second model, named like `checks.judge_model`, that is asked about every claim which the first judge calls supported. It sits its own exam. Where it disagrees, the claim is contested; where it agrees, a judge that wrote the text needs no higher bar. It has to be another model than the judge, or the same at another address, and not the one that wrote the text.",
    },
    SettingDefinition {
        key: "checks.exam",
        kind: SettingKind::Choice(EXAMS),
        default: "required",
        in_project: ProjectRule::Refused,
        meaning: "Whether a judge sits an exam before its word counts: forty claims about invented places, put to it once for each model, address and prompt. With `required`, a judge below the bar (85 % right and at most 7 % of the wrong claims called supported; 95 % right for a judge that wrote the text) makes a claim `partly` at most. With `trusted` you vouch for it, and every report says that it was not examined.",
    },
    SettingDefinition {
        key: "checks.judge_program",
        kind: SettingKind::Program,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "A program of yours that runs a local entailment model: it is given the path of the weights, reads lines of `{\"premise\": …, \"hypothesis\": …}` and writes `{\"entailment\": 0.98, \"contradiction\": 0.01}` for each.",
    },
    SettingDefinition {
        key: "checks.judge_weights",
        kind: SettingKind::Directory,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "The weights of that model.",
    },
    SettingDefinition {
        key: "checks.judge_hash",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "BLAKE3 of the weights (`b3sum FILE`). Other weights are not used.",
    },
    SettingDefinition {
        key: "budget.max_usd",
        kind: SettingKind::Dollars,
        default: "",
        in_project: ProjectRule::OnlyLower,
        meaning: "What one research may cost, in US dollars.",
    },
    SettingDefinition {
        key: "budget.guard_usd",
        kind: SettingKind::Dollars,
        default: "",
        in_project: ProjectRule::OnlyLower,
        meaning: "What a research on the web engine may cost where no budget is stated; none leaves every plan whole, and one that may cost more than `mcp.ask_above_usd` needs a yes. The price of a plan is computed from the model's. A plan that costs more is cut: of depth `medium` and less in attempts, pages, the model's choice of pages, queries, calls of the judge, pages that the model reads, the model itself; of a greater depth in rounds, pages, revisions of the outline, sections, lines of inquiry, calls of the judge. Plan and report say what was cut.",
    },
    SettingDefinition {
        key: "budget.per_day_usd",
        kind: SettingKind::Dollars,
        default: "",
        in_project: ProjectRule::OnlyLower,
        meaning: "What all researches of this machine may cost within 24 hours, whoever starts them: those that run count at the most they may cost, and one that does not fit is not started.",
    },
    SettingDefinition {
        key: "mcp.ask_above_usd",
        kind: SettingKind::Dollars,
        default: "5",
        in_project: ProjectRule::OnlyLower,
        meaning: "A research that may cost more than this needs a yes from its user: an MCP client asks, the command line asks.",
    },
    SettingDefinition {
        key: "mcp.unasked_max_usd",
        kind: SettingKind::Dollars,
        default: "3",
        in_project: ProjectRule::OnlyLower,
        meaning: "Where an MCP client cannot ask its user: the most that `confirmed_cost_usd`, which a model writes, can confirm above `mcp.ask_above_usd`.",
    },
    SettingDefinition {
        key: "mcp.start_wait",
        kind: SettingKind::Span,
        default: "25s",
        in_project: ProjectRule::OnlyLower,
        meaning: "How long `start_deep_research` waits for a report before it hands the id back.",
    },
    SettingDefinition {
        key: "mcp.call_wait",
        kind: SettingKind::Span,
        default: "45s",
        in_project: ProjectRule::OnlyLower,
        meaning: "The same for the other long tools. Most clients cut a call after 60 seconds.",
    },
    SettingDefinition {
        key: "store.directory",
        kind: SettingKind::Directory,
        default: "$XDG_DATA_HOME/probity",
        in_project: ProjectRule::Refused,
        meaning: "Where researches are kept.",
    },
    SettingDefinition {
        key: "reports.directory",
        kind: SettingKind::Directory,
        default: "$XDG_DATA_HOME/probity/reports",
        in_project: ProjectRule::Refused,
        meaning: "Where reports are saved as Markdown when no directory of the client can be written, and when the database cannot take a report. Once set, it goes before the client's root and working directory.",
    },
    SettingDefinition {
        key: "reports.roots",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Further directories below which `save_research_to_markdown` may write, beside the roots and the working directory of a client on this machine; absolute paths.",
    },
    SettingDefinition {
        key: "reports.template",
        kind: SettingKind::Text,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "A Jinja template for saved reports, as an absolute path; none takes ours.",
    },
    SettingDefinition {
        key: "limits.calls_in_flight",
        kind: SettingKind::Count { min: 1, max: 1_024 },
        default: "64",
        in_project: ProjectRule::OnlyLower,
        meaning: "Calls to the provider at the same time.",
    },
    SettingDefinition {
        key: "limits.streams_open",
        kind: SettingKind::Count { min: 0, max: 256 },
        default: "16",
        in_project: ProjectRule::OnlyLower,
        meaning: "Researches followed live; the others are looked at every few seconds.",
    },
    SettingDefinition {
        key: "limits.driven_max",
        kind: SettingKind::Count { min: 1, max: 20_000 },
        default: "20000",
        in_project: ProjectRule::OnlyLower,
        meaning: "Researches that one process drives at the same time.",
    },
    SettingDefinition {
        key: "notifications.enabled",
        kind: SettingKind::Switch,
        default: "true",
        in_project: ProjectRule::Refused,
        meaning: "Whether the desktop is told when a research in the background or for an MCP client ends.",
    },
    SettingDefinition {
        key: "notifications.show_query",
        kind: SettingKind::Switch,
        default: "false",
        in_project: ProjectRule::Refused,
        meaning: "Whether such a notification shows the question. Others may see the screen.",
    },
    SettingDefinition {
        key: "serve.listen",
        kind: SettingKind::Socket,
        default: "127.0.0.1:8765",
        in_project: ProjectRule::Refused,
        meaning: "Where `probity serve` listens. Port 0 takes any free one.",
    },
    SettingDefinition {
        key: "serve.allow_beyond_loopback",
        kind: SettingKind::Switch,
        default: "false",
        in_project: ProjectRule::Refused,
        meaning: "Whether `serve.listen` may be an address that other machines reach. Put TLS before it: tokens travel in clear.",
    },
    SettingDefinition {
        key: "serve.allowed_hosts",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Host names besides `localhost`, `127.0.0.1` and `[::1]` under which clients may call, such as `research.example` or `research.example:8443`.",
    },
    SettingDefinition {
        key: "serve.allowed_origins",
        kind: SettingKind::Names,
        default: "",
        in_project: ProjectRule::Refused,
        meaning: "Web pages besides this machine's own that may call, such as `https://research.example`.",
    },
    SettingDefinition {
        key: "serve.calls_per_second",
        kind: SettingKind::Count { min: 1, max: 1_000_000 },
        default: "200",
        in_project: ProjectRule::Refused,
        meaning: "Calls that each token may make per second over HTTP. Twice as many may come at once after a pause.",
    },
];

/// Every one of them, the fleet's last.
pub fn all() -> impl Iterator<Item = &'static SettingDefinition> {
    KNOWN.iter().chain(watch::KNOWN).chain(fleet::KNOWN)
}

pub fn find(key: &str) -> Option<&'static SettingDefinition> {
    all().find(|known| known.key == key)
}

impl SettingDefinition {
    /// `PROBITY_BUDGET__MAX_USD` for `budget.max_usd`.
    pub fn variable(&self) -> String {
        format!("{}{}", crate::environment::SETTING_PREFIX, self.key.replace('.', "__").to_uppercase())
    }
}

impl SettingKind {
    /// What a value must look like, to end the sentence "… is not".
    /// A value as it can be typed, where one is worth more than words.
    pub fn example(self) -> Option<&'static str> {
        match self {
            Self::Span => Some("20m"),
            Self::Dollars => Some("2.50"),
            Self::Choice(words) => words.first().copied(),
            Self::Rounds => Some("3"),
            Self::Text
            | Self::Address
            | Self::Names
            | Self::Agent
            | Self::Directory
            | Self::Count { .. }
            | Self::Socket
            | Self::Switch
            | Self::Model
            | Self::Program
            | Self::Secret => None,
        }
    }

    pub fn expected(self) -> String {
        match self {
            Self::Text => "a short word of letters and digits".to_owned(),
            Self::Address => {
                "an address that starts with https:// (http:// only for this machine)".to_owned()
            }
            Self::Names => "a list of names".to_owned(),
            Self::Agent => "the name of an agent".to_owned(),
            Self::Span => "a span of time above zero with its unit, such as 20m or 1h30m".to_owned(),
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
