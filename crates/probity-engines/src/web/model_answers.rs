//! A model's answers, as types. Bounded, and nothing in them is trusted: addresses are positions in lists
//! that the model was shown, quotations are compared with the page by the rules.

use probity_research::{
    error::{Code, CodedError},
    rounds::answer::extract_json,
    web::{
        note::{FACTS_MAX, FactKind, QUOTE_BYTES_MAX, QUOTES_MAX},
        task::{PlannedQuery, QueryPlan, ReadReply, ReportDraft, WebTaskOutput},
    },
};
use serde::{Deserialize, de::DeserializeOwned};

use super::schema::ModelCallKind;

/// Lists of a model are cut here, whatever they contain.
const LIST_MAX: usize = 100;

#[derive(Deserialize)]
struct PlanAnswer {
    #[serde(default)]
    sub_questions: Vec<String>,
    #[serde(default)]
    queries: Vec<String>,
    #[serde(default)]
    enough: bool,
}

#[derive(Deserialize)]
struct ChooseAnswer {
    indices: Vec<i64>,
}

#[derive(Deserialize)]
struct ReadAnswer {
    #[serde(default)]
    quotes: Vec<String>,
    #[serde(default)]
    facts: Vec<FactAnswer>,
    #[serde(default)]
    links: Vec<i64>,
}

#[derive(Deserialize)]
struct FactAnswer {
    #[serde(default)]
    kind: String,
    value: String,
    #[serde(default)]
    quote: i64,
}

pub fn parse_answer(kind: ModelCallKind, text: &str) -> WebTaskOutput {
    let brought = match kind {
        ModelCallKind::Plan => parsed(text).map(|answer| WebTaskOutput::Planned(planned(answer))),
        ModelCallKind::Choose => {
            parsed(text).map(|answer: ChooseAnswer| WebTaskOutput::Chosen(places(&answer.indices)))
        }
        ModelCallKind::Read => parsed(text).map(|answer| WebTaskOutput::Read(reply(answer))),
        ModelCallKind::Write => parsed(text).and_then(|draft: ReportDraft| match draft.sections.is_empty() {
            true => Err(unusable("the writer wrote no section")),
            false => Ok(WebTaskOutput::Written(draft)),
        }),
    };
    brought.unwrap_or_else(WebTaskOutput::Failed)
}

fn parsed<A: DeserializeOwned>(text: &str) -> Result<A, CodedError> {
    extract_json(text).map_err(|why| unusable(&why.to_string()))
}

fn unusable(message: &str) -> CodedError {
    CodedError::new(Code::UnusableAnswer, message)
}

fn planned(answer: PlanAnswer) -> QueryPlan {
    let mut questions = answer.sub_questions.into_iter();
    let queries = answer.queries.into_iter().take(LIST_MAX);
    QueryPlan {
        queries: queries
            .map(|query| PlannedQuery { question: questions.next().unwrap_or_default(), query })
            .collect(),
        enough: answer.enough,
    }
}

fn places(numbers: &[i64]) -> Vec<usize> {
    numbers.iter().take(LIST_MAX).filter_map(|number| usize::try_from(*number).ok()).collect()
}

fn reply(answer: ReadAnswer) -> ReadReply {
    ReadReply {
        quotes: answer
            .quotes
            .into_iter()
            .take(QUOTES_MAX)
            .filter(|quote| quote.len() <= 2 * QUOTE_BYTES_MAX)
            .collect(),
        facts: answer
            .facts
            .into_iter()
            .take(FACTS_MAX)
            .filter_map(|fact| {
                Some((fact_kind(&fact.kind), short(fact.value), usize::try_from(fact.quote).ok()?))
            })
            .collect(),
        links: places(&answer.links),
    }
}

fn short(value: String) -> String {
    probity_research::text::line(&value, 200)
}

fn fact_kind(kind: &str) -> FactKind {
    match kind {
        "number" => FactKind::Number,
        "date" => FactKind::Date,
        "name" => FactKind::Name,
        "place" => FactKind::Place,
        _ => FactKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{error::Code, web::task::WebTaskOutput};

    use super::{super::schema::ModelCallKind, parse_answer};

    #[test]
    fn what_a_model_adds_is_ignored_and_what_it_breaks_is_unusable() {
        let said = "Sure!\n```json\n{\"indices\": [2, -1, 0], \"url\": \"http://127.0.0.1/\", \"verified\": true}\n```";
        assert_eq!(parse_answer(ModelCallKind::Choose, said), WebTaskOutput::Chosen(vec![2, 0]));
        let WebTaskOutput::Read(reply) =
            parse_answer(ModelCallKind::Read, r#"{"quotes":["a"],"facts":[{"value":"1","quote":-4}]}"#)
        else {
            panic!("not a reading")
        };
        assert_eq!((reply.quotes.len(), reply.facts.len(), reply.links.len()), (1, 0, 0));
        for (kind, said) in [
            (ModelCallKind::Write, r#"{"title":"x","sections":[]}"#),
            (ModelCallKind::Plan, "no idea"),
            (ModelCallKind::Choose, "{}"),
            (ModelCallKind::Choose, r#"{"indices":["http://evil.example/"]}"#),
        ] {
            let WebTaskOutput::Failed(problem) = parse_answer(kind, said) else { panic!("{said} was taken") };
            assert_eq!(problem.code, Code::UnusableAnswer);
        }
    }
}
