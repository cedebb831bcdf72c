//! `probity config get`, `set` and `unset`: one setting or one key, read or changed.
//!
//! A secret is never printed, and never taken from the command line, where others see it.

use std::collections::BTreeMap;

use clap::Args;
use probity_research::{Code, text};

use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    environment::Environment,
    keys::file as key_file,
    output::Tone,
    settings::{
        definitions::{self, SettingDefinition, SettingKind},
        edit::{ConfigValue, SettingEdit},
        raw::{self, RawSettings},
    },
    settings_change::{self, SettingsChange},
    tab_completion::setting_candidates,
    typed_input,
    wire::{SCHEMA_VERSION, SettingValueDocument},
};

/// Stands for a value that is read from stdin.
const FROM_STDIN: &str = "-";
/// Shown instead of a secret.
const NOT_SHOWN: &str = "(set, not shown)";
/// Servers, pages and runs keep what they were started with.
const RUNNING: &str =
    "programs that run already, such as `probity serve` or `probity ui`, take it at their next start";

#[derive(Debug, Args)]
pub struct ConfigGetArguments {
    /// A setting such as budget.max_usd, or a key such as TAVILY_API_KEY
    #[arg(value_name = "KEY", add = setting_candidates())]
    pub key: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ConfigSetArguments {
    /// A setting such as budget.max_usd, or a key such as TAVILY_API_KEY
    #[arg(value_name = "KEY", add = setting_candidates())]
    pub key: String,
    /// The value, a list with commas; `-` reads it from stdin or asks for it, as secrets must be
    #[arg(value_name = "VALUE")]
    pub value: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ConfigUnsetArguments {
    /// A setting such as budget.max_usd, or a key such as TAVILY_API_KEY
    #[arg(value_name = "KEY", add = setting_candidates())]
    pub key: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

/// What a name on the command line stands for.
#[derive(Debug, Clone, Copy)]
enum ConfigName {
    Setting(&'static SettingDefinition),
    /// Of a provider; kept in a file of its own.
    Key(&'static str),
}

impl ConfigName {
    fn parse(typed: &str) -> Result<Self, CommandError> {
        if let Some(known) = definitions::find(typed) {
            return Ok(Self::Setting(known));
        }
        if let Some(name) = key_file::names().find(|name| *name == typed) {
            return Ok(Self::Key(name));
        }
        let names = definitions::all().map(|known| known.key).chain(key_file::names());
        let near: Vec<String> =
            raw::nearest(typed, names).into_iter().map(|name| format!("`{name}`")).collect();
        let keys: Vec<&str> = key_file::names().collect();
        let all = format!("`probity config show` names all settings; the keys are {}", keys.join(", "));
        let hint = match near.is_empty() {
            true => all,
            false => format!("the nearest are {}; {all}", near.join(", ")),
        };
        let message = format!("there is no setting `{}`", text::line(typed, 60));
        Err(CommandError::new(Code::InvalidArguments, &message).with_hint(hint))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Setting(known) => known.key,
            Self::Key(name) => name,
        }
    }

    fn is_secret(self) -> bool {
        match self {
            Self::Setting(known) => known.kind == SettingKind::Secret,
            Self::Key(_) => true,
        }
    }
}

pub fn get(context: &CommandContext, arguments: &ConfigGetArguments) -> Result<(), CommandError> {
    let document = match ConfigName::parse(&arguments.key)? {
        ConfigName::Setting(known) => {
            let loaded = context.settings(RawSettings::default())?;
            let line = loaded.line(known.key);
            document_of(known.key, line.map(|line| (line.value.as_str(), line.origin.as_str())))
        }
        ConfigName::Key(name) => document_of_key(&context.environment, name),
    };
    if arguments.json {
        return context.output.json(&document);
    }
    context.output.data(document.value.as_deref().unwrap_or_default())?;
    let origin = format!("from {}", document.origin);
    context.output.print_message(&context.output.style_err(Tone::Quiet, &origin));
    Ok(())
}

pub fn set(context: &CommandContext, arguments: &ConfigSetArguments) -> Result<(), CommandError> {
    let name = ConfigName::parse(&arguments.key)?;
    let value = given_value(context, name, &arguments.value)?;
    let document = match name {
        ConfigName::Setting(known) => {
            let edit = SettingEdit::Set(ConfigValue::of_text(known.kind, &value));
            let change = settings_change::change_settings(&context.environment, &[(known.key, edit)])?;
            document_of_change(known.key, &change)
        }
        ConfigName::Key(name) => {
            if !key_file::is_key(&value) {
                return Err(CommandError::new(Code::InvalidArguments, "what was given cannot be a key")
                    .with_hint(format!("pass the key alone: `probity config set {name} - < key.txt`")));
            }
            let keys = BTreeMap::from([(name.to_owned(), value)]);
            let stored = settings_change::store_keys(&keys)?;
            document_of_key_change(name, &stored)
        }
    };
    print_change(context, arguments.json, &document)
}

pub fn unset(context: &CommandContext, arguments: &ConfigUnsetArguments) -> Result<(), CommandError> {
    let document = match ConfigName::parse(&arguments.key)? {
        ConfigName::Setting(known) => {
            let edits = [(known.key, SettingEdit::Unset)];
            document_of_change(known.key, &settings_change::change_settings(&context.environment, &edits)?)
        }
        ConfigName::Key(name) => document_of_key_change(name, &settings_change::remove_key(name)?),
    };
    print_change(context, arguments.json, &document)
}

/// The value that was given; one that is `-` is asked for, hidden where it is a secret, or comes through stdin.
fn given_value(context: &CommandContext, name: ConfigName, given: &str) -> Result<String, CommandError> {
    let key = name.name();
    if given != FROM_STDIN {
        if name.is_secret() {
            // Not repeated in the message: it may be the secret.
            let message = format!("the value of {key} on the command line can be seen by others");
            return Err(CommandError::new(Code::InvalidArguments, &message).with_hint(format!(
                "type it when asked after `probity config set {key} -`, or pass it through stdin: \
                 `probity config set {key} - < FILE`"
            )));
        }
        return Ok(given.trim().to_owned());
    }
    let typed = match (typed_input::is_typed(), name.is_secret()) {
        (true, true) => {
            context.output.print_message(&format!("{key}; paste it, it is not shown:"));
            typed_input::read_hidden_line()
        }
        (true, false) => {
            context.output.print_message(&format!("{key}:"));
            typed_input::read_line()
        }
        (false, _) => typed_input::read_piped(),
    };
    typed.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).ok_or_else(|| {
        CommandError::new(Code::InvalidArguments, "nothing came through stdin")
            .with_hint(format!("to have no value, run `probity config unset {key}`"))
    })
}

fn document_of(key: &'static str, shown: Option<(&str, &str)>) -> SettingValueDocument {
    let (value, origin) = shown.unwrap_or(("", "default"));
    SettingValueDocument {
        schema_version: SCHEMA_VERSION,
        key,
        value: Some(value.to_owned()).filter(|value| !value.is_empty()),
        origin: origin.to_owned(),
        file: None,
        changed: None,
        overridden_by: None,
    }
}

fn document_of_change(key: &'static str, change: &SettingsChange) -> SettingValueDocument {
    let line = change.loaded.line(key);
    let shown = line.map(|line| (line.value.as_str(), line.origin.as_str()));
    SettingValueDocument {
        file: Some(change.path.display().to_string()),
        changed: Some(change.is_written),
        overridden_by: change.loaded.overriding(key),
        ..document_of(key, shown)
    }
}

fn document_of_key(environment: &Environment, name: &'static str) -> SettingValueDocument {
    let over = settings_change::overriding_variable(environment, name);
    let (value, origin) = match (environment.is_stored(name), environment.is_set(name)) {
        (true, _) => (NOT_SHOWN, key_file::NAME),
        (false, true) => (NOT_SHOWN, name),
        (false, false) => ("", over.unwrap_or("default")),
    };
    document_of(name, Some((value, origin)))
}

fn document_of_key_change(name: &'static str, change: &settings_change::KeysChange) -> SettingValueDocument {
    // What was just stored counts.
    let environment = Environment::read();
    let over = settings_change::overriding_variable(&environment, name);
    SettingValueDocument {
        file: Some(change.path.display().to_string()),
        changed: Some(change.is_written),
        overridden_by: over.map(str::to_owned),
        ..document_of_key(&environment, name)
    }
}

fn print_change(
    context: &CommandContext,
    json: bool,
    document: &SettingValueDocument,
) -> Result<(), CommandError> {
    if json {
        return context.output.json(document);
    }
    let value = document.value.as_deref().unwrap_or("(none)");
    let file = document.file.as_deref().unwrap_or_default();
    let is_changed = document.changed == Some(true);
    let key = document.key;
    let done = match is_changed {
        true => format!("{file} is written"),
        false => format!("{file} needed no change"),
    };
    context.output.print_message(&format!("{key} is {value}, from {}; {done}", document.origin));
    if let Some(over) = &document.overridden_by {
        context.output.print_message(&format!("note: {over} goes before what that file says of {key}"));
    }
    if is_changed {
        context.output.print_message(&format!("note: {RUNNING}"));
    }
    Ok(())
}
