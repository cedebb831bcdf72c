//! Changes the user's own settings file and key file: the only place that writes them. Nothing is written that could not
//! be read afterwards, and each file is replaced as a whole or not at all.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use probity_research::Code;

use crate::{
    command_error::CommandError,
    commands::mcp::{clients::ConfigScope, file::ClientFile},
    environment::{self, Environment, KEYS},
    keys::file as key_file,
    settings::{
        self, LoadedSettings, Settings, SettingsSources, USER_FILE,
        definitions::{self, SettingKind},
        edit::{self, SettingEdit},
        openable,
        raw::{RawSettings, RawValue, SettingOrigin},
    },
};

/// What a change of settings came to.
#[derive(Debug)]
pub struct SettingsChange {
    /// The user's own settings file.
    pub path: PathBuf,
    /// It holds something else than before.
    pub is_written: bool,
    /// All settings, as they are from now on.
    pub loaded: LoadedSettings,
}

/// What a change of keys came to.
#[derive(Debug)]
pub struct KeysChange {
    pub path: PathBuf,
    pub is_written: bool,
}

/// The values are read by the code that reads settings before anything is written; the rest of the file has to be in
/// order too.
pub fn change_settings(
    environment: &Environment,
    edits: &[(&'static str, SettingEdit)],
) -> Result<SettingsChange, CommandError> {
    check_texts(edits)?;
    let path = folder()?.join(USER_FILE);
    let file = ClientFile::open(&path, ConfigScope::User).map_err(|failure| own_file_hint(failure, &path))?;
    let before = file.text.clone().unwrap_or_default();
    let after = edit::edited_text(&path, &before, edits)?;
    // What is typed goes before all other places here: a variable must not hide a wrong value.
    let typed =
        settings::load_as_if(SettingsSources::of_machine(environment, typed_settings(edits)), &after)?;
    check_openable(&typed.settings, edits)?;
    let loaded =
        settings::load_as_if(SettingsSources::of_machine(environment, RawSettings::default()), &after)?;
    let is_written = after != before;
    if is_written {
        file.replace(&after)?;
        if edits.iter().any(|(key, _)| is_secret(key)) {
            make_private(&file.path)?;
        }
    }
    Ok(SettingsChange { path, is_written, loaded })
}

pub fn store_keys(keys: &BTreeMap<String, String>) -> Result<KeysChange, CommandError> {
    edit_keys(|text| key_file::with_keys(text, keys))
}

pub fn remove_key(name: &str) -> Result<KeysChange, CommandError> {
    edit_keys(|text| key_file::without_key(text, name))
}

/// The variable that goes before what the key file holds under this name.
pub fn overriding_variable(environment: &Environment, name: &str) -> Option<&'static str> {
    let of_google = KEYS.contains(&name);
    let mut rivals = key_file::names().filter(|rival| *rival == name || (of_google && KEYS.contains(rival)));
    rivals.find(|rival| environment.is_set(rival) && !environment.is_stored(rival))
}

/// What is no text of one line would be read back as something else, or could not be shown.
fn check_texts(edits: &[(&'static str, SettingEdit)]) -> Result<(), CommandError> {
    for (key, edit) in edits {
        let SettingEdit::Set(value) = edit else { continue };
        if let Some(why) = value.texts().iter().find_map(|text| openable::unwritable(text)) {
            return Err(unchanged(&format!("the new value: `{key}` {why}"), key));
        }
    }
    Ok(())
}

/// What is typed must be opened by the code that opens it when a research starts; what was there before is not the
/// typed value's fault.
fn check_openable(typed: &Settings, edits: &[(&'static str, SettingEdit)]) -> Result<(), CommandError> {
    let set: Vec<&str> =
        edits.iter().filter(|(_, edit)| matches!(edit, SettingEdit::Set(_))).map(|(key, _)| *key).collect();
    let found = [openable::of_web(typed), openable::of_search(typed), openable::of_chat(typed)];
    for problem in found.iter().flatten() {
        if let Some(key) = problem.keys.iter().find(|key| set.contains(key)) {
            return Err(unchanged(&problem.problem().message, key));
        }
    }
    Ok(())
}

fn unchanged(message: &str, key: &str) -> CommandError {
    CommandError::new(Code::Settings, message)
        .with_hint(format!("nothing was changed; `probity config get {key}` says what is set"))
}

/// The hint of a client's file would send the reader to the clients' command.
fn own_file_hint(failure: CommandError, path: &Path) -> CommandError {
    let place = path.display();
    let hint =
        format!("nothing was changed; look at it with `ls -ld {place}`, and make it a file of your own");
    failure.with_hint(hint)
}

fn typed_settings(edits: &[(&'static str, SettingEdit)]) -> RawSettings {
    let mut typed = RawSettings::default();
    for (key, edit) in edits {
        if let SettingEdit::Set(value) = edit {
            typed.values.insert(*key, RawValue { texts: value.texts(), origin: SettingOrigin::Typed });
        }
    }
    typed
}

fn is_secret(key: &str) -> bool {
    definitions::find(key).is_some_and(|known| known.kind == SettingKind::Secret)
}

fn edit_keys(edit: impl FnOnce(&str) -> String) -> Result<KeysChange, CommandError> {
    let path = folder()?.join(key_file::NAME);
    let file = ClientFile::open(&path, ConfigScope::User)?;
    let before = file.text.as_deref().unwrap_or_default();
    let after = edit(before);
    let is_written = after != before;
    if is_written {
        file.replace(&after)?;
    }
    if file.text.is_some() || is_written {
        make_private(&file.path)?;
    }
    Ok(KeysChange { path, is_written })
}

/// The file may have been made by hand, readable by all.
fn make_private(path: &Path) -> Result<(), CommandError> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|error| {
        CommandError::new(Code::OutputPath, &format!("{} can be read by others", path.display()))
            .with_cause(&error)
            .with_hint(format!("chmod 600 {}", path.display()))
    })
}

fn folder() -> Result<PathBuf, CommandError> {
    environment::user_directories().map(|homes| homes.config).ok_or_else(|| {
        CommandError::new(Code::Settings, "there is no home directory to keep settings in")
            .with_hint("set HOME or XDG_CONFIG_HOME, then run the same command again")
    })
}
