//! What judges have answered, in any run of the fleet: the same question is not bought twice.

use std::collections::BTreeMap;

use probity_research::{
    checking::task::JudgeAnswer, event::Event, id::Digest, ports::JournalError, time::Moment,
};

use super::Postgres;
use crate::judgements;

/// Judge answers in an event, as columns. In the order of their questions, so that two appends with the same
/// answers cannot wait for each other.
#[derive(Debug, Default)]
pub(super) struct JudgementColumns {
    pub questions: Vec<Vec<u8>>,
    pub answers: Vec<String>,
    pub hashes: Vec<Vec<u8>>,
}

impl JudgementColumns {
    pub fn of(event: &Event, at: Moment) -> Self {
        let by_question: BTreeMap<Digest, &JudgeAnswer> =
            judgements::judgements_of(event).map(|answer| (answer.key, answer)).collect();
        let mut judged = Self::default();
        for (question, answer) in by_question {
            let Ok(text) = serde_json::to_string(&judgements::dated(answer, at)) else { continue };
            judged.hashes.push(judgements::hash(question, &text).to_vec());
            judged.questions.push(question.0.to_vec());
            judged.answers.push(text);
        }
        judged
    }

    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }
}

impl Postgres {
    /// The stored answers to these questions. A damaged row is ignored: it only saves a purchase.
    pub(super) async fn known_judgements(
        &self,
        questions: &[Digest],
    ) -> Result<Vec<JudgeAnswer>, JournalError> {
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let to_error = |error| self.problem(&error);
        let client = self.client().await?;
        let statement = client
            .prepare_cached("SELECT question, answer, hash FROM judgement WHERE question = ANY ($1)")
            .await
            .map_err(to_error)?;
        let wanted: Vec<&[u8]> = questions.iter().map(|question| question.0.as_slice()).collect();
        let rows = client.query(&statement, &[&wanted]).await.map_err(to_error)?;
        let mut found = BTreeMap::new();
        for row in &rows {
            let question = Digest(super::row::sized(row.try_get(0).map_err(to_error)?));
            let text: &str = row.try_get(1).map_err(to_error)?;
            let stored: &[u8] = row.try_get(2).map_err(to_error)?;
            found.extend(judgements::parse_stored(question, text, stored).map(|answer| (question, answer)));
        }
        Ok(questions.iter().filter_map(|question| found.get(question).cloned()).collect())
    }
}
