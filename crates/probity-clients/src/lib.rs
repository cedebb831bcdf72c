//! Settings files of MCP clients as text edits: where each file lies, which entry starts us, how it gets there
//! and out again while comments, order, indentation and everybody else's keys stay as they are.
//!
//! Pure: text in, text out. Reads and writes no file, asks no environment, starts nothing. A file that is not
//! understood is refused and never rewritten; every edit is read again before it is handed out.

pub mod client;
pub mod difference;
pub mod entry;
pub mod error;
pub mod hidden;
mod json;
pub mod places;
mod toml;
mod tree;
mod yaml;

pub use crate::{client::Client, entry::Entry, error::Error, places::Places};
use crate::{
    client::Format,
    entry::{Field, NAME},
    tree::Tree,
};

/// A larger file holds more than settings; Claude Code's own grows with its history, and its own command adds to it.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;
/// What some editors put before the first character.
const MARK: char = '\u{feff}';

/// What an edit does to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    Updated,
    Removed,
    /// The text is what it was.
    Nothing,
}

/// The file after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// `None`: there is to be no file.
    pub text: Option<String>,
    pub change: Change,
}

/// Whether an entry under our name that starts another program may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    Refused,
    Replaced,
}

/// The text with an entry that starts us. `None` stands for a file that is not there.
pub fn install(client: Client, text: Option<&str>, entry: &Entry, foreign: Foreign) -> Result<Edit, Error> {
    let written = text.unwrap_or_default();
    let (mark, body) = split(written)?;
    let tree = tree(client, body)?;
    let path = client.path(&tree);
    let found = tree.at(&path).and_then(|servers| servers.get(NAME));
    let known = found.map(|found| Entry::of(client, found)).transpose();
    let change = match &known {
        Ok(None) => Change::Added,
        Ok(Some(known)) if known.starts_like(entry) => {
            return Ok(Edit { text: text.map(str::to_owned), change: Change::Nothing });
        }
        Ok(Some(known)) if known.is_ours() => Change::Updated,
        Ok(Some(_)) | Err(_) if foreign == Foreign::Replaced => Change::Updated,
        Ok(Some(known)) => return Err(Error::Foreign { starts: known.sentence() }),
        Err(error) => return Err(error.clone()),
    };
    let keeps_rest = matches!(&known, Ok(Some(known)) if known.is_ours());
    let edited = match change {
        // What belongs to another program (its variables, its address) does not stay behind for ours.
        Change::Updated if !keeps_rest => {
            let emptied = removed(client, body, &path)?;
            added(client, &emptied, &path, entry)?
        }
        Change::Updated => updated(client, body, &path, &client.start_fields(entry))?,
        _ => added(client, body, &path, entry)?,
    };
    checked(client, &tree, &edited, &path, Some(entry))?;
    Ok(Edit { text: Some(format!("{mark}{edited}")), change })
}

/// The text without our entry. `before` is the file as it was before we came, where that is known: if nothing else
/// has changed since, exactly its bytes come back; `Some(None)` says that there was no file.
pub fn uninstall(client: Client, text: &str, before: Option<Option<&str>>) -> Result<Edit, Error> {
    let (mark, body) = split(text)?;
    let tree = tree(client, body)?;
    let path = client.path(&tree);
    let Some(found) = tree.at(&path).and_then(|servers| servers.get(NAME)) else {
        return Ok(Edit { text: Some(text.to_owned()), change: Change::Nothing });
    };
    let known = Entry::of(client, found)?;
    if !known.is_ours() {
        return Err(Error::Foreign { starts: known.sentence() });
    }
    if let Some(before) = before
        && let Ok(again) = install(client, before, &known, Foreign::Replaced)
        && again.text.as_deref() == Some(text)
        && again.change == Change::Added
    {
        return Ok(Edit { text: before.map(str::to_owned), change: Change::Removed });
    }
    let edited = removed(client, body, &path)?;
    checked(client, &tree, &edited, &path, None)?;
    Ok(Edit { text: Some(format!("{mark}{edited}")), change: Change::Removed })
}

/// The entry under our name, whoever wrote it.
pub fn read(client: Client, text: &str) -> Result<Option<Entry>, Error> {
    let (_, body) = split(text)?;
    let tree = tree(client, body)?;
    let found = tree.at(&client.path(&tree)).and_then(|servers| servers.get(NAME));
    found.map(|found| Entry::of(client, found)).transpose()
}

/// The lines that a user can put into the file by hand.
pub fn lines(client: Client, entry: &Entry) -> String {
    let path = client.path(&Tree::Map(Default::default()));
    added(client, "", &path, entry).unwrap_or_default()
}

fn split(text: &str) -> Result<(&str, &str), Error> {
    if text.len() > FILE_BYTES_MAX {
        return Err(Error::TooLarge { bytes: text.len() });
    }
    let body = text.strip_prefix(MARK).unwrap_or(text);
    Ok((text.get(..text.len() - body.len()).unwrap_or_default(), body))
}

fn tree(client: Client, body: &str) -> Result<Tree, Error> {
    match client.format() {
        Format::Json => json::tree(body),
        Format::Toml => toml::tree(body),
        Format::Yaml => yaml::tree(body),
    }
}

fn added(client: Client, body: &str, path: &[&str], entry: &Entry) -> Result<String, Error> {
    let fields = client.fields(entry, path);
    match client.format() {
        Format::Json => json::add(body, path, &fields),
        Format::Toml => toml::add(body, path, &fields),
        Format::Yaml => yaml::add(body, path, &fields),
    }
}

fn updated(client: Client, body: &str, path: &[&str], fields: &[Field]) -> Result<String, Error> {
    match client.format() {
        Format::Json => json::update(body, path, fields),
        Format::Toml => toml::update(body, path, fields),
        Format::Yaml => yaml::update(body, path, fields),
    }
}

fn removed(client: Client, body: &str, path: &[&str]) -> Result<String, Error> {
    match client.format() {
        Format::Json => json::remove(body, path),
        Format::Toml => toml::remove(body, path),
        Format::Yaml => yaml::remove(body, path),
    }
}

/// What is handed out says what was wanted, and about everything else what it said before.
fn checked(
    client: Client,
    before: &Tree,
    edited: &str,
    path: &[&str],
    wanted: Option<&Entry>,
) -> Result<(), Error> {
    let after = tree(client, edited).map_err(|error| Error::Edit { why: error.to_string() })?;
    let found = after.at(path).and_then(|servers| servers.get(NAME));
    let right = match (found.map(|found| Entry::of(client, found)), wanted) {
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
