//! Parts of a text that are not read on purpose: they are no prose of it. They are counted and told, and a text whose
//! sentences stand in them is not called verified as a whole.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkippedKind {
    CodeBlock,
    FrontMatter,
    /// The words behind the address of `[1]: https://… "…"`, which a reader sees under the pointer.
    LinkTitle,
    /// Menus and buttons of a page.
    Navigation,
}

/// All parts of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedParts {
    pub kind: SkippedKind,
    pub count: u32,
    /// How many of them hold a sentence.
    #[serde(default)]
    pub with_sentences: u32,
}

impl SkippedParts {
    /// `2 code blocks (1 with sentences)`
    pub fn in_words(&self) -> String {
        let counted = |one: &str, more: &str| match self.count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let named = match self.kind {
            SkippedKind::CodeBlock => counted("code block", "code blocks"),
            SkippedKind::FrontMatter => "front matter".to_owned(),
            SkippedKind::LinkTitle => counted("title of a link", "titles of links"),
            SkippedKind::Navigation => "navigation".to_owned(),
        };
        match self.with_sentences {
            0 => named,
            all if all >= self.count => format!("{named} (with sentences)"),
            some => format!("{named} ({some} with sentences)"),
        }
    }
}

/// `1 code block, front matter (with sentences)`; empty where nothing was skipped.
pub fn in_words<'a>(skipped: impl IntoIterator<Item = &'a SkippedParts>) -> String {
    skipped.into_iter().map(SkippedParts::in_words).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{SkippedKind, SkippedParts};
    use crate::ledger::Ledger;

    #[test]
    fn what_is_not_read_on_purpose_is_told_behind_what_did_not_fit() {
        let parts = |kind, count, with_sentences| SkippedParts { kind, count, with_sentences };
        let mut ledger = Ledger { unread: vec!["the last 5 bytes".to_owned()], ..Ledger::default() };
        assert_eq!(ledger.not_examined(), ["the last 5 bytes"]);
        ledger.skipped = vec![
            parts(SkippedKind::CodeBlock, 3, 1),
            parts(SkippedKind::FrontMatter, 1, 1),
            parts(SkippedKind::Navigation, 2, 0),
        ];
        assert_eq!(
            ledger.not_examined(),
            [
                "the last 5 bytes",
                "not read on purpose: 3 code blocks (1 with sentences), front matter (with sentences), navigation"
            ]
        );
    }
}
