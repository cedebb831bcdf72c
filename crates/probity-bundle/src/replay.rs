//! The report once more, from the journal and the stored bytes alone: the rules run again on the state before the end.

use std::{ops::ControlFlow, sync::Arc, time::Duration};

use probity_research::{
    Digest, Event, Recorded, Research, Step, attention::Attention, next_step, report::Report,
    state::ReplayError, step::COLLECTS_MAX,
};

use crate::{bundle::Bundle, manifest::digest};

/// Reads the report out of a provider's whole answer; the way from one to the other is the provider's.
pub type RawReader<'a> = &'a dyn Fn(&[u8]) -> Result<Report, String>;

#[derive(Debug, thiserror::Error)]
pub enum NotReplayed {
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
    #[error("the report comes out with other bytes than those that are stored")]
    OtherReport,
    #[error("the provider's answer does not hold a report: {0}")]
    Raw(String),
    #[error("this report came from the provider, and nothing here reads the provider's answers")]
    NoReader,
}

/// The final report document, rebuilt and equal to the stored one byte for byte.
pub fn replay(bundle: &Bundle<'_>, raw: Option<RawReader<'_>>) -> Result<Vec<u8>, NotReplayed> {
    let ended = bundle.ended().ok_or(NotReplayed::NotEnded)?;
    let rebuilt = rebuild(bundle, ended.place, raw)?.ok_or(NotReplayed::NoReport)?;
    match ended.report {
        Some(stored) if digest(&rebuilt) == stored => Ok(rebuilt),
        Some(_) => Err(NotReplayed::OtherReport),
        None => Err(NotReplayed::NoReport),
    }
}

/// What the rules conclude at this place of the journal, where it is what the journal says. None: no report.
pub fn rebuild(
    bundle: &Bundle<'_>,
    place: usize,
    raw: Option<RawReader<'_>>,
) -> Result<Option<Vec<u8>>, NotReplayed> {
    let recorded = bundle.journal.get(place).ok_or(NotReplayed::NotEnded)?;
    let mut outcome = NotReplayed::OtherEnd(recorded.sequence.0);
    for known in states_before(&bundle.journal, place) {
        let research = Research::replay(bundle.manifest.research, known).map_err(NotReplayed::Journal)?;
        for collects in [0, COLLECTS_MAX] {
            match conclude(bundle, &research, recorded, collects) {
                Ok(Concluded::By(event, report)) if *event == recorded.event => return Ok(report),
                Ok(Concluded::Outside) if research.gathering.is_none() && research.course.is_none() => {
                    match from_provider(bundle, &research, &recorded.event, raw) {
                        Ok(report) => return Ok(report),
                        Err(error) => outcome = error,
                    }
                }
                Ok(_) => {}
                Err(error) => outcome = error,
            }
        }
    }
    Err(outcome)
}

/// The journal before the end, and before wishes that came in while the end was being written down.
fn states_before(journal: &[Recorded], place: usize) -> Vec<&[Recorded]> {
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

enum Concluded {
    By(Box<Event>, Option<Vec<u8>>),
    /// The next word is the provider's.
    Outside,
}

fn conclude(
    bundle: &Bundle<'_>,
    research: &Research,
    recorded: &Recorded,
    collects: u32,
) -> Result<Concluded, NotReplayed> {
    let attended = Duration::from_millis(recorded.attended_ms);
    let mut attention = Attention { collects, ..Attention::resuming(attended) };
    // Each step but the last brings one more blob, so this ends.
    for _ in 0..=bundle.blobs.len() {
        if let ControlFlow::Break(concluded) = advance(bundle, research, &mut attention)? {
            return Ok(concluded);
        }
    }
    Ok(Concluded::Outside)
}

fn advance(
    bundle: &Bundle<'_>,
    research: &Research,
    attention: &mut Attention,
) -> Result<ControlFlow<Concluded>, NotReplayed> {
    Ok(match next_step(research, attention) {
        Step::Fetch(wanted) => {
            let bytes = bundle.blobs.get(&wanted).ok_or(NotReplayed::Missing(wanted))?;
            attention.blobs.insert(wanted, Arc::from(*bytes));
            ControlFlow::Continue(())
        }
        Step::Finish(finish) => {
            let report = finish.report.as_ref().map(Report::encode);
            let raw = (!finish.raw.is_empty()).then(|| digest(&finish.raw));
            let event = finish.event(report.as_deref().map(digest), raw);
            ControlFlow::Break(Concluded::By(Box::new(event), report))
        }
        Step::Record(event) => {
            let report = named_report(&event).and_then(|report| bundle.blobs.get(&report));
            ControlFlow::Break(Concluded::By(event, report.map(|bytes| bytes.to_vec())))
        }
        Step::Perform(_) | Step::PerformAll(_) | Step::Wait(_) | Step::Rest => {
            ControlFlow::Break(Concluded::Outside)
        }
    })
}

fn named_report(event: &Event) -> Option<Digest> {
    match event {
        Event::Ended { report, .. } => *report,
        _ => None,
    }
}

/// The report as the provider's answer holds it, or as it was kept before the provider lost it.
fn from_provider(
    bundle: &Bundle<'_>,
    research: &Research,
    event: &Event,
    reader: Option<RawReader<'_>>,
) -> Result<Option<Vec<u8>>, NotReplayed> {
    let Event::Ended { report, raw, .. } = event else { return Err(NotReplayed::NotEnded) };
    let Some(stored) = report else { return Ok(None) };
    let rebuilt = match raw {
        Some(raw) => {
            let answer = bundle.blobs.get(raw).ok_or(NotReplayed::Missing(*raw))?;
            let reader = reader.ok_or(NotReplayed::NoReader)?;
            reader(answer).map_err(NotReplayed::Raw)?.encode()
        }
        None => {
            let kept =
                research.partial_report.filter(|kept| kept == stored).ok_or(NotReplayed::OtherReport)?;
            bundle.blobs.get(&kept).ok_or(NotReplayed::Missing(kept))?.to_vec()
        }
    };
    if digest(&rebuilt) == *stored { Ok(Some(rebuilt)) } else { Err(NotReplayed::OtherReport) }
}
