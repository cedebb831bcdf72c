//! `probity verify` as a gate in CI: the exit code and JUnit say the same, and a judge that is down is no pass.

use std::fs;

use super::stage::{Hands, Stage};
use crate::harness::{CommandOutput, finish};

const TEXT: &str = "# The bridge\n\n\
    The harbour bridge of Norwick is 412 metres long [1](http://council.example/bridge).\n\n\
    The harbour bridge of Norwick is 512 metres long [1](http://council.example/bridge).\n\n\
    # The tunnel\n\n\
    A tunnel of 900 metres is planned [2](http://nowhere.example/tunnel).\n\n\
    # The tower\n\n\
    The tower of Norwick has 17 bells.\n";

fn verify(stage: &Stage, fail_on: &str, variables: &[(&str, &str)]) -> CommandOutput {
    fs::write(stage.world.home.path().join("gate.md"), TEXT).unwrap();
    let arguments = ["verify", "gate.md", "--format", "junit", "--fail-on", fail_on];
    let mut command = stage.command(&arguments);
    command.envs(variables.iter().copied());
    finish(command.spawn().unwrap())
}

#[test]
fn junit_fails_where_the_exit_code_does() {
    let stage = Stage::new(Hands::Paid);
    for (fail_on, code, failures) in [
        ("contradicted,not-in-source", 4, 1),
        ("uncited", 4, 1),
        ("unreachable", 4, 1),
        ("uncited,unreachable", 4, 2),
        ("unverified", 4, 1),
        ("contested", 0, 0),
        ("none", 0, 0),
    ] {
        let done = verify(&stage, fail_on, &[]);
        assert_eq!(done.code, code, "{fail_on}: {}", done.err);
        assert!(done.out.contains(&format!(" failures=\"{failures}\" ")), "{fail_on}: {}", done.out);
    }
    let empty = verify(&stage, "", &[]);
    assert_eq!(empty.code, 2, "{}", empty.err);
    assert!(empty.err.contains("--fail-on is empty"), "{}", empty.err);
}

#[test]
fn a_judge_that_is_down_is_no_pass() {
    let stage = Stage::new(Hands::Paid);
    // Without an exam, so that the connection is tried a few times only. Nothing listens on this port.
    let down = [("PROBITY_CHAT__BASE_URL", "http://127.0.0.1:9/v1"), ("PROBITY_CHECKS__EXAM", "trusted")];
    let done = verify(&stage, "qualified", &down);
    assert_eq!(done.code, 7, "{}{}", done.out, done.err);
    assert!(done.err.contains("the judge did not answer about "), "{}", done.err);
    assert!(done.out.contains(" failures=\"1\" ") && done.out.contains("type=\"no-answer\""), "{}", done.out);
}
