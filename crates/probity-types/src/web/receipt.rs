//! The receipt of a search: what was looked for, where, and what could not be read. Stands beside every "not answered",
//! so that nothing is called missing that nobody looked for.

use serde::{Deserialize, Serialize};

use super::search::ProviderName;
use crate::report::phrases::ReportPhrases;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchReceipt {
    /// Queries that a provider answered, each once.
    pub queries: Vec<String>,
    /// Queries that no provider answered: nothing follows from them.
    pub unanswered_queries: Vec<String>,
    pub providers: Vec<ProviderName>,
    pub pages_read: u32,
    pub pages_unreadable: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

impl SearchReceipt {
    /// Nobody looked: nothing may be called missing.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty() && self.pages_read == 0
    }

    /// One line for people, in the language of a report.
    pub fn line_in(&self, phrases: &ReportPhrases) -> String {
        if phrases.receipt.is_empty() {
            return self.line();
        }
        let providers: Vec<&str> = self.providers.iter().map(|name| name.as_str()).collect();
        let named = if providers.is_empty() { "–".to_owned() } else { providers.join(", ") };
        let failed = match self.unanswered_queries.len() {
            0 => String::new(),
            failed => format!(", {}: {failed}", phrases.failed_queries),
        };
        let window = match (self.after.as_deref(), self.before.as_deref()) {
            (None, None) => String::new(),
            (after, before) => {
                format!(", {}: {} – {}", phrases.dates, after.unwrap_or("…"), before.unwrap_or("…"))
            }
        };
        phrases
            .receipt
            .replace("{queries}", &self.queries.len().to_string())
            .replace("{providers}", &named)
            .replace("{failed}", &failed)
            .replace("{pages}", &self.pages_read.to_string())
            .replace("{unreadable}", &self.pages_unreadable.to_string())
            .replace("{window}", &window)
    }

    /// The same in English.
    pub fn line(&self) -> String {
        let providers: Vec<&str> = self.providers.iter().map(|name| name.as_str()).collect();
        let window = match (&self.after, &self.before) {
            (None, None) => String::new(),
            (after, before) => format!(
                ", dates from {} to {}",
                after.as_deref().unwrap_or("any"),
                before.as_deref().unwrap_or("any")
            ),
        };
        let failed = match self.unanswered_queries.len() {
            0 => String::new(),
            1 => ", 1 more query failed".to_owned(),
            failed => format!(", {failed} more queries failed"),
        };
        let named = if providers.is_empty() { "no provider".to_owned() } else { providers.join(", ") };
        let queries = match self.queries.len() {
            1 => "1 query".to_owned(),
            queries => format!("{queries} queries"),
        };
        let pages = match self.pages_read {
            1 => "1 page".to_owned(),
            pages => format!("{pages} pages"),
        };
        format!(
            "Looked for with {queries} at {named}{failed}; {pages} read, {} could not be read{window}.",
            self.pages_unreadable
        )
    }
}

#[cfg(test)]
mod tests {
    use super::SearchReceipt;
    use crate::{report::phrases::ReportPhrases, web::search::ProviderName};

    #[test]
    fn a_receipt_is_told_in_the_language_of_its_report() {
        let receipt = SearchReceipt {
            queries: vec!["a".to_owned(), "b".to_owned()],
            unanswered_queries: vec!["c".to_owned()],
            providers: vec![ProviderName::Tavily],
            pages_read: 1,
            pages_unreadable: 0,
            after: Some("2024-01-01".to_owned()),
            before: None,
        };
        let told = |language: &str| receipt.line_in(&ReportPhrases::of(Some(language)));
        assert_eq!(told("en"), receipt.line());
        assert_eq!(
            told("de"),
            "Suchanfragen: 2 (tavily), fehlgeschlagen: 1; gelesene Seiten: 1, nicht lesbar: 0, Zeitraum: 2024-01-01 – …."
        );
        assert!(told("ar").contains(": 2 (tavily)") && !told("ja").contains('{'), "{}", told("ja"));
    }
}
