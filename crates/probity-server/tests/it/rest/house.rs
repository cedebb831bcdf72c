//! A fleet in memory with two tenants, each with an ended and a running research. What is private is marked, so that
//! a test can look for it in other tenants' answers.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use probity_research::{
    Code, Digest, Event, Problem, Recorded, Research, ResearchId, Sequence,
    agent::AgentName,
    cost::{Cost, MicroUsd},
    estimate::{Estimate, estimate},
    list::ListFilter,
    plan::{Limits, Plan},
    principal::{Principal, Reach},
    query::Query,
    report::Report,
    scope::{Scope, Scopes},
    status::Summary,
    stop::{CancelReason, Partial, Stop},
    tenant::{Quota, Tenant},
    time::Moment,
};
use probity_server::desk::{
    Answered, Desk, Export, Exported, Note, Rules, ToCheck, Until, Wanted,
    fleet::{
        Begin, Begun, DayUsage, DeliveryShown, Door, FleetDesk, KeyHolder, KeyMade, KeyShown, NewKey,
        Subject, ToldOnce, WebhookMade, WebhookShown, Which,
    },
};

pub const NOW: Moment = Moment(1_794_701_200_000);
pub const OPERATOR: &str = "the-operators-own-token";
/// Keys of each tenant: all of a user's scopes, one scope each, and two that open nothing.
pub const SINGLE: [(&str, Scope); 4] =
    [("read", Scope::Read), ("start", Scope::Start), ("cancel", Scope::Cancel), ("admin", Scope::Admin)];

pub struct House {
    rules: Rules,
    held: Mutex<Held>,
    /// Rung whenever something is appended.
    pub rung: tokio::sync::Notify,
}

#[derive(Default)]
pub struct Held {
    pub journals: HashMap<ResearchId, Vec<Recorded>>,
    pub notes: Vec<Note>,
    tenants: Vec<Tenant>,
    webhooks: Vec<(Principal, WebhookShown)>,
    keys: Vec<KeyShown>,
    begun: HashMap<(Option<Principal>, String), (Digest, ResearchId)>,
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
pub fn ended(tenant: &str) -> ResearchId {
    ResearchId::from_random(if tenant == "anna" { 0xa1 } else { 0xb1 })
}

pub fn running(tenant: &str) -> ResearchId {
    ResearchId::from_random(if tenant == "anna" { 0xa2 } else { 0xb2 })
}

impl House {
    pub fn new() -> Self {
        let rules = Rules {
            agent: AgentName::default(),
            agents: Vec::new(),
            deadline: Duration::from_secs(3_600),
            budget: None,
            ask_above: MicroUsd(20_000_000),
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
            let quota = Quota::default();
            house.held().tenants.push(Tenant { name: principal(name), quota, suspended: false });
            let url = format!("https://hooks.example/of-{name}");
            let webhook = WebhookShown { id: format!("hook-{name}"), url, made_at: NOW };
            house.held().webhooks.push((principal(name), webhook));
            house.held().keys.push(shown_key(name));
        }
        let gone = Tenant { name: principal("gone"), quota: Quota::default(), suspended: true };
        house.held().tenants.push(gone);
        house
    }

    pub fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap()
    }

    fn ask(&self, id: ResearchId, asked_by: Option<Principal>, question: &str) {
        let limits = Limits::new(self.rules.deadline, None);
        let plan = Plan { asked_by, ..Plan::new(AgentName::default(), limits) };
        self.append(id, Event::Asked { query: Query::parse(question).unwrap(), plan });
    }

    pub fn append(&self, id: ResearchId, event: Event) {
        let mut held = self.held();
        let journal = held.journals.entry(id).or_default();
        let sequence = Sequence(journal.len() as u64 + 1);
        let at = NOW.plus_ms(sequence.0 as i64);
        journal.push(Recorded { sequence, at, attended_ms: 0, event });
        drop(held);
        self.rung.notify_waiters();
    }

    pub fn end(&self, id: ResearchId) {
        let (stop, cost) = (Stop::Completed, Cost::FromUsage(MicroUsd(1_230_000)));
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

    pub fn summary(&self, id: ResearchId) -> Option<Summary> {
        let journal = self.held().journals.get(&id).cloned()?;
        Some(Summary::of(&Research::replay(id, &journal).unwrap()))
    }

    fn of(&self, reach: &Reach) -> Vec<Summary> {
        let mut ids: Vec<ResearchId> = self.held().journals.keys().copied().collect();
        ids.sort();
        let all = ids.into_iter().filter_map(|id| self.summary(id));
        all.filter(|summary| reach.covers(summary.asked_by.as_ref())).collect()
    }
}

fn shown_key(name: &str) -> KeyShown {
    KeyShown {
        id: format!("{name}-user"),
        tenant: principal(name),
        scopes: Scopes::of_a_user(),
        made_at: NOW,
        expires_at: None,
        revoked: false,
        last_used_day: None,
    }
}

fn ready<'a, T: Send + 'a>(value: Result<T, Problem>) -> Answered<'a, T> {
    Box::pin(std::future::ready(value))
}

fn missing() -> Problem {
    Problem::new(Code::NotFound, "no such row")
}

impl Desk for House {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn now(&self) -> Moment {
        NOW
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn expected<'a>(
        &'a self,
        _: &'a Reach,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> Answered<'a, Estimate> {
        ready(Ok(estimate(agent, query, &[])))
    }

    fn planned(&self, _: Wanted, _: &Query) -> Result<Plan, Problem> {
        Ok(Plan::new(AgentName::default(), Limits::new(self.rules.deadline, None)))
    }

    fn start(&self, query: Query, plan: Plan) -> Answered<'_, Summary> {
        let begin = Begin {
            tenant: plan.asked_by.clone(),
            actor: String::new(),
            subject: Subject::Question { query, plan: Box::new(plan) },
            idempotency: None,
        };
        Box::pin(async move { Ok(self.begin(begin).await?.summary) })
    }

    fn check(&self, wanted: ToCheck) -> Answered<'_, Summary> {
        let begin = Begin {
            tenant: wanted.asked_by,
            actor: String::new(),
            subject: Subject::Text(wanted.text),
            idempotency: None,
        };
        Box::pin(async move { Ok(self.begin(begin).await?.summary) })
    }

    fn status(&self, id: ResearchId) -> Answered<'_, Summary> {
        ready(self.summary(id).ok_or_else(missing))
    }

    fn watch(&self, id: ResearchId, until: Until, limit: Duration) -> Answered<'_, Summary> {
        Box::pin(async move {
            let rung = self.rung.notified();
            let summary = self.summary(id).ok_or_else(missing)?;
            let changed = matches!(until, Until::ChangedAfter(seen) if summary.updated_at > seen);
            if !changed && !summary.status.is_final() {
                tokio::time::timeout(limit, rung).await.ok();
            }
            self.summary(id).ok_or_else(missing)
        })
    }

    fn cancel(&self, id: ResearchId, partial: Partial) -> Answered<'_, Summary> {
        let summary = self.summary(id).unwrap();
        if summary.status.is_final() {
            return ready(Err(Problem::new(Code::AlreadyEnded, "it has ended")));
        }
        self.append(id, Event::CancelRequested { reason: CancelReason::User, partial });
        ready(self.summary(id).ok_or_else(missing))
    }

    fn list(&self, filter: ListFilter) -> Answered<'_, Vec<Summary>> {
        let reach = filter.asked_by.map_or(Reach::Everything, Reach::Of);
        ready(Ok(self.of(&reach).into_iter().skip(filter.offset).take(filter.limit).collect()))
    }

    fn report<'a>(&'a self, summary: &'a Summary) -> Answered<'a, Option<Report>> {
        let text =
            format!("# Findings\n\nThe private report of {}.", summary.asked_by.as_ref().unwrap().as_str());
        ready(Ok(summary.report.map(|_| Report { text, ..Report::default() })))
    }

    fn export<'a>(&'a self, _: Export<'a>) -> Answered<'a, Exported> {
        panic!("nothing is written on the disk of a fleet")
    }

    fn note(&self, note: Note) -> Answered<'_, ()> {
        self.held().notes.push(note);
        ready(Ok(()))
    }
}

impl FleetDesk for House {
    fn key_holder<'a>(&'a self, presented: &'a str) -> Answered<'a, Option<KeyHolder>> {
        let named = presented.strip_prefix("prb_").and_then(|rest| rest.strip_suffix("_secret"));
        let holder = named.and_then(|named| {
            let (tenant, name) = named.split_once('-')?;
            // Keys named `revoked` and `expired`, and every key of a suspended tenant, open nothing.
            let single =
                SINGLE.iter().find(|(known, _)| *known == name).map(|(_, scope)| Scopes::of(&[*scope]));
            let scopes = if name == "user" { Some(Scopes::of_a_user()) } else { single }?;
            let known = ["anna", "ben"].contains(&tenant);
            known.then(|| KeyHolder {
                tenant: principal(tenant),
                scopes,
                key_id: named.to_owned(),
                door: Door { requests_per_second: 10_000 },
            })
        });
        ready(Ok(holder))
    }

    fn door<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Option<Door>> {
        let suspended = self.held().tenants.iter().any(|known| known.name == *tenant && known.suspended);
        ready(Ok((!suspended).then_some(Door { requests_per_second: 10_000 })))
    }

    fn begin(&self, begin: Begin) -> Answered<'_, Begun> {
        if let Some(idempotency) = &begin.idempotency {
            let place = (begin.tenant.clone(), idempotency.key.clone());
            let before = self.held().begun.get(&place).copied();
            if let Some((request, id)) = before {
                if request != idempotency.request {
                    return ready(Err(Problem::new(Code::KeyReused, "the key was used for another request")));
                }
                return ready(Ok(Begun { summary: self.summary(id).unwrap(), which: Which::Same }));
            }
        }
        let id = {
            let mut held = self.held();
            held.starts += 1;
            ResearchId::from_random(0x5000 + u128::from(held.starts))
        };
        match begin.subject {
            Subject::Question { query, plan } => {
                assert_eq!(plan.asked_by, begin.tenant, "a research belongs to whoever asked");
                self.append(id, Event::Asked { query, plan: *plan });
            }
            Subject::Text(_) => self.ask(id, begin.tenant.clone(), "a text"),
        }
        if let Some(idempotency) = begin.idempotency {
            let place = (begin.tenant, idempotency.key);
            self.held().begun.insert(place, (idempotency.request, id));
        }
        ready(Ok(Begun { summary: self.summary(id).unwrap(), which: Which::New }))
    }

    fn events_after(&self, id: ResearchId, after: Sequence, limit: usize) -> Answered<'_, Vec<Recorded>> {
        let journal = self.held().journals.get(&id).cloned().unwrap_or_default();
        ready(Ok(journal.into_iter().filter(|recorded| recorded.sequence > after).take(limit).collect()))
    }

    /// Forgets to look at `reach`: the service must not rely on it alone.
    fn search<'a>(&'a self, _: &'a Reach, words: &'a str, limit: usize) -> Answered<'a, Vec<Summary>> {
        let mut found = self.of(&Reach::Everything);
        found.retain(|summary| summary.query.contains(words));
        found.truncate(limit);
        ready(Ok(found))
    }

    fn usage<'a>(&'a self, tenant: Option<&'a Principal>, _: u32) -> Answered<'a, Vec<DayUsage>> {
        let spent = MicroUsd(if tenant == Some(&principal("anna")) { 1_000_000 } else { 2_000_000 });
        ready(Ok(vec![DayUsage { day: "2026-11-15".to_owned(), researches: 1, spent }]))
    }

    fn tenants(&self) -> Answered<'_, Vec<Tenant>> {
        ready(Ok(self.held().tenants.clone()))
    }

    fn tenant<'a>(&'a self, name: &'a Principal) -> Answered<'a, Option<Tenant>> {
        ready(Ok(self.held().tenants.iter().find(|tenant| tenant.name == *name).cloned()))
    }

    fn put_tenant(&self, tenant: Tenant) -> Answered<'_, ()> {
        let mut held = self.held();
        held.tenants.retain(|known| known.name != tenant.name);
        held.tenants.push(tenant);
        ready(Ok(()))
    }

    fn keys<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Vec<KeyShown>> {
        ready(Ok(self.held().keys.iter().filter(|key| key.tenant == *tenant).cloned().collect()))
    }

    fn make_key(&self, key: NewKey) -> Answered<'_, KeyMade> {
        let NewKey { tenant, scopes, expires_at } = key;
        let shown = KeyShown { scopes, expires_at, ..shown_key(tenant.as_str()) };
        ready(Ok(KeyMade { key: shown, secret: ToldOnce("prb_new_secret".to_owned()) }))
    }

    fn revoke_key<'a>(&'a self, tenant: &'a Principal, key_id: &'a str) -> Answered<'a, bool> {
        ready(Ok(self.held().keys.iter().any(|key| key.tenant == *tenant && key.id == key_id)))
    }

    fn webhooks<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Vec<WebhookShown>> {
        let held = self.held();
        let own = held.webhooks.iter().filter(|(owner, _)| owner == tenant);
        ready(Ok(own.map(|(_, webhook)| webhook.clone()).collect()))
    }

    fn make_webhook<'a>(&'a self, _: &'a Principal, url: &'a str) -> Answered<'a, WebhookMade> {
        let webhook = WebhookShown { id: "hook-new".to_owned(), url: url.to_owned(), made_at: NOW };
        ready(Ok(WebhookMade { webhook, secret: ToldOnce("whsec_c2VjcmV0".to_owned()) }))
    }

    fn remove_webhook<'a>(&'a self, tenant: &'a Principal, id: &'a str) -> Answered<'a, bool> {
        ready(Ok(self.held().webhooks.iter().any(|(owner, hook)| owner == tenant && hook.id == id)))
    }

    fn deliveries<'a>(&'a self, tenant: &'a Principal, _: usize) -> Answered<'a, Vec<DeliveryShown>> {
        let research = ended(tenant.as_str());
        ready(Ok(vec![DeliveryShown {
            id: format!("msg-{}", tenant.as_str()),
            webhook_id: format!("hook-{}", tenant.as_str()),
            research,
            state: "delivered",
            attempts: 1,
            made_at: NOW,
        }]))
    }
}
