//! A fleet in memory with two tenants, each with an ended and a running research. What is private is marked, so that
//! a test can look for it in other tenants' answers.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use probity_research::{
    Code, CodedError, Digest, Event, RunId, RunState, Sequence, StoredEvent,
    agent::AgentName,
    approval::{Approval, ApprovalChannel},
    cost::{Cost, MicroUsd},
    estimate::{Estimate, estimate, follow_up},
    list::ListFilter,
    plan::{Plan, RunLimits},
    principal::{Principal, RunAccess},
    query::Query,
    report::Report,
    scope::{KeyScope, KeyScopes},
    spending::RepeatRule,
    status::RunSummary,
    stop::{CancelReason, PartialResults, RunStop},
    tenant::{Tenant, TenantQuota},
    time::Moment,
    work_done::WorkDone,
};
use probity_server::backend::{
    AuditEntry, Backend, BackendFuture, ExportOutcome, ExportRequest, PlanOptions, RunSettings,
    TextCheckRequest, WatchCondition,
    admin::{
        AdminBackend, CreatedKey, CreatedWebhook, DayUsage, DeliveryInfo, KeyHolder, KeyInfo, KeyRequest,
        OneTimeSecret, StartKind, StartOutcome, StartRequest, StartSubject, TenantLimits, WebhookInfo,
    },
};

pub const NOW: Moment = Moment(1_794_701_200_000);
pub const OPERATOR: &str = "the-operators-own-token";
/// Keys of each tenant: all of a user's scopes, one scope each, and two that open nothing.
pub const SINGLE: [(&str, KeyScope); 4] = [
    ("read", KeyScope::Read),
    ("start", KeyScope::Start),
    ("cancel", KeyScope::Cancel),
    ("admin", KeyScope::Admin),
];

pub struct MemoryFleet {
    rules: RunSettings,
    held: Mutex<MemoryFleetState>,
    /// Rung whenever something is appended.
    pub rung: tokio::sync::Notify,
}

#[derive(Default)]
pub struct MemoryFleetState {
    pub journals: HashMap<RunId, Vec<StoredEvent>>,
    pub notes: Vec<AuditEntry>,
    tenants: Vec<Tenant>,
    webhooks: Vec<(Principal, WebhookInfo)>,
    keys: Vec<KeyInfo>,
    begun: HashMap<(Option<Principal>, String), (Digest, RunId)>,
    pub starts: u32,
}

pub fn principal(name: &str) -> Principal {
    Principal::parse(name).unwrap()
}

/// `prb_<tenant>-<name>_secret`.
pub fn key(tenant: &str, name: &str) -> String {
    format!("prb_{tenant}-{name}_secret")
}

/// The ended research of a tenant, and the running one.
pub fn ended(tenant: &str) -> RunId {
    RunId::from_random(if tenant == "anna" { 0xa1 } else { 0xb1 })
}

pub fn running(tenant: &str) -> RunId {
    RunId::from_random(if tenant == "anna" { 0xa2 } else { 0xb2 })
}

impl MemoryFleet {
    pub fn new() -> Self {
        let rules = RunSettings {
            agent: AgentName::default(),
            agents: Vec::new(),
            deadline: Duration::from_secs(3_600),
            budget: None,
            set_by_project: Vec::new(),
            ask_above: MicroUsd(20_000_000),
            unasked_max: MicroUsd(0),
            notifications: probity_research::notify::NotificationChannel::SwitchedOff,
            start_wait: Duration::ZERO,
            call_wait: Duration::ZERO,
        };
        let house = Self { rules, held: Mutex::default(), rung: tokio::sync::Notify::new() };
        for name in ["anna", "ben"] {
            for id in [ended(name), running(name)] {
                house.ask(id, Some(principal(name)), &format!("a private question of {name}"));
                house.append(id, Event::CreateIntended { attempt: 1 });
                let remote_id = format!("remote-of-{name}");
                house.append(id, Event::RemoteStarted { attempt: 1, remote_id, cursor: None });
            }
            house.end(ended(name));
            let quota = TenantQuota::default();
            house.held().tenants.push(Tenant { name: principal(name), quota, suspended: false });
            let url = format!("https://hooks.example/of-{name}");
            let webhook = WebhookInfo { id: format!("hook-{name}"), url, made_at: NOW };
            house.held().webhooks.push((principal(name), webhook));
            house.held().keys.push(shown_key(name));
        }
        let gone = Tenant { name: principal("gone"), quota: TenantQuota::default(), suspended: true };
        house.held().tenants.push(gone);
        house
    }

    pub fn held(&self) -> MutexGuard<'_, MemoryFleetState> {
        self.held.lock().unwrap()
    }

    pub fn ask(&self, id: RunId, asked_by: Option<Principal>, question: &str) {
        let limits = RunLimits::new(self.rules.deadline, None);
        let plan = Plan { asked_by, ..Plan::new(AgentName::default(), limits) };
        self.append(id, Event::Asked { query: Query::parse(question).unwrap(), plan });
    }

    pub fn append(&self, id: RunId, event: Event) {
        let mut held = self.held();
        let journal = held.journals.entry(id).or_default();
        let sequence = Sequence(journal.len() as u64 + 1);
        let at = NOW.plus_ms(sequence.0 as i64);
        journal.push(StoredEvent { sequence, at, attended_ms: 0, event });
        drop(held);
        self.rung.notify_waiters();
    }

    pub fn end(&self, id: RunId) {
        let (stop, cost) = (RunStop::Completed, Cost::FromUsage(MicroUsd(1_230_000)));
        let report = Some(Digest([2; 32]));
        self.append(
            id,
            Event::Ended {
                stop,
                report,
                raw: None,
                usage: None,
                cost,
                problem: None,
                sources: 0,
                progress: None,
            },
        );
    }

    pub fn summary(&self, id: RunId) -> Option<RunSummary> {
        let journal = self.held().journals.get(&id).cloned()?;
        Some(RunState::replay(id, &journal).unwrap().summary())
    }

    fn of(&self, reach: &RunAccess) -> Vec<RunSummary> {
        let mut ids: Vec<RunId> = self.held().journals.keys().copied().collect();
        ids.sort();
        let all = ids.into_iter().filter_map(|id| self.summary(id));
        all.filter(|summary| reach.covers(summary.asked_by.as_ref())).collect()
    }
}

fn shown_key(name: &str) -> KeyInfo {
    KeyInfo {
        id: format!("{name}-user"),
        tenant: principal(name),
        scopes: KeyScopes::of_a_user(),
        made_at: NOW,
        expires_at: None,
        revoked: false,
        last_used_day: None,
    }
}

fn ready<'a, T: Send + 'a>(value: Result<T, CodedError>) -> BackendFuture<'a, T> {
    Box::pin(std::future::ready(value))
}

fn missing() -> CodedError {
    CodedError::new(Code::NotFound, "no such row")
}

impl Backend for MemoryFleet {
    fn run_settings(&self) -> &RunSettings {
        &self.rules
    }

    fn now(&self) -> Moment {
        NOW
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn estimate<'a>(
        &'a self,
        _: &'a RunAccess,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> BackendFuture<'a, Estimate> {
        ready(Ok(estimate(agent, query, &[])))
    }

    fn plan<'a>(&'a self, _: &'a RunAccess, _: PlanOptions, _: &'a Query) -> BackendFuture<'a, Plan> {
        ready(Ok(Plan::new(AgentName::default(), RunLimits::new(self.rules.deadline, None))))
    }

    fn estimate_check(&self, _: &str) -> Result<Estimate, CodedError> {
        Ok(follow_up())
    }

    fn start(&self, query: Query, plan: Plan, repeat: RepeatRule) -> BackendFuture<'_, StartOutcome> {
        let begin = StartRequest {
            tenant: plan.asked_by.clone(),
            actor: String::new(),
            subject: StartSubject::Question { query, plan: Box::new(plan) },
            idempotency: None,
            approval: Approval::new(ApprovalChannel::Setting, None),
            repeat,
        };
        self.start_idempotent(begin)
    }

    fn start_check(&self, wanted: TextCheckRequest) -> BackendFuture<'_, StartOutcome> {
        let begin = StartRequest {
            tenant: wanted.asked_by,
            actor: String::new(),
            subject: StartSubject::Text { text: wanted.text, handed_over: false },
            idempotency: None,
            approval: wanted.approval,
            repeat: wanted.repeat,
        };
        self.start_idempotent(begin)
    }

    fn status(&self, id: RunId) -> BackendFuture<'_, RunSummary> {
        ready(self.summary(id).ok_or_else(missing))
    }

    fn watch(&self, id: RunId, until: WatchCondition, limit: Duration) -> BackendFuture<'_, RunSummary> {
        Box::pin(async move {
            let rung = self.rung.notified();
            let summary = self.summary(id).ok_or_else(missing)?;
            let changed = matches!(until, WatchCondition::ChangedAfter(seen) if summary.updated_at > seen);
            if !changed && !summary.status.is_final() {
                tokio::time::timeout(limit, rung).await.ok();
            }
            self.summary(id).ok_or_else(missing)
        })
    }

    fn cancel(&self, id: RunId, partial: PartialResults) -> BackendFuture<'_, RunSummary> {
        let summary = self.summary(id).unwrap();
        if summary.status.is_final() {
            return ready(Err(CodedError::new(Code::AlreadyEnded, "it has ended")));
        }
        self.append(id, Event::CancelRequested { reason: CancelReason::User, partial });
        ready(self.summary(id).ok_or_else(missing))
    }

    fn hand_over(&self, id: RunId) -> BackendFuture<'_, RunSummary> {
        self.append(id, Event::HandedOver);
        ready(self.summary(id).ok_or_else(missing))
    }

    fn list(&self, filter: ListFilter) -> BackendFuture<'_, Vec<RunSummary>> {
        let reach = filter.asked_by.map_or(RunAccess::Everything, RunAccess::Of);
        ready(Ok(self.of(&reach).into_iter().skip(filter.offset).take(filter.limit).collect()))
    }

    fn report<'a>(&'a self, summary: &'a RunSummary) -> BackendFuture<'a, Option<Report>> {
        let text =
            format!("# Findings\n\nThe private report of {}.", summary.asked_by.as_ref().unwrap().as_str());
        ready(Ok(summary.report.map(|_| Report { text, ..Report::default() })))
    }

    fn work_done(&self, _: RunId) -> BackendFuture<'_, Option<WorkDone>> {
        ready(Ok(None))
    }

    fn export<'a>(&'a self, _: ExportRequest<'a>) -> BackendFuture<'a, ExportOutcome> {
        panic!("nothing is written on the disk of a fleet")
    }

    fn record_audit(&self, note: AuditEntry) -> BackendFuture<'_, ()> {
        self.held().notes.push(note);
        ready(Ok(()))
    }
}

impl AdminBackend for MemoryFleet {
    fn key_holder<'a>(&'a self, presented: &'a str) -> BackendFuture<'a, Option<KeyHolder>> {
        let named = presented.strip_prefix("prb_").and_then(|rest| rest.strip_suffix("_secret"));
        let holder = named.and_then(|named| {
            let (tenant, name) = named.split_once('-')?;
            // Keys named `revoked` and `expired`, and every key of a suspended tenant, open nothing.
            let single =
                SINGLE.iter().find(|(known, _)| *known == name).map(|(_, scope)| KeyScopes::of(&[*scope]));
            let scopes = if name == "user" { Some(KeyScopes::of_a_user()) } else { single }?;
            let known = ["anna", "ben"].contains(&tenant);
            known.then(|| KeyHolder {
                tenant: principal(tenant),
                scopes,
                key_id: named.to_owned(),
                limits: TenantLimits { requests_per_second: 10_000 },
            })
        });
        ready(Ok(holder))
    }

    fn tenant_limits<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Option<TenantLimits>> {
        let suspended = self.held().tenants.iter().any(|known| known.name == *tenant && known.suspended);
        ready(Ok((!suspended).then_some(TenantLimits { requests_per_second: 10_000 })))
    }

    fn start_idempotent(&self, begin: StartRequest) -> BackendFuture<'_, StartOutcome> {
        if let Some(idempotency) = &begin.idempotency {
            let place = (begin.tenant.clone(), idempotency.key.clone());
            let before = self.held().begun.get(&place).copied();
            if let Some((request, id)) = before {
                if request != idempotency.request {
                    return ready(Err(CodedError::new(
                        Code::KeyReused,
                        "the key was used for another request",
                    )));
                }
                return ready(Ok(StartOutcome {
                    summary: self.summary(id).unwrap(),
                    which: StartKind::Same,
                }));
            }
        }
        let id = {
            let mut held = self.held();
            held.starts += 1;
            RunId::from_random(0x5000 + u128::from(held.starts))
        };
        match begin.subject {
            StartSubject::Question { query, plan } => {
                assert_eq!(plan.asked_by, begin.tenant, "a research belongs to whoever asked");
                self.append(id, Event::Asked { query, plan: *plan });
            }
            StartSubject::Text { handed_over, .. } => {
                self.ask(id, begin.tenant.clone(), "a text");
                if handed_over {
                    self.append(id, Event::HandedOver);
                }
            }
        }
        if let Some(idempotency) = begin.idempotency {
            let place = (begin.tenant, idempotency.key);
            self.held().begun.insert(place, (idempotency.request, id));
        }
        ready(Ok(StartOutcome { summary: self.summary(id).unwrap(), which: StartKind::New }))
    }

    fn events_after(&self, id: RunId, after: Sequence, limit: usize) -> BackendFuture<'_, Vec<StoredEvent>> {
        let journal = self.held().journals.get(&id).cloned().unwrap_or_default();
        ready(Ok(journal.into_iter().filter(|recorded| recorded.sequence > after).take(limit).collect()))
    }

    /// Forgets to look at `reach`: the service must not rely on it alone.
    fn search<'a>(
        &'a self,
        _: &'a RunAccess,
        words: &'a str,
        limit: usize,
    ) -> BackendFuture<'a, Vec<RunSummary>> {
        let mut found = self.of(&RunAccess::Everything);
        found.retain(|summary| summary.query.contains(words));
        found.truncate(limit);
        ready(Ok(found))
    }

    fn usage<'a>(&'a self, tenant: Option<&'a Principal>, _: u32) -> BackendFuture<'a, Vec<DayUsage>> {
        let spent = MicroUsd(if tenant == Some(&principal("anna")) { 1_000_000 } else { 2_000_000 });
        ready(Ok(vec![DayUsage { day: "2026-11-15".to_owned(), researches: 1, spent }]))
    }

    fn tenants(&self) -> BackendFuture<'_, Vec<Tenant>> {
        ready(Ok(self.held().tenants.clone()))
    }

    fn tenant<'a>(&'a self, name: &'a Principal) -> BackendFuture<'a, Option<Tenant>> {
        ready(Ok(self.held().tenants.iter().find(|tenant| tenant.name == *name).cloned()))
    }

    fn put_tenant(&self, tenant: Tenant) -> BackendFuture<'_, ()> {
        let mut held = self.held();
        held.tenants.retain(|known| known.name != tenant.name);
        held.tenants.push(tenant);
        ready(Ok(()))
    }

    fn keys<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Vec<KeyInfo>> {
        ready(Ok(self.held().keys.iter().filter(|key| key.tenant == *tenant).cloned().collect()))
    }

    fn make_key(&self, key: KeyRequest) -> BackendFuture<'_, CreatedKey> {
        let KeyRequest { tenant, scopes, expires_at } = key;
        let shown = KeyInfo { scopes, expires_at, ..shown_key(tenant.as_str()) };
        ready(Ok(CreatedKey { key: shown, secret: OneTimeSecret("prb_new_secret".to_owned()) }))
    }

    fn revoke_key<'a>(&'a self, tenant: &'a Principal, key_id: &'a str) -> BackendFuture<'a, bool> {
        ready(Ok(self.held().keys.iter().any(|key| key.tenant == *tenant && key.id == key_id)))
    }

    fn webhooks<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Vec<WebhookInfo>> {
        let held = self.held();
        let own = held.webhooks.iter().filter(|(owner, _)| owner == tenant);
        ready(Ok(own.map(|(_, webhook)| webhook.clone()).collect()))
    }

    fn make_webhook<'a>(&'a self, _: &'a Principal, url: &'a str) -> BackendFuture<'a, CreatedWebhook> {
        let webhook = WebhookInfo { id: "hook-new".to_owned(), url: url.to_owned(), made_at: NOW };
        ready(Ok(CreatedWebhook { webhook, secret: OneTimeSecret("whsec_c2VjcmV0".to_owned()) }))
    }

    fn remove_webhook<'a>(&'a self, tenant: &'a Principal, id: &'a str) -> BackendFuture<'a, bool> {
        ready(Ok(self.held().webhooks.iter().any(|(owner, hook)| owner == tenant && hook.id == id)))
    }

    fn deliveries<'a>(&'a self, tenant: &'a Principal, _: usize) -> BackendFuture<'a, Vec<DeliveryInfo>> {
        let research = ended(tenant.as_str());
        ready(Ok(vec![DeliveryInfo {
            id: format!("msg-{}", tenant.as_str()),
            webhook_id: format!("hook-{}", tenant.as_str()),
            research,
            state: "delivered",
            attempts: 1,
            made_at: NOW,
        }]))
    }
}
