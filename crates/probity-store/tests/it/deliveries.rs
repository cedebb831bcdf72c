//! The outbox: one row whenever a research comes to rest, claimed by one worker at a time, never lost.

use std::{collections::BTreeSet, time::Duration};

use probity_research::{Event, ports::JournalWriter, status::RunStatus, tenant::TenantQuota};
use probity_store::postgres::{
    AttemptOutcome, DeliveryAttempt, DeliveryState, NewWebhook, Postgres, StoredSecret,
};

use crate::{
    postgres_server,
    tenants::{ended_for, principal, question, start},
    world::{self, Truth},
};

async fn webhook(store: &Postgres, tenant: &str, statuses: &[RunStatus]) -> u64 {
    let new = NewWebhook {
        tenant: Some(principal(tenant)),
        url: format!("https://{tenant}.example/hook"),
        secret: StoredSecret(b"sealed".to_vec()),
        statuses: statuses.to_vec(),
    };
    store.make_webhook(&new).await.unwrap()
}

async fn started(store: &Postgres, number: u128, tenant: &str) -> Truth {
    let (truth, entry) = question(number, Some(tenant), 10);
    start(store, entry, &TenantQuota::default(), None).await.unwrap();
    truth
}

fn told(claimed: &[DeliveryAttempt]) -> Vec<(u64, u32)> {
    claimed.iter().map(|one| (one.webhook, one.attempt)).collect()
}

#[tokio::test]
async fn one_row_for_each_time_that_a_research_comes_to_rest() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    let all = webhook(&store, "anna", &[]).await;
    let failures = webhook(&store, "anna", &[RunStatus::Failed]).await;
    let of_ben = webhook(&store, "ben", &[]).await;
    let mut truth = started(&store, 1, "anna").await;
    truth.append(&store, JournalWriter::Client, world::started(1)).await.unwrap();
    assert_eq!(store.claim_deliveries(10).await.unwrap(), [], "nothing has come to rest");
    truth.append(&store, JournalWriter::Client, ended_for(3)).await.unwrap();
    let claimed = store.claim_deliveries(10).await.unwrap();
    assert_eq!(told(&claimed), [(all, 1)], "not {failures}, not {of_ben}");
    let first = &claimed[0];
    assert_eq!(
        (first.research, first.sequence, first.status),
        (truth.id, truth.sequence(), RunStatus::Completed)
    );
    assert_eq!(first.asked_at, truth.journal[0].at);
    assert_eq!(
        (first.url.as_str(), &first.secret),
        ("https://anna.example/hook", &StoredSecret(b"sealed".to_vec()))
    );
    assert!(!format!("{first:?}").contains("sealed\""));
    store.settle_delivery(first.number, &AttemptOutcome::Delivered).await.unwrap();

    truth.append(&store, JournalWriter::Client, Event::Reopened).await.unwrap();
    assert_eq!(store.claim_deliveries(10).await.unwrap(), []);
    truth.append(&store, JournalWriter::Client, ended_for(4)).await.unwrap();
    let again = store.claim_deliveries(10).await.unwrap();
    assert_eq!(told(&again), [(all, 1)]);
    assert_ne!(again[0].number, first.number);

    let shown = store.deliveries(Some(&principal("anna")), 10).await.unwrap();
    let states: Vec<(u64, DeliveryState)> = shown.iter().map(|one| (one.number, one.state)).collect();
    assert_eq!(states, [(again[0].number, DeliveryState::Waiting), (first.number, DeliveryState::Delivered)]);
    assert_eq!(store.deliveries(Some(&principal("ben")), 10).await.unwrap(), []);
}

#[tokio::test]
async fn many_workers_share_the_outbox_without_telling_twice() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    webhook(&store, "anna", &[]).await;
    for number in 0..60 {
        started(&store, number, "anna")
            .await
            .append(&store, JournalWriter::Client, ended_for(1))
            .await
            .unwrap();
    }
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let store = store.clone();
        workers.spawn(async move {
            let mut mine = Vec::new();
            loop {
                let claimed = store.claim_deliveries(3).await.unwrap();
                if claimed.is_empty() {
                    return mine;
                }
                mine.extend(claimed.into_iter().map(|one| one.number));
            }
        });
    }
    let claimed: Vec<u64> = workers.join_all().await.into_iter().flatten().collect();
    let different: BTreeSet<u64> = claimed.iter().copied().collect();
    assert_eq!((claimed.len(), different.len()), (60, 60));
}

#[tokio::test]
async fn what_a_dead_worker_had_is_told_by_another_and_ends_some_day() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let hook = webhook(&store, "anna", &[]).await;
    started(&store, 1, "anna").await.append(&store, JournalWriter::Client, ended_for(1)).await.unwrap();
    let first = store.claim_deliveries(1).await.unwrap();
    assert_eq!(told(&first), [(hook, 1)]);
    assert_eq!(store.claim_deliveries(1).await.unwrap(), [], "it has it for the lease");
    let lease_ends = "UPDATE delivery SET next_at = now() WHERE state = 'waiting'";
    server.sql(&database.name, lease_ends);
    let second = store.claim_deliveries(1).await.unwrap();
    assert_eq!(told(&second), [(hook, 2)]);
    let why = "the receiver answered 503".to_owned();
    store
        .settle_delivery(second[0].number, &AttemptOutcome::Again { after: Duration::from_secs(60), why })
        .await
        .unwrap();
    assert_eq!(store.claim_deliveries(1).await.unwrap(), [], "not before the pause has passed");
    let of_anna = async || store.deliveries(Some(&principal("anna")), 1).await.unwrap().remove(0);
    assert_eq!(of_anna().await.last_answer.as_deref(), Some("the receiver answered 503"));

    server.sql(&database.name, "UPDATE delivery SET attempts = 20, next_at = now()");
    assert_eq!(store.claim_deliveries(1).await.unwrap(), [], "tried too often");
    assert_eq!((of_anna().await.state, of_anna().await.attempts), (DeliveryState::Dead, 20));
    // A worker that comes back from the dead changes nothing.
    store.settle_delivery(second[0].number, &AttemptOutcome::Delivered).await.unwrap();
    assert_eq!(of_anna().await.state, DeliveryState::Dead);
    assert_eq!(store.purge_deliveries().await, Ok(0));
    server.sql(&database.name, "UPDATE delivery SET settled_at = now() - interval '31 days'");
    assert_eq!(store.purge_deliveries().await, Ok(1));
}

#[tokio::test]
async fn a_webhook_belongs_to_its_tenant_and_takes_what_waits_with_it() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    let hook = webhook(&store, "anna", &[RunStatus::Completed]).await;
    started(&store, 1, "anna").await.append(&store, JournalWriter::Client, ended_for(1)).await.unwrap();
    assert_eq!(store.remove_webhook(Some(&principal("ben")), hook).await, Ok(false));
    assert_eq!(store.webhooks(Some(&principal("ben"))).await.unwrap(), []);
    assert_eq!(store.webhooks(Some(&principal("anna"))).await.unwrap()[0].statuses, [RunStatus::Completed]);
    assert_eq!(store.remove_webhook(Some(&principal("anna")), hook).await, Ok(true));
    assert_eq!(store.claim_deliveries(10).await.unwrap(), []);
    for _ in 0..10 {
        webhook(&store, "anna", &[]).await;
    }
    let more = NewWebhook {
        tenant: Some(principal("anna")),
        url: "https://anna.example".to_owned(),
        secret: StoredSecret(Vec::new()),
        statuses: Vec::new(),
    };
    assert!(store.make_webhook(&more).await.is_err(), "an eleventh");
}
