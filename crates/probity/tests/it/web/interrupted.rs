//! Killed while pages are on their way: what was recorded is not fetched again, and nothing is paid for twice.

use probity_simulator::{Asked, SmallWeb, SmallWebPage};

use super::stage::{Hands, PAGES, QUESTION, Stage};
use crate::harness::wait_until;

/// World time; long enough that the kill comes before.
const SLOW_MS: u64 = 80_000;
/// Sites that answer at once; the others are slow.
const QUICK: usize = 2;

/// The web of the other tests with two sites that take their time.
fn with_slow_sites() -> SmallWeb {
    let pages = PAGES.iter().enumerate().map(|(place, (url, title, text))| {
        let page = SmallWebPage::new(url, title, text);
        if place >= QUICK { page.after_ms(SLOW_MS) } else { page }
    });
    pages.fold(SmallWeb::new(), SmallWeb::with)
}

fn killed_and_taken_up(verb: &str) {
    let stage = Stage::with(Hands::Paid, with_slow_sites());
    let mut child = stage.start(&["research", "--web", "--scope", "large", QUESTION]);
    let mut id = String::new();
    wait_until("two recorded pages", || {
        let listed = stage.json(&["runs", "list", "--json"]);
        let first = &listed["researches"][0];
        id = first["task_id"].as_str().unwrap_or_default().to_owned();
        first["progress"]["pages"].as_u64().unwrap_or_default() >= QUICK as u64
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let paid_before = stage.chat().entries().len() + stage.web().paid_count();
    let fetched_before = stage.fetches();
    assert_eq!(fetched_before.len(), PAGES.len(), "{fetched_before:?}");
    for (url, title, text) in PAGES {
        let quick = SmallWebPage::new(url, title, text);
        stage.world.handle().with_web(|web, _| web.add(quick).unwrap());
    }
    let done = stage.run(&["runs", verb, &id]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("412 metres") && done.out.contains("14 months"), "{}", done.out);
    let times: Vec<(String, u64)> = stage.fetches();
    for (url, times) in &times {
        let recorded = PAGES[..QUICK].iter().any(|(recorded, ..)| recorded == url);
        assert_eq!(*times, if recorded { 1 } else { 2 }, "{url}");
    }
    let (web, chat) = (stage.web(), stage.chat());
    assert_eq!((web.paid_again(), chat.repeated_count()), (0, 0));
    let paid = chat.entries().len() + web.paid_count();
    assert!(paid > paid_before, "nobody wrote the report");
    let shown = stage.json(&["runs", "show", "--json", &id]);
    let researched = paid - chat.paid_for(Asked::Judge);
    assert_eq!(
        (&shown["rounds"]["calls"], &shown["status"]),
        (&researched.into(), &"completed".into()),
        "{shown}"
    );
}

#[test]
fn killed_among_its_pages_and_resumed() {
    killed_and_taken_up("resume");
}

#[test]
fn killed_among_its_pages_and_watched() {
    killed_and_taken_up("watch");
}
