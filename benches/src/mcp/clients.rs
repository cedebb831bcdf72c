//! The clients that people use, as their makers publish them, against the program itself in both eras and on
//! both transports. What is asked of each is told once, beside the drivers; here it is only run and counted.

use std::{ffi::OsString, time::Duration};

use anyhow::ensure;
use serde_json::Value;

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

const NAME: &str = "real clients against the real binary";
const GOAL: &str = "no cell fails";
const CLIENTS: &str = "crates/probity-conformance/clients";
const INSTALL: &str = "crates/probity-conformance/checks/install";
/// What a full run writes for readers.
const TABLE: &str = "docs/generated/mcp-clients.md";
/// A quarter of an hour on an idle machine: most of it the clients wait.
const LIMIT: Duration = Duration::from_secs(3_600);
/// Every library once, in the era and on the transport that differ most from the others'.
const QUICK_COLUMNS: &str = "inspector/auto/stdio,typescript2/modern/http,typescript1/legacy/http,\
                             python_mcp/modern/stdio,python_fastmcp/legacy/stdio";
/// Those that need no waiting.
const QUICK_CELLS: &str = "list,call,errors,elicitation: yes,elicitation: no,elicitation: cannot,resources";

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if !installed() {
        let why = format!("the clients are not installed; run {INSTALL}");
        return Ok(vec![Figure::skipped(NAME, GOAL, &why)]);
    }
    let report = run(size)?;
    Ok(vec![figure(&report)])
}

fn installed() -> bool {
    let tools = rig::repository().join(".tools/mcp");
    tools.join("node/installed.json").is_file() && tools.join("python/installed.txt").is_file()
}

/// What the runner says; it ends with 1 if a cell failed and with 2 if it could not judge.
fn run(size: MeasurementSize) -> anyhow::Result<Value> {
    let repository = rig::repository();
    let built: Vec<OsString> = vec![
        "--program".into(),
        rig::built("probity")?.into(),
        "--simulator".into(),
        rig::built("probity-simulator")?.into(),
    ];
    let chosen: Vec<OsString> = match size {
        MeasurementSize::Quick => {
            vec!["--columns".into(), QUICK_COLUMNS.into(), "--cells".into(), QUICK_CELLS.into()]
        }
        MeasurementSize::Full => vec!["--markdown".into(), repository.join(TABLE).into()],
    };
    let mut command = rig::command(repository.join(CLIENTS).join("run"));
    let finished = rig::run(command.args(built).args(chosen), LIMIT)?;
    ensure!(finished.in_time, "the clients did not end within {LIMIT:?}");
    let judged = matches!(finished.status.code(), Some(0 | 1));
    ensure!(judged, "the clients did not run: {}", finished.stderr.lines().last().unwrap_or_default());
    Ok(finished.json())
}

fn figure(report: &Value) -> Figure {
    let count = |key: &str| report.get(key).and_then(Value::as_u64).unwrap_or_default();
    let (pass, unsupported, fail) = (count("pass"), count("unsupported"), count("fail"));
    let total = count("total");
    let measured =
        format!("{pass} cells pass, {unsupported} unsupported by the client, {fail} fail, of {total}");
    let figure = Figure::judged(NAME, fail == 0 && pass > 0, measured, GOAL);
    let failing = failing(report);
    if failing.is_empty() {
        return figure.with_note(format!("the table is in {TABLE}"));
    }
    figure.with_note(format!("failing: {}", failing.join("; ")))
}

fn failing(report: &Value) -> Vec<String> {
    let cells = report.get("cells").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let word = |cell: &Value, key: &str| cell.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
    let failed = cells.iter().filter(|cell| word(cell, "outcome") == "fail");
    failed
        .map(|cell| format!("{} {}: {}", word(cell, "column"), word(cell, "cell"), word(cell, "detail")))
        .collect()
}
