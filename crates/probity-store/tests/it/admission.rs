//! Starts and turns under load, on a real database: money and places are exact, nobody is starved, and what it
//! costs does not depend on how many wait.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use probity_research::{
    Code, Digest, Event, RunId, Sequence,
    ports::{Journal as _, JournalWriter},
    spending::RepeatRule,
    tenant::{Tenant, TenantQuota},
};
use probity_store::postgres::{
    AdmissionRound, AdmittedRun, IdempotencyKey, Postgres, RunStartOutcome, RunStartRequest,
};

use crate::{
    charges::numbered,
    postgres_server,
    tenants::{ended_for, principal, question, quota, start},
    world::{Random, Truth, id, started},
};

fn round(room: usize, fleet_max: usize, unknown: TenantQuota) -> AdmissionRound {
    AdmissionRound { room, fleet_max, unknown }
}

/// Tries again for as long as there are only too many at once: a loaded machine is no refusal.
async fn start_patiently(
    store: &Postgres,
    number: u128,
    tenant: &str,
    cost_max: u64,
    unknown: &TenantQuota,
) -> Result<RunStartOutcome, Code> {
    loop {
        let (_, entry) = question(number, Some(tenant), cost_max);
        match start(store, entry, unknown, None).await {
            Err(problem) if problem.code == Code::StoreBusy || problem.message.contains("at once") => {}
            other => return other.map_err(|problem| problem.code),
        }
    }
}

/// Anna's one question once more, without a key of hers.
async fn start_equal(store: &Postgres, number: u128) -> RunStartOutcome {
    let entry = numbered(number, question(1, Some("anna"), 10).1);
    let unknown = TenantQuota::default();
    loop {
        let request = RunStartRequest {
            entry: entry.clone(),
            idempotency: None,
            repeat: RepeatRule::ReturnRunning,
            unknown: &unknown,
            actor: "key 1",
        };
        match store.start(request).await {
            Err(problem) if problem.code == Code::StoreBusy || problem.message.contains("at once") => {}
            other => return other.unwrap(),
        }
    }
}

/// What is counted, against what is there; nothing differs at rest.
const DRIFT: &str = "
SELECT (SELECT coalesce(sum(waiting), 0) FROM (SELECT waiting FROM tenant_load
            UNION ALL SELECT waiting FROM tenant_change) w)
       - (SELECT count(*) FROM research WHERE due AND NOT admitted),
       (SELECT coalesce(sum(in_flight), 0) FROM (SELECT in_flight FROM tenant_load
            UNION ALL SELECT in_flight FROM tenant_change) f)
       - (SELECT count(*) FROM research WHERE due AND admitted),
       (SELECT coalesce(sum(money), 0) FROM (SELECT money FROM tenant_spending
            UNION ALL SELECT money FROM tenant_change) m)
       - (SELECT coalesce(sum(spent + reserved), 0) FROM research)";

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_starts_at_once_never_pass_the_money_ceiling() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let (one, two) = (database.open(1).await, database.open(2).await);
    // Room for 50 of 1,000 each, and 999 more that nobody can use.
    let limits = quota(Some(50_999), 10, 1_000);
    let mut starts = tokio::task::JoinSet::new();
    for number in 0..200 {
        let store = if number % 2 == 0 { one.clone() } else { two.clone() };
        starts.spawn(async move { start_patiently(&store, number, "anna", 1_000, &limits).await });
    }
    let mut outcomes = BTreeMap::new();
    for outcome in starts.join_all().await {
        *outcomes.entry(format!("{outcome:?}")).or_insert(0) += 1;
    }
    let expected = BTreeMap::from([("Err(DayLimit)".to_owned(), 150), ("Ok(New)".to_owned(), 50)]);
    assert_eq!(outcomes, expected);
    let reserved = server.sql(&database.name, "SELECT sum(spent + reserved) FROM research");
    println!("money: ceiling 50999, reserved {reserved}, overshoot 0");
    assert_eq!(reserved, "50000");
    // Another tenant has money of its own.
    assert_eq!(start_patiently(&one, 1_000, "ben", 1_000, &limits).await, Ok(RunStartOutcome::New));
    assert_eq!(server.sql(&database.name, DRIFT), "0|0|0");
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_starts_at_once_lead_to_one_research_while_it_runs() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let (one, two) = (database.open(1).await, database.open(2).await);
    let mut starts = tokio::task::JoinSet::new();
    for number in 100..120 {
        let store = if number % 2 == 0 { one.clone() } else { two.clone() };
        starts.spawn(async move { start_equal(&store, number).await });
    }
    let outcomes = starts.join_all().await;
    let new = outcomes.iter().filter(|outcome| **outcome == RunStartOutcome::New).count();
    assert_eq!(new, 1, "{outcomes:?}");
    assert_eq!(server.sql(&database.name, "SELECT count(*) FROM research"), "1");
    let running = outcomes.iter().find_map(|outcome| match outcome {
        RunStartOutcome::Same(id) => Some(*id),
        RunStartOutcome::New => None,
    });
    let mut truth = Truth { id: running.unwrap(), journal: one.load(running.unwrap()).await.unwrap() };
    truth.append(&one, JournalWriter::Client, ended_for(1)).await.unwrap();
    assert_eq!(start_equal(&two, 200).await, RunStartOutcome::New, "the first has ended");
}

#[tokio::test]
async fn what_a_research_did_not_use_can_be_used_again() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let limits = quota(Some(1_000), 10, 1_000);
    let (mut truth, entry) = question(1, Some("anna"), 900);
    start(&store, entry, &limits, None).await.unwrap();
    assert_eq!(start_patiently(&store, 2, "anna", 200, &limits).await, Err(Code::DayLimit));
    truth.append(&store, JournalWriter::Client, ended_for(300)).await.unwrap();
    assert_eq!(start_patiently(&store, 2, "anna", 700, &limits).await, Ok(RunStartOutcome::New));
    assert_eq!(start_patiently(&store, 3, "anna", 1, &limits).await, Err(Code::DayLimit));
    // What the operator set up counts more than what is said of unknown ones.
    let tenant = Tenant { name: principal("anna"), quota: quota(Some(2_000), 10, 1_000), suspended: false };
    store.put_tenant(&tenant).await.unwrap();
    assert_eq!(start_patiently(&store, 3, "anna", 1_000, &limits).await, Ok(RunStartOutcome::New));
    // Yesterday's money is another day's.
    server.sql(&database.name, "UPDATE tenant_change SET hour = hour - interval '26 hours'");
    assert_eq!(start_patiently(&store, 4, "anna", 2_000, &limits).await, Ok(RunStartOutcome::New));
}

#[tokio::test]
async fn a_queue_has_an_end() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    let limits = quota(None, 2, 3);
    for number in 0..3 {
        assert_eq!(start_patiently(&store, number, "anna", 1, &limits).await, Ok(RunStartOutcome::New));
    }
    assert_eq!(start_patiently(&store, 3, "anna", 1, &limits).await, Err(Code::RateLimited));
    assert_eq!(store.admit(round(10, 100, limits)).await.unwrap().len(), 2);
    assert_eq!(start_patiently(&store, 3, "anna", 1, &limits).await, Ok(RunStartOutcome::New));
    let loads = store.tenant_loads().await.unwrap();
    assert_eq!((loads[0].waiting, loads[0].in_flight), (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_start_many_times_at_once_is_one_research() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let (one, two) = (database.open(1).await, database.open(2).await);
    let key = |request: u8| IdempotencyKey { key: "my key".to_owned(), request: Digest([request; 32]) };
    let mut starts = tokio::task::JoinSet::new();
    for number in 0..40 {
        let store = if number % 2 == 0 { one.clone() } else { two.clone() };
        starts.spawn(async move {
            let (truth, entry) = question(number, Some("anna"), 1);
            match start(&store, entry, &TenantQuota::default(), Some(key(1))).await.unwrap() {
                RunStartOutcome::New => (truth.id, true),
                RunStartOutcome::Same(before) => (before, false),
            }
        });
    }
    let told = starts.join_all().await;
    let ids: BTreeSet<RunId> = told.iter().map(|(id, _)| *id).collect();
    assert_eq!((ids.len(), told.iter().filter(|(_, is_new)| *is_new).count()), (1, 1));
    assert_eq!(server.sql(&database.name, "SELECT count(*) FROM research"), "1");

    let begin = async |number, tenant, request| {
        let (_, entry) = question(number, Some(tenant), 1);
        start(&one, entry, &TenantQuota::default(), Some(key(request))).await.map_err(|problem| problem.code)
    };
    assert_eq!(begin(100, "anna", 2).await, Err(Code::KeyReused));
    assert_eq!(begin(101, "ben", 2).await, Ok(RunStartOutcome::New), "another tenant's key is another key");
    server.sql(&database.name, "UPDATE idempotency SET made_at = made_at - interval '25 hours'");
    assert_eq!(begin(102, "anna", 2).await, Ok(RunStartOutcome::New), "a day later");
    assert_eq!(begin(103, "anna", 2).await, Ok(RunStartOutcome::Same(id(102))));
    assert_eq!(one.purge_idempotency().await, Ok(1));
    // The very same start again, as after an answer that got lost.
    assert_eq!(
        start_patiently(&one, 102, "anna", 1, &TenantQuota::default()).await,
        Ok(RunStartOutcome::Same(id(102)))
    );
}

/// Researches of several tenants, ended at random by whoever they were given to.
struct Crowd {
    truths: Mutex<BTreeMap<RunId, Truth>>,
    given: AtomicUsize,
    ended: AtomicUsize,
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_has_more_in_flight_than_allowed_while_many_admit_and_end() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    const FLEET_MAX: usize = 17;
    let limits = quota(None, 5, 1_000);
    let of_anna = Tenant { name: principal("anna"), quota: quota(None, 9, 1_000), suspended: false };
    store.put_tenant(&of_anna).await.unwrap();
    let crowd =
        Arc::new(Crowd { truths: Mutex::default(), given: AtomicUsize::new(0), ended: AtomicUsize::new(0) });
    let tenants = [Some("anna"), Some("ben"), Some("cleo"), None];
    for number in 0..160_u128 {
        let (truth, entry) = question(number, tenants[number as usize % 4], 5);
        crowd.truths.lock().unwrap().insert(truth.id, truth);
        start(&store, entry, &limits, None).await.unwrap();
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let watching = tokio::spawn(watch(database.url.clone(), is_over.clone(), FLEET_MAX));
    let mut admitters = tokio::task::JoinSet::new();
    for seed in 0..8 {
        let (store, crowd) = (store.clone(), crowd.clone());
        admitters
            .spawn(async move { admit_and_end(&store, &crowd, seed, round(4, FLEET_MAX, limits)).await });
    }
    admitters.join_all().await;
    is_over.store(true, Ordering::Relaxed);
    let looks = watching.await.unwrap();
    println!("in flight: {looks} looks by query while 8 admitters worked, no limit passed");
    assert!(looks > 10, "{looks}");
    assert_eq!(
        crowd.given.load(Ordering::Relaxed),
        160 + 40,
        "each once, and each that was asked anew again"
    );
    assert_eq!(server.sql(&database.name, DRIFT), "0|0|0");
    assert_eq!(store.tenant_loads().await.unwrap(), []);
}

/// Looks at the rows themselves, not at what is counted.
async fn watch(url: String, is_over: Arc<AtomicBool>, fleet_max: usize) -> usize {
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut looks = 0;
    while !is_over.load(Ordering::Relaxed) {
        let sql =
            "SELECT coalesce(tenant, ''), count(*) FROM research WHERE due AND admitted GROUP BY tenant";
        let rows = client.query(sql, &[]).await.unwrap();
        let mut all = 0;
        for row in &rows {
            let (tenant, count): (String, i64) = (row.get(0), row.get(1));
            let most = match tenant.as_str() {
                "anna" => 9,
                "" => i64::try_from(fleet_max).unwrap(),
                _ => 5,
            };
            assert!(count <= most, "{tenant} has {count}");
            all += count;
        }
        assert!(usize::try_from(all).unwrap() <= fleet_max, "{all} in flight");
        looks += 1;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    drop(client);
    connection.abort();
    looks
}

async fn admit_and_end(store: &Postgres, crowd: &Crowd, seed: u64, round: AdmissionRound) {
    let mut random = Random(seed);
    let mut mine: Vec<AdmittedRun> = Vec::new();
    while crowd.ended.load(Ordering::Relaxed) < 160 + 40 {
        let admitted = store.admit(round).await.unwrap();
        store.mark_submitted(&carried(&admitted)).await.unwrap();
        crowd.given.fetch_add(admitted.len(), Ordering::Relaxed);
        mine.extend(admitted);
        if mine.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        }
        let one = mine.swap_remove(random.below(mine.len() as u64) as usize);
        let mut truth = crowd.truths.lock().unwrap().get(&one.id).unwrap().clone();
        let is_first = truth.sequence() == Sequence(1);
        assert_eq!(one.sequence, if is_first { Sequence(1) } else { Sequence(4) });
        if is_first {
            truth.append(store, JournalWriter::Client, started(1)).await.unwrap();
        }
        truth.append(store, JournalWriter::Client, ended_for(random.below(9))).await.unwrap();
        // The first 40 are asked anew: due again, and another turn is needed.
        let again = is_first && (0..40).any(|number| id(number) == truth.id);
        if again {
            truth.append(store, JournalWriter::Client, Event::Reopened).await.unwrap();
        }
        crowd.truths.lock().unwrap().insert(one.id, truth);
        crowd.ended.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn what_was_admitted_and_not_given_to_the_engine_is_found() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    for number in 0..3 {
        start_patiently(&store, number, "anna", 1, &TenantQuota::default()).await.unwrap();
    }
    let unsubmitted = async |age| store.unsubmitted(age, 10).await.unwrap();
    assert_eq!(unsubmitted(Duration::ZERO).await, [], "nobody had a turn");
    let admitted = store.admit(round(3, 100, TenantQuota::default())).await.unwrap();
    assert_eq!(unsubmitted(Duration::ZERO).await.len(), 3);
    assert_eq!(unsubmitted(Duration::from_secs(600)).await, [], "not yet");
    store.mark_submitted(&carried(&admitted[..2])).await.unwrap();
    assert_eq!(unsubmitted(Duration::ZERO).await, admitted[2..]);
    let stale = AdmittedRun { sequence: Sequence(9), ..admitted[2] };
    store.mark_submitted(&carried(&[stale])).await.unwrap();
    assert_eq!(unsubmitted(Duration::ZERO).await, admitted[2..], "another turn was meant");
    assert_eq!(
        store.admit(round(3, 100, TenantQuota::default())).await.unwrap(),
        [],
        "all have had their turn"
    );
}

/// Researches that wait, as rows alone: only who they belong to matters here.
const FLOOD: &str = "
WITH added AS (
    INSERT INTO research (id, sequence, chain, status, due, tenant, engine, asked_at, updated_at, listed_at, spent,
                          reserved, hash, summary, admitted)
    SELECT decode(md5(n::text), 'hex'), 1, '', 'pending', true, 'flood', 'web', now(), now(), now(), 0, 1, '',
           repeat('x', 1200), false
    FROM generate_series(1, 100000) AS n)
INSERT INTO tenant_change VALUES ('flood', date_trunc('hour', now()), 100000, 0, 100000)";

#[tokio::test]
async fn one_research_beside_a_flood_gets_its_turn_in_the_next_round() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let limits = quota(Some(1_000_000_000), 100_000, 1_000_000);
    server.sql(&database.name, FLOOD);
    server.sql(&database.name, "ANALYZE research");
    // The flood takes all that it can get of a small fleet first.
    let mut flooded = 0;
    while let taken @ 1.. = store.admit(round(500, 2_000, limits)).await.unwrap().len() {
        flooded += taken;
    }
    assert_eq!(flooded, 1_900, "a twentieth is kept for newcomers");
    let began = Instant::now();
    start_patiently(&store, 1, "ben", 1, &limits).await.unwrap();
    let start_took = began.elapsed();
    let admitted = store.admit(round(500, 2_000, limits)).await.unwrap();
    let took = began.elapsed();
    assert_eq!(admitted, [AdmittedRun { id: id(1), sequence: Sequence(1) }]);
    println!("beside 100,000 waiting: start {start_took:?}, start and turn {took:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");

    // And with very many in flight a round costs no more.
    let mut rounds = Vec::new();
    while flooded < 60_000 {
        let began = Instant::now();
        flooded += store.admit(round(1_000, 200_000, limits)).await.unwrap().len();
        rounds.push(began.elapsed());
    }
    println!("rounds of 1,000: first {:?}, last {:?}", rounds[0], rounds[rounds.len() - 1]);
    let began = Instant::now();
    start_patiently(&store, 2, "flood", 1, &limits).await.unwrap();
    println!("a start of a tenant with 100,000 researches: {:?}", began.elapsed());
    drop(store);
    // A connection tells what it did when it ends.
    let looked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'probity'";
    while server.sql(&database.name, looked) != "0" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let scans = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'research'";
    assert_eq!(server.sql(&database.name, scans), "0", "nobody reads the whole table");
}

/// Each with the engine's name for what carries it.
fn carried(admitted: &[AdmittedRun]) -> Vec<(AdmittedRun, String)> {
    admitted.iter().map(|one| (*one, format!("inv_{}", one.id))).collect()
}
