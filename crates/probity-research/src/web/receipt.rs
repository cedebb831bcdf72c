//! The receipt of a search: which queries, where, and what could not be read. Shown with every "not
//! answered", so that nothing is called missing that was not searched for.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    plan::WebPlan,
    search::ProviderName,
    state::{WebState, to_count},
    task::WebTask,
};

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
    pub fn of(plan: &WebPlan, gathering: &WebState) -> Self {
        let mut answered = BTreeSet::new();
        let mut providers = BTreeSet::new();
        for searched in gathering.search_outcomes.iter().filter(|searched| searched.problem.is_none()) {
            answered.insert(searched.query);
            providers.insert(searched.provider);
        }
        let (mut queries, mut unanswered): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for (place, asked) in gathering.queries.iter().enumerate() {
            let list = if answered.contains(&to_count(place)) { &mut queries } else { &mut unanswered };
            if !list.contains(&asked.query) {
                list.push(asked.query.clone());
            }
        }
        let unreadable = gathering.troubles.iter().filter(|(task, _)| matches!(task, WebTask::Page { .. }));
        Self {
            queries,
            unanswered_queries: unanswered,
            providers: providers.into_iter().collect(),
            pages_read: to_count(gathering.pages.iter().filter(|page| page.is_read).count()),
            pages_unreadable: to_count(unreadable.count()),
            after: plan.filters.after.clone(),
            before: plan.filters.before.clone(),
        }
    }

    /// No search was made: nothing may be called missing.
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
            failed => format!(", {failed} more queries failed"),
        };
        let named = if providers.is_empty() { "no provider".to_owned() } else { providers.join(", ") };
        format!(
            "Looked for with {} queries at {named}{failed}; {} pages read, {} could not be read{window}.",
            self.queries.len(),
            self.pages_read,
            self.pages_unreadable
        )
    }
}
