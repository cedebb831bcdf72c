//! Tells clients when a research they subscribed to has changed, in the way of their era.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use probity_research::{RunId, principal::RunAccess, status::RunSummary};
use probity_runner::tasks::TaskGroup;
use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{ResourceUpdatedNotificationParam, SubscriptionFilter},
    service::{RequestContext, SubscriptionContext},
};
use tokio_util::sync::CancellationToken;

use crate::{
    backend::{Backend, WatchCondition},
    caller,
    mcp_server::McpServer,
    resources::{self, address::ResourceAddress},
    stdio::ShutdownSignal,
};

/// Subscriptions of one session, or of one `subscriptions/listen`.
pub const SUBSCRIPTIONS_MAX: usize = 64;
/// How long one look lasts before the client's presence is asked for again.
const LOOK: Duration = Duration::from_secs(30);

/// What one session of the old era has subscribed to. Ends with the session.
#[derive(Default)]
pub struct Subscriptions {
    watched: Arc<Mutex<HashMap<String, CancellationToken>>>,
    tasks: TaskGroup,
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        self.lock().drain().for_each(|(_, stop)| stop.cancel());
    }
}

impl Subscriptions {
    /// What we can tell about: researches, at most so many.
    pub fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
        let uris = requested.resource_subscriptions.iter().flatten();
        let known = uris.filter(|uri| ResourceAddress::parse(uri).is_some()).take(SUBSCRIPTIONS_MAX);
        SubscriptionFilter::builder().resource_subscriptions(known.cloned()).build()
    }

    /// The new era: one request stays open and carries the updates of all its resources.
    pub async fn listen(face: &McpServer, context: SubscriptionContext) {
        let reach = caller::reach(context.request_context());
        let leaving = ShutdownSignal::token_from(&context.request_context().extensions);
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let watching = TaskGroup::default();
        for uri in uris {
            let Some(summary) = find_resource(face, &reach, &uri).await else { continue };
            let (desk, sink) = (face.shared_backend(), context.sink().clone());
            watching.spawn_named("subscription", move |stop| async move {
                let told =
                    follow(&*desk, summary, || async { sink.notify_resource_updated(&uri).await.is_ok() });
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = told => {}
                }
            });
        }
        // Also when everything rests: the client decides when to leave.
        tokio::select! {
            () = context.cancelled() => {}
            () = leaving.cancelled() => {}
        }
        watching.close().await;
    }

    /// The old era: each resource on its own, until told otherwise or the session ends.
    pub async fn subscribe(
        &self,
        face: &McpServer,
        uri: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let reach = caller::reach(context);
        let Some(summary) = find_resource(face, &reach, &uri).await else {
            return Err(resources::not_found(&uri));
        };
        let stop = CancellationToken::new();
        {
            let mut watched = self.lock();
            if watched.len() >= SUBSCRIPTIONS_MAX && !watched.contains_key(&uri) {
                let message = format!("a session has at most {SUBSCRIPTIONS_MAX} subscriptions");
                return Err(ErrorData::invalid_request(message, None));
            }
            if let Some(before) = watched.insert(uri.clone(), stop.clone()) {
                before.cancel();
            }
        }
        let (desk, peer) = (face.shared_backend(), context.peer.clone());
        self.tasks.spawn_named("subscription", move |_| async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = follow(&*desk, summary, || notify_update(&peer, &uri)) => {}
            }
        });
        Ok(())
    }

    pub fn unsubscribe(&self, uri: &str) {
        if let Some(stop) = self.lock().remove(uri) {
            stop.cancel();
        }
    }

    /// Every change to the map is one call: a panic elsewhere leaves it whole.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn notify_update(peer: &Peer<RoleServer>, uri: &str) -> bool {
    let updated = ResourceUpdatedNotificationParam::new(uri);
    !peer.is_transport_closed() && peer.notify_resource_updated(updated).await.is_ok()
}

async fn find_resource(face: &McpServer, reach: &RunAccess, uri: &str) -> Option<RunSummary> {
    let id: RunId = ResourceAddress::parse(uri)?.id;
    face.find_within(reach, &id.to_string()).await.ok()
}

/// Calls `tell` after every change until the research rests or nobody takes the news.
async fn follow<F: Future<Output = bool>>(desk: &dyn Backend, mut summary: RunSummary, tell: impl Fn() -> F) {
    while !summary.status.is_final() {
        match desk.watch(summary.id, WatchCondition::ChangedAfter(summary.updated_at), LOOK).await {
            Ok(now) if now.updated_at == summary.updated_at => {}
            Ok(now) => {
                summary = now;
                if !tell().await {
                    return;
                }
            }
            Err(problem) => {
                tracing::debug!(research = %summary.id, code = %problem.code, "subscription ends");
                return;
            }
        }
    }
}
