//! OpenAI's own SDKs accept the chat model.

use std::path::Path;

use crate::program::{Program, is_ci, run, sdk_folder};

/// How many cases each script must report; a script that checks nothing is no check.
const CASES_MIN: usize = 6;

fn check(interpreter: &Path, script: &str) {
    let node = sdk_folder().join("node");
    if !sdk_folder().join("python/bin/python").exists() || !node.join("node_modules/openai").exists() {
        assert!(!is_ci(), "the SDKs are not installed: run crates/probity-simulator/checks/sdk/install");
        println!("notice: the SDKs are not installed; run crates/probity-simulator/checks/sdk/install");
        return;
    }
    let program = Program::start(&[]);
    let script = format!("{}/checks/sdk/{script}", env!("CARGO_MANIFEST_DIR"));
    let (text, succeeded) = run(interpreter, &[&script, &program.base_url, node.to_str().unwrap()]);
    assert!(succeeded, "{text}");
    assert!(text.lines().filter(|line| line.starts_with("ok ")).count() >= CASES_MIN, "{text}");
}

#[test]
fn the_python_sdk_accepts_the_chat_model() {
    check(&sdk_folder().join("python/bin/python"), "chat.py");
}

#[test]
fn the_javascript_sdk_accepts_the_chat_model() {
    check(Path::new("node"), "chat.mjs");
}
