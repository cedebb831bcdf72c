//! Whether the judge wrote the text is what happened, not what was planned.

use super::examined_judge;
use crate::{
    checking::{
        CheckPlan, CheckState, JudgePlan,
        conclude::{SkippedQuestions, complete},
    },
    ledger::Ledger,
    report::Report,
    time::Moment,
    web::{
        record::{WebRecord, WebStop},
        strategy::{Strategy, StrategyLevel},
    },
};

/// Whether the judge of a report on the web is said to have written it, where the plan says that it will.
fn said_to_have_written(model: Option<&str>) -> Option<bool> {
    let record = WebRecord {
        strategy: Strategy::of(StrategyLevel::Shallow, "the test says so"),
        quality: None,
        stop: WebStop::Enough,
        attempts: 1,
        model: model.map(str::to_owned),
        trust_class: String::new(),
        searches: Vec::new(),
        pages: Vec::new(),
        notes: Vec::new(),
        sentences: Vec::new(),
        receipt: None,
        invented: 0,
        not_checked: Vec::new(),
    };
    let report = Report {
        web: Some(Box::new(record)),
        ledger: Some(Box::new(Ledger::default())),
        ..Report::default()
    };
    let judge = JudgePlan { wrote_it: true, ..examined_judge(false) };
    let plan = CheckPlan { judge: Some(judge), ..CheckPlan::without_judge() };
    let skipped = [SkippedQuestions::default(), SkippedQuestions::default()];
    let report = complete(report, &plan, &CheckState::default(), skipped, None, Moment(0));
    report.ledger.unwrap().judge_wrote_it
}

#[test]
fn a_judge_that_was_to_write_the_report_did_not_write_one_made_of_quotations() {
    assert_eq!(said_to_have_written(Some("judge-1")), Some(true));
    assert_eq!(said_to_have_written(None), None);
}
