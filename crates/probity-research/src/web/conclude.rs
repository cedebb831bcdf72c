//! The end of a run on the web engine: the report, its evidence, and what was not done.

use super::{
    cluster,
    compose::{self, ReportComposer},
    markdown::neutralize_markdown,
    parent::FollowUpKind,
    plan::{NO_MODEL, WRITTEN_WORDS_MAX, WebPlan},
    receipt,
    record::{RecordedNote, RecordedPage, RecordedSearch, ResearchQuality, TRUST_CLASS, WebRecord, WebStop},
    search::FilterEnforcement,
    state::{WebState, to_count, to_index},
    strategy::Strategy,
    task::WebTask,
};
use crate::{
    cost::Usage,
    error::{Code, CodedError},
    inquiry,
    instruction::{FinishAction, RunFinish},
    report::{NoticePhrases, Report, ReportPhrases, verification::BASIS_QUOTATIONS},
    rounds::{RoundNote, RoundsPlan, RoundsRecord, RoundsStop},
    state::RunState,
    stop::{CancelReason, PartialResults, RunStop},
    text,
};

/// Pairs of pages with other numbers that are named one by one.
const ALTERED_TOLD_MAX: usize = 3;
const REMARK_CHARACTERS_MAX: usize = 400;
const SUMMARY_CHARACTERS_MAX: usize = 280;

pub fn conclude(research: &RunState, plan: &WebPlan, gathering: &WebState, stop: WebStop) -> RunFinish {
    let stop = gathering.stop.filter(|_| stop != WebStop::Cancelled).unwrap_or(stop);
    let dropped = stop == WebStop::Cancelled
        && research.cancel.as_ref().is_some_and(|command| command.partial == PartialResults::Drop);
    let quoted = gathering.notes.iter().any(|note| !note.note.quotes.is_empty());
    let has_report = !dropped && (quoted || stop == WebStop::NotNeeded || gathering.draft.is_some());
    let report = has_report.then(|| report(research, plan, gathering, stop));
    let end = ending(stop, has_report);
    RunFinish {
        action: FinishAction::of(research, end, has_report),
        stop: end,
        problem: problem(gathering, stop, has_report),
        report,
        raw: Vec::new(),
        raw_kept: None,
        usage: (gathering.spent.usage != Usage::default()).then_some(gathering.spent.usage),
        cost: gathering.spent.as_cost(),
        progress: research.progress.clone(),
    }
}

/// A limit degrades the run; it never leaves it empty.
fn ending(stop: WebStop, has_report: bool) -> RunStop {
    match stop {
        WebStop::Cancelled => RunStop::Cancelled,
        _ if has_report => RunStop::Completed,
        WebStop::Deadline => CancelReason::Deadline.stop(),
        WebStop::Budget => CancelReason::Budget.stop(),
        WebStop::NotNeeded
        | WebStop::Enough
        | WebStop::Saturated
        | WebStop::Limit
        | WebStop::Failure
        | WebStop::Finished => RunStop::Failed,
    }
}

fn problem(gathering: &WebState, stop: WebStop, has_report: bool) -> Option<CodedError> {
    if has_report || stop == WebStop::Cancelled {
        return None;
    }
    let of_search = gathering.search_outcomes.iter().find_map(|searched| searched.problem.as_ref());
    let all_failed = !gathering.search_outcomes.is_empty()
        && gathering.search_outcomes.iter().all(|one| one.problem.is_some());
    Some(match (stop, of_search) {
        (WebStop::Deadline, _) => {
            CodedError::new(Code::Deadline, "the research did not finish before its deadline")
        }
        (WebStop::Budget, _) => CodedError::new(Code::Budget, "the budget does not carry a single attempt"),
        (_, Some(problem)) if all_failed => {
            let message = format!("every search failed; the first one: {}", problem.message);
            CodedError { message: text::line(&message, REMARK_CHARACTERS_MAX), ..problem.clone() }
        }
        (
            WebStop::NotNeeded
            | WebStop::Enough
            | WebStop::Saturated
            | WebStop::Limit
            | WebStop::Failure
            | WebStop::Cancelled
            | WebStop::Finished,
            _,
        ) => nothing_found(gathering),
    })
}

/// Pages that nobody could read say nothing, and that is another matter than what they say.
fn nothing_found(gathering: &WebState) -> CodedError {
    let is_page = |(task, _): &&(WebTask, CodedError)| matches!(task, WebTask::Page { .. });
    let failed = gathering.troubles.iter().filter(is_page).count();
    let first = gathering.troubles.iter().find(is_page);
    let is_read = gathering.pages.iter().any(|page| page.is_read);
    match first.filter(|_| !is_read) {
        Some((_, problem)) => {
            let pages =
                if failed == 1 { "the page that was found" } else { "none of the pages that were found" };
            let could = if failed == 1 { "could not be read" } else { "could be read; the first" };
            let message = format!("{pages} {could}: {}", problem.message);
            CodedError::new(Code::NothingFound, &text::line(&message, REMARK_CHARACTERS_MAX))
        }
        None => CodedError::new(Code::NothingFound, "no page that was found says anything to this question"),
    }
}

fn report(research: &RunState, plan: &WebPlan, gathering: &WebState, stop: WebStop) -> Report {
    let language = match &gathering.inquiry {
        Some(inquiry) => inquiry.language.as_deref(),
        None => plan.hints.language.as_deref(),
    };
    let phrases = ReportPhrases::of_report(language, research.query.as_str());
    let mut remarks = remarks(plan, gathering, stop, &phrases);
    remarks.extend(parent_remark(research, plan, &phrases));
    let ReportComposer { text, citations, mut sources, sentences, has_gaps, .. } = match &gathering.inquiry {
        Some(inquiry) => inquiry::compose::compose(&research.query, plan, gathering, inquiry, stop, &remarks),
        None => compose::compose(&research.query, plan, gathering, stop, &remarks),
    };
    // What was taken over is a source where it is cited. An inquiry reads many pages for each one that it cites: its
    // sources are those that a sentence rests on, and the record of the run shows all that was read.
    let lists_all = gathering.inquiry.is_none();
    let own = gathering.pages.iter().zip(0..).filter(|(_, place)| lists_all && !gathering.is_parents(*place));
    for page in own.map(|(page, _)| page).filter(|page| page.is_read) {
        let url = &page.metadata.record.final_url;
        if !sources.iter().any(|source| source.url == *url) {
            sources.push(crate::report::SourceLink { url: url.clone(), title: page.metadata.title.clone() });
        }
    }
    let origins = gathering.origins();
    let record = WebRecord {
        strategy: recorded_strategy(plan, gathering),
        quality: Some(quality(gathering)),
        stop,
        attempts: to_count(gathering.gains.len()),
        model: writer(plan, gathering).map(str::to_owned),
        trust_class: TRUST_CLASS.to_owned(),
        searches: searches(gathering),
        pages: pages(gathering, &origins),
        notes: notes(gathering),
        sentences,
        receipt: Some(receipt::receipt(plan, gathering)),
        invented: gathering.notes.iter().map(|note| note.note.invented).sum::<u32>()
            + gathering.inquiry.as_ref().map_or(0, |inquiry| inquiry.invented),
        not_checked: remarks.clone(),
    };
    let mut queries: Vec<String> = Vec::new();
    for asked in &gathering.queries {
        if !queries.contains(&asked.query) {
            queries.push(asked.query.clone());
        }
    }
    let rounds = research.plan.rounds.as_ref();
    let rounds = rounds.map(|rounds| Box::new(in_rounds(rounds, plan, gathering, stop, has_gaps)));
    Report {
        text: text.trim_end().to_owned() + "\n",
        citations,
        sources,
        queries,
        rounds,
        web: Some(Box::new(record)),
        ..Report::default()
    }
}

/// Who wrote the report: none where it is made of quotations, whoever was planned.
fn writer<'plan>(plan: &'plan WebPlan, gathering: &WebState) -> Option<&'plan str> {
    plan.writer().filter(|_| gathering.is_written())
}

/// What a follow-up rests on, and how to get more.
fn parent_remark(research: &RunState, plan: &WebPlan, phrases: &ReportPhrases) -> Option<String> {
    let (bank, parent) = (plan.parent.as_ref()?, research.plan.follows?);
    let pages = bank.pages_quoted();
    if let Some(words) = phrases.remarks {
        let words = match bank.kind {
            FollowUpKind::Ask => words.notices.answered_from,
            FollowUpKind::Search => words.notices.continued,
        };
        return Some(words.replace("{parent}", &parent.to_string()).replace("{pages}", &pages.to_string()));
    }
    Some(match bank.kind {
        FollowUpKind::Ask => format!(
            "This answers a further question on research {parent} from {pages} of the pages that are stored with it; nothing \
             was searched and no page was fetched. To search as well: `probity follow-up {parent} --search \"…\"`."
        ),
        FollowUpKind::Search => format!(
            "This continues research {parent}: pages that it had read were not fetched again, and {pages} of them were at \
             hand from the beginning."
        ),
    })
}

/// The gains of all attempts together.
fn quality(gathering: &WebState) -> ResearchQuality {
    let mut questions: Vec<&str> = gathering.queries.iter().map(|asked| asked.question.as_str()).collect();
    questions.sort_unstable();
    questions.dedup();
    let (asked, open) = (to_count(questions.len()), to_count(gathering.open_questions().len()));
    ResearchQuality {
        questions: asked,
        questions_answered: asked.saturating_sub(open),
        independent_origins: gathering.gains.iter().map(|gain| gain.new_origins).sum(),
        facts: gathering.gains.iter().map(|gain| gain.new_facts).sum(),
        facts_of_last_attempt: gathering.gains.last().map_or(0, |gain| gain.new_facts),
    }
}

/// Notes for the reader: what was cut short, what failed, which pages tried to steer a model.
fn remarks(plan: &WebPlan, gathering: &WebState, stop: WebStop, phrases: &ReportPhrases) -> Vec<String> {
    let words = phrases.remarks;
    let told = stopped(plan, stop);
    let mut remarks: Vec<String> = match words {
        Some(words) => stopped_in(words.notices, stop).map(str::to_owned).into_iter().collect(),
        None => told.into_iter().collect(),
    };
    remarks.extend(gathering.steering_remarks(phrases));
    // A question that needs no search loses nothing by a smaller plan.
    let cut = plan.cut.as_ref().filter(|_| stop != WebStop::NotNeeded);
    remarks.extend(cut.map(|cut| cut.sentence_in(phrases)));
    if let Some(asked) = plan.hints.words.filter(|asked| plan.words() < Some(*asked)) {
        remarks.push(format!(
            "{asked} words were asked for; at most {WRITTEN_WORDS_MAX} are written in one call."
        ));
    }
    if !gathering.is_written() && plan.model.is_some() && stop != WebStop::NotNeeded {
        let writes = |task: WebTask| matches!(task, WebTask::Write | WebTask::Section { .. });
        let why = gathering.troubles.iter().rev().find(|(task, _)| writes(*task));
        let why = why.map(|(_, problem)| problem).or(gathering.model_lost.as_ref());
        let why = why.map_or("it was not asked to", |problem| problem.message.as_str());
        remarks.push(match words {
            Some(words) => words.notices.not_written.replace("{why}", why),
            None => {
                format!("The model did not write this report ({why}); it is made of quotations instead.")
            }
        });
    }
    let is_too_dear = |problem: &CodedError| problem.code == Code::Budget;
    let too_dear = gathering.troubles.iter().filter(|(_, problem)| is_too_dear(problem)).count();
    if too_dear > 0 {
        remarks.push(match words {
            Some(words) => words.notices.too_dear.replace("{n}", &too_dear.to_string()),
            None => format!(
                "The budget did not carry everything: {too_dear} searches or readings by the model were left out; \
                 pages without a reader were quoted by rule."
            ),
        });
    }
    let failed: Vec<&str> = gathering
        .search_outcomes
        .iter()
        .filter(|searched| searched.problem.as_ref().is_some_and(|problem| !is_too_dear(problem)))
        .map(|searched| searched.provider.as_str())
        .collect();
    if let Some(first) = failed.first() {
        let (count, all) = (failed.len(), gathering.search_outcomes.len());
        remarks.push(match words {
            Some(words) => words
                .searches_failed
                .replace("{n}", &count.to_string())
                .replace("{m}", &all.to_string())
                .replace("{first}", first),
            None => format!("{count} of {all} searches failed (first: {first})."),
        });
    }
    let silent: usize = gathering.search_outcomes.iter().map(|searched| searched.silent_engines.len()).sum();
    if silent > 0 {
        remarks.push(match words {
            Some(words) => words.engines_silent.replace("{n}", &silent.to_string()),
            None => format!("{silent} engines behind the search provider did not answer."),
        });
    }
    remarks.extend(filters(gathering));
    for page in gathering.pages.iter().filter(|page| !page.metadata.signs.is_empty()) {
        let site = neutralize_markdown(&host(&page.metadata.record.final_url), 100);
        remarks.push(match words {
            Some(words) => words.talks_to_machines.replace("{site}", &site),
            None => format!(
                "A page of {site} carries text that talks to machines or hides from readers; it was only quoted."
            ),
        });
    }
    remarks.extend(altered(gathering, phrases));
    let of_inquiry = |inquiry| inquiry::compose::remarks(gathering, inquiry, phrases);
    remarks.extend(gathering.inquiry.as_deref().map(of_inquiry).unwrap_or_default());
    // Where every part is told or named, the report has a list of its own.
    let names_all = gathering.inquiry.as_ref().is_some_and(|inquiry| inquiry.plan.names_every_part());
    let open = gathering.open_questions();
    let open: Vec<&str> = open
        .iter()
        .filter(|asked| !inquiry::asked::is_about_form(asked))
        .map(|asked| asked.trim_end_matches(['.', ' ']))
        .collect();
    if !names_all && !gathering.is_written() && !open.is_empty() && stop != WebStop::NotNeeded {
        remarks.push(format!("Nothing was found on: {}.", open.join("; ")));
    }
    remarks.iter().map(|remark| text::line(remark, REMARK_CHARACTERS_MAX)).collect()
}

fn stopped(plan: &WebPlan, stop: WebStop) -> Option<String> {
    match stop {
        WebStop::Budget => Some(format!(
            "The budget ended the search; what remained was kept for writing. Level: {}.",
            plan.strategy.level.as_str()
        )),
        WebStop::Deadline => Some("The time for gathering ended before the planned attempts did.".to_owned()),
        WebStop::Cancelled => Some("It was cancelled; this is what had been found.".to_owned()),
        WebStop::Finished => {
            Some("The search was ended early, as its user wished; this is what had been found.".to_owned())
        }
        WebStop::Failure | WebStop::NotNeeded | WebStop::Enough | WebStop::Saturated | WebStop::Limit => None,
    }
}

/// The same in the language of the report.
fn stopped_in(words: &NoticePhrases, stop: WebStop) -> Option<&'static str> {
    match stop {
        WebStop::Budget => Some(words.budget),
        WebStop::Deadline => Some(words.deadline),
        WebStop::Cancelled => Some(words.cancelled),
        WebStop::Finished => Some(words.finished),
        WebStop::Failure | WebStop::NotNeeded | WebStop::Enough | WebStop::Saturated | WebStop::Limit => None,
    }
}

/// Filters that were asked for and not enforced.
fn filters(gathering: &WebState) -> Vec<String> {
    let weakest = |of: fn(&super::search::FilterReport) -> Option<FilterEnforcement>| {
        gathering
            .search_outcomes
            .iter()
            .filter(|one| one.problem.is_none())
            .filter_map(|one| of(&one.heeded))
            .min()
    };
    let kinds: [(&str, Option<FilterEnforcement>); 3] = [
        ("dates", weakest(|heeded| heeded.dates)),
        ("sites", weakest(|heeded| heeded.domains)),
        ("languages", weakest(|heeded| heeded.languages)),
    ];
    kinds
        .into_iter()
        .filter_map(|(kind, heed)| match heed? {
            FilterEnforcement::Enforced => None,
            FilterEnforcement::Asked => {
                Some(format!("The wish for certain {kind} was passed on, not enforced."))
            }
            FilterEnforcement::NotPossible => {
                Some(format!("The wish for certain {kind} could not be passed to every provider."))
            }
        })
        .collect()
}

fn altered(gathering: &WebState, phrases: &ReportPhrases) -> Vec<String> {
    let sites: Vec<Option<String>> =
        gathering.pages.iter().map(|page| super::canonical::site(&page.metadata.record.final_url)).collect();
    let pages: Vec<_> = sites
        .iter()
        .zip(&gathering.pages)
        .map(|(site, page)| (site.as_deref(), &page.metadata.fingerprint))
        .collect();
    let name = |page: usize| sites.get(page).cloned().flatten().unwrap_or_default();
    let pairs = cluster::altered_copies(&pages);
    let more = pairs.len().saturating_sub(ALTERED_TOLD_MAX);
    let rest = match (phrases.remarks, more) {
        (Some(words), more) => words.altered_more.replace("{n}", &more.to_string()),
        (None, 1) => "The same holds for 1 more pair of pages.".to_owned(),
        (None, more) => format!("The same holds for {more} more pairs of pages."),
    };
    let told = pairs
        .into_iter()
        .take(ALTERED_TOLD_MAX)
        .map(|(left, right)| match phrases.remarks {
            Some(words) => words.altered.replace("{a}", &name(left)).replace("{b}", &name(right)),
            None => format!(
                "{} and {} carry almost the same text with other numbers: one of them is wrong, or they are about different things.",
                name(left),
                name(right)
            ),
        });
    told.chain((more > 0).then_some(rest)).collect()
}

fn host(url: &str) -> String {
    super::canonical::site(url).unwrap_or_else(|| "your own files".to_owned())
}

fn searches(gathering: &WebState) -> Vec<RecordedSearch> {
    let shown = |one: &super::state::SearchOutcome| {
        let asked = gathering.queries.get(to_index(one.query))?;
        Some(RecordedSearch {
            attempt: asked.attempt,
            provider: one.provider,
            query: asked.query.clone(),
            results: to_count(one.hits.len()),
            heeded: one.heeded,
            silent_engines: one.silent_engines.clone(),
            problem: one.problem.clone(),
        })
    };
    gathering.search_outcomes.iter().filter_map(shown).collect()
}

fn pages(gathering: &WebState, origins: &[usize]) -> Vec<RecordedPage> {
    let pages = gathering.pages.iter().enumerate();
    pages
        .map(|(at, page)| RecordedPage {
            record: page.metadata.record.clone(),
            snapshot: page.metadata.snapshot,
            extract: page.metadata.extract,
            title: page.metadata.title.clone(),
            published: page.metadata.published.clone(),
            language: page.metadata.language.clone(),
            origin: origins.get(at).copied().unwrap_or(at),
            signs: page.metadata.signs.clone(),
        })
        .collect()
}

fn notes(gathering: &WebState) -> Vec<RecordedNote> {
    let notes = gathering.notes.iter();
    notes
        .map(|of| RecordedNote {
            page: of.page,
            question: of.question.clone(),
            quotes: of.note.quotes.clone(),
            facts: of.note.facts.clone(),
        })
        .collect()
}

/// What the run was allowed to do, with every attempt that might have come.
fn recorded_strategy(plan: &WebPlan, gathering: &WebState) -> Strategy {
    let counts_all = plan.inquiry.as_ref().is_some_and(|inquiry| inquiry.records_inferences());
    let max_attempts = match counts_all {
        true => plan.attempts_max().max(to_count(gathering.gains.len())),
        false => plan.strategy.max_attempts,
    };
    Strategy { max_attempts, ..plan.strategy.clone() }
}

/// Attempts shown as rounds, so that every client that knows rounds understands them.
fn in_rounds(
    rounds: &RoundsPlan,
    plan: &WebPlan,
    gathering: &WebState,
    stop: WebStop,
    has_gaps: bool,
) -> RoundsRecord {
    RoundsRecord {
        manner: rounds.manner,
        iterations: to_count(gathering.gains.len()),
        rounds_max: plan.attempts_max().max(to_count(gathering.gains.len())),
        verified: false,
        model_says_verified: false,
        model_unasked: true,
        verification_basis: BASIS_QUOTATIONS.to_owned(),
        stop: as_rounds(stop),
        note: note(plan, gathering, stop, has_gaps),
        model: writer(plan, gathering).unwrap_or(NO_MODEL).to_owned(),
        unresolved: Vec::new(),
        calls: gathering.spent.calls,
        calls_uncounted: gathering.spent.uncounted,
        rounds: (1..=to_count(gathering.gains.len()))
            .map(|attempt| attempt_note(gathering, attempt))
            .collect(),
    }
}

fn as_rounds(stop: WebStop) -> RoundsStop {
    match stop {
        WebStop::NotNeeded => RoundsStop::NotNeeded,
        WebStop::Enough => RoundsStop::Enough,
        WebStop::Saturated => RoundsStop::Saturated,
        WebStop::Limit => RoundsStop::Limit,
        WebStop::Budget => RoundsStop::Budget,
        WebStop::Deadline => RoundsStop::Deadline,
        WebStop::Failure => RoundsStop::Failure,
        WebStop::Cancelled => RoundsStop::Cancelled,
        WebStop::Finished => RoundsStop::Finished,
    }
}

/// Whether nothing of the question is without a quotation: nothing is called missing or was left out, and the report was
/// not made without its writer.
fn is_whole(plan: &WebPlan, gathering: &WebState, has_gaps: bool) -> bool {
    let quality = quality(gathering);
    let dropped = gathering.inquiry.iter().any(|inquiry| inquiry.facets.iter().any(|facet| facet.is_dropped));
    let without_writer = gathering.model_lost.is_some() || (plan.model.is_some() && !gathering.is_written());
    quality.questions_answered == quality.questions && !has_gaps && !dropped && !without_writer
}

pub(crate) fn note(plan: &WebPlan, gathering: &WebState, stop: WebStop, has_gaps: bool) -> Option<String> {
    let depth = format!(
        "{}: {}.",
        plan.strategy.level.as_str(),
        plan.strategy.reason.trim_start_matches("no search: ")
    );
    let end = match stop {
        _ if plan.answers_from_parent() => {
            "No search was made; the pages of an earlier research were at hand.".to_owned()
        }
        WebStop::NotNeeded => "No search was made.".to_owned(),
        WebStop::Enough if is_whole(plan, gathering, has_gaps) => {
            "Every part of the question has a quotation.".to_owned()
        }
        WebStop::Enough if has_gaps => {
            "The planned search was made; what it did not answer is named in the report.".to_owned()
        }
        WebStop::Enough => "The planned search was made.".to_owned(),
        WebStop::Saturated => "Another attempt no longer helped.".to_owned(),
        WebStop::Limit => {
            let made = to_count(gathering.gains.len());
            format!("{made} of {} attempts were made.", plan.attempts_max().max(made))
        }
        other => stopped(plan, other).unwrap_or_else(|| "Every search failed.".to_owned()),
    };
    Some(text::line(&format!("Depth {depth} {end}"), 600))
}

fn attempt_note(gathering: &WebState, attempt: u32) -> RoundNote {
    let pages: Vec<_> = gathering.pages.iter().filter(|page| page.attempt == attempt).collect();
    let gain = gathering.gains.get(to_index(attempt.saturating_sub(1))).copied().unwrap_or_default();
    let counted = |count: u32, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let summary = format!(
        "{} read; {}, {}",
        counted(to_count(pages.len()), "page"),
        counted(gain.new_origins, "new independent source"),
        counted(gain.new_facts, "new fact")
    );
    RoundNote {
        round_number: attempt,
        verified: false,
        model_says_verified: false,
        sources_visited: pages.iter().map(|page| page.metadata.record.final_url.clone()).collect(),
        search_queries: gathering
            .queries
            .iter()
            .filter(|asked| asked.attempt == attempt)
            .map(|asked| asked.query.clone())
            .collect(),
        pages_read: to_count(pages.len()),
        intermediate_result_summary: text::line(&summary, SUMMARY_CHARACTERS_MAX),
        problem: None,
    }
}
