//! The receipt of a search: what was looked for, where, and what could not be read. Stands beside every "not answered",
//! so that nothing is called missing that nobody looked for.

use serde::{Deserialize, Serialize};

use super::search::ProviderName;

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

    /// One line for people.
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
