//! Google's own SDKs accept the simulator, and behave as they were recorded to.

use std::path::Path;

use crate::program::{Program, is_ci, run, sdk_folder};

/// How many cases each script must report; a script that checks nothing is no check.
const CASES_MIN: usize = 34;

fn check(interpreter: &Path, script: &str, results: &str) {
    if !interpreter.exists() || !sdk_folder().join("node/node_modules").exists() {
        assert!(!is_ci(), "the SDKs are not installed: run crates/probity-simulator/checks/sdk/install");
        println!("notice: the SDKs are not installed; run crates/probity-simulator/checks/sdk/install");
        return;
    }
    let here = env!("CARGO_MANIFEST_DIR");
    let program = Program::start(&["--manual-time"]);
    let script = format!("{here}/checks/sdk/{script}");
    let results = format!("{here}/fixtures/recorded/{results}");
    let node = sdk_folder().join("node");
    let arguments = [script.as_str(), &program.base_url, &results, node.to_str().unwrap()];
    // `node` is found on the path; the Python of the checks is the one the SDK is installed in.
    let interpreter = if script.ends_with(".mjs") { Path::new("node") } else { interpreter };
    let (text, succeeded) = run(interpreter, &arguments);
    assert!(succeeded, "{text}");
    assert!(text.lines().filter(|line| line.starts_with("ok ")).count() >= CASES_MIN, "{text}");
}

#[test]
fn the_python_sdk_accepts_the_simulator() {
    check(&sdk_folder().join("python/bin/python"), "check.py", "py_results.json");
}

#[test]
fn the_javascript_sdk_accepts_the_simulator() {
    check(&sdk_folder().join("node/package.json"), "check.mjs", "js_results.json");
}
