//! What a finding means in a research on the web engine: the bytes to keep and the event to append.

use std::time::Duration;

use super::{
    anchor,
    bill::Bill,
    canonical,
    cluster::Fingerprint,
    compose::harmless,
    gather::{Gathering, place},
    page::{Extract, PageRecord},
    plan::WebPlan,
    search::{HITS_MAX, Hit, SNIPPET_CHARACTERS_MAX, TITLE_CHARACTERS_MAX, URL_BYTES_MAX},
    step::{READ_LINKS_MAX, choices},
    task::{Brought, BroughtPage, KeptPage, Outcome, ReadReply, Task, WebFinding},
};
use crate::{
    attention::Attention,
    checking::{CheckOutcome, CheckTask},
    error::{Code, Problem},
    event::Event,
    id::Digest,
    react::Reaction,
    text,
};

/// Longest wait before a second try of something: the research has a deadline of its own.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// Files of one folder kept in the journal.
const FILES_MAX: usize = 50;

/// What a page was fetched for.
#[derive(Debug, Clone, PartialEq)]
pub enum PageFor {
    Gather(Task),
    Check(CheckTask),
}

/// A page on its way to the store: bytes and text first, then the event that names them.
#[derive(Debug, Clone, PartialEq)]
pub struct PageToKeep {
    pub of: PageFor,
    pub bill: Bill,
    pub record: PageRecord,
    pub snapshot: Vec<u8>,
    pub extract: Extract,
}

impl PageToKeep {
    pub fn event(&self, snapshot: Option<Digest>, extract: Option<Digest>) -> Event {
        let kept = match (snapshot, extract) {
            (Some(snapshot), Some(extract)) => Ok(Box::new(KeptPage {
                record: self.record.clone(),
                snapshot,
                extract,
                title: self.title(),
                published: self.extract.published.clone(),
                language: self.extract.language.clone(),
                fingerprint: Fingerprint::of(&self.extract.text),
                signs: self.extract.signs.clone(),
                links: self.extract.links.iter().take(READ_LINKS_MAX).cloned().collect(),
            })),
            _ => Err(Problem::new(Code::PageUnreadable, "the page has no bytes")),
        };
        let bill = self.bill;
        match &self.of {
            PageFor::Gather(task) => {
                let outcome = kept.map_or_else(|problem| Outcome::Failed { problem }, Outcome::Page);
                Event::GatherDone { task: *task, outcome, bill }
            }
            PageFor::Check(task) => {
                let outcome =
                    kept.map_or_else(|problem| CheckOutcome::Failed { problem }, CheckOutcome::Page);
                Event::CheckDone { task: task.clone(), outcome, bill }
            }
        }
    }

    fn title(&self) -> String {
        let title = self.extract.title.as_deref().map(|title| harmless(title, TITLE_CHARACTERS_MAX));
        let site =
            || canonical::site(&self.record.final_url).unwrap_or_else(|| "a page without a title".to_owned());
        title.filter(|title| !title.is_empty()).unwrap_or_else(site)
    }
}

pub fn react(
    plan: &WebPlan,
    gathering: &Gathering,
    attention: &mut Attention,
    finding: WebFinding,
) -> Reaction {
    let WebFinding { task, brought, bill } = finding;
    let outcome = match brought {
        Brought::Page(page) if page.extract.text.trim().is_empty() => {
            failed(attention, Problem::new(Code::PageUnreadable, "the page has no readable text"))
        }
        Brought::Page(page) => {
            let BroughtPage { record, snapshot, extract } = *page;
            let of = PageFor::Gather(task);
            return Reaction::KeepPage(Box::new(PageToKeep { of, bill, record, snapshot, extract }));
        }
        Brought::Planned(planned) => Outcome::Planned(planned),
        Brought::Found(answer) => Outcome::Found {
            hits: answer.hits.into_iter().take(HITS_MAX).filter_map(clean).collect(),
            heeded: answer.heeded,
            silent_engines: answer
                .silent_engines
                .iter()
                .take(HITS_MAX)
                .map(|engine| text::line(engine, 80))
                .collect(),
        },
        Brought::Files(names) => Outcome::Files { names: names.into_iter().take(FILES_MAX).collect() },
        Brought::Chosen(chosen) => Outcome::Chosen { candidates: chosen_places(plan, gathering, &chosen) },
        Brought::Read(reply) => noted(gathering, attention, task, &reply),
        Brought::Written(draft) => Outcome::Written(draft),
        Brought::Failed(problem) => failed(attention, problem),
    };
    Reaction::Append(Event::GatherDone { task, outcome, bill })
}

/// The wait is the research's, not only this call's: whoever fails asks all to slow down.
fn failed(attention: &mut Attention, problem: Problem) -> Outcome {
    if let Some(wait) = problem.wait_before_retry() {
        let pause = attention.pause.unwrap_or_default().max(wait.min(PAUSE_MAX));
        attention.pause = Some(pause);
    }
    Outcome::Failed { problem }
}

/// What was chosen counts in the list that the chooser saw.
fn chosen_places(plan: &WebPlan, gathering: &Gathering, chosen: &[usize]) -> Vec<u32> {
    let seen = choices(gathering);
    let most = place(plan.strategy.top_pages);
    let mut places: Vec<u32> = Vec::new();
    for (candidate, _) in chosen.iter().filter_map(|index| seen.get(*index)) {
        if !places.contains(candidate) && places.len() < most {
            places.push(*candidate);
        }
    }
    places
}

/// Only what stands on the page is kept.
fn noted(gathering: &Gathering, attention: &mut Attention, task: Task, reply: &ReadReply) -> Outcome {
    let Task::Read { page } = task else {
        return Outcome::Failed { problem: Problem::new(Code::UnusableAnswer, "nobody asked for a reading") };
    };
    let Some(read) = gathering.pages.get(place(page)) else {
        return Outcome::Failed { problem: Problem::new(Code::UnusableAnswer, "there is no such page") };
    };
    let digest = read.kept.extract;
    let extract = attention.blob(digest).and_then(|bytes| Extract::decode(bytes).ok()).unwrap_or_default();
    let note = anchor::anchor(&extract.text, reply, read.kept.links.len());
    // Read once: its text need not stay in memory.
    attention.blobs.remove(&digest);
    Outcome::Noted(note)
}

/// A stranger's words, cleaned and bounded; without an address there is nothing to read.
fn clean(hit: Hit) -> Option<Hit> {
    let url = hit.url.trim();
    let usable = !url.is_empty() && url.len() <= URL_BYTES_MAX && !url.contains(char::is_whitespace);
    usable.then(|| Hit {
        url: url.to_owned(),
        title: text::line(&hit.title, TITLE_CHARACTERS_MAX),
        snippet: text::line(&hit.snippet, SNIPPET_CHARACTERS_MAX),
        published: hit.published.map(|date| text::line(&date, 30)),
    })
}
