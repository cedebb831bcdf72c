//! Repeats what a run concluded: the rules run again on the state before each conclusion, with the stored
//! bytes and nothing else. The last conclusion is the report.

use std::{ops::ControlFlow, sync::Arc, time::Duration};

use probity_research::{
    Digest, Event, RunState, Step, StoredEvent,
    checking::{
        CheckTask, CheckTaskOutcome,
        task::{CheckRequest, ExamineRequest},
    },
    driver_state::{COLLECTS_MAX, DriverState},
    engine_call::EngineCall,
    next_step,
    report::Report,
    state::ReplayError,
};

use crate::{bundle::Bundle, manifest::digest};

/// Parses the report from a provider's whole answer; how that is done depends on the provider.
pub type RawReportReader<'a> = &'a dyn Fn(&[u8]) -> Result<Report, String>;
/// Examines a text by rule: its claims, and what the cited pages say of each.
pub type ReportExamineFn<'a> = &'a dyn Fn(&ExamineRequest) -> Report;

/// What is not part of these rules and is needed to conclude again.
#[derive(Default, Clone, Copy)]
pub struct ReplayReaders<'a> {
    pub raw: Option<RawReportReader<'a>>,
    pub examine: Option<ReportExamineFn<'a>>,
}

#[derive(Debug, thiserror::Error)]
pub enum BundleReplayError {
    #[error("the research did not end")]
    NotEnded,
    #[error("the research ended without a report")]
    NoReport,
    #[error("the journal does not replay")]
    Journal(#[source] ReplayError),
    #[error("the rules ask for the bytes of {0}, which are not in the bundle")]
    Missing(Digest),
    #[error("the rules conclude something else than event {0} says")]
    OtherEnd(u64),
    #[error("the text of event {0} comes out with other bytes than those that are stored")]
    OtherReport(u64),
    #[error("the provider's answer does not hold a report: {0}")]
    Raw(String),
    #[error("event {0} came from outside, and nothing here can tell it again")]
    NoReader(u64),
}

/// The final report document, rebuilt and equal to the stored one byte for byte; so is every text on the way to it.
pub fn replay(bundle: &Bundle<'_>, outside: ReplayReaders<'_>) -> Result<Vec<u8>, BundleReplayError> {
    let ended = bundle.end().ok_or(BundleReplayError::NotEnded)?;
    let mut last = None;
    for place in conclusions(&bundle.journal).into_iter().filter(|place| *place <= ended.place) {
        last = rebuild(bundle, place, outside)?;
    }
    last.ok_or(BundleReplayError::NoReport)
}

/// Places of the journal where a text was finished, examined or settled.
pub fn conclusions(journal: &[StoredEvent]) -> Vec<usize> {
    let concludes = |event: &Event| match event {
        Event::Ended { .. } | Event::Gathered(_) | Event::Checked { .. } => true,
        event => is_examination(event),
    };
    let places = journal.iter().enumerate();
    places.filter(|(_, recorded)| concludes(&recorded.event)).map(|(place, _)| place).collect()
}

pub fn is_examination(event: &Event) -> bool {
    matches!(event, Event::CheckDone { outcome: CheckTaskOutcome::Examined { .. }, .. })
}

/// What the rules conclude at this place of the journal, where it is what the journal says. None: no report.
pub fn rebuild(
    bundle: &Bundle<'_>,
    place: usize,
    outside: ReplayReaders<'_>,
) -> Result<Option<Vec<u8>>, BundleReplayError> {
    let recorded = bundle.journal.get(place).ok_or(BundleReplayError::NotEnded)?;
    let mut outcome = BundleReplayError::OtherEnd(recorded.sequence.0);
    for known in states_before(&bundle.journal, place) {
        let mut research =
            RunState::replay(bundle.manifest.research, known).map_err(BundleReplayError::Journal)?;
        // Older versions recorded no beginning of an examination.
        if let Some(checking) = research.check_state.as_mut()
            && is_examination(&recorded.event)
            && checking.examinations == 0
        {
            checking.intend(&[CheckTask::Examine]);
        }
        for collects in [0, COLLECTS_MAX] {
            let concluded = match conclude(bundle, &research, recorded, collects) {
                Ok(ReplayConclusion::By(event, report)) if *event == recorded.event => return Ok(report),
                Ok(ReplayConclusion::By(..)) => continue,
                Ok(ReplayConclusion::Examine(ask)) => examined(bundle, recorded, &ask, outside),
                Ok(ReplayConclusion::Outside) => from_provider(bundle, &research, recorded, outside),
                Err(error) => Err(error),
            };
            match concluded {
                Ok(report) => return Ok(report),
                Err(error) => outcome = error,
            }
        }
    }
    Err(outcome)
}

/// The journal before the end, and before commands that came in while the end was being appended.
fn states_before(journal: &[StoredEvent], place: usize) -> Vec<&[StoredEvent]> {
    let mut states = Vec::new();
    let mut length = place;
    while let Some(known) = journal.get(..length) {
        states.push(known);
        let guest = known.last().is_some_and(|last| matches!(last.event, Event::CancelRequested { .. }));
        match length.checked_sub(1).filter(|_| guest) {
            Some(shorter) => length = shorter,
            None => break,
        }
    }
    states
}

enum ReplayConclusion {
    By(Box<Event>, Option<Vec<u8>>),
    /// A text is to be examined.
    Examine(Box<ExamineRequest>),
    /// The next event comes from the provider.
    Outside,
}

fn conclude(
    bundle: &Bundle<'_>,
    research: &RunState,
    recorded: &StoredEvent,
    collects: u32,
) -> Result<ReplayConclusion, BundleReplayError> {
    let attended = Duration::from_millis(recorded.attended_ms);
    let intent_is_fresh = is_examination(&recorded.event);
    let mut attention = DriverState { collects, intent_is_fresh, ..DriverState::resuming(attended) };
    // Each step but the last brings one more blob, so this ends.
    for _ in 0..=bundle.blobs.len() {
        if let ControlFlow::Break(concluded) = advance(bundle, research, recorded, &mut attention)? {
            return Ok(concluded);
        }
    }
    Ok(ReplayConclusion::Outside)
}

fn advance(
    bundle: &Bundle<'_>,
    research: &RunState,
    recorded: &StoredEvent,
    attention: &mut DriverState,
) -> Result<ControlFlow<ReplayConclusion>, BundleReplayError> {
    Ok(match next_step(research, attention) {
        Step::Fetch(wanted) => {
            let bytes = bundle.blobs.get(&wanted).ok_or(BundleReplayError::Missing(wanted))?;
            attention.blobs.insert(wanted, Arc::from(*bytes));
            ControlFlow::Continue(())
        }
        Step::Finish(finish) => {
            let report = finish.report.as_ref().map(Report::encode);
            let raw = (!finish.raw.is_empty()).then(|| digest(&finish.raw));
            // The clock's reading, which no rule makes.
            let at = match &recorded.event {
                Event::Gathered(ending) => ending.at,
                _ => recorded.at,
            };
            let event = finish.event(report.as_deref().map(digest), raw, at);
            ControlFlow::Break(ReplayConclusion::By(Box::new(event), report))
        }
        Step::Record(event) => {
            let report = named(&event).and_then(|named| bundle.blobs.get(&named.report?));
            ControlFlow::Break(ReplayConclusion::By(event, report.map(|bytes| bytes.to_vec())))
        }
        Step::Perform(EngineCall::Check(call)) => match call.ask {
            CheckRequest::Examine(ask) => ControlFlow::Break(ReplayConclusion::Examine(ask)),
            CheckRequest::Page { .. } | CheckRequest::Judge(_) => {
                ControlFlow::Break(ReplayConclusion::Outside)
            }
        },
        Step::Perform(_) | Step::PerformAll(_) | Step::Recall(_) | Step::Wait(_) | Step::Rest => {
            ControlFlow::Break(ReplayConclusion::Outside)
        }
    })
}

/// The bytes that a conclusion names.
struct ConclusionDigests {
    report: Option<Digest>,
    raw: Option<Digest>,
}

fn named(event: &Event) -> Option<ConclusionDigests> {
    match event {
        Event::Ended { report, raw, .. } => Some(ConclusionDigests { report: *report, raw: *raw }),
        Event::Gathered(ending) => Some(ConclusionDigests { report: ending.report, raw: ending.raw }),
        _ => None,
    }
}

/// The same text, the same pages, the same rules: the same draft.
fn examined(
    bundle: &Bundle<'_>,
    recorded: &StoredEvent,
    ask: &ExamineRequest,
    outside: ReplayReaders<'_>,
) -> Result<Option<Vec<u8>>, BundleReplayError> {
    let sequence = recorded.sequence.0;
    let Event::CheckDone { outcome: CheckTaskOutcome::Examined { draft, questions }, .. } = &recorded.event
    else {
        return Err(BundleReplayError::OtherEnd(sequence));
    };
    let examine = outside.examine.ok_or(BundleReplayError::NoReader(sequence))?;
    let again = examine(ask);
    let open = again.ledger.as_ref().map_or(0, |ledger| ledger.questions.len());
    if !bundle.blobs.contains_key(draft) {
        return Err(BundleReplayError::Missing(*draft));
    }
    let bytes = again.encode();
    match digest(&bytes) == *draft && usize::try_from(*questions) == Ok(open) {
        true => Ok(Some(bytes)),
        false => Err(BundleReplayError::OtherReport(sequence)),
    }
}

/// The report as parsed from the provider's answer, or as it was stored before the provider lost it. Our own
/// engines conclude by rule, so nothing of theirs can come from outside.
fn from_provider(
    bundle: &Bundle<'_>,
    research: &RunState,
    recorded: &StoredEvent,
    outside: ReplayReaders<'_>,
) -> Result<Option<Vec<u8>>, BundleReplayError> {
    let sequence = recorded.sequence.0;
    let ours = research.web_state.is_some() || research.rounds_state.is_some();
    let Some(named) = named(&recorded.event).filter(|_| !ours) else {
        return Err(BundleReplayError::OtherEnd(sequence));
    };
    let Some(stored) = named.report else { return Ok(None) };
    let rebuilt = match named.raw {
        Some(raw) => {
            let answer = bundle.blobs.get(&raw).ok_or(BundleReplayError::Missing(raw))?;
            let reader = outside.raw.ok_or(BundleReplayError::NoReader(sequence))?;
            reader(answer).map_err(BundleReplayError::Raw)?.encode()
        }
        None => {
            let kept = research.partial_report.filter(|kept| *kept == stored);
            let kept = kept.ok_or(BundleReplayError::OtherReport(sequence))?;
            bundle.blobs.get(&kept).ok_or(BundleReplayError::Missing(kept))?.to_vec()
        }
    };
    if digest(&rebuilt) == stored { Ok(Some(rebuilt)) } else { Err(BundleReplayError::OtherReport(sequence)) }
}
