//! How a research on the web engine ends when something is missing: searches, pages, a willing model, money.

use probity_simulator::{Page, Script, SmallWeb, WebFault, WebFaultKind, web::Provider};

use super::stage::{Hands, QUESTION, Stage, quotations};

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
    let told = crate::harness::document(&failed);
    assert_eq!(failed.code, 7, "{told}");
    assert_eq!((&told["problem"]["code"], &told["status"]), (&"SEARCH_FAILED".into(), &"failed".into()));
    assert!(failed.err.contains("every search failed"), "{}", failed.err);
    assert!(stage.fetches().is_empty());
}

#[test]
fn nothing_found_is_told_from_failed_searches() {
    let other = Page::new("http://bread.example/", "Bread", "Rye bread rises slowly in a cold kitchen.");
    let stage = Stage::with(Hands::Nothing, SmallWeb::new().with(other));
    let done = stage.run(&["ask", "--json", QUESTION]);
    let told = crate::harness::document(&done);
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
}

/// From "not even a plan" to "not all that was planned": the report is there, says so, and costs no more.
#[test]
fn a_small_budget_leaves_a_finished_report_that_says_what_is_missing() {
    for budget in ["0.001", "0.03", "0.06", "0.075"] {
        let stage = Stage::new(Hands::Paid);
        let done = stage.run(&["research", "--web", "--json", "--budget", budget, QUESTION]);
        let told = crate::harness::document(&done);
        assert_eq!((done.code, told["status"].as_str()), (0, Some("completed")), "{budget}: {told}");
        let report = told["report"].as_str().unwrap();
        assert!(report.contains("The budget ended the search"), "{budget}: {report}");
        let paid = (stage.web().charged_micro_usd() + stage.chat().charged_micro_usd()) as f64 / 1e6;
        let allowed: f64 = budget.parse().unwrap();
        assert!(paid <= allowed, "{budget}: {paid} was paid");
        assert!(told["cost_usd"].as_f64().unwrap_or_default() <= allowed, "{told}");
    }
}
