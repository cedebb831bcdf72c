//! Where the answers go: keys into a file of their own, settings into the user's file with its comments kept.

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
    context::Context,
    environment,
    failure::Failure,
    keys::file as key_file,
    settings::{self, USER_FILE},
    verbs::mcp::{clients::Scope, file::File},
};

/// More than this is no list of keys.
const KEYS_BYTES_MAX: u64 = 64 * 1024;

/// A value as it stands in the settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    Text(String),
    Number(String),
}

/// Keys that somebody wrote into a file, or the one Gemini key that is all it holds.
pub fn keys_in(path: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let mut text = String::new();
    let read = fs::File::open(path).and_then(|file| file.take(KEYS_BYTES_MAX).read_to_string(&mut text));
    read.map_err(|error| {
        Failure::new(Code::InvalidArguments, &format!("could not read {}", path.display()))
            .because(&error)
            .with_hint("name a file of yours: `probity setup --key-file keys.env`")
    })?;
    if key_file::is_key(text.trim()) && !text.contains('=') {
        return Ok(BTreeMap::from([("GEMINI_API_KEY".to_owned(), text.trim().to_owned())]));
    }
    let (keys, _) = key_file::parse(&text);
    if keys.is_empty() {
        let names: Vec<&str> = key_file::names().collect();
        return Err(Failure::new(
            Code::InvalidArguments,
            &format!("{} holds no key that is known here", path.display()),
        )
        .with_hint(format!("write lines such as TAVILY_API_KEY=…; the names are {}", names.join(", "))));
    }
    Ok(keys)
}

pub fn key_from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().take(KEYS_BYTES_MAX).read_to_string(&mut text);
    let key = text.trim();
    if read.is_err() || !key_file::is_key(key) {
        return Err(Failure::new(Code::InvalidArguments, "what came through stdin cannot be a key")
            .with_hint("pass the key alone: `probity setup --gemini-key - < key.txt`"));
    }
    Ok(key.to_owned())
}

pub fn keys(context: &Context, keys: &BTreeMap<String, String>) -> Result<(), Failure> {
    if keys.is_empty() {
        return Ok(());
    }
    let path = folder()?.join(key_file::NAME);
    let file = File::look(&path, Scope::User)?;
    file.replace(&key_file::with(file.text.as_deref().unwrap_or_default(), keys))?;
    // It may have been made by hand, for everybody to read.
    let private = fs::set_permissions(&file.path, fs::Permissions::from_mode(0o600));
    private.map_err(|error| {
        Failure::new(Code::OutputPath, &format!("{} can be read by others", path.display()))
            .because(&error)
            .with_hint(format!("chmod 600 {}", path.display()))
    })?;
    let names: Vec<&str> = keys.keys().map(String::as_str).collect();
    context.output.say(&format!("stored {} in {}, for you only", names.join(", "), path.display()));
    for name in
        names.iter().filter(|name| context.environment.is_set(name) && !context.environment.is_stored(name))
    {
        context.output.say(&format!("note: the variable {name} is set too and goes before the stored key"));
    }
    Ok(())
}

pub fn settings(context: &Context, settings: &[(&'static str, Written)]) -> Result<(), Failure> {
    if settings.is_empty() {
        return Ok(());
    }
    let path = folder()?.join(USER_FILE);
    let file = File::look(&path, Scope::User)?;
    let before = file.text.clone().unwrap_or_default();
    let after = with(&path, &before, settings)?;
    // Read as the program reads it, before it is written.
    settings::file::parse(&path, &after)?;
    if after != before {
        file.replace(&after)?;
    }
    let names: Vec<&str> = settings.iter().map(|(key, _)| *key).collect();
    context.output.say(&format!("set {} in {}", names.join(", "), path.display()));
    Ok(())
}

fn folder() -> Result<PathBuf, Failure> {
    environment::homes().map(|homes| homes.config).ok_or_else(|| {
        Failure::new(Code::Settings, "there is no home directory to keep settings in")
            .with_hint("set HOME or XDG_CONFIG_HOME, then run `probity setup` again")
    })
}

/// The text with these values; comments, order and line ends stay.
fn with(path: &Path, text: &str, settings: &[(&'static str, Written)]) -> Result<String, Failure> {
    let dos = text.contains("\r\n");
    let mut document: DocumentMut =
        text.replace("\r\n", "\n").parse().map_err(|error: toml_edit::TomlError| {
            Failure::new(Code::Settings, &format!("{} is not valid TOML", path.display()))
                .because(&error)
                .with_hint("mend the file, then run `probity setup` again")
        })?;
    for (key, written) in settings {
        let (section, name) = key.split_once('.').unwrap_or(("", key));
        let section = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
        let Some(table) = section.as_table_like_mut() else {
            let message = format!("{}: `{key}` has no section to stand in", path.display());
            return Err(Failure::new(Code::Settings, &message)
                .with_hint("mend the file, then run `probity setup` again"));
        };
        let mut value = match written {
            Written::Text(text) => Value::from(text.as_str()),
            Written::Number(text) => text.parse().unwrap_or_else(|_| Value::from(text.as_str())),
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

    use super::{Written, with};

    fn check(before: &str, after: &str) {
        let settings = [
            ("budget.max_usd", Written::Number("2.50".to_owned())),
            ("chat.model", Written::Text("a\"b".to_owned())),
        ];
        assert_eq!(with(Path::new("config.toml"), before, &settings).unwrap(), after);
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
            with(Path::new("c"), "budget = 1\n", &[("budget.max_usd", Written::Number("1".to_owned()))])
                .is_err()
        );
        assert!(with(Path::new("c"), "[budget\n", &[]).is_err());
    }
}
