//! `probity config`: the settings in force, and where each comes from.

use clap::{Args, Subcommand};

use crate::{
    context::Context,
    exit::Exit,
    failure::Failure,
    output::Tone,
    settings::{Loaded, written::RawSettings},
    wire::{PlaceDocument, SettingDocument, SettingsDocument},
};

#[derive(Debug, Subcommand)]
pub enum ConfigVerb {
    /// Show every setting
    Show(ShowArguments),
    /// Show where settings are read from
    Path,
}

#[derive(Debug, Args)]
pub struct ShowArguments {
    /// Say where each value was written
    #[arg(long)]
    pub origin: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

impl ConfigVerb {
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Show(arguments) => arguments.json,
            Self::Path => false,
        }
    }
}

pub fn run(context: &Context, verb: &ConfigVerb) -> Result<Exit, Failure> {
    let loaded = context.settings(RawSettings::default())?;
    match verb {
        ConfigVerb::Show(arguments) if arguments.json => context.output.json(&document(&loaded))?,
        ConfigVerb::Show(arguments) => show(context, &loaded, arguments.origin)?,
        ConfigVerb::Path => path(context, &loaded)?,
    }
    Ok(Exit::Done)
}

fn show(context: &Context, loaded: &Loaded, with_origin: bool) -> Result<(), Failure> {
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
            format!("{line}{padding}  {}", context.output.out(Tone::Quiet, &shown.origin))
        })
        .collect();
    context.output.data(&lines.join("\n"))?;
    loaded.notes.iter().for_each(|note| context.output.say(&format!("note: {note}")));
    Ok(())
}

fn value(text: &str) -> &str {
    if text.is_empty() { "(none)" } else { text }
}

fn path(context: &Context, loaded: &Loaded) -> Result<(), Failure> {
    let line = |role: &str, path: &std::path::Path, found: bool| {
        format!("{role:<8} {}{}", path.display(), if found { "" } else { "  (not there)" })
    };
    let mut lines: Vec<String> =
        loaded.places.iter().map(|place| line(place.role, &place.path, place.found)).collect();
    let data = &loaded.settings.store_directory;
    lines.push(line("data", data, data.is_dir()));
    context.output.data(&lines.join("\n"))
}

fn document(loaded: &Loaded) -> SettingsDocument {
    let setting = |shown: &crate::settings::Shown| SettingDocument {
        key: shown.key,
        value: (!shown.value.is_empty()).then(|| shown.value.clone()),
        origin: shown.origin.clone(),
    };
    let place = |place: &crate::settings::Place| PlaceDocument {
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
