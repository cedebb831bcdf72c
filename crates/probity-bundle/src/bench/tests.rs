use probity_research::{
    ledger::{Claim, ClaimId, ClaimKind, Ledger, LedgerSource, SourceState},
    report::{Citation, Report, SourceLink},
};
use serde_json::{Value, json};

use super::{BenchTaskId, BenchTaskList, article, fact_line, facts, race_line};

const TASKS: &str =
    "{\"id\": 7, \"topic\": \"x\", \"language\": \"en\", \"prompt\": \"Why is  the sky blue?\"}\n";

fn report(text: &str, citations: &[(usize, usize, usize)]) -> Report {
    let source = |url: &str| SourceLink { url: url.to_owned(), title: format!("Page {url}") };
    Report {
        text: text.to_owned(),
        citations: citations
            .iter()
            .map(|(start, end, source)| Citation { start: *start, end: *end, source: *source })
            .collect(),
        sources: vec![source("https://a.example/1#:~:text=blue"), source("https://b.example/2")],
        ..Report::default()
    }
}

fn parsed(line: &str) -> Value {
    assert!(line.ends_with('\n') && line.trim_end().lines().count() == 1);
    serde_json::from_str(line).unwrap()
}

#[test]
fn a_task_is_found_by_its_prompt_and_keeps_the_benchmarks_spelling() {
    let tasks = BenchTaskList::read(TASKS).unwrap();
    let known = tasks.of("Why is the sky blue?", "res_1");
    assert_eq!((known.id, known.prompt.as_str()), (BenchTaskId::Number(7), "Why is  the sky blue?"));
    assert_eq!(tasks.of("Why is grass green?", "res_1").id, BenchTaskId::Name("res_1".to_owned()));
    assert_eq!(BenchTaskList::read("{}\n").unwrap_err().to_string(), "line 1 of the tasks is not readable");
}

#[test]
fn race_has_three_fields_and_visible_citations() {
    let task = BenchTaskList::read(TASKS).unwrap().of("Why is the sky blue?", "");
    let shown =
        parsed(&race_line(&task, &report("Blue light scatters. Red less.", &[(0, 20, 0), (0, 20, 1)])));
    assert_eq!(
        shown,
        json!({
            "id": 7,
            "prompt": "Why is  the sky blue?",
            "article": "Blue light scatters.[1][2] Red less.\n\n## References\n\n\
                [1] Page https://a.example/1#:~:text=blue https://a.example/1\n\
                [2] Page https://b.example/2 https://b.example/2\n",
        })
    );
}

#[test]
fn an_article_that_shows_its_addresses_stays_as_it_is() {
    let text = "Blue light scatters ([a](https://a.example/1)).";
    assert_eq!(article(&report(text, &[(0, text.len(), 0)])), text);
    let uncited = report("Nothing is cited.", &[]);
    assert_eq!(article(&uncited), "Nothing is cited.");
}

#[test]
fn facts_are_statements_with_the_pages_they_cite() {
    let text = "- Blue light *scatters* ([a](https://a.example/1)).";
    let task = BenchTaskList::default().of("q", "res_1");
    let shown =
        parsed(&fact_line(&task, &report(text, &[(0, text.len(), 0), (0, text.len(), 0), (3, 900, 1)])));
    assert_eq!(
        shown["citations"],
        json!([{ "fact": "Blue light *scatters* (a).", "ref_idx": 1, "url": "https://a.example/1" }])
    );
    assert_eq!(shown["id"], "res_1");
}

#[test]
fn the_ledgers_claims_go_before_citations() {
    let claim = |words: &str, kind, cites: &[u32]| Claim {
        id: ClaimId::at(0),
        start: 0,
        end: 1,
        words: words.to_owned(),
        kind,
        load_bearing: true,
        cites: cites.to_vec(),
        quotations: Vec::new(),
        derived: None,
        context: Default::default(),
        inherited: None,
        repeats: None,
        rests_on: Vec::new(),
    };
    let source = |url: &str| LedgerSource {
        url: url.to_owned(),
        title: String::new(),
        state: SourceState::unreachable(""),
        origin: 0,
        quoted: Vec::new(),
    };
    let ledger = Ledger {
        claims: vec![
            claim("Blue light scatters", ClaimKind::Fact, &[1, 0, 9]),
            claim("In short", ClaimKind::OwnWords, &[0]),
            claim("Uncited", ClaimKind::Fact, &[]),
        ],
        sources: vec![source("https://c.example/3"), source("https://a.example/1")],
        ..Ledger::default()
    };
    let report = Report { ledger: Some(Box::new(ledger)), ..report("Blue light scatters.", &[(0, 20, 1)]) };
    let found: Vec<(usize, String)> =
        facts(&report).into_iter().map(|pair| (pair.ref_idx, pair.url)).collect();
    assert_eq!(found, [(1, "https://a.example/1".to_owned()), (0, "https://c.example/3".to_owned())]);
}

#[test]
fn broken_ranges_and_links_do_no_harm() {
    let odd = report("ä [x](", &[(1, 2, 0), (0, 99, 1), (5, 2, 0), (0, 3, 7)]);
    assert!(article(&odd).starts_with("ä[1] "));
    assert!(facts(&odd).is_empty());
}
