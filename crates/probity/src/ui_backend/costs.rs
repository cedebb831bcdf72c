//! What runs cost: by day, by engine, the dearest ones, and how much of the day's limit is used.

use std::collections::BTreeMap;

use probity_page::backend::{CostGroup, CostOverview, RunCost, SpendLimit};
use probity_research::{
    CodedError, RunId,
    cost::{Cost, MicroUsd},
    list::{LIST_MAX, ListFilter},
    shelf::{ShelfEntry, ShelfPart},
    spending,
    status::RunSummary,
};

use crate::{app_context::AppContext, library};

/// Days that are counted.
const DAYS: i64 = 30;
const DAY_MS: i64 = 24 * 3_600_000;
/// Runs that are counted: two hundred a day.
const COUNTED_MAX: usize = 6_000;
/// Runs that are named.
const NAMED_MAX: usize = 20;

pub(super) fn cost_overview(app: &AppContext, limit: Option<MicroUsd>) -> Result<CostOverview, CodedError> {
    let since = app.now().plus_ms(-DAYS * DAY_MS);
    let listed = listed(app, since)?;
    let used = app.store.charged(app.now())?;
    let caps = limit.map(|limit| {
        // What a lost database had spent counts as the whole of any limit.
        let used = if used >= spending::UNREADABLE { limit } else { used };
        SpendLimit { name: "within 24 hours".to_owned(), limit, used }
    });
    Ok(CostOverview {
        since: since.date(),
        total: listed.iter().fold(Cost::Nothing, |sum, one| sum.plus(one.cost)),
        by_day: grouped(&listed, |one| one.asked_at.date()),
        by_provider: grouped(&listed, |one| format!("{} · {}", one.engine, one.agent)),
        by_research: dearest(app, listed)?,
        caps: caps.into_iter().collect(),
    })
}

fn listed(app: &AppContext, since: probity_research::time::Moment) -> Result<Vec<RunSummary>, CodedError> {
    let mut all = Vec::new();
    loop {
        let filter = ListFilter {
            asked_after: Some(since),
            limit: LIST_MAX,
            offset: all.len(),
            // What was removed was paid for all the same.
            part: ShelfPart::All,
            ..ListFilter::default()
        };
        let page = app.store.list(&filter)?;
        let last = page.len() < LIST_MAX;
        all.extend(page);
        if last || all.len() >= COUNTED_MAX {
            return Ok(all);
        }
    }
}

fn grouped(listed: &[RunSummary], name: impl Fn(&RunSummary) -> String) -> Vec<CostGroup> {
    let mut groups: BTreeMap<String, (Cost, u32)> = BTreeMap::new();
    for one in listed {
        let (cost, count) = groups.entry(name(one)).or_insert((Cost::Nothing, 0));
        *cost = cost.plus(one.cost);
        *count += 1;
    }
    groups.into_iter().map(|(name, (cost, count))| CostGroup { name, cost, count }).collect()
}

fn dearest(app: &AppContext, mut listed: Vec<RunSummary>) -> Result<Vec<RunCost>, CodedError> {
    let known = |one: &RunSummary| one.cost.known().unwrap_or(MicroUsd(0));
    listed.retain(|one| known(one) > MicroUsd(0));
    listed.sort_by_key(|one| std::cmp::Reverse(known(one)));
    listed.truncate(NAMED_MAX);
    let ids: Vec<RunId> = listed.iter().map(|one| one.id).collect();
    let entries = app.store.shelf_entries(&ids)?;
    let rows = listed.into_iter().map(|one| RunCost {
        id: one.id,
        question: named(&one, entries.get(&one.id)),
        asked_at: one.asked_at,
        cost: one.cost,
    });
    Ok(rows.collect())
}

/// What was removed was paid for, and is not shown.
fn named(run: &RunSummary, entry: Option<&ShelfEntry>) -> String {
    match entry.is_some_and(|entry| entry.removed_at.is_some()) {
        true => "a removed research".to_owned(),
        false => library::heading(run, entry),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{
        RunId,
        shelf::{ShelfEntry, Title},
        status::RunSummary,
        time::Moment,
    };
    use serde_json::json;

    use super::named;

    #[test]
    fn a_removed_research_is_counted_and_not_named() {
        let summary = json!({
            "id": RunId::from_random(7), "status": "completed", "due": false, "query": "why?", "engine": "web",
            "agent": "a", "asked_at": 0, "updated_at": 0, "progress_percent": 100, "progress_estimated": false,
            "current_action": "", "steps": 3, "searches": 2, "pages": 1, "attended_ms": 0,
            "cost": { "basis": "nothing" }, "sources": 2,
        });
        let summary: RunSummary = serde_json::from_value(summary).unwrap();
        assert_eq!(named(&summary, None), "why?");
        let titled = ShelfEntry { title: Some(Title::parse("Ice").unwrap()), ..ShelfEntry::default() };
        assert_eq!(named(&summary, Some(&titled)), "Ice");
        let removed = ShelfEntry { removed_at: Some(Moment(1)), ..titled };
        assert_eq!(named(&summary, Some(&removed)), "a removed research");
    }
}
