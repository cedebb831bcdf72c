//! What a follow-up knows from the research that it continues, as values of its plan: stored pages and quotations on
//! them. Which ones these are is chosen in `take_over`, once, so that the journal replays without the parent's.

use serde::{Deserialize, Serialize};

use super::{
    note::{FactKind, NoteFact, Quote, ReaderNote},
    task::PageMetadata,
};
use probity_types::inquiry::SurveyedQuote;

/// How the writer is told what not to tell again.
const TOLD_BEFORE: &str = "An earlier report told its reader the following. Do not tell it again: tell what is new, and name what it told only \
     where the question needs it.";

/// How a follow-up answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FollowUpKind {
    /// From what is there: nothing is searched and no page is fetched.
    Ask,
    /// By a research of its own that begins with what is there.
    Search,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentBank {
    pub kind: FollowUpKind,
    pub pages: Vec<ParentPage>,
    /// Sentences of the parent's report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// Sites of which the user of the parent wanted no page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub banned: Vec<String>,
}

/// A page that the parent read. Without quotations it is only not fetched again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentPage {
    pub metadata: PageMetadata,
    /// What it was read for.
    pub question: String,
    /// Pointers into the stored page.
    pub quotes: Vec<SurveyedQuote>,
}

impl ParentBank {
    pub fn quotations(&self) -> usize {
        self.pages.iter().map(|page| page.quotes.len()).sum()
    }

    /// Of all quotations together.
    pub fn bytes(&self) -> usize {
        self.pages.iter().flat_map(|page| &page.quotes).map(|quote| quote.text.len()).sum()
    }

    /// Pages that something is quoted from.
    pub fn pages_quoted(&self) -> usize {
        self.pages.iter().filter(|page| !page.quotes.is_empty()).count()
    }

    /// For the writer; none where nothing was told.
    pub fn told_before(&self) -> Option<String> {
        let lines: Vec<String> = self.told.iter().map(|sentence| format!("- {sentence}")).collect();
        (!lines.is_empty()).then(|| format!("{TOLD_BEFORE}\n{}", lines.join("\n")))
    }

    /// What of it two equal starts must agree in: the rest follows from the parent and the question.
    pub fn key_part(&self) -> Self {
        Self { kind: self.kind, pages: Vec::new(), told: Vec::new(), banned: self.banned.clone() }
    }
}

impl ParentPage {
    /// As a reader of the first engine would have noted it.
    pub fn note(&self) -> ReaderNote {
        let quote = |of: &SurveyedQuote| Quote { start: of.start, end: of.end, text: of.text.clone() };
        let facts = self.quotes.iter().enumerate().flat_map(|(place, of)| {
            of.facts.iter().map(move |fact| NoteFact {
                kind: if fact.value.chars().any(char::is_numeric) {
                    FactKind::Number
                } else {
                    FactKind::Other
                },
                value: fact.value.clone(),
                quote: place,
            })
        });
        ReaderNote {
            quotes: self.quotes.iter().map(quote).collect(),
            facts: facts.collect(),
            ..ReaderNote::default()
        }
    }
}
