//! Settings as used: complete and validated, no later code checks them again. Each remembers where it was
//! written.
//!
//! Order, last wins: defaults, `/etc/probity/config.toml`, the user's file, the project's `probity.toml`
//! (which may only tighten), variables, flags.

pub mod checks;
pub mod definitions;
pub mod edit;
pub mod file;
pub mod fleet;
pub mod openable;
pub mod project;
pub mod raw;
pub mod rounds;
pub mod serve;
pub mod tolerant;
pub mod watch;
pub mod web;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use probity_research::{Code, agent::AgentName, cost::MicroUsd, plan::RunLimits};
use probity_server::markdown::TEMPLATE_BYTES_MAX;
use url::Url;

use crate::{
    command_error::CommandError,
    environment::{self, Environment, UserDirectories},
    format,
    notify::ShowQuery,
    settings::{
        definitions::SettingKind,
        raw::{RawSettings, RawValue, SettingOrigin},
        rounds::{CliProgramSettings, EngineChoice, RoundsSettings},
    },
};

pub const SYSTEM_FILE: &str = "/etc/probity/config.toml";
pub const USER_FILE: &str = "config.toml";
pub const PROJECT_FILE: &str = "probity.toml";
/// The roles of two of the files.
const USER: &str = "user";
const PROJECT: &str = "project";

#[derive(Debug, Clone)]
pub struct Settings {
    pub base_url: Url,
    pub api_version: String,
    pub agents: Vec<String>,
    pub agent: AgentName,
    pub deadline: Duration,
    pub budget: Option<MicroUsd>,
    /// What a research on the web engine may cost where no budget is stated; none leaves its plan whole.
    pub guard: Option<MicroUsd>,
    pub budget_per_day: Option<MicroUsd>,
    /// The limits above that come from a project's file, each in words with its place.
    pub set_by_project: Vec<String>,
    pub ask_above: MicroUsd,
    pub unasked_max: MicroUsd,
    pub start_wait: Duration,
    pub call_wait: Duration,
    pub store_directory: PathBuf,
    pub reports_directory: PathBuf,
    /// It is the user's choice, not our default.
    pub reports_directory_is_named: bool,
    pub reports_roots: Vec<PathBuf>,
    pub reports_template: Option<PathBuf>,
    pub calls_in_flight: usize,
    pub streams_open: usize,
    pub driven_max: usize,
    pub notifications: NotificationSettings,
    pub serve: serve::ServeSettings,
    pub engine: EngineChoice,
    pub rounds: RoundsSettings,
    pub cli: CliProgramSettings,
    pub web: web::WebSettings,
    pub checks: checks::CheckSettings,
    pub watch: watch::WatchSettings,
    pub fleet: fleet::FleetSettings,
    /// Where the user's own prompts are looked for; each replaces ours of the same name.
    pub prompts: PathBuf,
    /// Where programs are looked for.
    pub path: OsString,
    /// What the user's own Gemini CLI takes for the home directory.
    pub cli_home: PathBuf,
}

/// What a desktop notification says when a run comes to rest.
#[derive(Debug, Clone, Copy)]
pub struct NotificationSettings {
    pub enabled: bool,
    pub show_query: ShowQuery,
}

impl Settings {
    /// The limits of one run.
    pub fn limits(&self) -> RunLimits {
        RunLimits {
            set_by_project: self.set_by_project.clone(),
            ..RunLimits::new(self.deadline, self.budget)
        }
    }

    /// The user's own report template, if there is one.
    pub fn report_template(&self) -> Result<Option<String>, CommandError> {
        let Some(path) = &self.reports_template else { return Ok(None) };
        let unreadable = |error: &std::io::Error| {
            let message = format!("could not read the report template {}", path.display());
            CommandError::new(Code::Settings, &message).with_cause(error)
        };
        let size = std::fs::metadata(path).map_err(|error| unreadable(&error))?.len();
        if size > TEMPLATE_BYTES_MAX as u64 {
            let message = format!(
                "the report template {} has {size} bytes; at most {TEMPLATE_BYTES_MAX} are taken",
                path.display()
            );
            return Err(CommandError::new(Code::Settings, &message));
        }
        std::fs::read_to_string(path).map(Some).map_err(|error| unreadable(&error))
    }
}

/// One line of `probity config show`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingLine {
    pub key: &'static str,
    /// Empty when there is none.
    pub value: String,
    pub origin: String,
}

/// A place where settings are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    pub role: &'static str,
    pub path: PathBuf,
    pub found: bool,
}

impl SettingLine {
    /// Whether the value comes from this file.
    pub fn is_from(&self, file: &Path) -> bool {
        let place = file.display().to_string();
        self.origin.strip_prefix(&place).is_some_and(|rest| rest.starts_with(':'))
    }
}

#[derive(Debug, Clone)]
pub struct LoadedSettings {
    pub settings: Settings,
    pub shown: Vec<SettingLine>,
    pub places: Vec<SettingsFile>,
    /// What a project's file asked for and did not get.
    pub notes: Vec<String>,
}

impl LoadedSettings {
    /// How one setting is shown.
    pub fn line(&self, key: &str) -> Option<&SettingLine> {
        self.shown.iter().find(|line| line.key == key)
    }

    /// The user's own file, whether or not it is there.
    pub fn user_file(&self) -> Option<&Path> {
        self.places.iter().find(|place| place.role == USER).map(|place| place.path.as_path())
    }

    /// What goes before the user's own file in this setting: a variable, or a project's file.
    pub fn overriding(&self, key: &str) -> Option<String> {
        let line = self.line(key)?;
        let is_own_or_below = line.origin == SettingOrigin::Default.to_string()
            || self.places.iter().any(|place| place.role != PROJECT && line.is_from(&place.path));
        (!is_own_or_below).then(|| line.origin.clone())
    }
}

/// Where to look. Tests pass their own.
#[derive(Debug, Clone)]
pub struct SettingsSources<'a> {
    pub environment: &'a Environment,
    pub homes: Option<UserDirectories>,
    pub system_file: PathBuf,
    pub working_directory: Option<PathBuf>,
    pub flags: RawSettings,
}

impl<'a> SettingsSources<'a> {
    /// The usual places of this machine. `flags` are the settings that the command line overrides.
    pub fn of_machine(environment: &'a Environment, flags: RawSettings) -> Self {
        Self {
            environment,
            homes: environment::user_directories(),
            system_file: PathBuf::from(SYSTEM_FILE),
            working_directory: environment::working_directory(),
            flags,
        }
    }
}

pub fn load(sources: SettingsSources<'_>) -> Result<LoadedSettings, CommandError> {
    load_with(sources, None)
}

/// As it would be if the user's file held this text: a change is read before it is written.
pub fn load_as_if(sources: SettingsSources<'_>, user_text: &str) -> Result<LoadedSettings, CommandError> {
    load_with(sources, Some(user_text))
}

fn load_with(sources: SettingsSources<'_>, user_text: Option<&str>) -> Result<LoadedSettings, CommandError> {
    let homes = sources.homes.ok_or_else(|| {
        CommandError::new(Code::Settings, "there is no home directory to keep researches in")
            .with_hint("set HOME, or set XDG_CONFIG_HOME and XDG_DATA_HOME")
    })?;
    let mut raw = RawSettings::defaults();
    place_defaults(&mut raw, &homes);
    let mut places = Vec::new();
    for (role, path) in [("system", sources.system_file), (USER, homes.config.join(USER_FILE))] {
        let read = match user_text.filter(|_| role == USER) {
            Some(text) => Some(file::parse(&path, text)?),
            None => file::read(&path)?,
        };
        places.push(SettingsFile { role, path, found: read.is_some() });
        raw.override_with(read.unwrap_or_default());
    }
    let mut notes = Vec::new();
    let project = sources.working_directory.as_deref().and_then(nearest_project);
    if let Some(path) = project {
        match project::foreign(&path) {
            Some(why) => notes.push(format!("{} is not read: {why}", path.display())),
            None => {
                let read = file::read(&path)?.unwrap_or_default();
                notes = project::tighten(&mut raw, read)?;
                places.push(SettingsFile { role: PROJECT, path, found: true });
            }
        }
    }
    raw.override_with(RawSettings::from_environment(sources.environment)?);
    raw.override_with(sources.flags);
    let mut settings = resolve(
        &raw,
        MachineDefaults {
            prompts: homes.config.join("prompts"),
            path: sources.environment.path(),
            cli_home: sources.environment.cli_home(),
        },
    )?;
    settings.set_by_project = project::limits_set(&raw, &places);
    Ok(LoadedSettings { settings, shown: shown(&raw), places, notes })
}

fn place_defaults(raw: &mut RawSettings, homes: &UserDirectories) {
    let reports = homes.data.join("reports");
    for (key, path) in [("store.directory", &homes.data), ("reports.directory", &reports)] {
        raw.values.insert(key, RawValue::one(path.to_string_lossy(), SettingOrigin::Default));
    }
}

fn nearest_project(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|directory| directory.join(PROJECT_FILE)).find(|path| path.is_file())
}

fn shown(raw: &RawSettings) -> Vec<SettingLine> {
    let line = |known: &definitions::SettingDefinition| {
        let written = raw.get(known.key);
        SettingLine {
            key: known.key,
            value: match written.map(RawValue::text).unwrap_or_default() {
                text if known.kind == SettingKind::Secret && !text.is_empty() => {
                    "(set, not shown)".to_owned()
                }
                // A file written by hand may hold what would steer a terminal.
                text => text.replace(char::is_control, "\u{fffd}"),
            },
            origin: written
                .map_or_else(|| SettingOrigin::Default.to_string(), |written| written.origin.to_string()),
        }
    };
    definitions::all().map(line).collect()
}

/// Values that are no setting of their own: derived from the machine.
struct MachineDefaults {
    prompts: PathBuf,
    path: OsString,
    cli_home: PathBuf,
}

fn resolve(raw: &RawSettings, outside: MachineDefaults) -> Result<Settings, CommandError> {
    let read = SettingsReader { raw };
    let agents = raw.get("gemini.agents").map(|written| written.texts.clone()).unwrap_or_default();
    let agent = AgentName::parse(&read.text("research.agent"), &agents).map_err(|problem| {
        let message = format!("{}: {}", read.origin("research.agent"), problem.message);
        CommandError::new(problem.code, &message)
    })?;
    Ok(Settings {
        base_url: read.value("gemini.base_url", address)?,
        api_version: read.value("gemini.api_version", word)?,
        agents: agents.into_iter().filter(|name| !name.is_empty()).collect(),
        agent,
        deadline: read.value("research.deadline", format::parse_span)?,
        budget: read.optional("budget.max_usd", MicroUsd::parse_usd)?,
        guard: read.optional("budget.guard_usd", MicroUsd::parse_usd)?,
        budget_per_day: read.optional("budget.per_day_usd", MicroUsd::parse_usd)?,
        set_by_project: Vec::new(),
        ask_above: read.value("mcp.ask_above_usd", MicroUsd::parse_usd)?,
        unasked_max: read.value("mcp.unasked_max_usd", MicroUsd::parse_usd)?,
        start_wait: read.value("mcp.start_wait", format::parse_span)?,
        call_wait: read.value("mcp.call_wait", format::parse_span)?,
        store_directory: read.value("store.directory", directory)?,
        reports_directory: read.value("reports.directory", directory)?,
        reports_directory_is_named: raw
            .get("reports.directory")
            .is_some_and(|written| written.origin != SettingOrigin::Default),
        reports_roots: read.directories("reports.roots")?,
        reports_template: read.optional("reports.template", directory)?,
        calls_in_flight: read.count("limits.calls_in_flight")?,
        streams_open: read.count("limits.streams_open")?,
        driven_max: read.count("limits.driven_max")?,
        notifications: NotificationSettings {
            enabled: read.switch("notifications.enabled")?,
            show_query: match read.switch("notifications.show_query")? {
                true => ShowQuery::Yes,
                false => ShowQuery::No,
            },
        },
        serve: serve::resolve(&read)?,
        engine: rounds::engine(&read)?,
        rounds: rounds::resolve(&read)?,
        cli: rounds::cli(&read)?,
        web: web::resolve(&read)?,
        checks: checks::resolve(&read)?,
        watch: watch::resolve(&read)?,
        fleet: fleet::resolve(&read)?,
        prompts: outside.prompts,
        path: outside.path,
        cli_home: outside.cli_home,
    })
}

struct SettingsReader<'a> {
    raw: &'a RawSettings,
}

impl SettingsReader<'_> {
    fn text(&self, key: &str) -> String {
        self.raw.get(key).map(RawValue::text).unwrap_or_default()
    }

    fn origin(&self, key: &str) -> SettingOrigin {
        self.raw.get(key).map_or(SettingOrigin::Default, |written| written.origin.clone())
    }

    fn value<T>(&self, key: &'static str, parse: impl Fn(&str) -> Option<T>) -> Result<T, CommandError> {
        let text = self.text(key);
        parse(&text).ok_or_else(|| {
            let expected = definitions::find(key).map(|known| known.kind.expected()).unwrap_or_default();
            let origin = self.origin(key);
            let is_secret = definitions::find(key).is_some_and(|known| known.kind == SettingKind::Secret);
            let message = match is_secret {
                true => format!("{origin}: `{key}` is not {expected}"),
                false => format!("{origin}: `{key}` is `{text}`, which is not {expected}"),
            };
            let failure = CommandError::new(Code::Settings, &message);
            let example = definitions::find(key).and_then(|known| known.kind.example());
            match (origin, example) {
                // Whoever typed a flag mends it there.
                (SettingOrigin::Flag(flag), Some(example)) => {
                    CommandError::new(Code::Settings, &format!("{flag} is `{text}`, which is not {expected}"))
                        .with_hint(format!("write it like `{flag} {example}`"))
                }
                (SettingOrigin::Typed, Some(example)) => failure.with_hint(format!(
                    "nothing was changed; write it like `probity config set {key} {example}`"
                )),
                (SettingOrigin::Typed, None) => failure
                    .with_hint(format!("nothing was changed; `probity config get {key}` says what is set")),
                _ => failure,
            }
        })
    }

    fn optional<T>(
        &self,
        key: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, CommandError> {
        if self.text(key).is_empty() { Ok(None) } else { self.value(key, parse).map(Some) }
    }

    fn directories(&self, key: &'static str) -> Result<Vec<PathBuf>, CommandError> {
        let texts = self.raw.get(key).map(|written| written.texts.as_slice()).unwrap_or_default();
        let named = texts.iter().filter(|text| !text.is_empty());
        named
            .map(|text| {
                directory(text).ok_or_else(|| {
                    let message =
                        format!("{}: `{key}` names `{text}`, which is not absolute", self.origin(key));
                    CommandError::new(Code::Settings, &message)
                })
            })
            .collect()
    }

    fn switch(&self, key: &'static str) -> Result<bool, CommandError> {
        self.value(key, |text| text.parse().ok())
    }

    fn count(&self, key: &'static str) -> Result<usize, CommandError> {
        let range = match definitions::find(key).map(|known| known.kind) {
            Some(SettingKind::Count { min, max }) => min..=max,
            _ => 0..=u64::MAX,
        };
        self.value(key, |text| {
            let number = text.replace('_', "").parse::<u64>().ok()?;
            range.contains(&number).then(|| usize::try_from(number).unwrap_or(usize::MAX))
        })
    }
}

/// The key is sent to this address: plain HTTP only to this machine, and no password in it.
fn address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let here = match url.host()? {
        url::Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        url::Host::Ipv4(address) => address.is_loopback(),
        url::Host::Ipv6(address) => address.is_loopback(),
    };
    let bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    (bare && (url.scheme() == "https" || (url.scheme() == "http" && here))).then_some(url)
}

fn word(text: &str) -> Option<String> {
    let fits = (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    fits.then(|| text.to_owned())
}

fn directory(text: &str) -> Option<PathBuf> {
    let path = PathBuf::from(text);
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests;
