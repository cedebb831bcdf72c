//! Lists, filters and counts over the status rows.

use probity_research::{
    Code, ResearchId,
    seams::{Journal, Writer},
    status::Status,
    time::Moment,
};
use probity_store::{ListFilter, Store};

use crate::world::{Truth, World, asked, ended, id, started};

/// Twelve researches; every third has ended, and the questions alternate between two subjects.
async fn library(store: &Store) -> Vec<Truth> {
    let mut truths = Vec::new();
    for number in 0..12_u128 {
        let subject = if number % 2 == 0 { "the Sky" } else { "ÄPFEL" };
        let mut truth = Truth::new(id(number));
        truth.append(store, Writer::Guest, asked(&format!("What of {subject} {number}?"))).await.unwrap();
        if number % 3 == 0 {
            truth.append(store, Writer::Guest, started(1)).await.unwrap();
            truth.append(store, Writer::Guest, ended()).await.unwrap();
        }
        truths.push(truth);
    }
    truths
}

#[track_caller]
fn check(store: &Store, filter: ListFilter, expected: &[ResearchId]) {
    let found: Vec<ResearchId> = store.list(&filter).unwrap().into_iter().map(|summary| summary.id).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn lists_show_the_newest_change_first_and_filter() {
    let world = World::new();
    let store = world.open(1);
    let truths = library(&store).await;
    let ids = |numbers: &[u128]| numbers.iter().map(|number| id(*number)).collect::<Vec<_>>();
    let all = ListFilter::default;
    // Those with more events changed later; among equals the one asked last comes first.
    let order = ids(&[9, 6, 3, 0, 11, 10, 8, 7, 5, 4, 2, 1]);
    check(&store, all(), &order);
    check(&store, ListFilter { limit: 3, ..all() }, &order[..3]);
    check(&store, ListFilter { limit: 3, offset: 3, ..all() }, &order[3..6]);
    check(&store, ListFilter { offset: 12, ..all() }, &[]);
    check(&store, ListFilter { limit: 0, ..all() }, &[]);
    check(&store, ListFilter { status: Some(Status::Completed), ..all() }, &ids(&[9, 6, 3, 0]));
    check(&store, ListFilter { status: Some(Status::Failed), ..all() }, &[]);
    check(&store, ListFilter { text: Some("SKY 1".to_owned()), ..all() }, &ids(&[10]));
    check(&store, ListFilter { text: Some("äpfel 1?".to_owned()), ..all() }, &ids(&[1]));
    check(&store, ListFilter { text: Some("%' OR 1=1".to_owned()), ..all() }, &[]);
    check(&store, ListFilter { engine: Some("gemini-api".to_owned()), limit: 1, ..all() }, &ids(&[9]));
    check(&store, ListFilter { engine: Some("other".to_owned()), ..all() }, &[]);
    let asked_at = truths[0].summary().asked_at;
    check(&store, ListFilter { asked_after: Some(asked_at), limit: 1, ..all() }, &ids(&[9]));
    check(&store, ListFilter { asked_after: Some(Moment(asked_at.0 + 1)), ..all() }, &[]);
    check(&store, ListFilter { asked_before: Some(asked_at), ..all() }, &[]);
    let summaries: Vec<_> = store.list(&all()).unwrap();
    assert_eq!(summaries[11], truths[1].summary());
    assert_eq!(store.counts().unwrap(), [(Status::Pending, 8), (Status::Completed, 4)]);
    assert_eq!(store.latest().unwrap(), Some(truths[11].summary()));
}

#[tokio::test]
async fn an_empty_store_lists_nothing() {
    let world = World::new();
    let store = world.open(1);
    assert_eq!(store.list(&ListFilter::default()).unwrap(), []);
    assert_eq!(store.counts().unwrap(), []);
    assert_eq!(store.latest().unwrap(), None);
}

#[tokio::test]
async fn the_first_digits_of_an_id_are_enough_when_they_fit_one() {
    let world = World::new();
    let store = world.open(1);
    for bits in [0xABCD_1000 << 96, 0xABCD_2000 << 96, u128::MAX] {
        let mut truth = Truth::new(ResearchId::from_random(bits));
        truth.append(&store, Writer::Guest, asked("why?")).await.unwrap();
    }
    let found = |text: &str| store.find_by_prefix(text).map_err(|problem| (problem.code, problem.message));
    assert_eq!(found("abcd1").unwrap(), ResearchId::from_random(0xABCD_1000 << 96));
    assert_eq!(found("res_ABCD2").unwrap(), ResearchId::from_random(0xABCD_2000 << 96));
    assert_eq!(found("ffff").unwrap(), ResearchId::from_random(u128::MAX));
    let whole = ResearchId::from_random(u128::MAX);
    assert_eq!(found(&whole.to_string()).unwrap(), whole);
    let (code, message) = found("abcd").unwrap_err();
    assert_eq!(code, Code::NotFound);
    assert!(message.starts_with("several research ids start with `abcd`: res_abcd1"), "{message}");
    for refused in ["abc", "", "res_", "wxyz", "abce", &"f".repeat(33), "ä123456"] {
        assert_eq!(found(refused).unwrap_err().0, Code::NotFound, "{refused}");
    }
    assert_eq!(store.load(whole).await.unwrap().len(), 1);
}
