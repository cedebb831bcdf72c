//! Anthropic's own SDK accepts the chat model.

use crate::program::{Program, is_ci, run, sdk_folder};

/// How many cases the script must report; a script that checks nothing is no check.
const CASES_MIN: usize = 9;

#[test]
fn the_python_sdk_accepts_the_messages() {
    let python = sdk_folder().join("python/bin/python");
    if !python.exists() || !run(&python, &["-c", "import anthropic"]).1 {
        assert!(!is_ci(), "the SDKs are not installed: run crates/probity-simulator/checks/sdk/install");
        println!("notice: the SDKs are not installed; run crates/probity-simulator/checks/sdk/install");
        return;
    }
    let program = Program::start(&[]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/checks/sdk/messages.py");
    let (text, succeeded) = run(&python, &[script, &program.base_url]);
    assert!(succeeded, "{text}");
    assert!(text.lines().filter(|line| line.starts_with("ok ")).count() >= CASES_MIN, "{text}");
}
