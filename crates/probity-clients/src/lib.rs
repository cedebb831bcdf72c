//! Settings files of MCP clients as text edits: where each file is, which entry starts us, how it is added
//! and removed while comments, order, indentation and all other keys stay as they are.
//!
//! Pure: text in, text out. Reads and writes no file, asks no environment, starts nothing. A file that is not
//! understood is refused and never rewritten; every edit is parsed again before it is returned.

pub mod client;
pub mod diff;
pub mod directories;
pub mod entry;
pub mod error;
mod json;
pub mod redact;
mod toml;
mod tree;
mod yaml;

use crate::{
    client::ConfigFormat,
    entry::{EntryField, NAME},
    tree::ConfigTree,
};
pub use crate::{client::McpClient, directories::ClientDirectories, entry::ServerEntry, error::Error};

/// A larger file contains more than settings; Claude Code's own grows with its history, and its own command
/// adds to it.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;
/// What some editors put before the first character.
const MARK: char = '\u{feff}';

/// What an edit does to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    Added,
    Updated,
    Removed,
    /// The text is unchanged.
    Nothing,
}

/// The file after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// `None`: the file is to be removed.
    pub text: Option<String>,
    pub change: EditKind,
}

/// Whether an entry under our name that starts another program may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignEntryPolicy {
    Refused,
    Replaced,
}

/// The text with an entry that starts us. `None` stands for a file that is not there.
pub fn install(
    client: McpClient,
    text: Option<&str>,
    entry: &ServerEntry,
    foreign: ForeignEntryPolicy,
) -> Result<FileEdit, Error> {
    let written = text.unwrap_or_default();
    let (mark, body) = split(written)?;
    let tree = tree(client, body)?;
    let path = client.path(&tree);
    let found = tree.at(&path).and_then(|servers| servers.get(NAME));
    let known = found.map(|found| ServerEntry::from_tree(client, found)).transpose();
    let change = match &known {
        Ok(None) => EditKind::Added,
        Ok(Some(known)) if known.starts_like(entry) => {
            return Ok(FileEdit { text: text.map(str::to_owned), change: EditKind::Nothing });
        }
        Ok(Some(known)) if known.is_ours() => EditKind::Updated,
        Ok(Some(_)) | Err(_) if foreign == ForeignEntryPolicy::Replaced => EditKind::Updated,
        Ok(Some(known)) => return Err(Error::Foreign { starts: known.description() }),
        Err(error) => return Err(error.clone()),
    };
    let keeps_rest = matches!(&known, Ok(Some(known)) if known.is_ours());
    let edited = match change {
        // What belongs to another program (its variables, its address) is not kept for ours.
        EditKind::Updated if !keeps_rest => {
            let emptied = removed(client, body, &path)?;
            added(client, &emptied, &path, entry)?
        }
        EditKind::Updated => updated(client, body, &path, &client.start_fields(entry))?,
        _ => added(client, body, &path, entry)?,
    };
    checked(client, &tree, &edited, &path, Some(entry))?;
    Ok(FileEdit { text: Some(format!("{mark}{edited}")), change })
}

/// The text without our entry. `before` is the file as it was before our first edit, where that is known: if
/// nothing else has changed since, exactly its bytes come back; `Some(None)` says that there was no file.
pub fn uninstall(client: McpClient, text: &str, before: Option<Option<&str>>) -> Result<FileEdit, Error> {
    let (mark, body) = split(text)?;
    let tree = tree(client, body)?;
    let path = client.path(&tree);
    let Some(found) = tree.at(&path).and_then(|servers| servers.get(NAME)) else {
        return Ok(FileEdit { text: Some(text.to_owned()), change: EditKind::Nothing });
    };
    let known = ServerEntry::from_tree(client, found)?;
    if !known.is_ours() {
        return Err(Error::Foreign { starts: known.description() });
    }
    if let Some(before) = before
        && let Ok(again) = install(client, before, &known, ForeignEntryPolicy::Replaced)
        && again.text.as_deref() == Some(text)
        && again.change == EditKind::Added
    {
        return Ok(FileEdit { text: before.map(str::to_owned), change: EditKind::Removed });
    }
    let edited = removed(client, body, &path)?;
    checked(client, &tree, &edited, &path, None)?;
    Ok(FileEdit { text: Some(format!("{mark}{edited}")), change: EditKind::Removed })
}

/// The entry under our name, of any author.
pub fn read(client: McpClient, text: &str) -> Result<Option<ServerEntry>, Error> {
    let (_, body) = split(text)?;
    let tree = tree(client, body)?;
    let found = tree.at(&client.path(&tree)).and_then(|servers| servers.get(NAME));
    found.map(|found| ServerEntry::from_tree(client, found)).transpose()
}

/// The lines that a user can add to the file by hand.
pub fn manual_lines(client: McpClient, entry: &ServerEntry) -> String {
    let path = client.path(&ConfigTree::Map(Default::default()));
    added(client, "", &path, entry).unwrap_or_default()
}

fn split(text: &str) -> Result<(&str, &str), Error> {
    if text.len() > FILE_BYTES_MAX {
        return Err(Error::TooLarge { bytes: text.len() });
    }
    let body = text.strip_prefix(MARK).unwrap_or(text);
    Ok((text.get(..text.len() - body.len()).unwrap_or_default(), body))
}

fn tree(client: McpClient, body: &str) -> Result<ConfigTree, Error> {
    match client.format() {
        ConfigFormat::Json => json::parse_tree(body),
        ConfigFormat::Toml => toml::parse_tree(body),
        ConfigFormat::Yaml => yaml::parse_tree(body),
    }
}

fn added(client: McpClient, body: &str, path: &[&str], entry: &ServerEntry) -> Result<String, Error> {
    let fields = client.fields(entry, path);
    match client.format() {
        ConfigFormat::Json => json::add(body, path, &fields),
        ConfigFormat::Toml => toml::add(body, path, &fields),
        ConfigFormat::Yaml => yaml::add(body, path, &fields),
    }
}

fn updated(client: McpClient, body: &str, path: &[&str], fields: &[EntryField]) -> Result<String, Error> {
    match client.format() {
        ConfigFormat::Json => json::update(body, path, fields),
        ConfigFormat::Toml => toml::update(body, path, fields),
        ConfigFormat::Yaml => yaml::update(body, path, fields),
    }
}

fn removed(client: McpClient, body: &str, path: &[&str]) -> Result<String, Error> {
    match client.format() {
        ConfigFormat::Json => json::remove(body, path),
        ConfigFormat::Toml => toml::remove(body, path),
        ConfigFormat::Yaml => yaml::remove(body, path),
    }
}

/// Checks that the edited text has the wanted entry, and all other values as before.
fn checked(
    client: McpClient,
    before: &ConfigTree,
    edited: &str,
    path: &[&str],
    wanted: Option<&ServerEntry>,
) -> Result<(), Error> {
    let after = tree(client, edited).map_err(|error| Error::Edit { why: error.to_string() })?;
    let found = after.at(path).and_then(|servers| servers.get(NAME));
    let right = match (found.map(|found| ServerEntry::from_tree(client, found)), wanted) {
        (Some(Ok(found)), Some(wanted)) => found.starts_like(wanted),
        (None, None) => true,
        _ => false,
    };
    if !right {
        return Err(Error::Edit { why: "the entry would not be the one that was wanted".to_owned() });
    }
    if after.without(path, NAME) != before.clone().without(path, NAME) {
        return Err(Error::Edit { why: "something else in the file would change".to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
