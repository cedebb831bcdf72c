//! Texts that a test wants written, by any model: a question that ends in `[[report NAME]]` gets the text of
//! that name from agents, from models that answer in rounds and from the chat model when it writes.

use std::{collections::BTreeMap, sync::Arc};

use serde::Deserialize;
use serde_json::{Value, json};

/// What the tag begins with.
const TAG: &str = "[[report ";

#[derive(Debug, Clone, Default)]
pub struct Reports(BTreeMap<String, Arc<GivenReport>>);

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenReport {
    /// The whole text with its links, as an agent writes it.
    pub text: String,
    /// The same for a writer that cites notes by their numbers.
    #[serde(default)]
    pub sentences: Vec<GivenSentence>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenSentence {
    pub text: String,
    /// Words of the notes it cites, each note once; text that is in no note is cited by a number that no note
    /// has.
    #[serde(default)]
    pub like: Vec<String>,
}

impl Reports {
    /// `{"NAME": {"text": "…", "sentences": [{"text": "…", "like": ["…"]}]}}`.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let written: BTreeMap<String, GivenReport> = serde_json::from_str(text)?;
        Ok(Self(written.into_iter().map(|(name, given)| (name, Arc::new(given))).collect()))
    }

    /// The report that a prompt asks for by name.
    pub(crate) fn named_in(&self, prompt: &str) -> Option<Arc<GivenReport>> {
        let (_, behind) = prompt.split_once(TAG)?;
        let (name, _) = behind.split_once("]]")?;
        self.0.get(name.trim()).cloned()
    }
}

impl GivenReport {
    /// Addresses that the text links to, in its order, each once.
    pub(crate) fn links(&self) -> Vec<&str> {
        let mut links: Vec<&str> = Vec::new();
        for behind in self.text.split("](").skip(1) {
            let link = behind.split([')', ' ']).next().unwrap_or_default();
            if link.starts_with("http") && !links.contains(&link) {
                links.push(link);
            }
        }
        links
    }

    /// As the writer of the web engine answers: sentences with the numbers of their notes.
    pub(crate) fn to_draft_json(&self, title: &str, notes: &[(usize, &str)]) -> Value {
        let unknown = notes.iter().map(|(number, _)| number + 1).max().unwrap_or(1) + 900;
        let number = |like: &String| {
            let found = notes.iter().find(|(_, text)| text.contains(like.as_str()));
            found.map_or(unknown, |(number, _)| *number)
        };
        let sentence = |given: &GivenSentence| {
            let numbers: Vec<usize> = given.like.iter().map(number).collect();
            json!({"text": given.text, "notes": numbers})
        };
        let sentences: Vec<Value> = self.sentences.iter().map(sentence).collect();
        json!({"title": title, "sections": [{"heading": "", "sentences": sentences}], "unanswered": []})
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Reports;

    #[test]
    fn a_report_is_written_for_whoever_names_it() {
        let file = r#"{"a": {"text": "One [x](http://a.test/p). Two [y](http://b.test/q) [x](http://a.test/p).",
            "sentences": [{"text": "One", "like": ["uno"]}, {"text": "Two", "like": ["nowhere"]}, {"text": "Three"}]}}"#;
        let reports = Reports::from_json(file).unwrap();
        let given = reports.named_in("Say one and two [[report a]]").unwrap();
        assert_eq!(given.links(), ["http://a.test/p", "http://b.test/q"]);
        let written = given.to_draft_json("T", &[(4, "“uno, due”")]);
        let notes: Vec<_> =
            (0..3).map(|place| &written["sections"][0]["sentences"][place]["notes"]).collect();
        assert_eq!(notes, [&json!([4]), &json!([905]), &json!([])]);
        assert!(reports.named_in("Say one [[report b]]").is_none());
    }
}
