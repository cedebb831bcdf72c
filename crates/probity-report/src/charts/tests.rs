use super::{costs, domains, timeline, verdicts};
use crate::fixture::{FixtureDocument as _, hostile, research};

#[test]
fn every_picture_tells_its_numbers_in_words_too() {
    let document = research().document();
    let told = |picture: Option<String>| {
        let picture = picture.unwrap();
        let words = picture.split("<desc>").nth(1).unwrap().split("</desc>").next().unwrap().to_owned();
        assert!(
            picture.starts_with("<svg ") && picture.ends_with("</svg>") && picture.contains("role=\"img\"")
        );
        words
    };
    assert!(told(verdicts(&document)).starts_with("supported: 11; quoted: 2; "));
    assert!(told(timeline(&document)).contains("journal.example · 3: published 2023-09-11"));
    assert!(told(domains(&document)).contains("A daily.example: 1; A wire.example: 1"));
    assert!(told(costs(&document)).starts_with("read: $0.12 · 31 calls; write: $0.09 · 2 calls"));
}

#[test]
fn foreign_names_stay_text() {
    let mut document = hostile().document();
    document.costs[0].label = "<script>alert(1)</script>".to_owned();
    for source in &mut document.sources {
        source.host = "\"><img src=x>".to_owned();
        source.published = Some("2026-01-02".to_owned());
    }
    for picture in [verdicts(&document), timeline(&document), domains(&document), costs(&document)] {
        let picture = picture.unwrap();
        assert!(!picture.contains("<script") && !picture.contains("<img"), "{picture}");
    }
}

#[test]
fn nothing_to_draw_is_no_picture() {
    let mut fixture = research();
    fixture.report.ledger = None;
    fixture.costs.clear();
    let document = fixture.document();
    assert_eq!(
        (verdicts(&document), timeline(&document), domains(&document), costs(&document)),
        (None, None, None, None)
    );
}

#[test]
fn dates_that_no_calendar_has_are_left_out() {
    let mut document = research().document();
    for source in &mut document.sources {
        source.published = Some("99999-99-99".to_owned());
    }
    assert_eq!(timeline(&document), None);
}
