//! The settings screen of the local page: which settings are safe to change there, in plain words, and what can be tried.
//!
//! Left out are those that name programs to start, files to read or write, hosts or ports to open, and addresses that a
//! key is sent to: whoever got hold of the page must not gain more than the page. They are changed with `probity config
//! set`.

mod forms;
pub mod trials;

use std::collections::BTreeMap;

use probity_page::backend::{KeyChange, KeyField, SettingEntry, SettingField, SettingValue, SettingsView};
use probity_research::{Code, CodedError};

use self::forms::FieldFacts;
use crate::{
    command_error::CommandError,
    environment::{self, Environment},
    keys::{ProviderKeys, file as key_file},
    settings::{
        self, LoadedSettings, SettingLine, SettingsSources,
        definitions::{self, SettingKind},
        edit::{ConfigValue, SettingEdit},
        raw::{RawSettings, RawValue},
    },
    settings_change,
};

/// The settings and keys as they are on this machine now, whatever this process was started with.
struct CurrentSettings {
    environment: Environment,
    loaded: LoadedSettings,
    /// What the user's own file says.
    written: RawSettings,
}

impl CurrentSettings {
    fn read() -> Result<Self, CommandError> {
        let environment = Environment::read();
        let loaded = settings::load(SettingsSources::of_machine(&environment, RawSettings::default()))?;
        let written = loaded.user_file().map(settings::file::read).transpose()?.flatten();
        Ok(Self { environment, loaded, written: written.unwrap_or_default() })
    }
}

/// `started` are the settings that this process uses.
pub fn settings_view(started: &[SettingLine]) -> Result<SettingsView, CodedError> {
    let current = CurrentSettings::read().map_err(super::problem)?;
    let keys = ProviderKeys::read(&current.environment).unwrap_or_default();
    let groups = forms::GROUPS.iter().map(|group| group.view(|facts| field(&current, facts))).collect();
    let is_changed = |line: &&SettingLine| {
        started.iter().any(|before| before.key == line.key && before.value != line.value)
    };
    Ok(SettingsView {
        file: current.loaded.user_file().map(|path| path.display().to_string()).unwrap_or_default(),
        groups,
        keys: key_fields(&current.environment),
        trials: trials::offered(&current.loaded.settings, &keys),
        entries: entries(&current),
        changed_since_start: current
            .loaded
            .shown
            .iter()
            .filter(is_changed)
            .map(|line| line.key.to_owned())
            .collect(),
    })
}

/// Only what a form of the page offers, and of that only what differs from the user's own file.
pub fn change_settings(typed: &BTreeMap<String, String>) -> Result<String, CodedError> {
    let CurrentSettings { environment, written, .. } = CurrentSettings::read().map_err(super::problem)?;
    let mut edits = Vec::new();
    for (key, text) in typed {
        let facts = forms::field_of(key)
            .ok_or_else(|| CodedError::new(Code::InvalidArguments, "this setting is not changed here"))?;
        let Some(known) = definitions::find(facts.key) else { continue };
        let present = written.get(known.key).map(RawValue::text);
        let edit = match (text.trim(), present) {
            ("", None) => continue,
            ("", Some(_)) => SettingEdit::Unset,
            (text, Some(present)) if text == present => continue,
            (text, _) => SettingEdit::Set(ConfigValue::of_text(known.kind, text)),
        };
        edits.push((known.key, edit));
    }
    if edits.is_empty() {
        return Ok("Nothing was different from what is saved.".to_owned());
    }
    let change = settings_change::change_settings(&environment, &edits).map_err(super::problem)?;
    let names: Vec<&str> = edits.iter().map(|(key, _)| *key).collect();
    let over = names.iter().filter_map(|key| {
        let over = change.loaded.overriding(key)?;
        Some(format!(" {over} goes before what the file says of {key}."))
    });
    let over: String = over.collect();
    Ok(format!("Saved {} in {}.{over}", names.join(", "), change.path.display()))
}

/// A key is stored, or its stored one removed; it is never part of the answer.
pub fn change_key(name: &str, change: KeyChange) -> Result<String, CodedError> {
    let wrong = |message: &str| CodedError::new(Code::InvalidArguments, message);
    let name = key_file::names().find(|known| *known == name).ok_or_else(|| wrong("there is no such key"))?;
    let (done, change) = match change {
        KeyChange::Store(key) if !key_file::is_key(&key) => {
            return Err(wrong("what was typed cannot be a key"));
        }
        KeyChange::Store(key) => {
            ("stored", settings_change::store_keys(&BTreeMap::from([(name.to_owned(), key)])))
        }
        KeyChange::Remove => ("removed", settings_change::remove_key(name)),
    };
    let change = change.map_err(super::problem)?;
    let over = settings_change::overriding_variable(&Environment::read(), name);
    let over = over.map(|over| format!(" The variable {over} goes before it.")).unwrap_or_default();
    Ok(match change.is_written {
        true => format!("{name} is {done}, in {}.{over}", change.path.display()),
        false => format!("{name} was {done} already, in {}.{over}", change.path.display()),
    })
}

fn field(current: &CurrentSettings, facts: &FieldFacts) -> Option<SettingField> {
    let known = definitions::find(facts.key)?;
    let line = current.loaded.line(known.key)?;
    let when_empty = match (facts.when_empty, known.default) {
        ("", default) => format!("{default}, the default"),
        (words, _) => words.to_owned(),
    };
    Some(SettingField {
        key: known.key,
        label: facts.label,
        meaning: known.meaning,
        choices: choices(known.kind),
        written: current.written.get(known.key).map(RawValue::text).unwrap_or_default(),
        value: line.value.clone(),
        origin: line.origin.clone(),
        overridden_by: current.loaded.overriding(known.key),
        when_empty,
    })
}

fn choices(kind: SettingKind) -> Vec<&'static str> {
    match kind {
        SettingKind::Choice(words) => words.to_vec(),
        SettingKind::Switch => vec!["true", "false"],
        _ => Vec::new(),
    }
}

fn key_fields(environment: &Environment) -> Vec<KeyField> {
    let field = |name: &'static str| {
        let is_stored = environment.is_stored(name);
        let meaning = environment::known().find(|known| known.name == name);
        KeyField {
            name,
            meaning: meaning.map(|known| known.meaning.to_owned()).unwrap_or_default(),
            is_set: environment.is_set(name),
            is_stored: environment.key_file().values.contains_key(name),
            origin: if is_stored { key_file::NAME.to_owned() } else { format!("the variable {name}") },
        }
    };
    key_file::names().map(field).collect()
}

fn entries(current: &CurrentSettings) -> Vec<SettingEntry> {
    let value = |line: &SettingLine| match definitions::find(line.key).map(|known| known.kind) {
        Some(SettingKind::Secret) if line.value.is_empty() => SettingValue::SecretAbsent,
        Some(SettingKind::Secret) => SettingValue::SecretPresent,
        _ => SettingValue::Shown(line.value.clone()),
    };
    let entry = |line: &SettingLine| SettingEntry {
        key: line.key.to_owned(),
        value: value(line),
        origin: line.origin.clone(),
    };
    current.loaded.shown.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::forms;
    use crate::settings::definitions::{self, SettingKind};

    #[test]
    fn the_page_offers_no_setting_that_names_a_program_a_file_a_port_or_a_secret() {
        for facts in forms::GROUPS.iter().flat_map(|group| group.fields) {
            let known = definitions::find(facts.key).unwrap();
            let is_safe = !matches!(
                known.kind,
                SettingKind::Program
                    | SettingKind::Directory
                    | SettingKind::Socket
                    | SettingKind::Secret
                    | SettingKind::Address
            );
            assert!(is_safe, "{}", facts.key);
            for section in ["serve.", "fleet.", "store.", "reports.", "gemini_cli.", "web.reach", "web.proxy"]
            {
                assert!(!facts.key.starts_with(section), "{}", facts.key);
            }
            assert!(!known.meaning.contains("sent there"), "{} says where a key goes", facts.key);
        }
    }

    #[test]
    fn each_field_stands_once_and_says_what_empty_means() {
        let fields: Vec<_> = forms::GROUPS.iter().flat_map(|group| group.fields).collect();
        for facts in &fields {
            assert_eq!(fields.iter().filter(|other| other.key == facts.key).count(), 1, "{}", facts.key);
            let known = definitions::find(facts.key).unwrap();
            assert!(!known.default.is_empty() || !facts.when_empty.is_empty(), "{}", facts.key);
        }
    }
}
