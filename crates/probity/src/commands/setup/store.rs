//! Where the answers are stored: keys in a file of their own, settings in the user's file with its comments
//! kept.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use probity_research::Code;
use toml_edit::{DocumentMut, Item, Table, Value};

use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    commands::mcp::{clients::ConfigScope, file::ClientFile},
    environment,
    keys::file as key_file,
    settings::{self, USER_FILE},
};

/// A larger file is no list of keys.
const KEYS_BYTES_MAX: u64 = 64 * 1024;

/// A value as written in the settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigValue {
    Text(String),
    Number(String),
}

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
    let path = folder()?.join(key_file::NAME);
    let file = ClientFile::open(&path, ConfigScope::User)?;
    file.replace(&key_file::with_keys(file.text.as_deref().unwrap_or_default(), keys))?;
    // The file may have been made by hand, readable by all.
    let private = fs::set_permissions(&file.path, fs::Permissions::from_mode(0o600));
    private.map_err(|error| {
        CommandError::new(Code::OutputPath, &format!("{} can be read by others", path.display()))
            .with_cause(&error)
            .with_hint(format!("chmod 600 {}", path.display()))
    })?;
    let names: Vec<&str> = keys.keys().map(String::as_str).collect();
    context.output.print_message(&format!("stored {} in {}, for you only", names.join(", "), path.display()));
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
    let path = folder()?.join(USER_FILE);
    let file = ClientFile::open(&path, ConfigScope::User)?;
    let before = file.text.clone().unwrap_or_default();
    let after = with_settings(&path, &before, settings)?;
    // Parsed as the program parses it, before it is written.
    settings::file::parse(&path, &after)?;
    if after != before {
        file.replace(&after)?;
    }
    let names: Vec<&str> = settings.iter().map(|(key, _)| *key).collect();
    context.output.print_message(&format!("set {} in {}", names.join(", "), path.display()));
    Ok(())
}

fn folder() -> Result<PathBuf, CommandError> {
    environment::user_directories().map(|homes| homes.config).ok_or_else(|| {
        CommandError::new(Code::Settings, "there is no home directory to keep settings in")
            .with_hint("set HOME or XDG_CONFIG_HOME, then run `probity setup` again")
    })
}

/// The text with these values; comments, order and line ends stay.
fn with_settings(
    path: &Path,
    text: &str,
    settings: &[(&'static str, ConfigValue)],
) -> Result<String, CommandError> {
    let dos = text.contains("\r\n");
    let mut document: DocumentMut =
        text.replace("\r\n", "\n").parse().map_err(|error: toml_edit::TomlError| {
            CommandError::new(Code::Settings, &format!("{} is not valid TOML", path.display()))
                .with_cause(&error)
                .with_hint("mend the file, then run `probity setup` again")
        })?;
    for (key, written) in settings {
        let (section, name) = key.split_once('.').unwrap_or(("", key));
        let section = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
        let Some(table) = section.as_table_like_mut() else {
            let message = format!("{}: `{key}` has no section to stand in", path.display());
            return Err(CommandError::new(Code::Settings, &message)
                .with_hint("mend the file, then run `probity setup` again"));
        };
        let mut value = match written {
            ConfigValue::Text(text) => Value::from(text.as_str()),
            ConfigValue::Number(text) => text.parse().unwrap_or_else(|_| Value::from(text.as_str())),
        };
        if let Some(old) = table.get(name).and_then(Item::as_value) {
            *value.decor_mut() = old.decor().clone();
        }
        table.insert(name, Item::Value(value));
    }
    let edited = document.to_string();
    Ok(if dos { edited.replace('\n', "\r\n") } else { edited })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ConfigValue, with_settings};

    fn check(before: &str, after: &str) {
        let settings = [
            ("budget.max_usd", ConfigValue::Number("2.50".to_owned())),
            ("chat.model", ConfigValue::Text("a\"b".to_owned())),
        ];
        assert_eq!(with_settings(Path::new("config.toml"), before, &settings).unwrap(), after);
    }

    #[test]
    fn comments_order_and_line_ends_stay() {
        check("", "[budget]\nmax_usd = 2.50\n\n[chat]\nmodel = 'a\"b'\n");
        check(
            "# mine\n[chat] # who writes\nkind = \"auto\"\n\n[budget]\nmax_usd = 9 # a lot\n# end\n",
            "# mine\n[chat] # who writes\nkind = \"auto\"\nmodel = 'a\"b'\n\n[budget]\nmax_usd = 2.50 # a lot\n# end\n",
        );
        check(
            "[budget]\r\nmax_usd = 9\r\n",
            "[budget]\r\nmax_usd = 2.50\r\n\r\n[chat]\r\nmodel = 'a\"b'\r\n",
        );
    }

    #[test]
    fn what_is_no_section_is_left_alone() {
        assert!(
            with_settings(
                Path::new("c"),
                "budget = 1\n",
                &[("budget.max_usd", ConfigValue::Number("1".to_owned()))]
            )
            .is_err()
        );
        assert!(with_settings(Path::new("c"), "[budget\n", &[]).is_err());
    }
}
