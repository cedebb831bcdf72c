//! Contents that were changed and signed again: the signature holds, the contents do not hold together.

use probity_bundle::{Bundle, Kept, Promise, manifest::digest};
use probity_research::{
    Event,
    ledger::{
        Aspect, By, Check, Claim, ClaimId, ClaimKind, Ledger, LedgerSource, Opinion, Passage, SourceState,
        Verdict,
    },
    report::Report,
    time::Moment,
    web::{page::Provenance, task::Outcome},
};

use crate::world::{Stored, broken, findings, kept, key, on_the_web};

/// The report of the web research with a ledger that stands on its first page.
fn with_ledger(edit: impl FnOnce(&mut Report)) -> (Stored, Vec<u8>) {
    let research = on_the_web();
    let mut report = research.report();
    let web = report.web.clone().unwrap();
    let page = &web.pages[usize::try_from(web.notes[0].page).unwrap()];
    let quote = &web.notes[0].quotes[0];
    let at = |aspect, opinion, by| Check {
        claim: ClaimId::at(0),
        aspect,
        opinion,
        by,
        confidence: 90,
        source: Some(0),
        span: Some((quote.start, quote.end)),
        page: Some(page.snapshot),
        at: Moment(0),
        reason: String::new(),
    };
    let judge = By::Model { name: "judge".to_owned(), version: "1".to_owned() };
    let mut ledger = Ledger {
        checker: "1".to_owned(),
        claims: vec![Claim {
            id: ClaimId::at(0),
            start: 0,
            end: 5,
            words: quote.text.clone(),
            kind: ClaimKind::Fact,
            load_bearing: true,
            cites: vec![0],
            quotations: Vec::new(),
            derived: None,
        }],
        sources: vec![LedgerSource {
            url: page.record.final_url.clone(),
            title: page.title.clone(),
            state: SourceState::Kept {
                snapshot: page.snapshot,
                extract: page.extract,
                fetched_at: Moment(0),
                provenance: Provenance::Direct,
                published: None,
            },
            origin: 0,
            quoted: vec![(quote.start, quote.end)],
        }],
        passages: vec![Passage { source: 0, start: quote.start, end: quote.end, text: quote.text.clone() }],
        checks: vec![
            at(Aspect::Quotation, Opinion::Quoted, By::Rules { version: "1".to_owned() }),
            at(Aspect::Meaning, Opinion::Supports, judge),
        ],
        ..Ledger::default()
    };
    ledger.settle(None);
    report.ledger = Some(Box::new(ledger));
    edit(&mut report);
    let research = research.with_report(&report);
    let bytes = research.bundle(&key());
    (research, bytes)
}

fn ledger(report: &mut Report) -> &mut Ledger {
    report.ledger.as_mut().unwrap()
}

/// Only the replay sees that a ledger was added; everything in it is true.
#[test]
fn a_ledger_that_holds_together_is_seen_to_hold() {
    let (_, bytes) = with_ledger(|_| {});
    let found = findings(&bytes);
    assert_eq!(kept(&found, Promise::Verdicts), Kept::Yes);
    assert_eq!(kept(&found, Promise::Quotations), Kept::Yes);
    assert_eq!(kept(&found, Promise::Pages), Kept::Yes);
    assert_eq!(broken(&bytes), [Promise::Replay]);
    assert_eq!(Bundle::read(&bytes).unwrap().manifest.checker.as_deref(), Some("1"));
}

#[test]
fn an_edited_verdict_does_not_follow_from_its_checks() {
    let edits: [fn(&mut Ledger); 6] = [
        |ledger| ledger.settled[0].verdict = Verdict::Contradicted,
        |ledger| ledger.settled[0].origins = 2,
        |ledger| ledger.settled.clear(),
        |ledger| ledger.checks[1].by = By::Rules { version: "1".to_owned() },
        |ledger| ledger.verification.as_mut().unwrap().verified = false,
        |ledger| ledger.verification = None,
    ];
    for (place, edit) in edits.into_iter().enumerate() {
        let (_, bytes) = with_ledger(|report| edit(ledger(report)));
        assert!(broken(&bytes).contains(&Promise::Verdicts), "edit {place}");
    }
}

#[test]
fn an_edited_place_is_not_where_the_words_stand() {
    let edits: [fn(&mut Ledger); 8] = [
        |ledger| ledger.checks[0].span = Some((5, 900_000)),
        |ledger| ledger.checks[0].span = Some((9, 5)),
        |ledger| ledger.checks[1].span = Some((3, 3)),
        |ledger| ledger.checks[1].source = Some(7),
        |ledger| ledger.checks[1].page = Some(digest(b"another page")),
        |ledger| ledger.passages[0].start += 1,
        |ledger| ledger.passages[0].text.push('!'),
        |ledger| ledger.claims[0].end = 900_000,
    ];
    for (place, edit) in edits.into_iter().enumerate() {
        let (_, bytes) = with_ledger(|report| {
            edit(ledger(report));
            let says = ledger(report).verification.as_ref().and_then(|verification| verification.model_says);
            ledger(report).settle(says);
        });
        assert!(broken(&bytes).contains(&Promise::Quotations), "edit {place}");
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
        assert!(broken(&research.with_report(&report).bundle(&key())).contains(&Promise::Replay));
    }
}

#[test]
fn a_quotation_that_the_report_and_the_journal_share_is_still_looked_up() {
    let mut research = on_the_web();
    for recorded in &mut research.journal {
        if let Event::GatherDone { outcome: Outcome::Noted(note), .. } = &mut recorded.event {
            note.quotes[0].text = note.quotes[0].text.replace("1940", "1941");
        }
    }
    assert!(broken(&research.bundle(&key())).contains(&Promise::Quotations));
}

/// The text of a page is exchanged for one that says something else, everywhere it is named.
#[test]
fn a_text_that_its_page_does_not_give_is_found_by_reading_the_page_again() {
    let mut research = on_the_web();
    let mut edited = Vec::new();
    for recorded in &mut research.journal {
        if let Event::GatherDone { outcome: Outcome::Page(page), .. } = &mut recorded.event {
            let text =
                String::from_utf8(research.blobs[&page.extract].clone()).unwrap().replace("1940", "1941");
            page.extract = digest(text.as_bytes());
            edited.push(text);
        }
    }
    edited.iter().for_each(|text| {
        research.keep(text.as_bytes());
    });
    assert!(broken(&research.bundle(&key())).contains(&Promise::Texts));
}

#[test]
fn nothing_named_may_be_missing_and_nothing_else_may_be_there() {
    let research = on_the_web();
    for left_out in research.blobs.keys() {
        let mut blobs = research.blobs.clone();
        blobs.remove(left_out);
        let broken = broken(&research.bundle_of(&blobs, &key()));
        assert!(broken.contains(&Promise::Contents), "{left_out}");
    }
    let mut blobs = research.blobs.clone();
    blobs.insert(digest(b"smuggled"), b"smuggled".to_vec());
    assert_eq!(broken(&research.bundle_of(&blobs, &key())), [Promise::Contents]);
}

#[test]
fn an_end_that_the_rules_do_not_draw_is_refused() {
    let mut research = on_the_web();
    if let Some(Event::Ended { sources, .. }) =
        research.journal.last_mut().map(|recorded| &mut recorded.event)
    {
        *sources += 1;
    }
    assert_eq!(broken(&research.bundle(&key())), [Promise::Replay]);
    research.journal.pop();
    let broken = broken(&research.bundle(&key()));
    assert!(broken.contains(&Promise::Journal) && broken.contains(&Promise::Report), "{broken:?}");
}
