//! What was spent: by day, by provider, by run, beside the limits that the user set.

use axum::extract::State;
use minijinja::{Value, context};
use probity_research::cost::MicroUsd;

use super::PageResult;
use crate::{PageState, backend::CostGroup, view};

/// Rows of one table: a quarter of a year, and more providers than there are.
const ROWS_MAX: usize = 100;

pub(crate) async fn show(State(shared): State<PageState>) -> PageResult {
    let costs = shared.backend.costs().await.map_err(|problem| shared.page_error(problem))?;
    let caps: Vec<Value> = costs
        .caps
        .iter()
        .take(ROWS_MAX)
        .map(|cap| {
            context! {
                name => view::short(&cap.name),
                limit => cap.limit.to_string(),
                used => cap.used.to_string(),
                share => view::share(cap.used, cap.limit),
            }
        })
        .collect();
    let by_research: Vec<Value> = costs
        .by_research
        .iter()
        .take(ROWS_MAX)
        .map(|one| {
            context! {
                id => one.id.to_string(),
                question => view::short(&one.question),
                asked => view::moment(one.asked_at),
                cost => view::cost(one.cost),
            }
        })
        .collect();
    Ok(shared.renderer.page(
        "costs.html",
        context! {
            title => "Costs",
            here => "costs",
            since => view::short(&costs.since),
            total => view::cost(costs.total),
            by_day => bars(&costs.by_day),
            by_provider => bars(&costs.by_provider),
            by_research,
            caps,
        },
    ))
}

/// Each with a bar relative to the dearest.
fn bars(rows: &[CostGroup]) -> Vec<Value> {
    let known = |spent: &CostGroup| spent.cost.known().unwrap_or_default();
    let most = rows.iter().map(known).max().unwrap_or_default().max(MicroUsd(1));
    let to_row = |spent: &CostGroup| {
        context! {
            name => view::short(&spent.name),
            cost => view::cost(spent.cost),
            count => spent.count,
            share => view::share(known(spent), most),
        }
    };
    rows.iter().take(ROWS_MAX).map(to_row).collect()
}
