use serde_json::json;

use super::ClaimList;
use crate::{
    ledger::{ClaimId, ClaimKind, Ledger, LedgerSource, NotCheckedReason, SourceState, Verdict},
    report::Report,
};

const TEXT: &str =
    "Lead one.\n\n# First\nIt rose.\nIt fell.\n\n## Second\nIt stood. We think so. It rose again.\n";

fn ledger(sentences: &[(&str, &[u32], ClaimKind, Verdict)]) -> Ledger {
    let mut ledger = Ledger::default();
    for (place, (words, cites, kind, verdict)) in sentences.iter().enumerate() {
        let start = TEXT.find(words).unwrap();
        // Read as stored, so that what else a claim has does not matter here.
        let claim = json!({ "id": ClaimId::at(place), "start": start, "end": start + words.len(), "words": words,
            "kind": kind, "load_bearing": true, "cites": cites });
        ledger.claims.push(serde_json::from_value(claim).unwrap());
        let mut settled = json!({ "claim": ClaimId::at(place), "confidence": 90, "origins": 1 });
        let verdict = serde_json::to_value(verdict).unwrap();
        settled.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
        ledger.settled.push(serde_json::from_value(settled).unwrap());
    }
    let source = |(url, title): (&str, &str)| LedgerSource {
        url: url.to_owned(),
        title: title.to_owned(),
        state: SourceState::unreachable("404"),
        origin: 0,
        quoted: Vec::new(),
    };
    ledger.sources =
        [("https://www.a.example/x?y", ""), ("https://b.example/", "The B")].map(source).to_vec();
    ledger
}

#[test]
fn what_needs_attention_comes_first_with_its_place_and_its_sources() {
    let not_checked = |why| Verdict::NotChecked { why };
    let mut ledger = ledger(&[
        ("Lead one.", &[], ClaimKind::Fact, not_checked(NotCheckedReason::Uncited)),
        ("It rose.", &[0], ClaimKind::Fact, Verdict::Supported),
        ("It fell.", &[0, 1], ClaimKind::Fact, Verdict::Contradicted),
        ("It stood.", &[1], ClaimKind::Fact, Verdict::Supported),
        ("We think so.", &[], ClaimKind::OwnWords, not_checked(NotCheckedReason::OwnWords)),
        ("It rose again.", &[0], ClaimKind::Fact, Verdict::Supported),
    ]);
    ledger.claims[5].repeats = Some(ClaimId::at(1));
    let report =
        Report { text: TEXT.to_owned(), ledger: Some(Box::new(ledger.clone())), ..Report::default() };
    let list = ClaimList::of(&report, &ledger);
    let told: Vec<String> = list
        .claims()
        .map(|(group, listed)| {
            let section = listed.section.as_deref().unwrap_or("-");
            let (id, line, sources) = (listed.claim.id, listed.line, &listed.sources);
            format!("{} {id} line {line} {section} {sources:?}", group.word())
        })
        .collect();
    assert_eq!(
        told,
        [
            "contradicted C3 line 5 First [1, 2]",
            "uncited C1 line 1 - []",
            "supported C2 line 4 First [1]",
            "supported C4 line 8 Second [2]",
        ]
    );
    let sources: Vec<String> = list.sources.iter().map(super::SourceSummary::line).collect();
    assert_eq!(
        sources,
        [
            "source 1 (a.example/x?y): 2 claims, 1 contradicted, 1 supported; not read: 404",
            "source 2 (b.example, \"The B\"): 2 claims, 1 contradicted, 1 supported; not read: 404",
        ]
    );
    assert_eq!(list.aside(), "1 sentence in the text's own words, 1 repeat");
    let unlisted: Vec<String> = list.unlisted.iter().map(|listed| listed.claim.id.to_string()).collect();
    assert_eq!(unlisted, ["C5", "C6"]);
    assert_eq!(ledger.tally().line(), "4 claims: 2 supported, 1 contradicted, 1 not checked");
}

#[test]
fn claims_on_pages_that_could_not_be_read_say_why() {
    let unreachable = Verdict::NotChecked { why: NotCheckedReason::Unreachable };
    let mut ledger = ledger(&[
        ("It rose.", &[0, 1], ClaimKind::Fact, unreachable),
        ("It fell.", &[1], ClaimKind::Fact, Verdict::Supported),
    ]);
    ledger.sources[1].state = SourceState::unreachable("the page has no readable text");
    let report =
        Report { text: TEXT.to_owned(), ledger: Some(Box::new(ledger.clone())), ..Report::default() };
    let list = ClaimList::of(&report, &ledger);
    let whys: Vec<&str> = list.claims().map(|(_, listed)| listed.not_read.as_str()).collect();
    assert_eq!(whys, ["404; the page has no readable text", ""]);
}

#[test]
fn a_long_address_keeps_both_ends() {
    let long = format!("https://a.example/{}/the-end?page=7#part", "x".repeat(100));
    let short = super::address(&long);
    assert!(short.starts_with("a.example/xxx") && short.ends_with("/the-end?page=7"), "{short}");
    assert_eq!(short.chars().count(), 73);
    assert_eq!(super::address("https://me:secret@www.a.example/"), "a.example");
}
