//! The entry that makes a client start us: a command and its arguments. Never a secret.

use std::collections::BTreeMap;

use crate::{
    client::{CommandForm, McpClient},
    error::Error,
    tree::ConfigTree,
};

/// The name of our entry in every client.
pub const NAME: &str = "probity";
/// The name of our program without its folder and its extension.
const PROGRAM: &str = "probity";
/// The subcommand that serves a client.
const VERB: &str = "mcp";
/// Words of an unknown command that are shown to the user.
const SHOWN_CHARACTERS_MAX: usize = 120;

/// The command that a client starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEntry {
    pub command: String,
    pub args: Vec<String>,
    /// Variables that the file sets for it. We write none.
    pub env: BTreeMap<String, String>,
}

/// One key of an entry as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryField {
    pub key: &'static str,
    pub value: FieldValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldValue {
    Text(String),
    Number(u64),
    Switch(bool),
    List(Vec<String>),
}

impl ServerEntry {
    /// What starts the program at `command` as a server.
    pub fn for_program(command: impl Into<String>) -> Self {
        Self { command: command.into(), args: vec![VERB.to_owned()], env: BTreeMap::new() }
    }

    pub(crate) fn from_tree(client: McpClient, found: &ConfigTree) -> Result<Self, Error> {
        let other = || Error::Foreign { starts: "starts no program".to_owned() };
        let (command, args, env) = match client.command_form() {
            CommandForm::Apart { command, args, env } => {
                let command = found.get(command).and_then(ConfigTree::text).ok_or_else(other)?.to_owned();
                let args = match found.get(args) {
                    None => Vec::new(),
                    Some(args) => args.texts().ok_or_else(other)?,
                };
                (command, args, env)
            }
            CommandForm::Together { command, env } => {
                let words = found.get(command).and_then(ConfigTree::texts).ok_or_else(other)?;
                let (first, rest) = words.split_first().ok_or_else(other)?;
                (first.clone(), rest.to_vec(), env)
            }
        };
        let env = match found.get(env) {
            Some(ConfigTree::Map(map)) => map
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), value.text()?.to_owned())))
                .collect(),
            _ => BTreeMap::new(),
        };
        Ok(Self { command, args, env })
    }

    /// The same program in the same way; variables are up to the user.
    pub fn starts_like(&self, other: &Self) -> bool {
        self.command == other.command && self.args == other.args
    }

    /// An entry that starts Probity as a server, from any path and through any launcher.
    pub fn is_ours(&self) -> bool {
        let serves = |args: &[String]| args.first().is_some_and(|verb| verb == VERB);
        if is_program(&self.command) {
            return serves(&self.args);
        }
        let named = |word: &String| word.starts_with("probity@") || is_program(word);
        match self.args.iter().position(named) {
            Some(at) => serves(self.args.get(at + 1..).unwrap_or_default()),
            None => false,
        }
    }

    /// Ends the sentence "it …". Arguments are left out: some people keep passwords there.
    pub(crate) fn description(&self) -> String {
        let shown: String = self.command.chars().filter(|letter| !letter.is_control()).collect();
        let mut shown: String = shown.chars().take(SHOWN_CHARACTERS_MAX).collect();
        if shown.is_empty() {
            shown.push('?');
        }
        format!("starts `{shown}`")
    }
}

/// Our program under its own name, or with a version or a system appended, as downloads are named.
fn is_program(command: &str) -> bool {
    let stem = stem(command);
    stem.strip_prefix(PROGRAM).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// The last part of a path of any system, without an ending for programs.
fn stem(command: &str) -> String {
    let last = command.rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
    let bare = [".exe", ".cmd"].iter().find_map(|ending| last.strip_suffix(ending));
    bare.map_or_else(|| last.clone(), str::to_owned)
}
