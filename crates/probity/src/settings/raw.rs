//! Settings as written: texts with the place they were written at. Optional, and unchecked but for their names.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use crate::{
    command_error::CommandError,
    environment::{self, Environment},
    settings::definitions::{self, SettingDefinition},
};
use probity_research::Code;

/// Names that are offered for a wrong one.
const NEAREST_MAX: usize = 3;
/// A shorter word is in too many names to say which was meant.
const WORD_LETTERS_MIN: usize = 4;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    Default,
    File {
        path: PathBuf,
        line: usize,
    },
    Variable(String),
    Flag(&'static str),
    /// Nowhere yet: a value that is tried before it is written.
    Typed,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => out.write_str("default"),
            Self::File { path, line } => write!(out, "{}:{line}", path.display()),
            Self::Variable(name) => out.write_str(name),
            Self::Flag(name) => out.write_str(name),
            Self::Typed => out.write_str("the new value"),
        }
    }
}

/// One value as text; a list has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawValue {
    pub texts: Vec<String>,
    pub origin: SettingOrigin,
}

impl RawValue {
    pub fn one(text: impl Into<String>, origin: SettingOrigin) -> Self {
        Self { texts: vec![text.into()], origin }
    }

    pub fn text(&self) -> String {
        self.texts.join(",")
    }
}

/// Names are checked, values are not.
#[derive(Debug, Clone, Default)]
pub struct RawSettings {
    pub values: BTreeMap<&'static str, RawValue>,
}

impl RawSettings {
    pub fn defaults() -> Self {
        let with_default = definitions::all().filter(|known| !known.default.is_empty());
        let values =
            with_default.map(|known| (known.key, RawValue::one(known.default, SettingOrigin::Default)));
        Self { values: values.collect() }
    }

    /// The text and the place of a value.
    pub fn get(&self, key: &str) -> Option<&RawValue> {
        self.values.get(key)
    }

    /// Later layers win.
    pub fn override_with(&mut self, later: Self) {
        self.values.extend(later.values);
    }

    pub fn from_environment(environment: &Environment) -> Result<Self, CommandError> {
        let (raw, problems) = Self::usable_from_environment(environment);
        problems.into_iter().next().map_or(Ok(raw), Err)
    }

    /// What of the variables can be used, and what is wrong with the rest.
    pub fn usable_from_environment(environment: &Environment) -> (Self, Vec<CommandError>) {
        let (mut raw, mut problems) = (Self::default(), Vec::new());
        for (name, key) in environment::GENERAL {
            if let Some(text) = environment.text(name) {
                raw.values.insert(key, RawValue::one(text, SettingOrigin::Variable(name.to_owned())));
            }
        }
        for (name, value) in environment.settings() {
            let Some(known) = of_variable(name) else {
                problems.push(unknown_variable(name));
                continue;
            };
            let texts = match known.kind {
                definitions::SettingKind::Names => {
                    value.split(',').map(|name| name.trim().to_owned()).collect()
                }
                _ => vec![value],
            };
            raw.values
                .insert(known.key, RawValue { texts, origin: SettingOrigin::Variable(name.to_owned()) });
        }
        (raw, problems)
    }
}

fn of_variable(name: &str) -> Option<&'static SettingDefinition> {
    definitions::all().find(|known| known.variable() == name)
}

/// A misspelt budget must not pass as "no budget".
fn unknown_variable(name: &str) -> CommandError {
    let names: Vec<String> = definitions::all().map(SettingDefinition::variable).collect();
    let message = format!("`{name}` is not a variable Probity knows{}", did_you_mean(name, &names));
    CommandError::new(Code::Settings, &message)
}

/// ` (did you mean …?)` when one of the names is close, else nothing.
pub fn did_you_mean(wrong: &str, names: &[String]) -> String {
    match closest(wrong, names.iter().map(String::as_str)) {
        Some(name) => format!(" (did you mean `{name}`?)"),
        None => String::new(),
    }
}

/// The name that was probably meant.
pub fn closest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let nearest = names.map(|name| (distance(wrong, name), name)).min()?;
    (nearest.0 <= 3).then_some(nearest.1)
}

/// Names that may have been meant, nearest first: a few letters away, or with the typed word in them.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = wrong.to_lowercase();
    let word = typed.rsplit('.').next().unwrap_or_default();
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (distance(&typed, &name.to_lowercase()), name))
        .filter(|(letters, name)| {
            *letters <= 3 || (word.len() >= WORD_LETTERS_MIN && name.to_lowercase().contains(word))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(NEAREST_MAX).map(|(_, name)| name).collect()
}

/// Letters to add, drop or change.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, letter) in from.chars().enumerate() {
        let mut next = vec![above + 1];
        for ((other, diagonal), up) in to.iter().zip(&row).zip(row.iter().skip(1)) {
            let left = next.last().copied().unwrap_or(usize::MAX - 1);
            let changed = diagonal + usize::from(*other != letter);
            next.push(changed.min(left + 1).min(up + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}
