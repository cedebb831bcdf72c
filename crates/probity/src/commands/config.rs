//! `probity config`: the settings in force, where each comes from, and how one is changed.

mod change;

use clap::{Args, Subcommand};

use self::change::{ConfigGetArguments, ConfigSetArguments, ConfigUnsetArguments};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    output::Tone,
    settings::{LoadedSettings, raw::RawSettings},
    wire::{SettingDocument, SettingsDocument, SettingsFileDocument},
};

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
        ConfigCommand::Show(arguments) if arguments.json => context.output.json(&document(&load()?))?,
        ConfigCommand::Show(arguments) => show(context, &load()?, arguments.origin)?,
        ConfigCommand::Path => path(context, &load()?)?,
        // A file that cannot be read may be mended by these: they load it themselves.
        ConfigCommand::Get(arguments) => change::get(context, arguments)?,
        ConfigCommand::Set(arguments) => change::set(context, arguments)?,
        ConfigCommand::Unset(arguments) => change::unset(context, arguments)?,
    }
    Ok(Exit::Done)
}

fn show(context: &CommandContext, loaded: &LoadedSettings, with_origin: bool) -> Result<(), CommandError> {
    let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let keys = widest(&mut loaded.shown.iter().map(|shown| shown.key.len()));
    let values = widest(&mut loaded.shown.iter().map(|shown| value(&shown.value).chars().count()));
    let lines: Vec<String> = loaded
        .shown
        .iter()
        .map(|shown| {
            let line = format!("{:<keys$}  {}", shown.key, value(&shown.value));
            if !with_origin {
                return line;
            }
            let padding = " ".repeat(values.saturating_sub(value(&shown.value).chars().count()));
            format!("{line}{padding}  {}", context.output.style_out(Tone::Quiet, &shown.origin))
        })
        .collect();
    context.output.data(&lines.join("\n"))?;
    loaded.notes.iter().for_each(|note| context.output.print_message(&format!("note: {note}")));
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

fn document(loaded: &LoadedSettings) -> SettingsDocument {
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
        settings: loaded.shown.iter().map(setting).collect(),
        files: loaded.places.iter().map(place).collect(),
        notes: loaded.notes.clone(),
    }
}
