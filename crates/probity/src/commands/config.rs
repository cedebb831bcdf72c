//! `probity config`: the settings in force, where each comes from, and how one is changed.

mod change;

use clap::{Args, Subcommand};
use probity_research::text;

use self::change::{ConfigGetArguments, ConfigSetArguments, ConfigUnsetArguments};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    output::Tone,
    settings::{
        LoadedSettings, SettingsSources,
        raw::RawSettings,
        tolerant::{self, ShownSettings},
    },
    wire::{SettingDocument, SettingsDocument, SettingsFileDocument},
};

/// Behind a line whose value cannot be used.
const BROKEN: &str = "  ✗ cannot be used";
const PROBLEM_CHARACTERS_MAX: usize = 600;

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting
    Show(ConfigShowArguments),
    /// Show one setting, and where it comes from
    Get(ConfigGetArguments),
    /// Change one setting in your own file, or store a key
    Set(ConfigSetArguments),
    /// Take one setting out of your own file, or a stored key away
    Unset(ConfigUnsetArguments),
    /// Show where settings are read from
    Path,
}

#[derive(Debug, Args)]
pub struct ConfigShowArguments {
    /// Say where each value was written
    #[arg(long)]
    pub origin: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

impl ConfigCommand {
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Show(arguments) => arguments.json,
            Self::Get(arguments) => arguments.json,
            Self::Set(arguments) => arguments.json,
            Self::Unset(arguments) => arguments.json,
            Self::Path => false,
        }
    }
}

pub fn run(context: &CommandContext, verb: &ConfigCommand) -> Result<Exit, CommandError> {
    let load = || context.settings(RawSettings::default());
    match verb {
        // Whoever looks for a broken setting looks here.
        ConfigCommand::Show(arguments) => return show(context, arguments),
        ConfigCommand::Path => path(context, &load()?)?,
        // A file that cannot be read may be mended by these: they load it themselves.
        ConfigCommand::Get(arguments) => change::get(context, arguments)?,
        ConfigCommand::Set(arguments) => change::set(context, arguments)?,
        ConfigCommand::Unset(arguments) => change::unset(context, arguments)?,
    }
    Ok(Exit::Done)
}

fn show(context: &CommandContext, arguments: &ConfigShowArguments) -> Result<Exit, CommandError> {
    let sources = SettingsSources::of_machine(&context.environment, RawSettings::default());
    let found = tolerant::load_shown(sources)?;
    match arguments.json {
        true => context.output.json(&document(&found))?,
        false => print_lines(context, &found, arguments.origin)?,
    }
    Ok(if found.problems.is_empty() { Exit::Done } else { Exit::Usage })
}

fn print_lines(
    context: &CommandContext,
    loaded: &ShownSettings,
    with_origin: bool,
) -> Result<(), CommandError> {
    let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let keys = widest(&mut loaded.lines.iter().map(|shown| shown.key.len()));
    let values = widest(&mut loaded.lines.iter().map(|shown| value(&shown.value).chars().count()));
    let lines: Vec<String> = loaded
        .lines
        .iter()
        .map(|shown| {
            let broken = if loaded.is_broken(shown.key) { BROKEN } else { "" };
            let line = format!("{:<keys$}  {}", shown.key, value(&shown.value));
            if !with_origin {
                return format!("{line}{broken}");
            }
            let padding = " ".repeat(values.saturating_sub(value(&shown.value).chars().count()));
            format!("{line}{padding}  {}{broken}", context.output.style_out(Tone::Quiet, &shown.origin))
        })
        .collect();
    context.output.data(&lines.join("\n"))?;
    loaded.notes.iter().for_each(|note| context.output.print_message(&format!("note: {note}")));
    for problem in &loaded.problems {
        context.output.print_message(&format!("broken: {}", text::line(problem, PROBLEM_CHARACTERS_MAX)));
    }
    Ok(())
}

fn value(text: &str) -> &str {
    if text.is_empty() { "(none)" } else { text }
}

fn path(context: &CommandContext, loaded: &LoadedSettings) -> Result<(), CommandError> {
    let line = |role: &str, path: &std::path::Path, found: bool| {
        format!("{role:<8} {}{}", path.display(), if found { "" } else { "  (not there)" })
    };
    let mut lines: Vec<String> =
        loaded.places.iter().map(|place| line(place.role, &place.path, place.found)).collect();
    let data = &loaded.settings.store_directory;
    lines.push(line("data", data, data.is_dir()));
    context.output.data(&lines.join("\n"))
}

fn document(loaded: &ShownSettings) -> SettingsDocument {
    let broken = loaded.problems.iter();
    let broken = broken.map(|problem| format!("broken: {}", text::line(problem, PROBLEM_CHARACTERS_MAX)));
    let setting = |shown: &crate::settings::SettingLine| SettingDocument {
        key: shown.key,
        value: (!shown.value.is_empty()).then(|| shown.value.clone()),
        origin: shown.origin.clone(),
    };
    let place = |place: &crate::settings::SettingsFile| SettingsFileDocument {
        role: place.role,
        path: place.path.display().to_string(),
        found: place.found,
    };
    SettingsDocument {
        schema_version: crate::wire::SCHEMA_VERSION,
        settings: loaded.lines.iter().map(setting).collect(),
        files: loaded.places.iter().map(place).collect(),
        notes: loaded.notes.iter().cloned().chain(broken).collect(),
    }
}
