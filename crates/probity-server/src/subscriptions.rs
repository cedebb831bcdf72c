//! Notifies clients when a run they subscribed to has changed, as their protocol era expects.

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
/// How long one wait for a change lasts before the client's presence is checked again.
const LOOK: Duration = Duration::from_secs(30);

/// The subscriptions of one session of the old era. Ends with the session.
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
    /// What can be subscribed to: runs, at most so many.
    pub fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
        let uris = requested.resource_subscriptions.iter().flatten();
        let known = uris.filter(|uri| ResourceAddress::parse(uri).is_some()).take(SUBSCRIPTIONS_MAX);
        SubscriptionFilter::builder().resource_subscriptions(known.cloned()).build()
    }

    /// The new era: one request stays open and sends the updates of all its resources.
    pub async fn listen(server: &McpServer, context: SubscriptionContext) {
        let reach = caller::reach(context.request_context());
        let leaving = ShutdownSignal::token_from(&context.request_context().extensions);
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let watching = TaskGroup::default();
        for uri in uris {
            let Some(summary) = find_resource(server, &reach, &uri).await else { continue };
            let (backend, sink) = (server.shared_backend(), context.sink().clone());
            watching.spawn_named("subscription", move |stop| async move {
                let updates =
                    follow(&*backend, summary, || async { sink.notify_resource_updated(&uri).await.is_ok() });
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = updates => {}
                }
            });
        }
        // Also when all runs are at rest: the client decides when to leave.
        tokio::select! {
            () = context.cancelled() => {}
            () = leaving.cancelled() => {}
        }
        watching.close().await;
    }

    /// The old era: each resource on its own, until the client unsubscribes or the session ends.
    pub async fn subscribe(
        &self,
        server: &McpServer,
        uri: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let reach = caller::reach(context);
        let Some(summary) = find_resource(server, &reach, &uri).await else {
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
        let (backend, peer) = (server.shared_backend(), context.peer.clone());
        self.tasks.spawn_named("subscription", move |_| async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = follow(&*backend, summary, || notify_update(&peer, &uri)) => {}
            }
        });
        Ok(())
    }

    pub fn unsubscribe(&self, uri: &str) {
        if let Some(stop) = self.lock().remove(uri) {
            stop.cancel();
        }
    }

    /// Every change to the map is one call: a panic elsewhere leaves it consistent.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn notify_update(peer: &Peer<RoleServer>, uri: &str) -> bool {
    let updated = ResourceUpdatedNotificationParam::new(uri);
    !peer.is_transport_closed() && peer.notify_resource_updated(updated).await.is_ok()
}

async fn find_resource(server: &McpServer, reach: &RunAccess, uri: &str) -> Option<RunSummary> {
    let id: RunId = ResourceAddress::parse(uri)?.id;
    server.find_within(reach, &id.to_string()).await.ok()
}

/// Calls `tell` after every change until the run is at rest or the client stops reading.
async fn follow<F: Future<Output = bool>>(
    backend: &dyn Backend,
    mut summary: RunSummary,
    tell: impl Fn() -> F,
) {
    while !summary.status.is_final() {
        match backend.watch(summary.id, WatchCondition::ChangedAfter(summary.updated_at), LOOK).await {
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
