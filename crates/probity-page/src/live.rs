//! A run under way as a stream of whole views: each one replaces the last, so a lost one is not missed and a
//! broken stream goes on with the newest.

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::{Path, State},
    http::HeaderMap,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use minijinja::{Value, context};
use probity_research::{Sequence, time::Moment};

use crate::{
    PageState,
    backend::{RunView, RunViewStream},
    pages::PageError,
    view,
};

/// Pause between two views: an eye follows three a second, and a busy run has many more events.
const PAUSE: Duration = Duration::from_millis(350);
/// Events that are skipped for the newest at once; bounds what a flood can delay.
const SKIPPED_MAX: usize = 256;
/// How long browsers wait before they reconnect.
const RETRY: Duration = Duration::from_secs(2);

pub(crate) async fn live_stream(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let id = shared.parse_id(&id)?;
    let after = last_seen(&headers);
    let changes = shared.backend.watch_run(id, after).await.map_err(|problem| shared.page_error(problem))?;
    let events = views(shared, changes);
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// The last event that a reconnecting browser has seen.
fn last_seen(headers: &HeaderMap) -> Sequence {
    let last_id = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    Sequence(last_id.and_then(|text| text.parse().ok()).unwrap_or(0))
}

fn views(shared: PageState, changes: RunViewStream) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    stream::unfold((shared, changes, StreamPhase::First), |(shared, mut changes, pace)| async move {
        match pace {
            StreamPhase::First => {}
            StreamPhase::Later => tokio::time::sleep(PAUSE).await,
            StreamPhase::Over => return None,
        }
        let present = newest(&mut changes).await?;
        let over = present.summary.status.is_final();
        let event = event(&shared, &present);
        let pace = if over { StreamPhase::Over } else { StreamPhase::Later };
        Some((Ok(event), (shared, changes, pace)))
    })
}

enum StreamPhase {
    First,
    Later,
    Over,
}

/// Waits for one, then skips to the newest that is ready.
async fn newest(changes: &mut RunViewStream) -> Option<RunView> {
    let mut present = changes.next().await?;
    for _ in 0..SKIPPED_MAX {
        match changes.next().now_or_never() {
            Some(Some(later)) => present = later,
            Some(None) | None => break,
        }
    }
    Some(present)
}

fn event(shared: &PageState, present: &RunView) -> Event {
    let name = if present.summary.status.is_final() { "over" } else { "view" };
    let text = shared.renderer.text("live.html", live_values(present, shared.backend.now()));
    let text = text.unwrap_or_else(|error| {
        tracing::error!(%error, "view was not rendered");
        String::new()
    });
    // A carriage return would end the line of the stream early.
    Event::default().id(present.sequence.0.to_string()).event(name).retry(RETRY).data(text.replace('\r', ""))
}

/// The data of the live view, on the page and in the stream alike.
pub(crate) fn live_values(present: &RunView, now: Moment) -> Value {
    let spent = present.summary.cost.known();
    context! {
        summary => view::summary(&present.summary, now),
        meter => present.budget.zip(spent).map(|(budget, spent)| context! {
            share => view::share(spent, budget),
            spent => spent.to_string(),
            budget => budget.to_string(),
            is_set => present.budget_is_set,
            close => spent.0.saturating_mul(5) >= budget.0.saturating_mul(4),
        }),
        news => present.summary.news.iter().rev().map(|news| view::short(&news.sentence())).collect::<Vec<String>>(),
        steps => view::steps::step_tree(&present.trace, now),
    }
}
