//! Two sources disagree only if two sources do, on the same quantity of the same thing.

use probity_types::{
    checking::task::{CitedPage, JudgeLocation},
    ledger::Ledger,
};

use super::tests::{ledger, page};

fn titled(url: &str, title: &str, text: &str) -> CitedPage {
    let mut found = page(url, text);
    if let Ok(stored) = &mut found.page {
        stored.metadata.title = title.to_owned();
    }
    found
}

/// A page that is the same for every station but for its figures.
fn station(site: &str, number: u32) -> CitedPage {
    let text = format!(
        "Station number {number} of the Velmar line was opened in {}. It has {} platforms and lies {} metres above sea \
         level.",
        1800 + number,
        number % 7 + 2,
        number + 3
    );
    titled(&format!("https://{site}.example/p{number}"), &format!("Station {number}"), &text)
}

fn examined(text: &str, pages: Vec<CitedPage>) -> Ledger {
    ledger(text, pages, JudgeLocation::Remote)
}

/// The claims that sources disagree about, and about what.
#[track_caller]
fn check(text: &str, pages: Vec<CitedPage>, expected: &[&str]) {
    let ledger = examined(text, pages);
    let told: Vec<String> =
        ledger.conflicts.iter().map(|conflict| format!("{}: {}", conflict.claim, conflict.about)).collect();
    assert_eq!(told, expected, "{text}\n{:#?}", ledger.claims);
    let claims: std::collections::BTreeSet<_> =
        ledger.conflicts.iter().map(|conflict| conflict.claim).collect();
    let counted = ledger.verification.map(|result| result.contested);
    assert_eq!(counted, u32::try_from(claims.len()).ok(), "claims are counted, not pairs");
}

#[test]
fn pages_about_different_things_do_not_disagree() {
    let halves = "Station number 1 was opened in 1801[^1] and lies 4 metres above sea level.[^1]\n\n\
        Station number 4 was opened in 1804[^2] and lies 7 metres above sea level.[^2]\n\n\
        [^1]: Station 1. https://b.example/p1\n[^2]: Station 4. https://e.example/p4\n";
    check(halves, vec![station("b", 1), station("e", 4)], &[]);
    let whole = "Station number 1 lies 4 metres above sea level [1](https://b.example/p1).\n\n\
        Station number 4 lies 7 metres above sea level [2](https://e.example/p4).\n";
    check(whole, vec![station("b", 1), station("e", 4)], &[]);
    let pronouns = "Station number 2 has 4 platforms ([page](https://c.example/p2)). It lies 5 metres above sea level \
        ([page](https://c.example/p2)).\n\nStation number 5 has 7 platforms ([page](https://f.example/p5)). It lies 8 \
        metres above sea level ([page](https://f.example/p5)).\n";
    check(pronouns, vec![station("c", 2), station("f", 5)], &[]);
    let items = "Stations with their height:\n\n- **Station 11**: 14 metres above sea level [11](https://l.example/p11)\n\
        - **Station 12**: 15 metres above sea level [12](https://m.example/p12)\n";
    check(items, vec![station("l", 11), station("m", 12)], &[]);
    let sections = "## Pell\n\nThe main station has 14 platforms [1](https://a.example/x).\n\n## Norwick\n\n\
        The main station has 12 platforms [2](https://b.example/x).\n";
    let pages = vec![
        titled("https://a.example/x", "Pell", "The main station has 14 platforms."),
        titled("https://b.example/x", "Norwick", "The main station has 12 platforms."),
    ];
    check(sections, pages, &[]);
}

#[test]
fn a_page_about_something_else_beside_the_right_one_does_not_disagree() {
    let text = "Station number 1 lies 4 metres above sea level [1](https://b.example/p1) [2](https://e.example/p4).\n";
    check(text, vec![station("b", 1), station("e", 4)], &[]);
    // The second sentence has its figure from a page about another station.
    let text = "Station number 1 lies 4 metres above sea level [1](https://b.example/p1).\n\n\
        Station number 1 lies 9 metres above sea level [2](https://g.example/p6).\n";
    check(text, vec![station("b", 1), station("g", 6)], &[]);
}

#[test]
fn sentences_of_one_page_and_pages_of_one_owner_do_not_disagree() {
    let said = |one: &str, other: &str| {
        format!(
            "The harbour bridge of Norwick is 412 metres long [1]({one}).\n\nThe harbour bridge of Norwick is 398 metres \
             long [2]({other}).\n"
        )
    };
    let both = "The harbour bridge of Norwick is 412 metres long. An older book says that the harbour bridge of Norwick \
        is 398 metres long.";
    let one = "https://a.example/r";
    check(&said(one, one), vec![page(one, both)], &[]);
    let mirror = "https://b.example/r";
    check(&said(one, mirror), vec![page(one, both), page(mirror, both)], &[]);
    let sister = "https://www.a.example/s";
    let pages = vec![
        page(one, "The harbour bridge of Norwick is 412 metres long."),
        page(sister, "The harbour bridge of Norwick is 398 metres long."),
    ];
    check(&said(one, sister), pages, &[]);
}

#[test]
fn other_times_and_roundings_are_no_disagreement() {
    let sections = "## 2019\n\nThe port of Norwick employs 300 people [1](https://a.example/x).\n\n## 2020\n\n\
        The port of Norwick employs 320 people [2](https://b.example/x).\n";
    let pages = || {
        vec![
            page("https://a.example/x", "The port of Norwick employs 300 people. Ships come daily."),
            page("https://b.example/x", "The port of Norwick employs 320 people, its director told us."),
        ]
    };
    check(sections, pages(), &[]);
    let rounded = "The port of Norwick handled 1.2 million tonnes of grain [1](https://a.example/x).\n\n\
        The port of Norwick handled 1,204,000 tonnes of grain [2](https://b.example/x).\n";
    let pages = vec![
        page(
            "https://a.example/x",
            "The port of Norwick handled 1.2 million tonnes of grain. Ships come daily.",
        ),
        page(
            "https://b.example/x",
            "The port of Norwick handled 1,204,000 tonnes of grain, its director told us.",
        ),
    ];
    check(rounded, pages, &[]);
}

#[test]
fn sources_that_do_disagree_are_shown_with_both_sides() {
    let text = "Station number 1 was opened in 1801[^1] and lies 4 metres above sea level.[^1]\n\n\
        Station number 1 lies 9 metres above sea level.[^2]\n\n\
        [^1]: Station 1. https://b.example/p1\n[^2]: Survey. https://s.example/x\n";
    let survey = titled(
        "https://s.example/x",
        "A survey",
        "Many measured the coast. Station number 1 lies 9 metres above sea level, they found.",
    );
    let about = "one says 4 metres, the other 9 metres";
    let expected = [format!("C2: {about}"), format!("C3: {about}")];
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(text, vec![station("b", 1), survey.clone()], &expected);
    let shown = examined(text, vec![station("b", 1), survey]);
    let sides = |place: u32| shown.passages[usize::try_from(place).unwrap()].text.as_str();
    let first = &shown.conflicts[0];
    assert!(sides(first.left).contains("4 metres") && sides(first.right).contains("9 metres"), "{shown:#?}");
}
