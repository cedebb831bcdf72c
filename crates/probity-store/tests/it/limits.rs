//! Providers' limits shared through a real database: many lessees at once, one that dies, an outage.

use std::{sync::Arc, time::Duration};

use probity_research::{
    id::{Digest, OwnerId},
    throttle::{
        CallObservations, CallRate, ProviderCeiling, ShareAllocator as _, ThrottleTarget,
        share::{ShareDemand, ShareRequest, ThrottleShare},
    },
};
use probity_store::Postgres;
use tokio::sync::Barrier;

use crate::{postgres_server, world::owner};

const CEILING: ProviderCeiling = ProviderCeiling { slots: 10, rate: CallRate(40_000), burst: 40 };
const LEASE: Duration = Duration::from_secs(5);

fn target() -> ThrottleTarget {
    ThrottleTarget { provider: "gemini-api/start".to_owned(), key: Digest([7; 32]) }
}

fn wants(slots: u32, busy: u32, observed: CallObservations) -> ShareRequest {
    ShareRequest { wanted: ShareDemand { slots, rate: CallRate::per_second(slots) }, busy, observed }
}

async fn lease(store: &Postgres, owner: OwnerId, asked: ShareRequest) -> ThrottleShare {
    store.take_share(owner, &target(), CEILING, asked, LEASE).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_lessees_at_once_never_hold_more_than_the_limit_and_share_it() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let mut lessees = Vec::new();
    // In step: one that ends early would keep its last slots from those that are still asking.
    let step = Arc::new(Barrier::new(4));
    for number in 0..4_u32 {
        let store = store.clone();
        let step = Arc::clone(&step);
        lessees.push(tokio::spawn(async move {
            let me = owner(100 + u128::from(number));
            let mut had = 0;
            for round in 0..60 {
                step.wait().await;
                let throttled = u32::from(number == 0 && round % 20 == 7);
                let observed = CallObservations { ok: 3, throttled, ..CallObservations::default() };
                let given = lease(&store, me, wants(4 + round % 7, 0, observed)).await;
                let held = store.provider_limits().await.unwrap();
                assert!(held[0].slots_leased <= 10, "{held:?}");
                had += given.slots;
            }
            had
        }));
    }
    let mut had = Vec::new();
    for lessee in lessees {
        had.push(lessee.await.unwrap());
    }
    // Ten slots, halved now and then: nobody goes without.
    assert!(had.iter().all(|slots| *slots > 40), "{had:?}");
}

#[tokio::test]
async fn a_dead_workers_share_comes_back_to_the_others() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let nothing = CallObservations::default();
    assert_eq!(lease(&store, owner(1), wants(10, 0, nothing)).await.slots, 10);
    assert_eq!(lease(&store, owner(2), wants(10, 0, nothing)).await.slots, 0, "all is leased");
    // It asked for its half; the first one gives it up when it comes again, but for the calls under way.
    assert_eq!(lease(&store, owner(1), wants(10, 7, nothing)).await.slots, 5);
    assert_eq!(lease(&store, owner(2), wants(10, 0, nothing)).await.slots, 3);
    // The first one dies. Its calls may go on for a while; then all is the second one's.
    let pass = |seconds: u32| format!("UPDATE provider_lease SET until = until - {seconds} * 1000");
    server.sql(&database.name, &pass(6));
    assert_eq!(lease(&store, owner(2), wants(10, 0, nothing)).await.slots, 3);
    server.sql(&database.name, &pass(16));
    assert_eq!(lease(&store, owner(2), wants(10, 0, nothing)).await.slots, 10);
    assert_eq!(store.provider_limits().await.unwrap()[0].workers, 1);
}

#[tokio::test]
async fn an_outage_stops_all_workers_and_one_of_them_probes() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let (one, other) = (database.open(1).await, database.open(2).await);
    let nothing = CallObservations::default();
    lease(&other, owner(2), wants(4, 0, nothing)).await;
    let failed = CallObservations { failed: 6, ..nothing };
    let given = lease(&one, owner(1), wants(4, 0, failed)).await;
    assert_eq!(given.slots, 0);
    assert!(given.pause > Duration::from_secs(3) && given.pause <= Duration::from_secs(5), "{given:?}");
    assert_eq!(lease(&other, owner(2), wants(4, 0, nothing)).await.slots, 0);

    // The rest passes: the breaker's time is in the stored state.
    server.sql(
        &database.name,
        "UPDATE provider_limit SET state = jsonb_set(state::jsonb, '{breaker,until}',
             to_jsonb((state::jsonb #>> '{breaker,until}')::bigint - 6000))::text",
    );
    let probe = lease(&one, owner(1), wants(4, 0, nothing)).await;
    assert_eq!((probe.slots, probe.probe), (1, true));
    assert_eq!(lease(&other, owner(2), wants(4, 0, nothing)).await.slots, 0, "one probe at a time");
    let good = CallObservations { ok: 1, ..nothing };
    assert!(!lease(&one, owner(1), wants(4, 0, good)).await.probe);
    assert!(!store_is_open(&one).await);
}

async fn store_is_open(store: &Postgres) -> bool {
    store.provider_limits().await.unwrap()[0].throttle.is_open()
}

#[tokio::test]
async fn keys_are_limited_apart() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let asked = wants(10, 0, CallObservations::default());
    assert_eq!(lease(&store, owner(1), asked).await.slots, 10);
    let another = ThrottleTarget { key: Digest([8; 32]), ..target() };
    assert_eq!(store.take_share(owner(2), &another, CEILING, asked, LEASE).await.unwrap().slots, 10);
}
