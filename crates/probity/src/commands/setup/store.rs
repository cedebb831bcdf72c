//! What becomes of the answers: keys and settings are handed to the one place that writes them. Reads keys that are
//! given as a file or through stdin.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _},
    path::Path,
};

use probity_research::Code;

use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    keys::file as key_file,
    settings::edit::{ConfigValue, SettingEdit},
    settings_change,
};

/// A larger file is no list of keys.
const KEYS_BYTES_MAX: u64 = 64 * 1024;

/// The keys of a file, or the one Gemini key that is its only content.
pub fn keys_in(path: &Path) -> Result<BTreeMap<String, String>, CommandError> {
    let mut text = String::new();
    let read = fs::File::open(path).and_then(|file| file.take(KEYS_BYTES_MAX).read_to_string(&mut text));
    read.map_err(|error| {
        CommandError::new(Code::InvalidArguments, &format!("could not read {}", path.display()))
            .with_cause(&error)
            .with_hint("name a file of yours: `probity setup --key-file keys.env`")
    })?;
    if key_file::is_key(text.trim()) && !text.contains('=') {
        return Ok(BTreeMap::from([("GEMINI_API_KEY".to_owned(), text.trim().to_owned())]));
    }
    let (keys, _) = key_file::parse(&text);
    if keys.is_empty() {
        let names: Vec<&str> = key_file::names().collect();
        return Err(CommandError::new(
            Code::InvalidArguments,
            &format!("{} holds no key that is known here", path.display()),
        )
        .with_hint(format!("write lines such as TAVILY_API_KEY=…; the names are {}", names.join(", "))));
    }
    Ok(keys)
}

pub fn key_from_stdin() -> Result<String, CommandError> {
    let mut text = String::new();
    let read = io::stdin().lock().take(KEYS_BYTES_MAX).read_to_string(&mut text);
    let key = text.trim();
    if read.is_err() || !key_file::is_key(key) {
        return Err(CommandError::new(Code::InvalidArguments, "what came through stdin cannot be a key")
            .with_hint("pass the key alone: `probity setup --gemini-key - < key.txt`"));
    }
    Ok(key.to_owned())
}

pub fn store_keys(context: &CommandContext, keys: &BTreeMap<String, String>) -> Result<(), CommandError> {
    if keys.is_empty() {
        return Ok(());
    }
    let stored = settings_change::store_keys(keys)?;
    let names: Vec<&str> = keys.keys().map(String::as_str).collect();
    context.output.print_message(&format!(
        "stored {} in {}, for you only",
        names.join(", "),
        stored.path.display()
    ));
    for name in
        names.iter().filter(|name| context.environment.is_set(name) && !context.environment.is_stored(name))
    {
        context
            .output
            .print_message(&format!("note: the variable {name} is set too and goes before the stored key"));
    }
    Ok(())
}

pub fn store_settings(
    context: &CommandContext,
    settings: &[(&'static str, ConfigValue)],
) -> Result<(), CommandError> {
    if settings.is_empty() {
        return Ok(());
    }
    let edits: Vec<(&'static str, SettingEdit)> =
        settings.iter().map(|(key, value)| (*key, SettingEdit::Set(value.clone()))).collect();
    let change = settings_change::change_settings(&context.environment, &edits)?;
    let names: Vec<&str> = settings.iter().map(|(key, _)| *key).collect();
    context.output.print_message(&format!("set {} in {}", names.join(", "), change.path.display()));
    Ok(())
}
