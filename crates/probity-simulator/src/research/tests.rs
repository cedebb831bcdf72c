use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    ConflictKind, FactLanguage, FactRole, FactTuple, ResearchLimits, ResearchModel, ResearchWorld,
    fact::FactAttribute, find_facts, model::ModelAnswer,
};

fn fact(tenths: u32, period: u16) -> FactTuple {
    let attribute = FactAttribute { qualifier: 0, quantity: 0 };
    FactTuple { entity: "Velmora Dock".to_owned(), attribute, tenths, unit: 0, period }
}

fn ask(model: &mut ResearchModel, prompt: &str, fields: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|field| ((*field).to_owned(), json!({}))).collect();
    let body = json!({
        "model": "m", "messages": [{"role": "user", "content": prompt}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"properties": properties}}},
    });
    let ModelAnswer::Said { text, .. } = model.answer(body.to_string().as_bytes()) else {
        panic!("{prompt}")
    };
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_fact_is_found_in_every_wording_and_language() {
    for language in FactLanguage::ALL {
        for wording in 0..6 {
            for told in [fact(415, 2_024), fact(41_230, 2_021)] {
                let sentence = told.sentence(language, wording);
                let found: Vec<FactTuple> =
                    find_facts(&sentence).into_iter().map(|found| found.tuple).collect();
                assert_eq!(found, [told], "{sentence}");
            }
        }
        let now = fact(990, 0);
        assert_eq!(find_facts(&now.sentence(language, 0)).first().unwrap().tuple, now);
    }
}

#[test]
fn tables_are_read_however_they_were_flattened() {
    let rows = "Velmora Dock | 41.5 | 7\nKestrin Quay | | 9 [3]";
    let head = "Name | harbour tariff (dollars per tonne, 2024) | winter tariff 2023 (dollars per tonne)";
    let check = |text: &str, expected: &[(u32, u16)]| {
        let found: Vec<(u32, u16)> =
            find_facts(text).iter().map(|found| (found.tuple.tenths, found.tuple.period)).collect();
        assert_eq!(found, expected, "{text}");
    };
    check(&format!("{head}\n{rows}"), &[(415, 2_024), (70, 2_023), (90, 2_023)]);
    check(&format!("“{} {}”", head, rows.replace('\n', " ")), &[(415, 2_024), (70, 2_023), (90, 2_023)]);
    let cells = "Name\nharbour tariff (dollars per tonne, 2024)\nVelmora Dock\n41.5\nKestrin Quay\n12\n";
    check(cells, &[(415, 2_024), (120, 2_024)]);
}

#[test]
fn a_world_holds_what_it_promises_and_every_fact_stands_on_its_page() {
    for seed in [1, 2, 3] {
        let world = ResearchWorld::seeded(seed);
        assert_eq!(world.facts.len(), 300);
        assert!((4..=12).contains(&world.facets.len()));
        let lengths: Vec<usize> = [2, 3, 4]
            .map(|length| world.chains.iter().filter(|chain| chain.len() == length).count())
            .to_vec();
        assert_eq!(lengths, [4, 4, 4]);
        let kinds = [ConflictKind::Superseded, ConflictKind::Scope, ConflictKind::Real];
        let kinds = kinds.map(|kind| world.conflicts.iter().filter(|conflict| conflict.kind == kind).count());
        assert_eq!(kinds, [4, 3, 3]);
        let counts = (world.copies.len(), world.outdated.len(), world.conclusions.len(), world.traps.len());
        assert_eq!(counts, (15, 15, 8, 5));
        assert_eq!(world.request.unanswerable.len(), 6);
        let copies: BTreeSet<usize> = world.copies.iter().map(|(copy, _)| *copy).collect();
        for known in &world.facts {
            let says = |page: usize| {
                find_facts(&world.pages[page].text).iter().any(|found| found.tuple == known.tuple)
            };
            assert!(says(known.page), "{seed}: {known:?}\n{}", world.pages[known.page].text);
        }
        let all: Vec<FactTuple> = (0..world.pages.len())
            .filter(|page| !copies.contains(page))
            .flat_map(|page| find_facts(&world.pages[page].text))
            .map(|found| found.tuple)
            .collect();
        let distinct: BTreeSet<&FactTuple> = all.iter().collect();
        assert_eq!(all.len(), distinct.len(), "a fact stands on two pages");
        // 300 facts, ten other sides, fifteen old figures, the wrong unit and the invented quotation.
        assert_eq!(all.len(), 327);
        let questions = (world.request.question.clone(), ResearchWorld::seeded(seed).request.question);
        assert_eq!(questions.0, questions.1);
        assert!(world.facts.iter().any(|fact| fact.role == FactRole::Chain));
    }
}

#[test]
fn a_query_holds_only_words_of_its_prompt() {
    let mut model = ResearchModel::new(ResearchLimits::default(), Vec::new());
    for seed in [4, 5] {
        let question = ResearchWorld::seeded(seed).request.question;
        let note = "[0] a.example (2026-01-02), on: x\n“A fuller record is kept by Brenholt Trust.”";
        let prompt = format!(
            "Name at most 40 queries.\n<question>\n{question}\n</question>\n\n<asked>\n(none)\n</asked>\n\n<notes>\n{note}\n</notes>"
        );
        let answer = ask(&mut model, &prompt, &["sub_questions", "queries", "enough"]);
        let queries: Vec<&str> =
            answer["queries"].as_array().unwrap().iter().map(|query| query.as_str().unwrap()).collect();
        assert!(queries.len() > 8 && queries.contains(&"Brenholt Trust"), "{queries:?}");
        let whole = prompt.to_lowercase();
        let foreign = queries
            .iter()
            .flat_map(|query| query.split(' '))
            .find(|word| !whole.contains(&word.to_lowercase()));
        assert_eq!(foreign, None, "{queries:?}");
    }
}

#[test]
fn a_reader_copies_most_of_a_page_and_a_writer_cites_it() {
    let mut model =
        ResearchModel::new(ResearchLimits { reader_recall: 1.0, ..ResearchLimits::default() }, Vec::new());
    let page = "Tariffs. In 2024, the harbour tariff of Velmora Dock was 41.5 dollars per tonne. Nothing else is known. A fuller record is kept by Brenholt Trust.";
    let prompt = format!(
        "Up to 6 quotations.\n<questions>\n[F1] What is known about tariffs?\n</questions>\n\n<page>\n{page}\n</page>\n\n<links>\n</links>"
    );
    let answer = ask(&mut model, &prompt, &["quotes", "links", "new_terms"]);
    assert_eq!(answer["new_terms"], json!(["Brenholt Trust"]));
    assert_eq!(
        answer["quotes"][0]["text"],
        "In 2024, the harbour tariff of Velmora Dock was 41.5 dollars per tonne."
    );
    assert_eq!(answer["quotes"][0]["facts"][0]["value"], "41.5");
    let quotes = "[Q1] a.example (2026-01-02; finding; origin 1; for F1): “In 2024, the harbour tariff of Velmora Dock was 41.5 dollars per tonne.”\n[Q2] b.example (2026-02-02; finding; origin 2; for F1): “In 2024, the harbour tariff of Velmora Dock was 48.5 dollars per tonne. The earlier figure was revised after an audit.”";
    let prompt = format!(
        "The section has about 200 words, in de, in the form: prose.\n<question>\nWhat is known?\n</question>\n\n<disagreements>\n[K1] Velmora Dock\n</disagreements>\n\n<quotes>\n{quotes}\n</quotes>"
    );
    let answer = ask(&mut model, &prompt, &["blocks", "thin"]);
    let sentence = &answer["blocks"][0]["sentences"][0];
    assert_eq!(
        sentence["text"],
        "Als Hafentarif von Velmora Dock galten für 2024 zuerst 41,5 Dollar je Tonne, später korrigiert auf 48,5 Dollar je Tonne."
    );
    assert_eq!(sentence["quotes"], json!(["Q2", "Q1"]));
}

#[test]
fn a_prompt_beyond_the_window_is_refused_and_an_answer_beyond_the_cap_is_cut() {
    let mut model =
        ResearchModel::new(ResearchLimits { window_tokens: 100, ..ResearchLimits::default() }, Vec::new());
    let body =
        |text: &str| json!({"messages": [{"role": "user", "content": text}], "max_tokens": 5}).to_string();
    assert!(matches!(
        model.answer(body(&"word ".repeat(200)).as_bytes()),
        ModelAnswer::TooLong { tokens: 200 }
    ));
    let answer =
        model.answer(body("Write a report about Velmora Dock and the harbour tariff in words").as_bytes());
    assert!(matches!(answer, ModelAnswer::Said { cut: true, output_tokens: 0..=5, .. }), "{answer:?}");
}

#[test]
fn a_slow_model_writes_one_answer_after_the_other() {
    let limits = ResearchLimits { tokens_per_second: Some(30), ..ResearchLimits::default() };
    let mut slow = ResearchModel::new(limits, Vec::new());
    assert_eq!(
        [(0, 60), (500, 30), (9_000, 15)].map(|(now, tokens)| slow.written_at(now, tokens)),
        [Some(2_000), Some(3_000), Some(9_500)]
    );
    assert_eq!(ResearchModel::default().written_at(0, 60), None);
}
