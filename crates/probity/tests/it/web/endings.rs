//! How a research on the web engine ends when something is missing: searches, pages, a willing model, money.

use probity_simulator::{Script, SmallWeb, SmallWebPage, WebFault, WebFaultKind, web::Provider};

use super::stage::{BUDGET, Hands, QUESTION, Stage, quotations, sources};
use crate::harness::{document, finish};

/// More than a research asks.
const ALWAYS: u32 = 1_000;

#[test]
fn failed_searches_are_told_from_nothing_found() {
    let stage = Stage::new(Hands::Nothing);
    let kind = WebFaultKind::Status(500);
    for provider in [Provider::TavilyKeyless, Provider::Wikipedia] {
        stage.world.handle().add_web_fault(WebFault { provider, kind, times: ALWAYS });
    }
    let failed = stage.run(&["ask", "--json", QUESTION]);
    let told = document(&failed);
    assert_eq!(failed.code, 7, "{told}");
    assert_eq!((&told["problem"]["code"], &told["status"]), (&"SEARCH_FAILED".into(), &"failed".into()));
    assert!(failed.err.contains("every search failed"), "{}", failed.err);
    assert!(stage.fetches().is_empty());
}

#[test]
fn nothing_found_is_told_from_failed_searches() {
    let other =
        SmallWebPage::new("http://bread.example/", "Bread", "Rye bread rises slowly in a cold kitchen.");
    let stage = Stage::with(Hands::Nothing, SmallWeb::new().with(other));
    let done = stage.run(&["ask", "--json", QUESTION]);
    let told = document(&done);
    assert_eq!(done.code, 1, "{told}");
    assert_eq!((&told["problem"]["code"], &told["report"]), (&"NOTHING_FOUND".into(), &().into()), "{told}");
    assert!(!stage.web().searches().is_empty());
}

#[test]
fn a_model_that_refuses_leaves_quotations_and_the_reason() {
    let stage = Stage::new(Hands::Paid).scripted(Script::Refusing);
    let done = stage.run(&["research", "--web", QUESTION]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("no language model wrote it"), "{}", done.out);
    assert!(done.out.contains("The model did not write this report ("), "{}", done.out);
    assert!(quotations(&done.out).iter().any(|(quote, _)| quote.contains("412 metres")), "{}", done.out);
    assert!(!stage.chat().entries().is_empty());
    // Told on the way, once, and not only at the end.
    assert_eq!(done.err.matches("warning: the model gives no answer of use (").count(), 1, "{}", done.err);
}

/// Each of its answers takes about as long as the research may.
#[test]
fn a_deadline_shorter_than_the_first_answer_leaves_quotations_and_the_exit_code_of_a_limit() {
    let stage = Stage::new(Hands::Paid).scripted(Script::Slow);
    let done = stage.run(&["research", "--web", "--depth", "deep", "--json", "--max-time", "6s", QUESTION]);
    let told = document(&done);
    assert_eq!((done.code, told["status"].as_str()), (5, Some("completed")), "{told}");
    assert_eq!(told["exit_code"], 5);
    let report = told["report"].as_str().unwrap();
    assert!(report.contains("412 metres") && told["sources"][0].is_object(), "{report}");
    assert!(done.err.contains("warning: the model gives no answer of use ("), "{}", done.err);
}

/// The report is there, from pages, says what is missing, and costs no more.
#[test]
fn a_small_budget_leaves_a_finished_report_that_says_what_is_missing() {
    for budget in ["0.03", "0.045"] {
        let stage = Stage::new(Hands::Paid);
        let done = stage.run(&["research", "--web", "--json", "--budget", budget, QUESTION]);
        let told = document(&done);
        assert_eq!((done.code, told["status"].as_str()), (0, Some("completed")), "{budget}: {told}");
        let report = told["report"].as_str().unwrap();
        let says = ["The budget did not carry everything", "The plan was cut to"];
        assert!(says.iter().any(|words| report.contains(words)), "{budget}: {report}");
        assert!(report.contains("412 metres") && told["sources"][0].is_object(), "{budget}: {report}");
        let allowed: f64 = budget.parse().unwrap();
        assert!(paid_usd(&stage) <= allowed, "{budget}: {} was paid", paid_usd(&stage));
        assert!(told["cost_usd"].as_f64().unwrap() <= allowed, "{told}");
    }
}

#[test]
fn a_budget_that_carries_no_search_is_refused_before_anything_is_paid() {
    let stage = Stage::new(Hands::Paid);
    let done = stage.run(&["research", "--web", "--json", "--budget", "0.005", QUESTION]);
    assert_eq!((done.code, &document(&done)["problem"]["code"]), (5, &"BUDGET".into()), "{}", done.err);
    assert_eq!((stage.web().searches().len(), stage.chat().entries().len()), (0, 0));
}

/// What a question is worth by itself must carry an answer from pages with an ordinary model.
#[test]
fn without_a_budget_of_ones_own_an_ordinary_model_still_answers_from_pages() {
    let stage = Stage::new(Hands::Paid);
    let mut command = stage.command(&["research", "--web", QUESTION]);
    let done = finish(command.env_remove(BUDGET).spawn().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("412 metres") && sources(&done.out).len() >= 2, "{}", done.out);
    assert!(paid_usd(&stage) <= 0.06, "{} was paid", paid_usd(&stage));
}

fn paid_usd(stage: &Stage) -> f64 {
    (stage.web().charged_micro_usd() + stage.chat().charged_micro_usd()) as f64 / 1_000_000.0
}
