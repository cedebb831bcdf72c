//! The receipt of a search, drawn up from where a run on the web engine stands.

use std::collections::BTreeSet;

use super::{
    plan::WebPlan,
    state::{WebState, to_count},
    task::WebTask,
};

pub use probity_types::web::receipt::SearchReceipt;

/// What was looked for, where, and what could not be read.
pub fn receipt(plan: &WebPlan, gathering: &WebState) -> SearchReceipt {
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
    SearchReceipt {
        queries,
        unanswered_queries: unanswered,
        providers: providers.into_iter().collect(),
        pages_read: to_count(gathering.pages.iter().filter(|page| page.is_read).count()),
        pages_unreadable: to_count(unreadable.count()),
        after: plan.filters.after.clone(),
        before: plan.filters.before.clone(),
    }
}
