//! Which hosts were contacted for a run, from its journal. Pure.
//!
//! An intent counts as a request: it is in the journal before the request is made, so no contacted host is
//! missing, and a host may be listed whose request was never sent because the program died before.

use std::collections::BTreeMap;

use probity_research::{
    RunState,
    checking::{CheckTask, CheckTaskOutcome, task::JudgeSeat},
    event::{Event, StoredEvent},
    plan::EngineName,
    text,
    web::{
        ProviderName,
        page::{PageRecord, Provenance},
        providers::ProviderAddress,
        state::CandidateOrigin,
        task::{WebTask, WebTaskOutcome},
    },
};
use probity_web::archive::is_gone;
use url::{Host, Url};

/// Longest name or host shown.
const NAME_CHARACTERS_MAX: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactKind {
    Search,
    Page,
    Archive,
    PageService,
    Model,
    Judge,
    Agent,
}

impl ContactKind {
    pub const ALL: [Self; 7] =
        [Self::Search, Self::Page, Self::Archive, Self::PageService, Self::Model, Self::Judge, Self::Agent];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Page => "page",
            Self::Archive => "archive",
            Self::PageService => "page service",
            Self::Model => "model",
            Self::Judge => "judge",
            Self::Agent => "agent",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Search => "Search providers",
            Self::Page => "Sites whose pages were fetched",
            Self::Archive => "Archives asked for dead pages",
            Self::PageService => "Service asked for pages that cannot be read directly",
            Self::Model => "The model that planned, read and wrote",
            Self::Judge => "The model that judged claims",
            Self::Agent => "Google",
        }
    }

    pub fn sent(self) -> &'static str {
        match self {
            Self::Search => "the search queries below, and your key if there is one",
            Self::Page => {
                "a request for the page and for robots.txt, with a User-Agent that names Probity; no cookies, no \
                referrer, none of your words"
            }
            Self::Archive => "the address of the page",
            Self::PageService => {
                "the addresses of those pages that could not be read directly, one of each at most, and your key if \
                there is one"
            }
            Self::Model => {
                "your question, context that you gave, search results, the text of pages it was to read, \
                quotations; and your key"
            }
            Self::Judge => "single claims, each with passages of the page that it cites; and your key",
            Self::Agent => {
                "your question, what earlier rounds had found, and your key; searches and page visits are then \
                made by Google's machines, not from here"
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    pub kind: ContactKind,
    pub host: String,
    /// The provider or the model.
    pub name: Option<String>,
    pub requests: u32,
    pub is_here: bool,
    /// Else the host that today's settings name.
    pub is_from_journal: bool,
}

/// Hosts that the journal does not name.
#[derive(Debug, Default)]
pub struct ContactHosts {
    pub bases: BTreeMap<ProviderName, String>,
    pub chat: Option<String>,
    pub judge: Option<String>,
    pub second_judge: Option<String>,
    pub google: String,
    /// Whether an archive is asked for pages that are gone.
    pub archive: bool,
}

/// In the order of kinds, then of hosts.
pub fn collect_contacts(research: &RunState, journal: &[StoredEvent], places: &ContactHosts) -> Vec<Contact> {
    let mut found = ContactCollector { research, places, contacts: BTreeMap::new() };
    for recorded in journal {
        found.take(&recorded.event);
    }
    found.contacts.into_values().collect()
}

/// The host of an address, without a port.
pub fn host_of(address: &str) -> Option<String> {
    let address = address.replace("{language}.", "");
    let url = Url::parse(&address).ok()?;
    url.host_str().map(|host| text::line(host, NAME_CHARACTERS_MAX))
}

struct ContactCollector<'r> {
    research: &'r RunState,
    places: &'r ContactHosts,
    contacts: BTreeMap<(ContactKind, String, Option<String>), Contact>,
}

impl ContactCollector<'_> {
    fn take(&mut self, event: &Event) {
        match event {
            Event::GatherIntended { tasks } => tasks.iter().for_each(|task| self.gather(*task)),
            Event::GatherDone { outcome: WebTaskOutcome::Page(kept), .. } => self.add_redirects(&kept.record),
            Event::CheckIntended { tasks } => tasks.iter().for_each(|task| self.check(task)),
            Event::CheckDone { outcome: CheckTaskOutcome::Page(kept), .. } => {
                self.add_redirects(&kept.record)
            }
            Event::GatherDone {
                task: WebTask::Page { .. },
                outcome: WebTaskOutcome::Failed { problem },
                ..
            }
            | Event::CheckDone {
                task: CheckTask::Page { .. },
                outcome: CheckTaskOutcome::Failed { problem },
                ..
            } if self.places.archive && is_gone(problem) => {
                self.archive(false);
            }
            Event::CreateIntended { .. } if self.is_at_google() => self.google(),
            _ => {}
        }
    }

    /// Which of the pages could not be read directly is not in the journal for all of them: each counts.
    fn page_service(&mut self) {
        let plan = self.research.plan.web.as_ref();
        let Some(service) = plan.and_then(|web| web.page_service.as_ref()) else { return };
        let (name, host) = (service.name.clone(), self.host_of_provider(ProviderName::Firecrawl));
        self.add(ContactKind::PageService, host, Some(name), false);
    }

    fn is_at_google(&self) -> bool {
        self.research.plan.web.is_none() && self.research.plan.given.is_none()
    }

    fn gather(&mut self, task: WebTask) {
        match task {
            WebTask::Search { provider, .. } => self.search(provider),
            WebTask::Page { candidate } => self.candidate(candidate),
            // Read by our own process.
            WebTask::Folder { .. } => {}
            WebTask::Plan { .. }
            | WebTask::Choose { .. }
            | WebTask::Read { .. }
            | WebTask::Write
            | WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Survey { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => self.model(),
        }
    }

    fn search(&mut self, provider: ProviderName) {
        let host = self.host_of_provider(provider);
        self.add(ContactKind::Search, host, Some(provider.as_str().to_owned()), false);
    }

    fn host_of_provider(&self, provider: ProviderName) -> String {
        let base = match (self.places.bases.get(&provider), provider.facts().address) {
            (Some(base), _) => base.as_str(),
            (None, ProviderAddress::Fixed(address)) => address,
            (None, ProviderAddress::OwnServer { .. }) => "",
        };
        host_of(base).unwrap_or_else(|| "unknown".to_owned())
    }

    fn candidate(&mut self, place: u32) {
        let gathering = self.research.web_state.as_ref();
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let Some(listed) = gathering.and_then(|gathering| gathering.candidates.get(place)) else { return };
        if listed.origin != CandidateOrigin::LocalFile {
            self.page(&listed.candidate.url.clone());
            self.page_service();
        }
    }

    fn page(&mut self, url: &str) {
        if let Some(host) = host_of(url) {
            self.add(ContactKind::Page, host, None, true);
        }
    }

    /// Where a fetch ended: hosts that it redirected to, or the archive that had the page.
    fn add_redirects(&mut self, record: &PageRecord) {
        let asked = host_of(&record.asked_url);
        if let Provenance::Archive(_) = &record.provenance {
            return self.archive(true);
        }
        // Hosts that a page service connected to were not contacted from here.
        if let Provenance::Service(_) = &record.provenance {
            return;
        }
        let further = record.redirects.iter().chain([&record.final_url]);
        let mut hosts: Vec<String> = further.filter_map(|url| host_of(url)).collect();
        hosts.retain(|host| Some(host) != asked.as_ref());
        hosts.dedup();
        for host in hosts {
            self.add(ContactKind::Page, host, None, true);
        }
    }

    /// The archive is asked at one host and serves its copies at another.
    fn archive(&mut self, is_from_journal: bool) {
        for host in ["archive.org", "web.archive.org"] {
            self.add(ContactKind::Archive, host.to_owned(), None, is_from_journal);
        }
    }

    fn model(&mut self) {
        let Some(model) = self.research.plan.web.as_ref().and_then(|web| web.model.as_ref()) else { return };
        let name = text::line(&model.name, NAME_CHARACTERS_MAX);
        let host = self.places.chat.clone().unwrap_or_else(|| "not set today".to_owned());
        self.add_model(ContactKind::Model, host, name, model.local);
    }

    fn check(&mut self, task: &CheckTask) {
        let (seat, inner) = task.seat();
        match inner {
            CheckTask::Page { url } => self.page(url),
            CheckTask::Judge { .. } | CheckTask::Exam { .. } => {
                let checks = self.research.plan.checks.as_ref();
                let Some(judge) = checks.and_then(|checks| checks.judge_at(seat)) else { return };
                let name = text::line(&judge.name, NAME_CHARACTERS_MAX);
                let host = match seat {
                    JudgeSeat::First => &self.places.judge,
                    JudgeSeat::Second => &self.places.second_judge,
                };
                let host = host.clone().unwrap_or_else(|| "not set today".to_owned());
                self.add_model(ContactKind::Judge, host, name, judge.local);
            }
            CheckTask::Examine | CheckTask::Recall | CheckTask::Second { .. } => {}
        }
    }

    fn google(&mut self) {
        let model = self.research.summary().agent;
        let by = match self.research.plan.engine {
            EngineName::GeminiCli => format!("the Gemini CLI, {model}"),
            EngineName::GeminiApi | EngineName::Web => model,
        };
        let name = text::line(&by, NAME_CHARACTERS_MAX);
        self.add(ContactKind::Agent, self.places.google.clone(), Some(name), false);
    }

    fn add_model(&mut self, kind: ContactKind, host: String, name: String, local: bool) {
        self.add(kind, host.clone(), Some(name.clone()), false);
        if let Some(contact) = self.contacts.get_mut(&(kind, host, Some(name))) {
            contact.is_here |= local;
        }
    }

    fn add(&mut self, kind: ContactKind, host: String, name: Option<String>, is_from_journal: bool) {
        let is_here = is_loopback(&host);
        let key = (kind, host.clone(), name.clone());
        let contact = self.contacts.entry(key).or_insert(Contact {
            kind,
            host,
            name,
            requests: 0,
            is_here,
            is_from_journal,
        });
        contact.requests = contact.requests.saturating_add(1);
    }
}

fn is_loopback(host: &str) -> bool {
    match Host::parse(host) {
        Ok(Host::Ipv4(address)) => address.is_loopback(),
        Ok(Host::Ipv6(address)) => address.is_loopback(),
        Ok(Host::Domain(name)) => name == "localhost",
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{host_of, is_loopback};

    #[test]
    fn hosts_are_told_without_what_stands_around_them() {
        let host = |address: &str| host_of(address).unwrap_or_default();
        assert_eq!(host("https://{language}.wikipedia.org"), "wikipedia.org");
        assert_eq!(host("http://user:secret@a.example:8080/path?key=1"), "a.example");
        assert_eq!(host("not an address"), "");
        assert!(is_loopback("127.0.0.1") && is_loopback("[::1]") && is_loopback("localhost"));
        assert!(!is_loopback("localhost.example") && !is_loopback("192.168.0.1"));
    }
}
