//! A bundle that nobody touched.

use probity_bundle::{
    Bundle, BundlePromise, BundleReplayError, PromiseStatus, ReplayReaders, VerifyOptions, replay, verify,
};
use probity_research::{
    Event,
    stop::{CancelReason, PartialResults},
};

use crate::fixtures::{OUTSIDE, broken, checked, deep_research, findings, kept, key, means, on_the_web};

#[test]
fn the_same_research_gives_the_same_bytes() {
    let (key, research) = (key(), on_the_web());
    assert_eq!(research.bundle(&key), on_the_web().bundle(&key));
    assert_ne!(research.bundle(&key), research.bundle(&crate::fixtures::key()));
}

#[test]
fn every_promise_of_a_web_research_is_kept() {
    let bytes = on_the_web().bundle(&key());
    let found = findings(&bytes);
    for finding in &found {
        let unchecked = matches!(finding.promise, BundlePromise::Verdicts | BundlePromise::Checks);
        assert_eq!(
            finding.kept,
            if unchecked { PromiseStatus::Nothing } else { PromiseStatus::Yes },
            "{finding}"
        );
    }
    let quoted = found.iter().find(|finding| finding.promise == BundlePromise::Quotations).unwrap();
    assert_eq!(quoted.detail, "6 quoted places, each in the stored page");
}

#[test]
fn every_promise_of_a_checked_research_is_kept() {
    let bytes = checked().bundle(&key());
    for finding in findings(&bytes) {
        assert_eq!(finding.kept, PromiseStatus::Yes, "{finding}");
    }
    let bundle = Bundle::read(&bytes).unwrap();
    assert_eq!(bundle.manifest.checker.as_deref(), Some("1"));
    let blind = verify(&bundle, &VerifyOptions { outside: ReplayReaders::default(), ..means() });
    assert_eq!(kept(&blind, BundlePromise::Checks), PromiseStatus::NotChecked);
    assert_eq!(kept(&blind, BundlePromise::Replay), PromiseStatus::Yes);
}

#[test]
fn the_report_comes_out_again_byte_for_byte() {
    for research in [on_the_web(), checked(), deep_research()] {
        let bytes = research.bundle(&key());
        let bundle = Bundle::read(&bytes).unwrap();
        assert_eq!(replay(&bundle, OUTSIDE).unwrap(), bundle.report().unwrap());
        assert_eq!(replay(&bundle, OUTSIDE).unwrap(), research.report().encode());
    }
}

#[test]
fn a_report_of_the_provider_needs_someone_who_reads_its_answers() {
    let bytes = deep_research().bundle(&key());
    let bundle = Bundle::read(&bytes).unwrap();
    assert!(matches!(replay(&bundle, ReplayReaders::default()), Err(BundleReplayError::NoReader(_))));
    let found = verify(&bundle, &VerifyOptions { outside: ReplayReaders::default(), ..means() });
    assert_eq!(kept(&found, BundlePromise::Replay), PromiseStatus::NotChecked);
    assert_eq!(kept(&findings(&bytes), BundlePromise::Replay), PromiseStatus::Yes);
}

#[test]
fn a_wish_that_came_while_the_end_was_written_changes_nothing() {
    let mut research = on_the_web();
    let end = research.journal.pop().unwrap();
    research.append(Event::CancelRequested { reason: CancelReason::User, partial: PartialResults::Keep });
    research.append(end.event);
    assert_eq!(broken(&research.bundle(&key())), []);
}

#[test]
fn a_pinned_key_is_the_only_one_that_is_taken() {
    let (own, other) = (key(), key());
    let bytes = on_the_web().bundle(&own);
    let bundle = Bundle::read(&bytes).unwrap();
    let signed = |pinned| {
        kept(&verify(&bundle, &VerifyOptions { pinned: Some(pinned), ..means() }), BundlePromise::Signature)
    };
    assert_eq!(signed(own.public()), PromiseStatus::Yes);
    assert_eq!(signed(other.public()), PromiseStatus::No);
}

#[test]
fn the_page_in_it_tells_what_it_is() {
    let bytes = on_the_web().bundle(&key());
    let entries = probity_bundle::tar::read(&bytes).unwrap();
    let readme = std::str::from_utf8(entries[2].bytes).unwrap();
    assert!(readme.contains("- question: Why did the Tacoma Narrows Bridge fall?"), "{readme}");
    assert!(readme.contains("- models: tester"), "{readme}");
    assert!(readme.contains("- verdicts: not verified: quotations stand word for word"), "{readme}");
    assert!(!readme.contains("mind whom you give this to"), "{readme}");
}

#[test]
fn what_another_version_concludes_otherwise_is_not_called_damage() {
    let research = on_the_web();
    let mut report = research.report();
    report.text.push_str("More.");
    let bytes = research.with_report(&report).bundle(&key());
    let found = verify(&Bundle::read(&bytes).unwrap(), &VerifyOptions { program: "9.9.9", ..means() });
    assert_eq!(kept(&found, BundlePromise::Replay), PromiseStatus::NotChecked);
    assert_eq!(broken(&bytes), [BundlePromise::Replay]);
}

#[test]
fn a_checked_report_without_passages_has_no_quoted_place() {
    let mut report = checked().report();
    report.web = None;
    let ledger = report.ledger.as_mut().unwrap();
    assert!(!ledger.claims.is_empty());
    ledger.checks.clear();
    ledger.passages.clear();
    ledger.questions.clear();
    ledger.conflicts.clear();
    ledger.sources.clear();
    let bytes = deep_research().with_report(&report).bundle(&key());
    let found = findings(&bytes);
    let quoted = found.iter().find(|finding| finding.promise == BundlePromise::Quotations).unwrap();
    assert_eq!(quoted.kept, PromiseStatus::Nothing, "{quoted}");
    assert_eq!(quoted.detail, "no page is quoted with its place");
}
