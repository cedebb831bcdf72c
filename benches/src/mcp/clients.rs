//! The clients that people use, as their makers publish them, against the program itself in both eras and on
//! both transports. What is asked of each is told once, beside the drivers; here it is only run and counted.

use std::{ffi::OsString, time::Duration};

use serde_json::Value;

use super::conformance::{judged, word};
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
    let repository = rig::repository();
    let tools = repository.join(".tools/mcp");
    if !tools.join("node/installed.json").is_file() || !tools.join("python/installed.txt").is_file() {
        let why = format!("the clients are not installed; run {INSTALL}");
        return Ok(vec![Figure::skipped(NAME, GOAL, &why)]);
    }
    let mut arguments: Vec<OsString> = vec!["--program".into(), rig::built("probity")?.into()];
    arguments.extend(["--simulator".into(), rig::built("probity-simulator")?.into()]);
    arguments.extend(match size {
        MeasurementSize::Quick => {
            vec!["--columns".into(), QUICK_COLUMNS.into(), "--cells".into(), QUICK_CELLS.into()]
        }
        MeasurementSize::Full => vec!["--markdown".into(), repository.join(TABLE).into()],
    });
    let report = judged(&repository.join(CLIENTS).join("run"), &arguments, LIMIT)?;
    let count = |key: &str| report.get(key).and_then(Value::as_u64).unwrap_or_default();
    let (pass, unsupported, fail, total) =
        (count("pass"), count("unsupported"), count("fail"), count("total"));
    let measured =
        format!("{pass} cells pass, {unsupported} unsupported by the client, {fail} fail, of {total}");
    let cells = report.get("cells").and_then(Value::as_array).into_iter().flatten();
    let failing: Vec<String> = cells
        .filter(|cell| word(cell, "outcome") == "fail")
        .map(|cell| format!("{} {}: {}", word(cell, "column"), word(cell, "cell"), word(cell, "detail")))
        .collect();
    let note = match failing.as_slice() {
        [] => format!("the table is in {TABLE}"),
        failing => format!("failing: {}", failing.join("; ")),
    };
    Ok(vec![Figure::judged(NAME, fail == 0 && pass > 0, measured, GOAL).with_note(note)])
}
