//! The documentation: every link leads somewhere, and what is made from figures and contents is up to date (`UPDATE=1`
//! writes it anew).
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests read UPDATE, and panic")]

#[path = "docs/book.rs"]
mod book;

use probity_benches::rig;

#[track_caller]
fn check(path: &str, expected: &str) {
    let path = rig::repository().join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "run `UPDATE=1 cargo test -p probity-benches --test docs`");
}

fn read(path: &str) -> String {
    std::fs::read_to_string(rig::repository().join(path)).unwrap()
}

#[test]
fn figures_in_the_book_are_those_that_were_measured() {
    let page = read(book::WHERE_IT_FAILS);
    check(book::WHERE_IT_FAILS, &book::with_figures(&page).unwrap());
}

#[test]
fn programs_find_every_page_of_the_book() {
    check(book::LLMS, &book::llms(&read(book::SUMMARY)));
}

#[test]
fn every_link_leads_somewhere_and_every_page_is_in_the_contents() {
    assert_eq!(book::broken().unwrap(), Vec::<String>::new());
}
