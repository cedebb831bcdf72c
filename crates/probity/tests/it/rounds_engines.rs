//! The same question, the same scripted model, both engines, over MCP: the answers must be the same, apart from
//! fields that cannot be. Yields a figure.

use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, figure, gemini_cli, sized},
    rounds_cli,
};

/// Every way an answer can go that both faces of the scripted model know: the tool, the turns, and a star where a
/// quick run can afford it.
const SCRIPTS: &str = "search draft *
search agreed
search prose,corrected
search unsearched
search error-401 *
search error-429-daily
deep_search draft,agreed *
deep_search draft,unsure,agreed *
deep_search prose,corrected,agreed *
deep_search fenced,agreed
deep_search sloppy,agreed
deep_search cut,corrected,agreed *
deep_search wrong-shape,corrected,agreed
deep_search draft,changed,changed
deep_search draft,changed,agreed
deep_search draft,invented
deep_search invented
deep_search obedient
deep_search unsearched
deep_search error-503,draft,agreed
deep_search draft,error-503,agreed
deep_search draft,error-401 *
deep_search error-400-key
deep_search error-403
deep_search error-500,draft,agreed
deep_search error-429,draft,agreed
deep_search silent,draft,agreed";

/// Differences that the provider makes, script by script: seen, told, and not counted.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "cut,corrected,agreed",
        "answer.metadata.rounds.0.sources_visited",
        "the API names a page only where the text cites it, and a text that breaks off cites fewer; the CLI names what its \
         searches found",
    ),
    (
        "error-401",
        "answer.work_done",
        "a call that the API refuses cost nothing and is no work; the CLI does not tell what its own calls cost",
    ),
];

/// Fields that are not compared, and why.
const OWN_FIELDS: &[(&str, &str)] = &[
    ("answer.task_id", "random"),
    ("answer.metadata.duration_ms", "a clock"),
    ("answer.metadata.timestamp", "a clock"),
    ("answer.metadata.duration_minutes", "a clock"),
    ("answer.metadata.mode", "follows the clock"),
    ("answer.metadata.engine", "its name"),
    ("answer.metadata.engine_reason", "names it"),
    ("answer.metadata.estimated_cost_usd", "each engine has its own price"),
    ("answer.metadata.tokens_used.input", "the CLI makes other calls and counts only some"),
    ("answer.metadata.tokens_used.output", "the CLI makes other calls and counts only some"),
    ("answer.cost_usd", "the CLI makes other calls and counts only some"),
    ("answer.cost_basis", "follows the cost"),
    ("answer.error.hint", "what helps depends on the engine; each hint is tested where it is given"),
    ("answer.metadata.cost_usd", "the CLI makes other calls and counts only some"),
    ("answer.metadata.cost_basis", "follows the cost"),
    ("answer.error.message", "the provider's words, which are its two APIs' own; the code is compared"),
];

/// Where a text quotes the provider: before it, between it and the rest. What stands around it is compared.
const QUOTES: &[(&str, &str, &str)] = &[
    ("answer.note", "a round failed for good: ", "; this is the best result"),
    ("answer.metadata.rounds.*.problem", ": ", ""),
];

/// One line for each field that differs.
fn differences(one: &Value, other: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", one, other, &mut found);
    found
}

fn compare(path: &str, one: &Value, other: &Value, found: &mut Vec<String>) {
    if OWN_FIELDS.iter().any(|(field, _)| *field == path) {
        return;
    }
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match (one, other) {
        (Value::Object(ones), Value::Object(others)) => {
            for name in ones.keys().chain(others.keys().filter(|name| !ones.contains_key(*name))) {
                compare(&below(name), &one[name], &other[name], found);
            }
        }
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
            for (place, (one, other)) in ones.iter().zip(others).enumerate() {
                compare(&below(&place.to_string()), one, other, found);
            }
        }
        _ if one == other => {}
        (Value::String(one), Value::String(other)) if unquoted(path, one) == unquoted(path, other) => {}
        _ => found.push(format!("{path}: {one} | {other}")),
    }
}

/// The text without the words that it quotes.
fn unquoted(path: &str, text: &str) -> String {
    let parts = |path: &str| path.split('.').map(str::to_owned).collect::<Vec<_>>();
    let names = |field: &str| {
        let (wanted, path) = (parts(field), parts(path));
        wanted.len() == path.len()
            && wanted.iter().zip(&path).all(|(wanted, part)| wanted == "*" || wanted == part)
    };
    let quote = QUOTES.iter().find(|(field, ..)| names(field));
    let Some((before, after, (head, rest))) =
        quote.and_then(|(_, before, after)| Some((before, after, text.split_once(before)?)))
    else {
        return text.to_owned();
    };
    if after.is_empty() {
        return format!("{head}{before}{}", usize::from(!rest.is_empty()));
    }
    let tail = rest.split_once(after).map_or(rest, |(_, tail)| tail);
    format!("{head}{before}{after}{tail}")
}

#[test]
fn own_fields_are_left_out_and_every_other_one_is_told() {
    let one = json!({"answer": {"task_id": "a", "metadata": {"engine": "x", "rounds": [{"n": 1}], "stop": "limit"}}});
    let other = json!({"answer": {"task_id": "b", "metadata": {"engine": "y", "rounds": [{"n": 2}]}}});
    assert_eq!(differences(&one, &one), [""; 0]);
    assert_eq!(
        differences(&one, &other),
        ["answer.metadata.rounds.0.n: 1 | 2", "answer.metadata.stop: \"limit\" | null"]
    );
}

#[test]
fn the_providers_words_may_differ_and_what_stands_around_them_may_not() {
    let told = |problem: &str, words: &str, round: u32| {
        let note = format!(
            "Not verified: a round failed for good: {words}; this is the best result obtained, from round {round}."
        );
        json!({"answer": {"note": note, "metadata": {"rounds": [{"problem": problem}]}}})
    };
    let one = told("KEY_REFUSED: no", "no", 1);
    assert_eq!(differences(&one, &told("KEY_REFUSED: never", "never", 1)), [""; 0]);
    assert_eq!(differences(&one, &told("TIMEOUT: no", "no", 1)).len(), 1);
    assert_eq!(differences(&one, &told("KEY_REFUSED: no", "no", 2)).len(), 1);
}

/// What the client is told: whether it is an error, and the answer's fields.
fn answer(client: &mut Client, tool: &str, turns: &str) -> Value {
    let key = format!("{tool}-{}", turns.replace(',', "-"));
    // One host for all pages, which the CLI's own fetch can reach without looking a name up.
    let query = format!("When did the first one run? [[rounds key={key} turns={turns} pages=numeric]]");
    let result = client.call(tool, json!({ "query": query }));
    let fields = &result["structuredContent"];
    assert!(!fields.is_null() && fields["status"] != "running", "{tool} did not wait for its end: {result}");
    json!({ "is_error": result["isError"] == true, "answer": fields })
}

#[test]
#[ignore = "takes minutes: run for its figure"]
fn both_engines_answer_alike() {
    let Some(program) = gemini_cli() else {
        return figure("both_engines", "skipped: the Gemini CLI is not installed; run .ci/install");
    };
    // A world for each, so that both can be scripted with the same words.
    let (of_api, of_cli) = (World::new(), World::new());
    let waiting = ("PROBITY_MCP__CALL_WAIT", "280s");
    let mut api = Client::open(&of_api, Era::Old, &[("PROBITY_RESEARCH__ENGINE", "gemini-api"), waiting]);
    let mut cli = rounds_cli::open(&of_cli, &program, &[("PROBITY_GEMINI_CLI__REUSE", "pool"), waiting]);
    let (mut unlike, mut answers) = (Vec::new(), Vec::new());
    for script in SCRIPTS.lines().filter(|script| script.ends_with('*') || sized(false, true)) {
        let mut words = script.split(' ');
        let (tool, turns) = (words.next().unwrap(), words.next().unwrap());
        let (ours, theirs) = (answer(&mut api, tool, turns), answer(&mut cli, tool, turns));
        let known = |line: &String| {
            KNOWN.iter().any(|(of, field, _)| *of == turns && line.starts_with(&format!("{field}:")))
        };
        let differing: Vec<String> =
            differences(&ours, &theirs).into_iter().filter(|line| !known(line)).collect();
        if !differing.is_empty() {
            unlike.push(format!("{script}: {differing:?}"));
        }
        answers.push(ours);
    }
    // Different scripts must be seen to differ: a comparison that finds nothing may be blind.
    let pairs = answers.windows(2).count();
    let apart = answers.windows(2).filter(|pair| !differences(&pair[0], &pair[1]).is_empty()).count();
    let own: Vec<String> = OWN_FIELDS.iter().map(|(field, why)| format!("{field} ({why})")).collect();
    let known: Vec<String> =
        KNOWN.iter().map(|(turns, field, why)| format!("{field} of `{turns}`: {why}")).collect();
    figure("both_engines", &format!("{} of {}", answers.len() - unlike.len(), answers.len()));
    figure(
        "both_engines.note",
        &format!(
            "apart from {}, and words of the provider that are quoted in notes and problems; known: {}; control: {apart} of {pairs} pairs of different scripts are told apart",
            own.join(", "),
            known.join("; ")
        ),
    );
    assert_eq!(apart, pairs, "the comparison is blind");
    assert_eq!(unlike, [""; 0]);
}
