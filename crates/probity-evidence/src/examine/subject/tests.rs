use super::{ClaimLead, ClaimSubject, SubjectSurroundings, SubjectText};
use crate::hash::QuickSet;

/// The identifiers of a text, in its order.
#[track_caller]
fn check_identifiers(text: &str, expected: &[&str]) {
    let mut found = SubjectText::of(text).identifiers;
    found.sort_by_key(|known| known.start);
    let found: Vec<&str> = found.iter().map(|known| known.text.as_str()).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn numbers_that_name_something_count_nothing() {
    check_identifiers("Station number 4 lies 7 metres above sea level.", &["4"]);
    check_identifiers("Station 11: 14 metres above sea level", &["11"]);
    check_identifiers("See chapter 3, page 5, and No. 7.", &["3", "5", "7"]);
    check_identifiers("Line B has 12 stops.", &["b"]);
    check_identifiers("The third station has 4 platforms.", &["3"]);
    check_identifiers("The Airbus A380 carries 500 people.", &["a", "380"]);
    check_identifiers("The bridge of Norwick is 412 metres long and opened in 1931.", &[]);
    check_identifiers("Around 40 people came in May 1931.", &[]);
    check_identifiers("Revenue rose 12 % to 5.4 billion dollars.", &[]);
}

fn lead(is_part: bool, before: &[&str]) -> ClaimLead {
    ClaimLead { is_part, before: before.iter().map(|text| (*text).to_owned()).collect() }
}

/// Whether two claims of one section, whose pages have titles that say nothing, speak of the same.
fn is_same(one: (&str, ClaimLead), other: (&str, ClaimLead)) -> bool {
    let (mine, theirs) = (ClaimSubject::of(one.0, &one.1), ClaimSubject::of(other.0, &other.1));
    let around = || SubjectSurroundings { same_section: true, same_titles: false, same_times: true };
    mine.is_same(&theirs, &QuickSet::default(), around)
}

#[test]
fn a_half_sentence_speaks_of_what_its_sentence_speaks_of() {
    let half = |metres: &'static str, sentence: &str| (metres, lead(true, &[sentence]));
    let first = || half("and lies 4 metres above sea level.", "Station number 1 was opened in 1801");
    let fourth = half("and lies 7 metres above sea level.", "Station number 4 was opened in 1804");
    let whole = ("Station number 1 lies 9 metres above sea level.", ClaimLead::default());
    let pronoun = ("It lies 9 metres above sea level.", lead(false, &["Station number 1 has 3 platforms."]));
    assert!(!is_same(first(), fourth));
    assert!(is_same(first(), whole) && is_same(first(), pronoun));
    let lost = ("and lies 9 metres above sea level.", lead(true, &[]));
    assert!(!is_same(first(), lost), "nobody knows what it speaks of");
}

#[test]
fn the_same_quantity_is_said_of_the_same() {
    let same = |one: &str, mine: &str, other: &str, theirs: &str| {
        let (left, right) = (ClaimLead::default(), ClaimLead::default());
        let (first, second) = (ClaimSubject::of(one, &left), ClaimSubject::of(other, &right));
        let place = |text: &str, figure: &str| text.find(figure).map(|at| (at, at + figure.len())).unwrap();
        first.is_same_quantity(place(one, mine), &second, place(other, theirs))
    };
    let long = "The harbour bridge of Norwick is 412 metres long.";
    assert!(same(
        long,
        "412 metres",
        "Engineers say the harbour bridge of Norwick is about 398 metres long.",
        "398 metres"
    ));
    for (other, figure) in [
        ("The railway bridge of Norwick is 398 metres long.", "398 metres"),
        ("The harbour bridge of Norwick is 31 metres wide.", "31 metres"),
        ("The harbour bridge of Pell is 398 metres long.", "398 metres"),
        ("The harbour bridge number 2 of Norwick is 398 metres long.", "2"),
    ] {
        assert!(!same(long, "412 metres", other, figure), "{other}");
    }
    let norway = "Sales of Acme rose 12 % in Norway.";
    assert!(!same(norway, "12 %", "Sales of Acme rose 14 % in Sweden.", "14 %"));
    assert!(same(norway, "12 %", "Sales of Acme rose 14 % in Norway.", "14 %"));
}

#[test]
fn a_time_in_front_holds_for_the_whole_sentence() {
    let half = |words: &'static str, sentence: &str| (words, lead(true, &[sentence]));
    let then = half("and employed 300 people.", "In 2019, Acme had 40 plants");
    let later = half("and employed 320 people.", "In 2020, Acme had 44 plants");
    assert!(!is_same(then, later));
}
