//! What runs cost: by day, by engine, the dearest ones, and how much of the day's limit is used.

use std::collections::BTreeMap;

use probity_page::backend::{CostGroup, CostOverview, RunCost, SpendLimit};
use probity_research::{
    CodedError,
    cost::{Cost, MicroUsd},
    list::{LIST_MAX, ListFilter},
    shelf::ShelfPart,
    spending,
    status::RunSummary,
};

use crate::app_context::AppContext;

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
        by_research: dearest(listed),
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

fn dearest(mut listed: Vec<RunSummary>) -> Vec<RunCost> {
    let known = |one: &RunSummary| one.cost.known().unwrap_or(MicroUsd(0));
    listed.retain(|one| known(one) > MicroUsd(0));
    listed.sort_by_key(|one| std::cmp::Reverse(known(one)));
    let named = listed.into_iter().take(NAMED_MAX);
    named
        .map(|one| RunCost { id: one.id, question: one.query, asked_at: one.asked_at, cost: one.cost })
        .collect()
}
