//! What a search brings back, script by script.

use probity_research::{
    Code,
    report::Report,
    rounds::{Mode, RoundsPlan, RoundsStop},
    stop::RunStop,
};

use crate::driver::Search;

async fn search(manner: Mode, turns: &str) -> (Search, probity_research::react::RunFinish) {
    let query = format!("When did the first TPU run? [[rounds key=k turns={turns}]]");
    let mut search = Search::new(RoundsPlan::new(manner, 5), &query).await;
    let finish = search.run().await;
    (search, finish)
}

async fn report(turns: &str) -> (Search, Report) {
    let (search, finish) = search(Mode::DeepSearch, turns).await;
    assert_eq!(finish.stop, RunStop::Completed, "{:?}", finish.problem);
    (search, finish.report.unwrap())
}

#[tokio::test]
async fn two_rounds_that_agree_are_verified_with_real_queries_and_resolved_sources() {
    let (search, report) = report("draft,agreed").await;
    let rounds = report.rounds.as_deref().unwrap();
    assert_eq!(
        (rounds.verified, rounds.iterations, rounds.stop),
        (true, 2, RoundsStop::Verified),
        "{rounds:#?}"
    );
    assert_eq!(rounds.model, "gemini-3.8-flash");
    assert!(!report.queries.is_empty() && !report.sources.is_empty(), "{report:#?}");
    assert!(
        report.sources.iter().all(|source| source.url.starts_with("http://pages.example/")),
        "{report:#?}"
    );
    assert!(!report.text.contains("grounding-api-redirect"), "{}", report.text);
    assert!(!report.citations.is_empty());
    for citation in &report.citations {
        assert!(report.text.get(citation.start..citation.end).is_some_and(|words| !words.is_empty()));
        assert!(citation.source < report.sources.len());
    }
    assert_eq!(search.simulator.handle().ledger().turns_charged("k"), 2);
}

#[tokio::test]
async fn prose_goes_to_a_correction_and_is_accepted() {
    let (search, report) = report("prose,corrected,agreed").await;
    assert_eq!(search.asked, [(1, false), (1, true), (2, false)]);
    assert!(report.rounds.unwrap().verified);
}

#[tokio::test]
async fn what_is_sloppy_or_fenced_is_mended_without_another_call() {
    for turns in ["fenced,agreed", "sloppy,agreed"] {
        let (search, report) = report(turns).await;
        assert_eq!(search.asked, [(1, false), (2, false)], "{turns}");
        assert!(report.rounds.unwrap().verified, "{turns}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_never_taken_for_whole() {
    let (search, report) = report("cut,corrected,agreed").await;
    assert_eq!(search.asked.first(), Some(&(1, false)));
    assert_eq!(search.asked.get(1), Some(&(1, true)), "a torn answer is corrected");
    assert!(report.rounds.unwrap().verified);
}

#[tokio::test]
async fn an_answer_without_a_search_is_no_success() {
    let (_, finish) = search(Mode::DeepSearch, "unsearched").await;
    assert_eq!(finish.problem.map(|problem| problem.code), Some(Code::ExecutionError));
}

#[tokio::test]
async fn an_invented_address_is_named_and_prevents_verification() {
    let (_, report) = report("draft,invented").await;
    let rounds = report.rounds.unwrap();
    assert!(!rounds.verified);
    assert_eq!(rounds.stop, RoundsStop::Saturated);
}

#[tokio::test]
async fn a_model_that_obeys_a_page_does_not_get_its_verified() {
    let (_, report) = report("obedient").await;
    let rounds = report.rounds.unwrap();
    assert!(rounds.model_says_verified && !rounds.verified, "{rounds:#?}");
    assert!(rounds.unresolved.iter().any(|address| address.contains("steal")), "{rounds:#?}");
}

#[tokio::test]
async fn passing_troubles_are_tried_again_and_lasting_ones_are_told() {
    let (_, report) = report("error-503,draft,error-429,agreed").await;
    assert!(report.rounds.unwrap().verified);
    for (turns, code) in [
        ("error-401", Code::KeyRefused),
        ("error-400", Code::BadRequest),
        ("error-429-daily", Code::QuotaExhausted),
    ] {
        let (search, finish) = search(Mode::Search, turns).await;
        assert_eq!(finish.problem.map(|problem| problem.code), Some(code), "{turns}");
        assert_eq!(search.asked.len(), 1, "{turns}");
    }
}

#[tokio::test]
async fn a_lost_call_is_counted_as_perhaps_paid() {
    let (search, report) = report("lost,draft,agreed").await;
    let rounds = report.rounds.unwrap();
    assert_eq!((rounds.calls, rounds.calls_uncounted), (3, 1));
    assert_eq!(search.simulator.handle().ledger().turns_charged("k"), 3);
}

#[tokio::test]
async fn a_search_asks_once() {
    let (search, finish) = search(Mode::Search, "agreed").await;
    assert_eq!(search.asked, [(1, false)]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert!(!rounds.verified && rounds.verification_basis.starts_with("none:"), "{rounds:#?}");
}
