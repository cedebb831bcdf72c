//! A report that was checked is composed again without the sentence that failed, and ends once that was checked.

use probity_types::inquiry::{QuoteId, Sentence, SentenceKind};
use serde_json::json;

use super::{WINDOW, run, world};
use crate::{
    checking::{CheckPlan, CheckState, patching},
    cost::Cost,
    driver_state::DriverState,
    event::{Event, RunEnding, StoredEvent},
    id::Digest,
    inquiry::{
        bank::normalized,
        claims,
        patched::{PatchKind, SentencePatch, SentenceStanding},
    },
    instruction::FinishAction,
    ledger::{ClaimId, Ledger},
    report::Report,
    state::{RunPhase, RunState},
    step::{Step, next_step},
    stop::RunStop,
    time::Moment,
    web::strategy::StrategyLevel,
};

const SUBJECT: Digest = Digest([1; 32]);

/// Makes the stored text the one that waits to be checked.
fn gather(research: &mut RunState) {
    research.plan.checks = Some(Box::new(CheckPlan::without_judge()));
    research.check_state = Some(Box::new(CheckState { subject: Some(SUBJECT), ..CheckState::default() }));
    research.phase = RunPhase::Gathered(Box::new(RunEnding {
        stop: RunStop::Completed,
        at: Moment(1),
        report: Some(SUBJECT),
        raw: None,
        usage: None,
        cost: Cost::Nothing,
        problem: None,
        sources: 1,
        report_bytes_sent: None,
        progress: None,
    }));
}

/// The report with one claim that its source contradicts.
fn contradicted(report: &Report, words: &str) -> Report {
    let id = ClaimId::at(0);
    let claim = json!({"id": id, "start": 0, "end": 1, "words": words, "kind": "fact", "load_bearing": true});
    let verdict = json!({"claim": id, "verdict": "contradicted", "confidence": 90, "origins": 0});
    let ledger = Ledger {
        claims: vec![serde_json::from_value(claim).unwrap()],
        settled: vec![serde_json::from_value(verdict).unwrap()],
        ..Ledger::default()
    };
    Report { ledger: Some(Box::new(ledger)), ..report.clone() }
}

fn due(research: &RunState, checked: &Report) -> Option<Vec<SentencePatch>> {
    patching::due(research, research.check_state.as_deref().unwrap(), checked)
}

#[test]
fn a_sentence_that_failed_is_gone_and_all_others_stand() {
    let (mut world, finish) = run(StrategyLevel::Medium, Some(150_000), None);
    let report = finish.report.unwrap();
    let inquiry = world.inquiry();
    let mut drawn: Vec<QuoteId> = inquiry.synthesis.iter().flat_map(|point| point.quotes.clone()).collect();
    drawn.extend(claims::concluded(inquiry.context()).into_iter().flatten());
    // One that the front does not repeat.
    let is_alone = |said: &&Sentence| {
        let repeated = normalized(&format!("In short, {}", said.text));
        // A conclusion that rests on it would go with it.
        let is_premise = drawn.iter().any(|id| said.quotes.contains(id));
        said.kind == SentenceKind::Fact && !is_premise && !normalized(&report.text).contains(&repeated)
    };
    let told: Vec<Sentence> =
        world.inquiry().sections.values().flat_map(|section| section.sentences()).cloned().collect();
    let failed = told.iter().find(is_alone).unwrap().text.clone();
    gather(&mut world.research);
    let patches = due(&world.research, &contradicted(&report, &failed)).unwrap();
    let removed = SentencePatch {
        text: failed.clone(),
        was: SentenceStanding::Contradicted,
        patch: PatchKind::Removed,
    };
    assert_eq!(patches, [removed]);

    let event = Event::Patched { subject: SUBJECT, patches };
    assert_eq!(Event::decode(event.version(), &event.encode().unwrap()).unwrap(), event);
    let sequence = world.research.sequence.next();
    world.research.apply(&StoredEvent { sequence, at: Moment(2), attended_ms: 0, event }).unwrap();
    let mut attention = DriverState::default();
    attention.blobs.insert(SUBJECT, report.encode().into());
    let Step::Finish(again) = next_step(&world.research, &attention) else { panic!("not composed again") };
    assert_eq!(again.action, FinishAction::Check);
    let text = again.report.unwrap().text;
    assert!(
        text.contains("After the check, 1 sentence that its source did not bear out was removed."),
        "{text}"
    );
    let stands = |said: &Sentence| normalized(&text).contains(&normalized(&said.text));
    for said in told.iter().filter(|said| said.kind == SentenceKind::Fact) {
        assert_eq!(stands(said), said.text != failed, "{}", said.text);
    }
    // Checked again, nothing is left to change.
    assert_eq!(due(&world.research, &Report { ledger: Some(Box::default()), ..report }), None);
}

#[test]
fn a_run_of_earlier_rules_keeps_every_sentence() {
    let mut web = world::plan(StrategyLevel::Shallow, Some(150_000), WINDOW);
    web.inquiry.as_mut().unwrap().edition = 1;
    let (mut world, finish) = world::InquiryWorld::new(web, None).run();
    let report = finish.report.unwrap();
    let sections = world.inquiry().sections.values();
    let failed = sections.flat_map(|section| section.sentences()).last().unwrap().text.clone();
    gather(&mut world.research);
    assert_eq!(due(&world.research, &contradicted(&report, &failed)), None);
}
