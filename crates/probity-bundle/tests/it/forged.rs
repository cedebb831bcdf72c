//! Contents that were changed and signed again: the signature holds, the contents do not hold together.

use probity_bundle::{
    Bundle, BundlePromise, PrivatePages, PromiseStatus, VerifyOptions, manifest::digest, verify,
};
use probity_research::{
    Event,
    checking::CheckTaskOutcome,
    ledger::{CheckAuthor, Ledger, Opinion, Verdict},
    report::Report,
    web::{
        page::{PageRecord, Provenance},
        task::WebTaskOutcome,
    },
};

use crate::fixtures::{broken, checked, findings, kept, key, means, on_the_web};

/// The checked research with something in its final report changed, and signed again.
fn with_ledger(edit: impl FnOnce(&mut Report)) -> Vec<u8> {
    let research = checked();
    let mut report = research.report();
    edit(&mut report);
    research.with_report(&report).bundle(&key())
}

fn ledger(report: &mut Report) -> &mut Ledger {
    report.ledger.as_mut().unwrap()
}

#[test]
fn an_edited_verdict_does_not_follow_from_its_checks() {
    let edits: [fn(&mut Ledger); 6] = [
        |ledger| ledger.settled[0].verdict = Verdict::Contradicted,
        |ledger| ledger.settled[0].origins = 2,
        |ledger| ledger.settled.clear(),
        |ledger| ledger.checks[3].by = CheckAuthor::Rules { version: "1".to_owned() },
        |ledger| ledger.verification.as_mut().unwrap().verified ^= true,
        |ledger| ledger.verification = None,
    ];
    for (place, edit) in edits.into_iter().enumerate() {
        let bytes = with_ledger(|report| edit(ledger(report)));
        let broken = broken(&bytes);
        assert!(
            broken.contains(&BundlePromise::Verdicts) && broken.contains(&BundlePromise::Replay),
            "edit {place}: {broken:?}"
        );
    }
}

#[test]
fn an_edited_place_is_not_where_the_words_stand() {
    let edits: [fn(&mut Ledger); 8] = [
        |ledger| ledger.checks[0].span = Some((5, 900_000)),
        |ledger| ledger.checks[0].span = Some((9, 5)),
        |ledger| ledger.checks[3].span = Some((3, 3)),
        |ledger| ledger.checks[3].source = Some(7),
        |ledger| ledger.checks[3].page = Some(digest(b"another page")),
        |ledger| ledger.passages[0].start += 1,
        |ledger| ledger.passages[0].text.push('!'),
        |ledger| ledger.claims[0].end = 900_000,
    ];
    for (place, edit) in edits.into_iter().enumerate() {
        let bytes = with_ledger(|report| {
            edit(ledger(report));
            let says = ledger(report).verification.as_ref().and_then(|verification| verification.model_says);
            ledger(report).compute_verdicts(says);
        });
        let broken = broken(&bytes);
        assert!(
            broken.contains(&BundlePromise::Quotations) && broken.contains(&BundlePromise::Replay),
            "edit {place}: {broken:?}"
        );
    }
}

#[test]
fn an_edited_report_does_not_follow_from_the_journal() {
    let edits: [fn(&mut Report); 3] = [
        |report| report.text = report.text.replace("1940", "1941"),
        |report| report.sources.clear(),
        |report| report.web.as_mut().unwrap().invented = 7,
    ];
    for edit in edits {
        let research = on_the_web();
        let mut report = research.report();
        edit(&mut report);
        assert!(broken(&research.with_report(&report).bundle(&key())).contains(&BundlePromise::Replay));
    }
}

#[test]
fn a_quotation_that_the_report_and_the_journal_share_is_still_looked_up() {
    let mut research = on_the_web();
    for recorded in &mut research.journal {
        if let Event::GatherDone { outcome: WebTaskOutcome::Noted(note), .. } = &mut recorded.event {
            note.quotes[0].text = note.quotes[0].text.replace("1940", "1941");
        }
    }
    assert!(broken(&research.bundle(&key())).contains(&BundlePromise::Quotations));
}

/// The text of a page is exchanged for one that says something else, everywhere it is named.
#[test]
fn a_text_that_its_page_does_not_give_is_found_by_reading_the_page_again() {
    let mut research = on_the_web();
    let mut edited = Vec::new();
    for recorded in &mut research.journal {
        if let Event::GatherDone { outcome: WebTaskOutcome::Page(page), .. } = &mut recorded.event {
            let text =
                String::from_utf8(research.blobs[&page.extract].clone()).unwrap().replace("1940", "1941");
            page.extract = digest(text.as_bytes());
            edited.push(text);
        }
    }
    edited.iter().for_each(|text| {
        research.keep(text.as_bytes());
    });
    assert!(broken(&research.bundle(&key())).contains(&BundlePromise::Texts));
}

#[test]
fn nothing_named_may_be_missing_and_nothing_else_may_be_there() {
    let research = on_the_web();
    for left_out in research.blobs.keys() {
        let mut blobs = research.blobs.clone();
        blobs.remove(left_out);
        let broken = broken(&research.bundle_of(&blobs, &key()));
        assert!(broken.contains(&BundlePromise::Contents), "{left_out}");
    }
    let mut blobs = research.blobs.clone();
    blobs.insert(digest(b"smuggled"), b"smuggled".to_vec());
    assert_eq!(broken(&research.bundle_of(&blobs, &key())), [BundlePromise::Contents]);
}

#[test]
fn an_end_that_the_rules_do_not_draw_is_refused() {
    let mut research = on_the_web();
    if let Some(Event::Ended { sources, .. }) =
        research.journal.last_mut().map(|recorded| &mut recorded.event)
    {
        *sources += 1;
    }
    assert_eq!(broken(&research.bundle(&key())), [BundlePromise::Replay]);
    research.journal.pop();
    let broken = broken(&research.bundle(&key()));
    assert!(
        broken.contains(&BundlePromise::Journal) && broken.contains(&BundlePromise::Report),
        "{broken:?}"
    );
}

/// A forger examines by rules of his own and carries the result through to the end: only examining again shows it.
#[test]
fn a_draft_that_the_rules_do_not_make_is_found_by_examining_again() {
    let mut research = checked();
    let mut places = 0..;
    for place in 0..research.journal.len() {
        let Event::CheckDone { outcome: CheckTaskOutcome::Examined { draft, .. }, .. } =
            &mut research.journal[place].event
        else {
            continue;
        };
        let mut report = Report::decode(&research.blobs[draft]).unwrap();
        report.ledger.as_mut().unwrap().checks[0].opinion = Opinion::Agrees;
        let bytes = report.encode();
        *draft = digest(&bytes);
        research.keep(&bytes);
        places.next();
    }
    assert_eq!(places.next(), Some(1));
    let broken = broken(&research.bundle(&key()));
    assert!(broken.contains(&BundlePromise::Checks), "{broken:?}");
}

/// A judge's answer cannot be asked for again; that its words stand on the page can be looked up.
#[test]
fn an_answer_of_a_judge_that_points_elsewhere_is_refused() {
    let mut research = checked();
    let answers = research.journal.iter_mut().find_map(|recorded| match &mut recorded.event {
        Event::CheckDone { outcome: CheckTaskOutcome::Judged { answers }, .. } if !answers.is_empty() => {
            Some(answers)
        }
        _ => None,
    });
    answers.unwrap()[0].places[0].2 += 1_000;
    assert!(broken(&research.bundle(&key())).contains(&BundlePromise::Replay));
}

/// The run on the web with every page's record changed where it was fetched.
fn with_records(edit: fn(&mut PageRecord)) -> Vec<u8> {
    let mut research = on_the_web();
    for recorded in &mut research.journal {
        if let Event::GatherDone { outcome: WebTaskOutcome::Page(page), .. } = &mut recorded.event {
            edit(&mut page.record);
        }
    }
    research.bundle(&key())
}

#[test]
fn a_page_that_did_not_come_from_the_web_is_not_called_so() {
    assert_eq!(kept(&findings(&on_the_web().bundle(&key())), BundlePromise::Origins), PromiseStatus::Yes);
    type Edit = fn(&mut PageRecord);
    let edits: [(PromiseStatus, Edit); 9] = [
        (PromiseStatus::No, |record| record.address = Some("127.0.0.1:47010".to_owned())),
        (PromiseStatus::No, |record| record.address = Some("10.0.0.7:443".to_owned())),
        (PromiseStatus::No, |record| record.address = Some("192.168.1.2:80".to_owned())),
        (PromiseStatus::No, |record| record.address = Some("169.254.169.254:80".to_owned())),
        (PromiseStatus::No, |record| record.address = Some("[::1]:443".to_owned())),
        (PromiseStatus::No, |record| record.overridden = true),
        (PromiseStatus::NotChecked, |record| record.address = None),
        (PromiseStatus::NotChecked, |record| record.provenance = Provenance::Proxy),
        (PromiseStatus::NotChecked, |record| {
            record.final_url = record.final_url.replace("https://", "http://");
        }),
    ];
    let mut believed = 0;
    for (wanted, edit) in edits {
        let bytes = with_records(edit);
        let found = kept(&findings(&bytes), BundlePromise::Origins);
        believed += usize::from(found == PromiseStatus::Yes);
        assert_eq!(found, wanted);
        let asked_for = verify(
            &Bundle::read(&bytes).unwrap(),
            &VerifyOptions { private_pages: PrivatePages::Accepted, ..means() },
        );
        assert_ne!(kept(&asked_for, BundlePromise::Origins), PromiseStatus::Yes, "accepted is not proved");
    }
    eprintln!("figure: bundle.forged {believed} of {} verify as public", edits.len());
}
