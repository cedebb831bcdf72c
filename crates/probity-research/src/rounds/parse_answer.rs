//! What the answer to a round means: the bytes to store and the event that names them.

use super::{
    RoundAnswer, RoundsPlan, ToolEvidence,
    answer::{self, InvalidAnswer, ModelAnswer},
    links,
    state::{AnswerFacts, AnsweredRound, CallBilling, CallWork, RoundStage, RoundsState},
    verify,
};
use crate::{
    driver_state::DriverState,
    engine_call::RoundReply,
    error::{Code, CodedError},
    event::Event,
    id::Digest,
    ledger::Ledger,
    report::{Citation, Report},
    text,
};

/// Bytes that are stored first, and the event that is appended once their digests are known.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundToStore {
    /// The answer, or the unusable text; nothing for a call without a text.
    pub bytes: Vec<u8>,
    /// The complete answer as received.
    pub raw: Vec<u8>,
    end: RoundEnd,
}

#[derive(Debug, Clone, PartialEq)]
enum RoundEnd {
    Answered { facts: AnswerFacts, billed: CallBilling },
    Stumbled { problem: CodedError, billed: CallBilling, model: Option<String>, work: CallWork },
}

impl RoundToStore {
    pub fn event(&self, kept: Option<Digest>, raw: Option<Digest>) -> Event {
        match (&self.end, kept) {
            (RoundEnd::Answered { facts, billed }, Some(answer)) => {
                Event::RoundAnswered { answer, facts: facts.clone(), billed: *billed, raw }
            }
            // An answer without bytes cannot be: nothing was kept, so nothing was answered.
            (RoundEnd::Answered { billed, .. }, None) => {
                let problem = CodedError::new(Code::UnusableAnswer, "the answer could not be stored");
                let (billed, work) = (*billed, CallWork::default());
                Event::RoundStumbled { problem, kept: None, billed, raw, model: None, work }
            }
            (RoundEnd::Stumbled { problem, billed, model, work }, kept) => {
                let (problem, model, work) = (problem.clone(), model.clone(), work.clone());
                Event::RoundStumbled { problem, kept, billed: *billed, raw, model, work }
            }
        }
    }

    /// The error, if the call returned no usable answer.
    pub fn problem(&self) -> Option<&CodedError> {
        match &self.end {
            RoundEnd::Stumbled { problem, .. } => Some(problem),
            RoundEnd::Answered { .. } => None,
        }
    }
}

/// Decides whether a reply is an answer.
pub fn parse_answer(
    plan: &RoundsPlan,
    course: &RoundsState,
    attention: &DriverState,
    reply: RoundReply,
) -> RoundToStore {
    let RoundReply { text, citations, redirects, mut evidence, raw, problem, billed, model } = reply;
    // Of this call alone: what a correction works on was told with the call that found it.
    let work = CallWork::of(&evidence);
    if course.position.stage == RoundStage::Correction
        && let Some(invalid) = invalid(course, attention)
    {
        evidence.add(&invalid.evidence);
    }
    let (problem, bytes) = match (problem, answer::parse_model_answer(&text)) {
        (Some(problem), _) => (problem, Vec::new()),
        (None, Err(why)) => {
            let problem = CodedError::new(Code::UnusableAnswer, &why.to_string());
            // Nothing in it: there is nothing to correct.
            let bytes = match text.trim().is_empty() {
                true => Vec::new(),
                false => InvalidAnswer { text: bounded(text), evidence }.encode(),
            };
            (problem, bytes)
        }
        (None, Ok(_)) if evidence.is_empty() => {
            let why = "the model answered without searching or reading anything";
            (CodedError::new(Code::NoEvidence, why), Vec::new())
        }
        (None, Ok(spoken)) => {
            let heard = ReplyParts { text: &text, citations: &citations, redirects: &redirects, model };
            return answered(plan, course, attention, heard, spoken, evidence, raw, billed);
        }
    };
    RoundToStore { bytes, raw, end: RoundEnd::Stumbled { problem, billed, model, work } }
}

fn bounded(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(answer::ANSWER_BYTES_MAX));
    text
}

pub fn invalid(course: &RoundsState, attention: &DriverState) -> Option<InvalidAnswer> {
    InvalidAnswer::decode(attention.blob(course.position.invalid?)?)
}

struct ReplyParts<'a> {
    text: &'a str,
    citations: &'a [Citation],
    redirects: &'a [(String, String)],
    model: Option<String>,
}

#[expect(clippy::too_many_arguments, reason = "all parts of one reply, used once")]
fn answered(
    plan: &RoundsPlan,
    course: &RoundsState,
    attention: &DriverState,
    heard: ReplyParts<'_>,
    spoken: ModelAnswer,
    evidence: ToolEvidence,
    raw: Vec<u8>,
    billed: CallBilling,
) -> RoundToStore {
    let earlier = answers(course, attention);
    let mut all = evidence.clone();
    earlier.iter().for_each(|(_, answer)| all.add(&answer.evidence()));
    let markdown = replace_redirects(text::block(&spoken.report), heard.redirects);
    let citations = rebase_citations(heard.text, heard.citations, heard.redirects, &markdown);
    let answer = RoundAnswer {
        unresolved: verify::untraced(&links::addresses(&markdown), &all),
        claimed: verify::untraced(&spoken.metadata.sources_visited, &all),
        report: Report {
            text: markdown,
            citations,
            sources: evidence.sources,
            queries: evidence.queries,
            ..Report::default()
        },
        pages: evidence.pages,
        model_says_verified: spoken.verified,
        model: heard.model,
    };
    let facts = AnswerFacts {
        verified: verify::verified(
            plan.verification,
            earlier.last().map(|(_, answer)| answer),
            &answer,
            &all,
        ),
        model_says_verified: answer.model_says_verified,
        resolved: answer.unresolved.is_empty(),
        searches: count(answer.report.queries.len()),
        pages: count(answer.pages.len()),
        sources: answer.report.sources_listed(),
        model: answer.model.clone(),
    };
    RoundToStore { bytes: answer.encode(), raw, end: RoundEnd::Answered { facts, billed } }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The answers of earlier rounds, in order, each with its facts from the journal.
pub fn answers<'a>(
    course: &'a RoundsState,
    attention: &DriverState,
) -> Vec<(&'a AnsweredRound, RoundAnswer)> {
    let read = |answered: &AnsweredRound| RoundAnswer::decode(attention.blob(answered.answer)?);
    course.answered.iter().filter_map(|answered| Some((answered, read(answered)?))).collect()
}

/// The best answer in its checked form, if it was checked.
pub fn checked(course: &RoundsState, attention: &DriverState) -> Option<Report> {
    Report::decode(attention.blob(course.best()?.checked?.report)?).ok()
}

/// The ledger of the best answer, if it was checked.
pub fn ledger(course: &RoundsState, attention: &DriverState) -> Option<Ledger> {
    checked(course, attention)?.ledger.map(|ledger| *ledger)
}

/// The best of them.
pub fn best<'a>(
    course: &RoundsState,
    answers: &'a [(&AnsweredRound, RoundAnswer)],
) -> Option<&'a RoundAnswer> {
    let best = course.best()?;
    answers.iter().find(|(answered, _)| answered.round == best.round).map(|(_, answer)| answer)
}

/// The pages themselves instead of the provider's links to them.
fn replace_redirects(mut text: String, redirects: &[(String, String)]) -> String {
    for (link, page) in redirects {
        if text.contains(link) {
            text = text.replace(link, page);
        }
    }
    text
}

/// Citations count in the JSON that the model wrote; the report inside it is at another offset and unescaped.
/// A range whose words are not found again is dropped: a citation on the wrong sentence is worse than none.
fn rebase_citations(
    written: &str,
    citations: &[Citation],
    redirects: &[(String, String)],
    markdown: &str,
) -> Vec<Citation> {
    let mut moved = Vec::new();
    let mut from = 0;
    for citation in citations {
        let Some(said) = written.get(citation.start..citation.end) else { continue };
        let unescaped =
            serde_json::from_str::<String>(&format!("\"{said}\"")).unwrap_or_else(|_| said.to_owned());
        let unescaped = replace_redirects(unescaped, redirects);
        let wanted = unescaped.trim();
        let found = |at: usize| markdown.get(at..).and_then(|rest| rest.find(wanted)).map(|found| at + found);
        if wanted.is_empty() {
            continue;
        }
        if let Some(start) = found(from).or_else(|| found(0)) {
            moved.push(Citation { start, end: start + wanted.len(), source: citation.source });
            from = start;
        }
    }
    moved
}

#[cfg(test)]
mod tests;
