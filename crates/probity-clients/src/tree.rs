//! The values of a settings file, without its formatting: for reading entries, and for comparing before with
//! after.

use std::collections::BTreeMap;

use crate::error::Error;

/// Settings are a handful of levels deep; deeper files are attacks.
pub const DEPTH_MAX: usize = 100;

#[derive(Debug, Clone, PartialEq)]
pub enum ConfigTree {
    Text(String),
    /// A number, a switch, a date: only compared.
    Other(String),
    List(Vec<ConfigTree>),
    Map(BTreeMap<String, ConfigTree>),
}

impl ConfigTree {
    pub fn empty() -> Self {
        Self::Map(BTreeMap::new())
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.get(key),
            Self::Text(_) | Self::Other(_) | Self::List(_) => None,
        }
    }

    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |tree, key| tree.get(key))
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// Texts only: a list with anything else in it is none.
    pub fn texts(&self) -> Option<Vec<String>> {
        match self {
            Self::List(items) => items.iter().map(|item| item.text().map(str::to_owned)).collect(),
            Self::Text(_) | Self::Other(_) | Self::Map(_) => None,
        }
    }

    /// Without this entry, and without the maps on the way to it that are empty then: whether they are written
    /// makes no difference to a client.
    pub fn without(self, path: &[&str], name: &str) -> Self {
        let Self::Map(mut map) = self else { return self };
        match path.split_first() {
            None => {
                map.remove(name);
            }
            Some((first, rest)) => {
                if let Some(inner) = map.remove(*first) {
                    let inner = inner.without(rest, name);
                    let empty = matches!(&inner, Self::Map(left) if left.is_empty())
                        || matches!(&inner, Self::Other(word) if word == "null");
                    if !empty {
                        map.insert((*first).to_owned(), inner);
                    }
                }
            }
        }
        Self::Map(map)
    }
}

/// The next level down, if there may be one.
pub fn next_depth(depth: usize) -> Result<usize, Error> {
    if depth >= DEPTH_MAX { Err(Error::TooNested) } else { Ok(depth + 1) }
}
