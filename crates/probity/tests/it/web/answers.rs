//! What comes of a question: quotations without a model, a written report with one, and nothing looked up for a sum.

use probity_simulator::{Asked, web::Provider};

use super::stage::{Hands, PAGES, QUESTION, Stage, quotations, sources};

/// How far a bill may be from what was charged, per call: both round to a millionth of a dollar.
const ROUNDING_USD: f64 = 0.000_001;

#[test]
fn without_any_key_the_answer_is_made_of_quotations_and_costs_nothing() {
    let stage = Stage::new(Hands::Nothing);
    let done = stage.run(&["ask", QUESTION]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("no language model wrote it"), "{}", done.out);
    let (quoted, listed) = (quotations(&done.out), sources(&done.out));
    assert!(quoted.len() >= 2, "{}", done.out);
    assert!(done.out.contains("412 metres"), "{}", done.out);
    for (quote, number) in &quoted {
        let line = listed.get(number - 1).unwrap_or_else(|| panic!("[{number}] is not listed: {}", done.out));
        let page = PAGES.iter().find(|(url, ..)| line.contains(url.trim_start_matches("http://")));
        let (url, title, text) = page.unwrap_or_else(|| panic!("{line} is no page of this web"));
        assert!(text.contains(quote) || title.contains(quote), "{url} does not say “{quote}”");
    }
    let web = stage.web();
    assert!(web.searches_of(Provider::TavilyKeyless).count() > 0);
    assert_eq!((web.paid_count(), web.charged_micro_usd(), stage.chat().entries().len()), (0, 0, 0));
    assert!(done.err.contains("nothing was billed"), "{}", done.err);
}

#[test]
fn a_model_writes_a_report_with_numbered_sources_and_the_bill_is_the_providers_own() {
    let stage = Stage::new(Hands::Paid);
    let told = stage.json(&["research", "--web", "--json", QUESTION]);
    assert_eq!((told["status"].as_str(), told["exit_code"].as_u64()), (Some("completed"), Some(0)), "{told}");
    let report = told["report"].as_str().unwrap();
    assert!(!report.contains("no language model wrote it"), "{report}");
    assert!(report.contains("412 metres long and carries two lanes of traffic. ["), "{report}");
    let listed = told["sources"].as_array().unwrap();
    assert!(listed.len() >= 2 && listed[0]["number"] == 1, "{told}");
    for number in 1..=listed.len() {
        assert!(report.contains(&format!(" [{number}]")), "source {number} stands for nothing: {report}");
    }
    let (web, chat) = (stage.web(), stage.chat());
    assert!(web.paid_count() > 0 && chat.paid_for(Asked::Read) > 0 && chat.paid_for(Asked::Write) == 1);
    let calls = web.paid_count() + chat.entries().len();
    let shown = stage.json(&["runs", "show", "--json"]);
    // The judge works for the reader, not for the research.
    let judged = chat.paid_for(Asked::Judge);
    assert_eq!(shown["rounds"]["calls"], calls - judged, "{shown}");
    assert_eq!(shown["rounds"]["calls_uncounted"], 0);
    let charged = (web.charged_micro_usd() + chat.charged_micro_usd()) as f64 / 1_000_000.0;
    let told_cost = shown["cost_usd"].as_f64().unwrap();
    assert!((told_cost - charged).abs() <= ROUNDING_USD * calls as f64, "told {told_cost}, paid {charged}");
    assert_eq!(shown["cost_usd"], told["cost_usd"]);
    assert_eq!((web.paid_again(), chat.repeated_count()), (0, 0));
    let fetches = stage.fetches();
    assert!(fetches.len() >= 2 && fetches.iter().all(|(_, times)| *times == 1), "{fetches:?}");
}

#[test]
fn a_sum_is_not_looked_up() {
    for hands in [Hands::Nothing, Hands::Paid] {
        let stage = Stage::new(hands);
        let done = stage.run(&["research", "--web", "What is 17 * 23?"]);
        assert_eq!(done.code, 0, "{hands:?} {}", done.err);
        assert!(done.out.contains("No search was made"), "{hands:?} {}", done.out);
        let web = stage.web();
        assert_eq!((web.searches().len(), web.fetches().len()), (0, 0), "{hands:?} {web:?}");
        let chat = stage.chat();
        let written = usize::from(hands == Hands::Paid);
        assert_eq!((chat.entries().len(), chat.paid_for(Asked::Write)), (written, written), "{hands:?}");
    }
}

#[test]
fn a_plan_is_shown_and_nothing_is_started() {
    let stage = Stage::new(Hands::Paid);
    let done = stage.run(&["research", "--web", "--plan", QUESTION]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    let row = |name: &str| {
        let found = done.err.lines().map(str::trim).find_map(|line| line.strip_prefix(name));
        found.unwrap_or_else(|| panic!("no row `{name}`: {}", done.err)).trim().to_owned()
    };
    assert!(["shallow: ", "medium: ", "deep: "].iter().any(|level| row("depth").starts_with(level)));
    assert!(row("search").starts_with("tavily"), "{}", done.err);
    assert_eq!(row("model"), "gpt-5");
    assert!(done.err.contains("nothing was started"), "{}", done.err);
    let document = stage.json(&["research", "--web", "--plan", "--json", QUESTION]);
    assert_eq!((&document["started"], &document["engine"]), (&false.into(), &"web".into()), "{document}");
    assert!(document["cost_usd_max"].as_f64().unwrap() > 0.0);
    let (web, chat) = (stage.web(), stage.chat());
    assert_eq!((web.searches().len(), web.fetches().len(), chat.entries().len()), (0, 0, 0));
    let listed = stage.json(&["runs", "list", "--json"]);
    assert_eq!(listed["researches"].as_array().unwrap().len(), 0, "{listed}");
}
