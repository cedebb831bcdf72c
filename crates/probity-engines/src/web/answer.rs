//! What a model answered, as types. Bounded, and nothing in it is believed: addresses are places in lists that the
//! model was shown, quotations are compared with the page by the rules.

use probity_research::{
    error::{Code, Problem},
    rounds::answer::json_in,
    web::{
        note::{FACTS_MAX, FactKind, QUOTE_BYTES_MAX, QUOTES_MAX},
        task::{Brought, Draft, Planned, PlannedQuery, ReadReply},
    },
};
use serde::{Deserialize, de::DeserializeOwned};

use super::schema::Kind;

/// Lists of a model are cut here, whatever they hold.
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

pub fn read(kind: Kind, text: &str) -> Brought {
    let brought = match kind {
        Kind::Plan => parsed(text).map(|answer| Brought::Planned(planned(answer))),
        Kind::Choose => parsed(text).map(|answer: ChooseAnswer| Brought::Chosen(places(&answer.indices))),
        Kind::Read => parsed(text).map(|answer| Brought::Read(reply(answer))),
        Kind::Write => parsed(text).and_then(|draft: Draft| match draft.sections.is_empty() {
            true => Err(unusable("the writer wrote no section")),
            false => Ok(Brought::Written(draft)),
        }),
    };
    brought.unwrap_or_else(Brought::Failed)
}

fn parsed<A: DeserializeOwned>(text: &str) -> Result<A, Problem> {
    json_in(text).map_err(|why| unusable(&why.to_string()))
}

fn unusable(message: &str) -> Problem {
    Problem::new(Code::UnusableAnswer, message)
}

fn planned(answer: PlanAnswer) -> Planned {
    let mut questions = answer.sub_questions.into_iter();
    let queries = answer.queries.into_iter().take(LIST_MAX);
    Planned {
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
    use probity_research::{error::Code, web::task::Brought};

    use super::{super::schema::Kind, read};

    #[test]
    fn what_a_model_adds_is_ignored_and_what_it_breaks_is_unusable() {
        let said = "Sure!\n```json\n{\"indices\": [2, -1, 0], \"url\": \"http://127.0.0.1/\", \"verified\": true}\n```";
        assert_eq!(read(Kind::Choose, said), Brought::Chosen(vec![2, 0]));
        let Brought::Read(reply) = read(Kind::Read, r#"{"quotes":["a"],"facts":[{"value":"1","quote":-4}]}"#)
        else {
            panic!("not a reading")
        };
        assert_eq!((reply.quotes.len(), reply.facts.len(), reply.links.len()), (1, 0, 0));
        for (kind, said) in [
            (Kind::Write, r#"{"title":"x","sections":[]}"#),
            (Kind::Plan, "no idea"),
            (Kind::Choose, "{}"),
            (Kind::Choose, r#"{"indices":["http://evil.example/"]}"#),
        ] {
            let Brought::Failed(problem) = read(kind, said) else { panic!("{said} was taken") };
            assert_eq!(problem.code, Code::UnusableAnswer);
        }
    }
}
