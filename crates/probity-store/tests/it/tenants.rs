//! Tenants, their keys, the audit log and what was used, on a real database.

use std::time::{Duration, SystemTime};

use probity_research::{
    Code, Event, Sequence, StoredEvent,
    agent::AgentName,
    cost::{Cost, MicroUsd},
    estimate::{Complexity, Estimate, EstimateBasis},
    plan::{Plan, RunLimits},
    ports::{JournalEntry, JournalWriter},
    principal::Principal,
    query::Query,
    scope::{KeyScope, KeyScopes},
    spending::RepeatRule,
    stop::RunStop,
    tenant::{Tenant, TenantQuota},
    time::Moment,
};
use probity_store::postgres::{
    AuditFilter, DailyUsage, IdempotencyKey, KeyId, NewAuditLine, NewKey, Postgres, RunStartOutcome,
    RunStartRequest,
};

use crate::{
    postgres_server,
    world::{Truth, id},
};

pub fn principal(name: &str) -> Principal {
    Principal::parse(name).unwrap()
}

pub fn now() -> Moment {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Moment(i64::try_from(since.as_millis()).unwrap())
}

pub fn quota(budget: Option<u64>, in_flight_max: u32, waiting_max: u32) -> TenantQuota {
    TenantQuota { budget_per_day: budget.map(MicroUsd), in_flight_max, waiting_max, ..TenantQuota::default() }
}

/// A question of this tenant that may cost so much, asked now; and the journal once it is there.
pub fn question(number: u128, tenant: Option<&str>, cost_max: u64) -> (Truth, JournalEntry) {
    let estimate = Estimate {
        complexity: Complexity::Simple,
        cost_min: MicroUsd(1),
        cost_likely: MicroUsd(cost_max / 2),
        cost_max: MicroUsd(cost_max),
        minutes_min: 1,
        minutes_likely: 2,
        minutes_max: 3,
        basis: EstimateBasis::Assumed,
    };
    let plan = Plan {
        asked_by: tenant.map(principal),
        estimate: Some(estimate),
        ..Plan::new(AgentName::default(), RunLimits::new(Duration::from_secs(3600), None))
    };
    let event = Event::Asked { query: Query::parse(&format!("What is {number}?")).unwrap(), plan };
    let at = now();
    let recorded = StoredEvent { sequence: Sequence(1), at, attended_ms: 0, event: event.clone() };
    let truth = Truth { id: id(number), journal: vec![recorded] };
    let summary = truth.summary();
    let entry = JournalEntry {
        id: truth.id,
        expected: Sequence(0),
        writer: JournalWriter::Client,
        at,
        attended_ms: 0,
        event,
        summary,
    };
    (truth, entry)
}

pub async fn start(
    store: &Postgres,
    entry: JournalEntry,
    unknown: &TenantQuota,
    idempotency: Option<IdempotencyKey>,
) -> Result<RunStartOutcome, probity_research::CodedError> {
    store
        .start(RunStartRequest {
            entry,
            idempotency,
            repeat: RepeatRule::StartAnother,
            unknown,
            actor: "key 1",
        })
        .await
}

pub fn ended_for(cost: u64) -> Event {
    Event::Ended {
        stop: RunStop::Completed,
        report: None,
        raw: None,
        usage: None,
        cost: Cost::FromUsage(MicroUsd(cost)),
        problem: None,
        sources: 0,
        progress: None,
    }
}

#[tokio::test]
async fn a_tenant_is_what_the_operator_said_last() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    let anna = principal("anna");
    assert_eq!(store.tenant(&anna).await, Ok(None));
    let mut tenant = Tenant { name: anna.clone(), quota: quota(Some(5_000_000), 7, 70), suspended: false };
    store.put_tenant(&tenant).await.unwrap();
    tenant.quota.weight = 3;
    tenant.quota.budget_per_day = None;
    store.put_tenant(&tenant).await.unwrap();
    assert_eq!(store.tenant(&anna).await, Ok(Some(tenant.clone())));
    store.suspend(&anna).await.unwrap();
    tenant.suspended = true;
    assert_eq!(store.tenants().await, Ok(vec![tenant]));
    assert_eq!(store.suspend(&principal("ben")).await.unwrap_err().code, Code::NotFound);
    let (_, entry) = question(1, Some("anna"), 10);
    let refused = start(&store, entry, &TenantQuota::default(), None).await.unwrap_err();
    assert_eq!(refused.code, Code::Unauthorised, "{}", refused.message);
}

#[tokio::test]
async fn a_key_opens_what_it_was_made_for_and_nothing_after_its_end() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let (anna, ben) = (principal("anna"), principal("ben"));
    let scopes = KeyScopes::of(&[KeyScope::Read, KeyScope::Start]);
    let new = |tenant: &Principal, expires_at| NewKey { tenant: Some(tenant.clone()), scopes, expires_at };
    let later = Some(now().plus_ms(3_600_000));
    let good = store.make_key(&new(&anna, later), [1; 40]).await.unwrap();
    let other = store.make_key(&new(&ben, None), [2; 40]).await.unwrap();
    let old = store.make_key(&new(&anna, Some(now().plus_ms(-1_000))), [3; 40]).await.unwrap();
    let opens = async |key: &str| {
        let holder = store.find_key_holder(key).await.unwrap()?;
        Some((holder.tenant.unwrap(), holder.scopes, holder.key))
    };
    assert_eq!(opens(&good.reveal()).await, Some((anna.clone(), scopes, good.id().clone())));
    assert_eq!(opens(&other.reveal()).await, Some((ben.clone(), scopes, other.id().clone())));
    assert_eq!(opens(&old.reveal()).await, None, "expired");
    let mixed = good.reveal().replace("_0101010101010101_", "_0202020202020202_");
    assert_ne!(mixed, good.reveal());
    assert_eq!(opens(&mixed).await, None, "one's secret under another's name");
    let mut wrong = good.reveal();
    wrong.pop();
    wrong.push('2');
    for presented in ["", "prb_", &wrong, &good.reveal().to_uppercase(), "' OR 1=1 --"] {
        assert_eq!(opens(presented).await, None, "{presented}");
    }
    let kept = server.sql(&database.name, "SELECT string_agg(api_key::text, ' ') FROM api_key");
    assert!(!kept.contains(&"01".repeat(32)), "a secret is in the database");

    assert_eq!(store.revoke(Some(&ben), good.id()).await.unwrap_err().code, Code::NotFound, "not ben's");
    assert!(opens(&good.reveal()).await.is_some());
    store.revoke(Some(&anna), good.id()).await.unwrap();
    assert_eq!(opens(&good.reveal()).await, None, "revoked");
    let shown = store.keys(Some(&anna)).await.unwrap();
    let mut states: Vec<(KeyId, bool, bool)> = shown
        .into_iter()
        .map(|key| (key.key, key.revoked_at.is_some(), key.last_used_on.is_some()))
        .collect();
    states.sort_by(|left, right| left.0.as_str().cmp(right.0.as_str()));
    assert_eq!(states, [(good.id().clone(), true, true), (old.id().clone(), false, false)]);

    store
        .put_tenant(&Tenant { name: ben.clone(), quota: TenantQuota::default(), suspended: true })
        .await
        .unwrap();
    assert_eq!(opens(&other.reveal()).await, None, "its tenant is suspended");
    let none = NewKey { scopes: KeyScopes::NONE, ..new(&ben, None) };
    assert_eq!(store.make_key(&none, [4; 40]).await.unwrap_err().code, Code::InvalidArguments);
}

#[tokio::test]
async fn the_audit_log_says_who_did_what_and_what_came_of_it() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let (truth, entry) = question(1, Some("anna"), 10);
    start(&store, entry, &TenantQuota::default(), None).await.unwrap();
    let (refused, entry) = question(2, Some("anna"), 10);
    start(&store, entry, &quota(Some(15), 1, 10), None).await.unwrap_err();
    let line = |action: &str, research, outcome: &str| NewAuditLine {
        tenant: Some(principal("anna")),
        actor: "key 1".to_owned(),
        action: action.to_owned(),
        research,
        outcome: outcome.to_owned(),
    };
    store.audit(line("key.make", None, "done")).await.unwrap();
    store
        .audit(NewAuditLine { tenant: Some(principal("ben")), ..line("key.make", None, "done") })
        .await
        .unwrap();
    let of_anna = AuditFilter { tenant: Some(principal("anna")), limit: 10, ..AuditFilter::default() };
    let told = async |filter: &AuditFilter| -> Vec<NewAuditLine> {
        store.audit_lines(filter).await.unwrap().into_iter().map(|line| line.audit).collect()
    };
    let expected = [
        line("key.make", None, "done"),
        line("research.start", Some(refused.id), "DAY_LIMIT"),
        line("research.start", Some(truth.id), "done"),
    ];
    assert_eq!(told(&of_anna).await, expected);
    let of_one = AuditFilter { research: Some(truth.id), ..of_anna.clone() };
    assert_eq!(told(&of_one).await, [expected[2].clone()]);
    let earlier = AuditFilter { before: Some(now().plus_ms(-60_000)), ..of_anna.clone() };
    assert_eq!(told(&earlier).await, []);
    assert_eq!(store.audit_lines(&AuditFilter { tenant: None, ..of_anna }).await.unwrap().len(), 4);
    let place = server.sql(&database.name, "SELECT DISTINCT tableoid::regclass FROM audit");
    assert!(place.starts_with("audit_20"), "cut by month: {place}");
}

#[tokio::test]
async fn usage_is_counted_by_day_and_tenant() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    for (number, cost) in [(1, Some(400)), (2, Some(50)), (3, None)] {
        let (mut truth, entry) = question(number, Some("anna"), 1_000);
        start(&store, entry, &TenantQuota::default(), None).await.unwrap();
        if let Some(cost) = cost {
            truth.append(&store, JournalWriter::Client, ended_for(cost)).await.unwrap();
        }
    }
    let day = now().date();
    let expected = DailyUsage { day, researches: 3, spent: MicroUsd(450), reserved: MicroUsd(1_000) };
    assert_eq!(store.usage(Some(&principal("anna")), 7).await, Ok(vec![expected]));
    assert_eq!(store.usage(Some(&principal("ben")), 7).await, Ok(Vec::new()));
    assert_eq!(store.usage(None, 7).await, Ok(Vec::new()));
}
