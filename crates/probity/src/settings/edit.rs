//! The text of a settings file with some of its values changed; comments, order and line ends stay. Pure: text in, text
//! out. Whether a value fits its setting is decided where settings are read.

use std::{collections::BTreeMap, path::Path};

use probity_research::Code;
use toml::de::DeTable;
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use crate::{
    command_error::CommandError,
    settings::{definitions::SettingKind, file},
};

/// A value as written in the settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigValue {
    Text(String),
    Number(String),
    Switch(bool),
    Names(Vec<String>),
}

/// What becomes of one setting of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingEdit {
    Set(ConfigValue),
    Unset,
}

impl ConfigValue {
    /// A typed text in the form in which its kind is written; one that does not fit stays a text, for its reader to
    /// refuse.
    pub fn of_text(kind: SettingKind, text: &str) -> Self {
        match kind {
            SettingKind::Switch if text == "true" || text == "false" => Self::Switch(text == "true"),
            SettingKind::Count { .. } | SettingKind::Dollars | SettingKind::Rounds if is_number(text) => {
                Self::Number(text.to_owned())
            }
            SettingKind::Names => {
                let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
                Self::Names(names.map(str::to_owned).collect())
            }
            _ => Self::Text(text.to_owned()),
        }
    }

    /// As the reader of the settings gets it.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Self::Text(text) | Self::Number(text) => vec![text.clone()],
            Self::Switch(switch) => vec![switch.to_string()],
            Self::Names(names) => names.clone(),
        }
    }

    fn item(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Number(text) => text.parse().unwrap_or_else(|_| Value::from(text.as_str())),
            Self::Switch(switch) => Value::from(*switch),
            Self::Names(names) => Value::Array(names.iter().map(String::as_str).collect::<Array>()),
        }
    }
}

/// The text with these edits made. What is no TOML, or has no place for a setting, is left alone and named.
pub fn edited_text(
    path: &Path,
    text: &str,
    edits: &[(&'static str, SettingEdit)],
) -> Result<String, CommandError> {
    let mut edited = text.to_owned();
    for (key, edit) in edits {
        edited = match edit {
            SettingEdit::Set(value) => with_setting(path, &edited, key, value)?,
            SettingEdit::Unset => without_setting(path, &edited, key)?,
        };
    }
    Ok(edited)
}

fn is_number(text: &str) -> bool {
    text.chars().any(|letter| letter.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.' || letter == '_')
}

fn with_setting(path: &Path, text: &str, key: &str, written: &ConfigValue) -> Result<String, CommandError> {
    edit_document(path, text, |document| {
        let (section, name) = section_and_name(key);
        let section = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
        let table = section.as_table_like_mut()?;
        let mut value = written.item();
        match table.get_mut(name) {
            // In its place: inserting it anew would drop the comment above it.
            Some(old) => {
                if let Some(old) = old.as_value() {
                    *value.decor_mut() = old.decor().clone();
                }
                *old = Item::Value(value);
            }
            None => {
                table.insert(name, Item::Value(value));
            }
        }
        Some(())
    })?
    .ok_or_else(|| {
        let message = format!("{}: `{key}` has no section to stand in", path.display());
        CommandError::new(Code::Settings, &message)
            .with_hint("mend the file by hand, then run the same command again")
    })
}

/// A line is taken out whole, so that comments above it stay. Where that would touch anything else, such as in an inline
/// table, the value alone is taken out.
fn without_setting(path: &Path, text: &str, key: &str) -> Result<String, CommandError> {
    let mut wanted = values(path, text)?;
    if wanted.remove(key).is_none() {
        return Ok(text.to_owned());
    }
    let cut = without_lines(text, key);
    if let Some(cut) = cut.filter(|cut| values(path, cut).is_ok_and(|left| left == wanted)) {
        return Ok(cut);
    }
    let edited = edit_document(path, text, |document| {
        let (section, name) = section_and_name(key);
        document.get_mut(section)?.as_table_like_mut()?.remove(name)
    })?;
    Ok(edited.unwrap_or_else(|| text.to_owned()))
}

fn values(path: &Path, text: &str) -> Result<BTreeMap<&'static str, Vec<String>>, CommandError> {
    let read = file::parse(path, text)?.values.into_iter();
    Ok(read.map(|(key, written)| (key, written.texts)).collect())
}

/// The text without the lines from the one where the name of this setting begins to the one where its value ends.
fn without_lines(text: &str, key: &str) -> Option<String> {
    let (wanted_section, wanted_name) = section_and_name(key);
    let table = DeTable::parse(text).ok()?;
    let (_, section) = table.get_ref().iter().find(|(name, _)| name.get_ref() == wanted_section)?;
    let (name, value) =
        section.get_ref().as_table()?.iter().find(|(name, _)| name.get_ref() == wanted_name)?;
    let (begins, ends) = (name.span().start, value.span().end);
    let from = text.get(..begins)?.rfind('\n').map_or(0, |at| at + 1);
    let to = text.get(ends..)?.find('\n').map_or(text.len(), |at| ends + at + 1);
    Some(format!("{}{}", text.get(..from)?, text.get(to..)?))
}

/// `None` where the edit found nothing to work on.
fn edit_document<T>(
    path: &Path,
    text: &str,
    edit: impl FnOnce(&mut DocumentMut) -> Option<T>,
) -> Result<Option<String>, CommandError> {
    let dos = text.contains("\r\n");
    let mut document: DocumentMut =
        text.replace("\r\n", "\n").parse().map_err(|error: toml_edit::TomlError| {
            CommandError::new(Code::Settings, &format!("{} is not valid TOML", path.display()))
                .with_cause(&error)
                .with_hint("mend the file by hand, then run the same command again")
        })?;
    if edit(&mut document).is_none() {
        return Ok(None);
    }
    let edited = document.to_string();
    Ok(Some(if dos { edited.replace('\n', "\r\n") } else { edited }))
}

fn section_and_name(key: &str) -> (&str, &str) {
    key.split_once('.').unwrap_or(("", key))
}

#[cfg(test)]
mod tests;
