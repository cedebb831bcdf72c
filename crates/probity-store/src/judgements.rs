//! What judges have answered, in any run: the same question is not bought twice.

use probity_research::{
    checking::{CheckTask, CheckTaskOutcome, controls, task::JudgeAnswer},
    event::Event,
    id::Digest,
    ledger::Opinion,
    time::Moment,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::Error;

/// Answers stored. A heavy user buys some thousands a day; older ones are deleted and bought again.
const JUDGEMENTS_MAX: i64 = 200_000;

/// Stores the judge answers in this event, in the transaction that appends it.
pub fn remember(connection: &Connection, event: &Event, at: Moment) -> Result<(), Error> {
    let mut answers = judgements_of(event).peekable();
    if answers.peek().is_none() {
        return Ok(());
    }
    for answer in answers {
        let text = serde_json::to_string(&dated(answer, at)).unwrap_or_default();
        connection
            .prepare_cached("INSERT OR REPLACE INTO judgement (question, answer, hash) VALUES (?1, ?2, ?3)")?
            .execute(params![answer.key.0, text, hash(answer.key, &text)])?;
    }
    connection
        .prepare_cached("DELETE FROM judgement WHERE number <= (SELECT max(number) FROM judgement) - ?1")?
        .execute([JUDGEMENTS_MAX])?;
    Ok(())
}

/// The judge answers in this event. A judge that could not answer may be asked again, but for its exam and known claims:
/// there that is an answer like any other. Of a call in which it called a claim supported that we had made false, only
/// what it said of known claims is stored: where its other answers are used again, that it failed is known again.
pub fn judgements_of(event: &Event) -> impl Iterator<Item = &JudgeAnswer> {
    let (answers, is_exam) = match event {
        Event::CheckDone { task, outcome: CheckTaskOutcome::Judged { answers }, .. } => match task.seat().1 {
            CheckTask::Exam { .. } => (answers.as_slice(), true),
            CheckTask::Judge { .. } => (answers.as_slice(), false),
            CheckTask::Page { .. } | CheckTask::Examine | CheckTask::Recall | CheckTask::Second { .. } => {
                (&[][..], false)
            }
        },
        _ => (&[][..], false),
    };
    let is_known = |answer: &JudgeAnswer| controls::truth(answer.claim).is_some();
    let is_kept = !answers.iter().any(controls::is_passed);
    answers
        .iter()
        .filter(move |answer| is_exam || is_known(answer) || is_kept && answer.opinion != Opinion::Abstains)
}

/// The answer as it is kept: whoever uses it again can say of when it is.
pub fn dated(answer: &JudgeAnswer, at: Moment) -> JudgeAnswer {
    JudgeAnswer { judged_at: answer.judged_at.or(Some(at)), ..answer.clone() }
}

/// The stored answers to these questions. A damaged row is ignored: it only saves a purchase.
pub fn recall(connection: &Connection, questions: &[Digest]) -> Result<Vec<JudgeAnswer>, Error> {
    let mut statement =
        connection.prepare_cached("SELECT answer, hash FROM judgement WHERE question = ?1")?;
    let mut known = Vec::new();
    for question in questions {
        let row: Option<(String, Vec<u8>)> =
            statement.query_row([question.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        known.extend(row.and_then(|(text, stored)| parse_stored(*question, &text, &stored)));
    }
    Ok(known)
}

/// The answer to `question`, if the row is what was written.
pub fn parse_stored(question: Digest, text: &str, stored: &[u8]) -> Option<JudgeAnswer> {
    let answer: JudgeAnswer = serde_json::from_str(text).ok().filter(|_| hash(question, text) == stored)?;
    (answer.key == question).then_some(answer)
}

pub fn hash(question: Digest, answer: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&question.0);
    hasher.update(answer.as_bytes());
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use probity_research::{
        checking::{CheckTask, CheckTaskOutcome, controls, task::JudgeAnswer},
        event::Event,
        id::Digest,
        ledger::{ClaimId, Opinion},
        web::bill::Bill,
    };

    use super::judgements_of;

    fn kept(known: Opinion) -> Vec<ClaimId> {
        let answer = |claim: ClaimId, opinion: Opinion| JudgeAnswer {
            claim,
            key: Digest([1; 32]),
            opinion,
            places: Vec::new(),
            confidence: 90,
            reason: String::new(),
            judged_at: None,
        };
        let claims = vec![ClaimId::at(0), ClaimId::at(1)];
        let mut answers =
            vec![answer(ClaimId::at(0), Opinion::Supports), answer(ClaimId::at(1), Opinion::Abstains)];
        answers.extend(controls::numbers(&claims).into_iter().map(|claim| answer(claim, known)));
        let task = CheckTask::Judge { claims };
        let outcome = CheckTaskOutcome::Judged { answers };
        let event = Event::CheckDone { task, outcome, bill: Bill::default() };
        judgements_of(&event).map(|answer| answer.claim).collect()
    }

    #[test]
    fn what_was_said_of_known_claims_is_kept_and_of_a_call_that_failed_nothing_else() {
        let known = controls::numbers(&[ClaimId::at(0)]);
        assert_eq!(kept(Opinion::Absent), [vec![ClaimId::at(0)], known.clone()].concat());
        assert_eq!(kept(Opinion::Abstains), [vec![ClaimId::at(0)], known.clone()].concat());
        assert_eq!(kept(Opinion::Supports), known);
    }
}
