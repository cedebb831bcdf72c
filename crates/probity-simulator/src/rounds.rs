//! The script of a model, as a prompt asks for it: `[[rounds key=K turns=draft,agreed]]` anywhere in its text.
//!
//! Other keys: `topic=` (what the report is about, the key unless said), `duration_ms=`, `bytes=` (for
//! `huge`), `pages=named|numeric|paywall|robots|scripts|dead` (where its pages are, and whether anyone can read
//! them there). Every new turn of a key takes the next item; the last one repeats. Never counts turns itself.

mod item;

use crate::named_set::named;

pub use item::Item;
pub(crate) use item::{ItemOutcome, TurnRefusal};

/// The word the tag begins with.
pub(crate) const TAG: &str = "rounds";
/// How long a turn takes in the Interactions API unless the tag says otherwise: long enough to be seen
/// running, short enough for a test of ten rounds.
pub(crate) const DURATION_MS: u64 = 200;
/// Items one script may have: more rounds than any setting allows, and a tag that is still readable.
pub const TURNS_MAX: usize = 64;
/// Letters of a key or topic: they end up in addresses and in a ledger.
pub const WORD_BYTES_MAX: usize = 64;
/// Size of the `huge` report unless the tag says otherwise.
const BYTES: u32 = 2_000_000;

named! {
    /// Where the pages of a topic are. Those of `named` can be read by anyone.
    pub enum Pages {
        Named = "named",
        Numeric = "numeric",
        Paywall = "paywall",
        Robots = "robots",
        Scripts = "scripts",
        Dead = "dead",
    }
}

impl Pages {
    /// What every page address begins with; the topic follows. The numeric host is of a range that is
    /// documentation only and that the Gemini CLI does not know to be: it asks about such a page without
    /// looking a name up.
    pub(crate) fn url_prefix(self) -> &'static str {
        match self {
            Self::Named => "http://pages.example/",
            Self::Numeric => "http://[3fff::1]/",
            Self::Paywall => "http://paywall.example/",
            Self::Robots => "http://robots.example/",
            Self::Scripts => "http://scripts.example/",
            Self::Dead => "http://dead.example/",
        }
    }
}

/// One `[[rounds …]]` tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundsScript {
    /// Whose turns are counted together.
    pub key: String,
    /// Never empty.
    pub turns: Vec<Item>,
    pub topic: String,
    pub duration_ms: Option<u64>,
    /// Size of the `huge` report.
    pub bytes: u32,
    pub pages: Pages,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoundsError {
    #[error("a rounds tag needs `{0}=`")]
    Missing(&'static str),
    #[error("rounds have no key `{0}`")]
    UnknownKey(String),
    #[error("`{value}` is not a value for the key `{key}` of rounds")]
    BadValue { key: String, value: String },
}

impl RoundsScript {
    /// The first rounds tag of a text, and `None` when there is none.
    pub fn in_text(text: &str) -> Result<Option<Self>, RoundsError> {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once("[[") {
            rest = after;
            let Some(behind) = after.strip_prefix(TAG) else { continue };
            let Some((words, _)) = behind.split_once("]]") else { continue };
            if words.is_empty() || words.starts_with(char::is_whitespace) {
                return Self::parse(words).map(Some);
            }
        }
        Ok(None)
    }

    /// The item of the turn with this number, counted from one.
    pub(crate) fn item(&self, turn: u32) -> Item {
        let index = usize::try_from(turn.saturating_sub(1)).unwrap_or(usize::MAX);
        self.turns.get(index).or(self.turns.last()).copied().unwrap_or(Item::Draft)
    }

    fn parse(words: &str) -> Result<Self, RoundsError> {
        let (mut key, mut turns, mut topic, mut duration_ms) = (None, None, None, None);
        let (mut bytes, mut pages) = (BYTES, Pages::Named);
        for word in words.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let bad = || RoundsError::BadValue { key: name.to_owned(), value: value.to_owned() };
            match name {
                "key" => key = Some(plain_word(value).ok_or_else(bad)?),
                "turns" => turns = Some(items(value).ok_or_else(bad)?),
                "topic" => topic = Some(plain_word(value).ok_or_else(bad)?),
                "pages" => pages = Pages::parse(value).ok_or_else(bad)?,
                "duration_ms" => duration_ms = Some(value.parse().map_err(|_| bad())?),
                "bytes" => {
                    bytes = value.parse::<u32>().map_err(|_| bad())?.min(crate::scenario::BYTES_MAX);
                }
                _ => return Err(RoundsError::UnknownKey(name.to_owned())),
            }
        }
        let key = key.ok_or(RoundsError::Missing("key"))?;
        let turns = turns.ok_or(RoundsError::Missing("turns"))?;
        let topic = topic.unwrap_or_else(|| key.clone());
        Ok(Self { key, turns, topic, duration_ms, bytes, pages })
    }
}

/// A word that may be in an address unchanged.
fn plain_word(value: &str) -> Option<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = !value.is_empty() && value.len() <= WORD_BYTES_MAX && value.bytes().all(plain);
    fits.then(|| value.to_owned())
}

fn items(value: &str) -> Option<Vec<Item>> {
    let items: Option<Vec<Item>> = value.split(',').take(TURNS_MAX + 1).map(Item::parse).collect();
    items.filter(|items| items.len() <= TURNS_MAX)
}

#[cfg(test)]
mod tests;
