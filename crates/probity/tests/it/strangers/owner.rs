//! The owner's own form: every way to research that the command line has, with its price before anything is paid.

use super::{Page, head};
use crate::harness::{World, finish};

/// The page's answer to a form that its owner sent.
pub fn send(page: &Page, cookie: &str, path: &str, fields: &str) -> (u16, String) {
    let own = format!("http://{}", page.host);
    let headers = [
        ("host", page.host.as_str()),
        ("cookie", cookie),
        ("origin", own.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let (_, shown) = page.get("/new", &headers[..2]);
    let word = shown.split("name=\"word\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    page.ask(&head("POST", path, &headers, &format!("word={word}&{fields}")))
}

#[test]
fn the_form_starts_an_agent_with_its_price_shown_and_the_approval_kept() {
    let world = World::new();
    let page = Page::open(&world, &[]);
    let cookie = page.log_in();
    let fields = "question=why+is+the+sky+blue%3F&manner=start_deep_research\
                  &agent=deep-research-max-preview-04-2026&budget=";
    let (status, proposal) = send(&page, &cookie, "/new", fields);
    assert_eq!(status, 200, "{proposal}");
    for said in ["Report of an agent", "deep-research-max-preview-04-2026", "between $3.00 and $7.00"] {
        assert!(proposal.contains(said), "{said}: {proposal}");
    }
    assert_eq!(world.ledger().entries().len(), 0, "nothing is paid before the second yes");
    let (status, answer) = send(&page, &cookie, "/new/start", fields);
    assert_eq!(status, 303, "{answer}");
    world.wait_for_status("completed");
    let shown = world.json(&["runs", "show", "--json"]);
    assert_eq!(shown["agent"], "deep-research-max-preview-04-2026", "{shown}");
    assert_eq!(shown["approval"]["channel"], "page", "{shown}");
    assert_eq!(shown["approval"]["up_to_usd"], 7.0, "{shown}");
    assert_eq!(world.ledger().entries().len(), 1);
}

#[test]
fn the_page_shows_a_run_and_leaves_it_to_the_living_process_that_drives_it() {
    let world = World::new();
    let driving = world.start(&["research", "why? [[completed duration_ms=4000]]"]);
    let id = world.wait_for_status("running_async");
    let page = Page::open(&world, &[]);
    let cookie = page.log_in();
    let headers = [("host", page.host.as_str()), ("cookie", cookie.as_str())];
    let (status, shown) = page.get(&format!("/research/{id}"), &headers);
    assert_eq!(status, 200, "{shown}");
    // Nobody knows yet what it costs.
    assert!(shown.contains("<dt>cost</dt><dd>unknown</dd>"), "{shown}");
    assert!(shown.contains("<dt>tokens</dt><dd>unknown</dd>"), "{shown}");
    let (_, trace) = page.get(&format!("/research/{id}/trace"), &headers);
    assert!(!trace.contains("$0.00"), "{trace}");
    let done = finish(driving);
    assert_eq!(done.code, 0, "its own process brings it to its end: {}", done.err);
    assert_eq!(world.ledger().entries().len(), 1, "it was started once");
}

#[test]
fn an_engine_without_its_key_is_refused_before_a_price_is_shown() {
    let world = World::new();
    let mut command = world.command(&["ui"]);
    command.env_remove("GEMINI_API_KEY");
    let page = Page::of(command.spawn().unwrap());
    let cookie = page.log_in();
    for way in ["manner=start_deep_research", "manner=search&engine=gemini-api"] {
        let (status, said) = send(&page, &cookie, "/new", &format!("question=why%3F&{way}"));
        assert!(status >= 400 && said.contains("there is no API key"), "{way}: {status} {said}");
    }
}
