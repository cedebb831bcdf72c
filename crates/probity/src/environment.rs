//! The only module that reads the environment: once, at the start.
//!
//! Knows which variables exist and what they mean; what they change is decided in `settings`.
#![expect(clippy::disallowed_methods, reason = "the only module that reads the environment")]

use std::{collections::BTreeMap, ffi::OsString, fmt, path::PathBuf};

use crate::{
    chat_endpoints::KEY_SUFFIX,
    keys::file::{self as key_file, KeyFile},
};
use probity_clients::directories::{ClientDirectories, OperatingSystem};
use probity_research::web::ProviderName;

/// `PROBITY_BUDGET__MAX_USD` sets `budget.max_usd`.
pub const SETTING_PREFIX: &str = "PROBITY_";
pub const LOG: &str = "PROBITY_LOG";
/// In this order: the first one that is set and not empty is used.
pub const KEYS: [&str; 2] = ["GEMINI_API_KEY", "GOOGLE_API_KEY"];
pub const BASE_URL: &str = "GOOGLE_GEMINI_BASE_URL";
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// Variables that other programs or documents know too, and the setting each stands for.
pub const GENERAL: [(&str, &str); 7] = [
    (BASE_URL, "gemini.base_url"),
    ("DEEP_SEARCH_MAX_ITERATIONS", "rounds.max_iterations"),
    ("GEMINI_MODEL", "rounds.model"),
    ("GEMINI_CORRECTION_MODEL", "rounds.correction_model"),
    ("SEARXNG_URL", "search.searxng_url"),
    ("FIRECRAWL_API_URL", "search.firecrawl_url"),
    (OPENAI_BASE_URL, "chat.base_url"),
];
/// The key of the chat endpoint.
pub const CHAT_KEY: &str = "OPENAI_API_KEY";
pub const ANTHROPIC_KEY: &str = "ANTHROPIC_API_KEY";
/// The keys of a fleet's object storage.
pub const OBJECT_KEY_ID: &str = "AWS_ACCESS_KEY_ID";
pub const OBJECT_KEY_SECRET: &str = "AWS_SECRET_ACCESS_KEY";
pub const OBJECT_SESSION: &str = "AWS_SESSION_TOKEN";
/// The secret that Google's webhooks to a fleet are signed with.
pub const PROVIDER_SECRET: &str = "GEMINI_WEBHOOK_SECRET";
/// The keys that seal what a fleet's database keeps of secrets.
pub const SEALING_KEY: &str = "PROBITY_SEALING_KEY";
/// Where some MCP clients keep their settings instead.
const CLAUDE_HOME: &str = "CLAUDE_CONFIG_DIR";
const CODEX_HOME: &str = "CODEX_HOME";
const GEMINI_HOME: &str = "GEMINI_CLI_HOME";
/// Where the Gemini CLI is looked for.
const PATH: &str = "PATH";
/// The user's editor: the first one that is set.
pub const EDITORS: [&str; 2] = ["VISUAL", "EDITOR"];

/// One variable, for the reference page.
#[derive(Debug, Clone, Copy)]
pub struct EnvironmentVariable {
    pub name: &'static str,
    pub meaning: &'static str,
}

/// Every variable with a meaning of its own; `PROBITY_SECTION__KEY` is derived from the settings.
pub fn known() -> impl Iterator<Item = EnvironmentVariable> {
    let of_searches = ProviderName::ALL.into_iter().filter_map(|provider| {
        let key = provider.facts().key()?;
        Some(EnvironmentVariable { name: key.name, meaning: key.meaning })
    });
    OF_MODELS.iter().copied().chain(of_searches).chain(OTHER.iter().copied())
}

/// Keys of search providers.
pub fn search_keys() -> impl Iterator<Item = (&'static str, ProviderName)> {
    ProviderName::ALL.into_iter().filter_map(|provider| Some((provider.facts().key()?.name, provider)))
}

const OF_MODELS: &[EnvironmentVariable] = &[
    EnvironmentVariable {
        name: "GEMINI_API_KEY",
        meaning: "The key for Google's API; `probity setup` and `probity config set` can store one. Never printed.",
    },
    EnvironmentVariable { name: "GOOGLE_API_KEY", meaning: "The same, used when GEMINI_API_KEY is not set." },
    EnvironmentVariable {
        name: BASE_URL,
        meaning: "Sets `gemini.base_url`; `PROBITY_GEMINI__BASE_URL` goes before it.",
    },
    EnvironmentVariable {
        name: "DEEP_SEARCH_MAX_ITERATIONS",
        meaning: "Sets `rounds.max_iterations`; `PROBITY_ROUNDS__MAX_ITERATIONS` goes before it.",
    },
    EnvironmentVariable {
        name: "GEMINI_MODEL",
        meaning: "Sets `rounds.model`; `PROBITY_ROUNDS__MODEL` goes before it.",
    },
    EnvironmentVariable {
        name: "GEMINI_CORRECTION_MODEL",
        meaning: "Sets `rounds.correction_model`; `PROBITY_ROUNDS__CORRECTION_MODEL` goes before it.",
    },
    EnvironmentVariable {
        name: "SEARXNG_URL",
        meaning: "Sets `search.searxng_url`; `PROBITY_SEARCH__SEARXNG_URL` goes before it.",
    },
    EnvironmentVariable {
        name: "FIRECRAWL_API_URL",
        meaning: "Sets `search.firecrawl_url`; `PROBITY_SEARCH__FIRECRAWL_URL` goes before it.",
    },
    EnvironmentVariable {
        name: OPENAI_BASE_URL,
        meaning: "Sets `chat.base_url`; `PROBITY_CHAT__BASE_URL` goes before it.",
    },
    EnvironmentVariable {
        name: CHAT_KEY,
        meaning: "The key of the OpenAI-compatible endpoint of the web engine; `probity config set` can store one. Never printed.",
    },
    EnvironmentVariable {
        name: ANTHROPIC_KEY,
        meaning: "The key of Anthropic's API, where the web engine's model is one of theirs; `probity config set` can store one. Never printed.",
    },
];

/// Those that stand behind the keys of search providers on the reference page.
const OTHER: &[EnvironmentVariable] = &[
    EnvironmentVariable {
        name: PROVIDER_SECRET,
        meaning: "What Google's webhooks to a fleet are signed with, as `whsec_…`. Never printed, never stored.",
    },
    EnvironmentVariable {
        name: SEALING_KEY,
        meaning: "What seals the webhooks' secrets in a fleet's database: 32 bytes in base64, the same for every front end and worker; two while one replaces the other, the new one first. Never printed, never stored.",
    },
    EnvironmentVariable {
        name: OBJECT_KEY_ID,
        meaning: "The key of a fleet's object storage, if `fleet.objects` is an S3 address.",
    },
    EnvironmentVariable { name: OBJECT_KEY_SECRET, meaning: "Its secret. Never printed, never stored." },
    EnvironmentVariable {
        name: OBJECT_SESSION,
        meaning: "A session token that belongs to the two above, if there is one.",
    },
    EnvironmentVariable {
        name: PATH,
        meaning: "Where the Gemini CLI is looked for, unless `gemini_cli.program` names it.",
    },
    EnvironmentVariable {
        name: LOG,
        meaning: "Which log lines go to stderr, such as `debug` or `probity_runner=trace`.",
    },
    EnvironmentVariable {
        name: "OTEL_EXPORTER_OTLP_ENDPOINT",
        meaning: "A collector that `probity worker` and `probity serve --fleet` send traces and logs to.",
    },
    EnvironmentVariable {
        name: "OTEL_EXPORTER_OTLP_HEADERS",
        meaning: "Headers for it. Never printed, never stored.",
    },
    EnvironmentVariable {
        name: "OTEL_SERVICE_NAME",
        meaning: "Another name for the process in traces and logs.",
    },
    EnvironmentVariable {
        name: "OTEL_RESOURCE_ATTRIBUTES",
        meaning: "More attributes of the process in traces and logs.",
    },
    EnvironmentVariable {
        name: "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
        meaning: "`true`: traces hold what was asked and answered too.",
    },
    EnvironmentVariable {
        name: crate::tab_completion::VARIABLE,
        meaning: "Set by the script of `probity completions` when a shell asks what may follow.",
    },
    EnvironmentVariable { name: CLAUDE_HOME, meaning: "Where Claude Code keeps its settings; `~` if unset." },
    EnvironmentVariable { name: CODEX_HOME, meaning: "Where Codex keeps its settings; `~/.codex` if unset." },
    EnvironmentVariable { name: GEMINI_HOME, meaning: "What the Gemini CLI takes for the home directory." },
    EnvironmentVariable {
        name: "VISUAL",
        meaning: "The editor that `probity research --edit-plan` opens; it must wait until the file is closed.",
    },
    EnvironmentVariable { name: "EDITOR", meaning: "The same, used when VISUAL is not set." },
    EnvironmentVariable { name: "NO_COLOR", meaning: "Any value: no colour anywhere." },
    EnvironmentVariable {
        name: "XDG_CONFIG_HOME",
        meaning: "Where `probity/config.toml` is looked for; `~/.config` if unset.",
    },
    EnvironmentVariable {
        name: "XDG_DATA_HOME",
        meaning: "Where `probity/` keeps researches; `~/.local/share` if unset.",
    },
    EnvironmentVariable { name: "HOME", meaning: "The base of the two above." },
];

/// The environment when the program started. Contains keys, so its Debug output shows names only.
#[derive(Clone, Default)]
pub struct Environment {
    values: BTreeMap<String, OsString>,
    /// Keys that no variable sets but the key file does.
    stored: KeyFile,
    /// The key in the Gemini CLI's own file.
    cli_key: Option<String>,
}

impl Environment {
    pub fn read() -> Self {
        let ours = |name: &String| {
            name.starts_with(SETTING_PREFIX)
                || name.ends_with(KEY_SUFFIX)
                || known().any(|variable| variable.name == name)
        };
        let values: BTreeMap<String, OsString> = std::env::vars_os()
            .filter_map(|(name, value)| name.into_string().ok().map(|name| (name, value)))
            .filter(|(name, value)| ours(name) && !value.is_empty())
            .collect();
        let stored = user_directories()
            .map(|homes| key_file::read(&homes.config.join(key_file::NAME)))
            .unwrap_or_default();
        let found = Self { values, stored, cli_key: None };
        let cli_key = key_file::of_gemini_cli(&found.cli_home());
        Self { cli_key, ..found }
    }

    #[cfg(test)]
    pub fn from_pairs(pairs: &[(&str, &str)]) -> Self {
        let values = pairs.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
        Self { values, ..Self::default() }
    }

    /// An empty variable counts as not set.
    pub fn text(&self, name: &str) -> Option<String> {
        let variable = self.values.get(name).map(|value| value.to_string_lossy().into_owned());
        variable.or_else(|| self.stored_key(name).cloned())
    }

    /// A variable wins over the file; either name of Google's key as a variable wins over the file's other
    /// name.
    fn stored_key(&self, name: &str) -> Option<&String> {
        let is_set = |name: &&str| self.values.contains_key(*name);
        let shadowed = KEYS.contains(&name) && KEYS.iter().any(&is_set);
        self.stored.values.get(name).filter(|_| !shadowed && !is_set(&name))
    }

    /// Whether this key comes from the key file.
    pub fn is_stored(&self, name: &str) -> bool {
        self.stored_key(name).is_some()
    }

    /// The key file as it was read.
    pub fn key_file(&self) -> &KeyFile {
        &self.stored
    }

    /// What the user's own Gemini CLI takes for the home directory; empty where there is none.
    pub fn cli_home(&self) -> PathBuf {
        let named = self.values.get(GEMINI_HOME).map(PathBuf::from);
        named.or_else(|| etcetera::home_dir().ok()).unwrap_or_default()
    }

    /// The key that the Gemini CLI keeps for itself.
    pub fn cli_key(&self) -> Option<&str> {
        self.cli_key.as_deref()
    }

    pub fn path(&self) -> OsString {
        self.values.get(PATH).cloned().unwrap_or_default()
    }

    pub fn is_set(&self, name: &str) -> bool {
        self.values.contains_key(name) || self.is_stored(name)
    }

    /// The key and the variable it came from.
    pub fn key(&self) -> Option<(&'static str, String)> {
        KEYS.into_iter().find_map(|name| Some((name, self.text(name)?.trim().to_owned())))
    }

    /// Every key by its variable, for endpoints that a setting names.
    pub fn api_keys(&self) -> BTreeMap<String, String> {
        let names = self.values.keys().chain(self.stored.values.keys());
        let keys = names.filter(|name| name.ends_with(KEY_SUFFIX) && !name.starts_with(SETTING_PREFIX));
        keys.filter_map(|name| Some((name.clone(), self.text(name)?))).collect()
    }

    /// Variables of the `PROBITY_SECTION__KEY` form, with their values.
    pub fn settings(&self) -> impl Iterator<Item = (&str, String)> {
        self.values
            .iter()
            .filter(|(name, _)| {
                name.starts_with(SETTING_PREFIX) && ![LOG, SEALING_KEY].contains(&name.as_str())
            })
            .map(|(name, value)| (name.as_str(), value.to_string_lossy().into_owned()))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.values.keys()).finish()
    }
}

/// The user's own directories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDirectories {
    pub config: PathBuf,
    pub data: PathBuf,
}

/// `None` when there is no home directory at all.
pub fn user_directories() -> Option<UserDirectories> {
    use etcetera::BaseStrategy as _;
    let base = etcetera::choose_base_strategy().ok()?;
    Some(UserDirectories { config: base.config_dir().join("probity"), data: base.data_dir().join("probity") })
}

/// Where fonts lie on this machine; what is not there is no fault.
pub fn font_directories() -> Vec<PathBuf> {
    let home = etcetera::home_dir().unwrap_or_default();
    let (machine, own): (&[&str], &[&str]) = match cfg!(target_os = "macos") {
        true => (&["/System/Library/Fonts", "/Library/Fonts"], &["Library/Fonts"]),
        false => (&["/usr/share/fonts", "/usr/local/share/fonts"], &[".local/share/fonts", ".fonts"]),
    };
    let own = own.iter().map(|folder| home.join(folder));
    machine.iter().map(PathBuf::from).chain(own).filter(|folder| folder.is_absolute()).collect()
}

/// The directories in which MCP clients keep their settings. `None` when there is no home directory.
pub fn client_directories(environment: &Environment) -> Option<ClientDirectories> {
    let home = etcetera::home_dir().ok()?;
    let system = match cfg!(target_os = "macos") {
        true => OperatingSystem::MacOs,
        false => OperatingSystem::Linux,
    };
    let folder = |name| environment.text(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let usual = ClientDirectories::with_defaults(system, home);
    Some(ClientDirectories {
        config: folder("XDG_CONFIG_HOME").unwrap_or_else(|| usual.config.clone()),
        claude: folder(CLAUDE_HOME),
        codex: folder(CODEX_HOME),
        gemini: folder(GEMINI_HOME),
        ..usual
    })
}

/// Those of these variables that are set, for a process that gets no others.
pub fn present_variables(names: &[&str]) -> Vec<(String, OsString)> {
    names.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?))).collect()
}

/// The working directory: the nearest `probity.toml` is looked for from here upward.
pub fn working_directory() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// Whether there is a desktop session that could show something. Asks nobody: on Linux, whether the session's bus is
/// there.
pub fn has_desktop() -> bool {
    if !cfg!(all(unix, not(target_os = "macos"))) {
        return true;
    }
    match std::env::var("DBUS_SESSION_BUS_ADDRESS") {
        Ok(addresses) => addresses.split(';').any(|address| match address.strip_prefix("unix:path=") {
            Some(rest) => rest.split(',').next().is_some_and(|path| PathBuf::from(path).exists()),
            None => !address.is_empty(),
        }),
        Err(_) => std::env::var_os("XDG_RUNTIME_DIR")
            .is_some_and(|folder| PathBuf::from(folder).join("bus").exists()),
    }
}

/// The terminal's and locale's variables, for commands that are started with nothing else.
pub fn terminal_variables() -> Vec<(&'static str, OsString)> {
    const NAMES: [&str; 7] = ["TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "LC_ALL", "NO_COLOR", "TMPDIR"];
    NAMES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect()
}

/// The arguments, the program's own name first.
pub fn command_line() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// This very program, for starting it again in the background.
pub fn program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}
