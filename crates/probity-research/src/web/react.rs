//! What an outcome means in a run on the web engine: the bytes to store and the event to append.

use std::time::Duration;

use probity_types::inquiry::SurveyAnswer;

use super::{
    anchor,
    page::Extract,
    page_to_store::{PagePurpose, PageToStore},
    plan::WebPlan,
    search::{HITS_MAX, SNIPPET_CHARACTERS_MAX, SearchHit, TITLE_CHARACTERS_MAX, URL_BYTES_MAX},
    state::{WebState, to_index},
    step::choices,
    task::{FetchedPage, ReadReply, WebTask, WebTaskOutcome, WebTaskOutput, WebTaskReply},
};
use crate::{
    driver_state::DriverState,
    error::{Code, CodedError},
    event::Event,
    inquiry::{anchor as survey_anchor, intake},
    instruction::Reaction,
    text,
};

/// Longest wait before a retry: the run has a deadline of its own.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// Files of one folder kept in the journal.
const FILES_MAX: usize = 50;

pub fn react(
    plan: &WebPlan,
    gathering: &WebState,
    attention: &mut DriverState,
    finding: WebTaskReply,
) -> Reaction {
    let WebTaskReply { task, output: brought, bill } = finding;
    let outcome = match brought {
        WebTaskOutput::Page(page) if page.extract.text.trim().is_empty() => {
            let problem = CodedError::new(Code::PageUnreadable, "the page has no readable text");
            failed(gathering, attention, task, problem)
        }
        WebTaskOutput::Page(page) => {
            let FetchedPage { record, snapshot, extract } = *page;
            let of = PagePurpose::Gather(task);
            return Reaction::KeepPage(Box::new(PageToStore { of, bill, record, snapshot, extract }));
        }
        WebTaskOutput::Planned(planned) => WebTaskOutcome::Planned(planned),
        WebTaskOutput::Found(answer) => WebTaskOutcome::Found {
            hits: answer.hits.into_iter().take(HITS_MAX).filter_map(clean).collect(),
            heeded: answer.heeded,
            silent_engines: answer
                .silent_engines
                .iter()
                .take(HITS_MAX)
                .map(|engine| text::line(engine, 80))
                .collect(),
        },
        WebTaskOutput::Files(names) => {
            WebTaskOutcome::Files { names: names.into_iter().take(FILES_MAX).collect() }
        }
        WebTaskOutput::Chosen(chosen) => {
            WebTaskOutcome::Chosen { candidates: chosen_places(plan, gathering, &chosen) }
        }
        WebTaskOutput::Read(reply) => noted(gathering, attention, task, &reply),
        WebTaskOutput::Written(draft) => WebTaskOutcome::Written(draft),
        WebTaskOutput::Briefed(answer) => WebTaskOutcome::Briefed(intake::brief(answer)),
        WebTaskOutput::Lined(answer) => WebTaskOutcome::Lined(intake::line_answer(answer)),
        WebTaskOutput::Surveyed(answer) => surveyed(gathering, attention, task, &answer),
        WebTaskOutput::Outlined(answer) => WebTaskOutcome::Outlined(intake::outline(answer)),
        WebTaskOutput::Sectioned(answer) => WebTaskOutcome::Sectioned(intake::section(answer)),
        WebTaskOutput::Synthesized(answer) => WebTaskOutcome::Synthesized(intake::synthesis(answer)),
        WebTaskOutput::Fronted(answer) => WebTaskOutcome::Fronted(intake::front(answer)),
        WebTaskOutput::Failed(problem) => failed(gathering, attention, task, problem),
    };
    Reaction::Append(Event::GatherDone { task, outcome, bill })
}

/// The wait is the run's, not only this call's: one failure slows all calls down. Nobody waits for a model that is not
/// asked again.
fn failed(
    gathering: &WebState,
    attention: &mut DriverState,
    task: WebTask,
    problem: CodedError,
) -> WebTaskOutcome {
    let wait = problem.wait_before_retry().filter(|_| !gathering.is_away(task, problem.code));
    if let Some(wait) = wait {
        let pause = attention.pause.unwrap_or_default().max(wait.min(PAUSE_MAX));
        attention.pause = Some(pause);
    }
    WebTaskOutcome::Failed { problem }
}

/// The chooser's positions count in the list that it was shown.
fn chosen_places(plan: &WebPlan, gathering: &WebState, chosen: &[usize]) -> Vec<u32> {
    let seen = choices(gathering);
    let most = to_index(plan.strategy.top_pages);
    let mut places: Vec<u32> = Vec::new();
    for (candidate, _) in chosen.iter().filter_map(|index| seen.get(*index)) {
        if !places.contains(candidate) && places.len() < most {
            places.push(*candidate);
        }
    }
    places
}

/// Only quotations that are on the page are kept.
fn noted(
    gathering: &WebState,
    attention: &mut DriverState,
    task: WebTask,
    reply: &ReadReply,
) -> WebTaskOutcome {
    let WebTask::Read { page } = task else {
        return WebTaskOutcome::Failed {
            problem: CodedError::new(Code::UnusableAnswer, "nobody asked for a reading"),
        };
    };
    let Some(read) = gathering.pages.get(to_index(page)) else {
        return WebTaskOutcome::Failed {
            problem: CodedError::new(Code::UnusableAnswer, "there is no such page"),
        };
    };
    let digest = read.metadata.extract;
    let extract = attention.blob(digest).and_then(|bytes| Extract::decode(bytes).ok()).unwrap_or_default();
    let note = anchor::anchor(&extract.text, reply, read.metadata.links.len());
    // Read once: its text need not stay in memory.
    attention.blobs.remove(&digest);
    WebTaskOutcome::Noted(note)
}

/// The same for a reading on behalf of several facets.
fn surveyed(
    gathering: &WebState,
    attention: &mut DriverState,
    task: WebTask,
    answer: &SurveyAnswer,
) -> WebTaskOutcome {
    let page = match task {
        WebTask::Survey { page } => gathering.pages.get(to_index(page)),
        _ => None,
    };
    let Some(read) = page else {
        return WebTaskOutcome::Failed {
            problem: CodedError::new(Code::UnusableAnswer, "there is no such page to read"),
        };
    };
    let digest = read.metadata.extract;
    let extract = attention.blob(digest).and_then(|bytes| Extract::decode(bytes).ok()).unwrap_or_default();
    let mut note = survey_anchor::anchor(&extract.text, answer, read.metadata.links.len());
    if let Some(inquiry) = &gathering.inquiry {
        survey_anchor::add_paraphrased(&extract, answer, &mut note);
        survey_anchor::add_asked_for(&extract, &inquiry.asked_by_name(), &mut note);
        let listed = gathering.candidates.get(to_index(read.candidate));
        let facet = listed.and_then(|listed| inquiry.facet_asking(&listed.question));
        let searched = gathering.found_by(read.candidate, &extract.text).map(str::to_owned);
        let named = searched.into_iter().chain(survey_anchor::names_of_title(&read.metadata.title));
        let about: Vec<_> = named.filter_map(|name| Some((name, facet?))).collect();
        survey_anchor::add_of_the_same(&extract, &about, &mut note);
        survey_anchor::add_speakers(&extract, &mut note);
    }
    // Read once, unless its reader is replaced by the rule: then it is fetched from the store again.
    attention.blobs.remove(&digest);
    WebTaskOutcome::Surveyed(note)
}

/// Foreign text, cleaned and bounded; without an address there is nothing to read.
fn clean(hit: SearchHit) -> Option<SearchHit> {
    let url = hit.url.trim();
    let usable = !url.is_empty() && url.len() <= URL_BYTES_MAX && !url.contains(char::is_whitespace);
    usable.then(|| SearchHit {
        url: url.to_owned(),
        title: text::line(&hit.title, TITLE_CHARACTERS_MAX),
        snippet: text::line(&hit.snippet, SNIPPET_CHARACTERS_MAX),
        published: hit.published.map(|date| text::line(&date, 30)),
    })
}
