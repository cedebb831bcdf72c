//! What the user says of a run in the library: a title, tags, whether it is in the trash; and the words that are
//! searched for. Nothing of it changes the run itself.

use crate::{
    error::{Code, CodedError},
    text,
    time::Moment,
};

/// A removed run can be restored for so long; then the upkeep of the store purges it.
pub const TRASH_DAYS: u32 = 30;
/// Tags of one run: more is no order.
const TAGS_MAX: usize = 20;
/// Longest title: one line of a list.
const TITLE_CHARACTERS_MAX: usize = 200;
/// Longest tag.
const TAG_CHARACTERS_MAX: usize = 40;
/// Words of one search; further ones are left out.
const WORDS_MAX: usize = 12;

/// The user's own name for a run, shown instead of its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(String);

impl Title {
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let line = text::line(text, TITLE_CHARACTERS_MAX.saturating_add(1));
        match line.chars().count() {
            0 => Err(wrong("a title has at least one letter")),
            length if length > TITLE_CHARACTERS_MAX => {
                Err(wrong(&format!("a title has at most {TITLE_CHARACTERS_MAX} letters")))
            }
            _ => Ok(Self(line)),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A word by which runs are found together: lower case, without spaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(String);

impl Tag {
    /// `#ice` is `ice`: lists show it so.
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let typed = text.trim();
        let tag = typed.strip_prefix('#').unwrap_or(typed).to_lowercase();
        let fits = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/');
        let begins = tag.starts_with(char::is_alphanumeric);
        if !begins || tag.chars().count() > TAG_CHARACTERS_MAX || !tag.chars().all(fits) {
            let shown = text::line(text, TAG_CHARACTERS_MAX);
            return Err(wrong(&format!(
                "`{shown}` is no tag: one begins with a letter or a digit, has at most {TAG_CHARACTERS_MAX} of them, and \
                 `-`, `_`, `.`, `/` between"
            )));
        }
        Ok(Self(tag))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What to do with the tags of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagEdit {
    /// These and no others.
    Replace(Vec<Tag>),
    Change {
        add: Vec<Tag>,
        remove: Vec<Tag>,
    },
}

impl TagEdit {
    /// `+tag` and `tag` add, `-tag` removes.
    pub fn parse(words: &[String]) -> Result<Self, CodedError> {
        let (mut add, mut remove) = (Vec::new(), Vec::new());
        for word in words {
            match word.strip_prefix('-') {
                Some(tag) => remove.push(Tag::parse(tag)?),
                None => add.push(Tag::parse(word.strip_prefix('+').unwrap_or(word))?),
            }
        }
        Ok(Self::Change { add, remove })
    }

    /// The whole list as it is typed into one field: words between spaces or commas.
    pub fn parse_list(text: &str) -> Result<Self, CodedError> {
        let words = text.split(|letter: char| letter == ',' || letter.is_whitespace());
        let tags: Result<Vec<Tag>, CodedError> =
            words.filter(|word| !word.is_empty()).map(Tag::parse).collect();
        tags.map(Self::Replace)
    }

    /// The tags after it, in their order, each once.
    pub fn apply(self, tags: Vec<Tag>) -> Result<Vec<Tag>, CodedError> {
        let mut after = match self {
            Self::Replace(tags) => tags,
            Self::Change { add, remove } => {
                tags.into_iter().chain(add).filter(|tag| !remove.contains(tag)).collect()
            }
        };
        after.sort();
        after.dedup();
        if after.len() > TAGS_MAX {
            return Err(wrong(&format!("a research has at most {TAGS_MAX} tags")));
        }
        Ok(after)
    }
}

/// What the user said of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShelfEntry {
    pub title: Option<Title>,
    pub tags: Vec<Tag>,
    /// When it was put into the trash.
    pub removed_at: Option<Moment>,
}

impl ShelfEntry {
    /// When the upkeep may purge it.
    pub fn purged_after(&self) -> Option<Moment> {
        self.removed_at.map(|at| at.plus_ms(trash_ms()))
    }
}

/// How long the trash keeps a run.
pub fn trash_ms() -> i64 {
    i64::from(TRASH_DAYS) * 24 * 3_600_000
}

/// Which runs a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShelfPart {
    /// Those that were not removed.
    #[default]
    Kept,
    /// Those in the trash.
    Removed,
    /// For sums: what was removed was paid for all the same.
    All,
}

/// Words that a run has to have, each at the beginning of a word of its report or anywhere in its question or title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWords(Vec<String>);

impl SearchWords {
    /// None where there is neither a letter nor a digit.
    pub fn parse(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let parts = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = parts.take(WORDS_MAX).map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

fn wrong(message: &str) -> CodedError {
    CodedError::new(Code::InvalidArguments, message)
}

#[cfg(test)]
mod tests {
    use super::{SearchWords, TITLE_CHARACTERS_MAX, Tag, TagEdit, Title};

    fn names(tags: &[Tag]) -> Vec<&str> {
        tags.iter().map(Tag::as_str).collect()
    }

    #[test]
    fn a_title_is_one_line_and_not_cut() {
        assert_eq!(Title::parse("  Ice\nin the\u{202E} Alps ").unwrap().as_str(), "Ice in the Alps");
        assert!(Title::parse(" \n").is_err());
        assert!(Title::parse(&"a".repeat(TITLE_CHARACTERS_MAX)).is_ok());
        assert!(Title::parse(&"a".repeat(TITLE_CHARACTERS_MAX + 1)).is_err());
    }

    #[test]
    fn tags_are_added_and_removed() {
        let before = vec![Tag::parse("Work").unwrap(), Tag::parse("old").unwrap()];
        let typed = ["+ice".to_owned(), "alps".to_owned(), "-old".to_owned()];
        let after = TagEdit::parse(&typed).unwrap().apply(before).unwrap();
        assert_eq!(names(&after), ["alps", "ice", "work"]);
        let whole = TagEdit::parse_list("b, a  a").unwrap().apply(after).unwrap();
        assert_eq!(names(&whole), ["a", "b"]);
        assert_eq!(Tag::parse("#Ice").unwrap().as_str(), "ice");
        assert!(TagEdit::parse(&["-#old".to_owned(), "+#new".to_owned()]).is_ok());
        for wrong in ["", "two words", "+", "<b>", "-", "#", "##a"] {
            assert!(Tag::parse(wrong).is_err(), "{wrong}");
        }
        let many: Vec<String> = (0..21).map(|number| format!("t{number}")).collect();
        assert!(TagEdit::parse(&many).unwrap().apply(Vec::new()).is_err());
    }

    #[test]
    fn only_letters_and_digits_are_searched_for() {
        assert_eq!(
            SearchWords::parse("Ice-loss \"2024\" OR *").unwrap().as_slice(),
            ["ice", "loss", "2024", "or"]
        );
        assert_eq!(SearchWords::parse("\"* -?"), None);
    }
}
