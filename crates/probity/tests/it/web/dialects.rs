//! The same research through Anthropic's API, and with a judge at an endpoint of its own.

use std::collections::BTreeSet;

use probity_simulator::Asked;

use super::stage::{Hands, QUESTION, Stage};
use crate::harness::{CommandOutput, finish};

fn research(stage: &Stage, variables: &[(&str, &str)]) -> CommandOutput {
    let mut command = stage.command(&["research", "--web", "--yes", QUESTION]);
    finish(command.envs(variables.iter().copied()).spawn().unwrap())
}

/// Who was asked for this.
fn models(stage: &Stage, asked: &[Asked]) -> BTreeSet<String> {
    let ledger = stage.chat();
    let meant = ledger.entries().iter().filter(|entry| entry.asked.is_some_and(|one| asked.contains(&one)));
    meant.map(|entry| entry.model.clone()).collect()
}

#[test]
fn a_claude_reads_and_writes_and_its_key_goes_to_nobody_else() {
    let stage = Stage::new(Hands::Paid);
    let base = stage.world.base_url().to_owned();
    let done = research(
        &stage,
        &[
            ("PROBITY_CHAT__KIND", "anthropic"),
            ("PROBITY_CHAT__BASE_URL", &base),
            ("PROBITY_CHAT__MODEL", "claude-sonnet-5"),
            ("PROBITY_CHAT__STANDS_FOR", "anthropic"),
            ("ANTHROPIC_API_KEY", "canary-anthropic"),
        ],
    );
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("412 metres"), "{}", done.out);
    assert!(!done.out.contains("canary") && !done.err.contains("canary"), "{done:?}");
    assert_eq!(models(&stage, Asked::ALL), BTreeSet::from(["claude-sonnet-5".to_owned()]));
    assert_eq!((stage.chat().repeated_count(), stage.chat().refused().len()), (0, 0));
}

#[test]
fn a_judge_is_asked_at_the_endpoint_that_its_name_says() {
    let stage = Stage::new(Hands::Paid);
    let endpoints = format!("second={}", stage.world.base_url());
    let done = research(
        &stage,
        &[
            ("PROBITY_CHAT__ENDPOINTS", &endpoints),
            ("PROBITY_CHECKS__JUDGE_MODEL", "small-judge@second"),
            ("SECOND_API_KEY", "canary-second"),
        ],
    );
    assert_eq!(done.code, 0, "{done:?}");
    assert!(!done.out.contains("canary") && !done.err.contains("canary"), "{done:?}");
    assert_eq!(models(&stage, &[Asked::Judge]), BTreeSet::from(["small-judge".to_owned()]));
    assert_eq!(models(&stage, &[Asked::Read, Asked::Write]), BTreeSet::from(["gpt-5".to_owned()]));
}
