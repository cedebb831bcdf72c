//! What commands print with `--json` and `--stream-json`, held against the schemas that are published, by somebody
//! else's validator.

use std::io::Write as _;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::docs::session::DocsSession;
use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

const NAME: &str = "documents of `--json` and lines of `--stream-json` held against their published schemas";
const GOAL: &str = "all fit";
const QUESTION: &str = "\"How tall is the Eiffel Tower, and when was it opened?\"";

/// A command after `probity`, and the schema of what it prints.
const PRINTED: [(&str, &str); 13] = [
    ("ask --json {q}", JSON),
    ("ask --stream-json {q}", STREAM),
    ("research --web --json {q}", JSON),
    ("research --web --stream-json {q}", STREAM),
    ("research --web --plan --json {q}", JSON),
    ("runs list --json", JSON),
    ("runs show last --json", JSON),
    ("runs show res_00000000000000000000000000000000 --json", JSON),
    ("doctor --json", JSON),
    ("config show --json", JSON),
    ("mcp install --client codex --yes --json", JSON),
    ("report last --format json --output -", "report.schema.json"),
    ("research --web --detach --json {q}", JSON),
];
const JSON: &str = "json.schema.json";
const STREAM: &str = "stream-json.schema.json";

pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let python = rig::repository().join(".tools/venv/bin/python");
    let there = rig::command(&python).args(["-c", "import jsonschema"]).output();
    if !there.is_ok_and(|done| done.status.success()) {
        return Ok(vec![Figure::skipped(NAME, GOAL, "Python's jsonschema is not here: run `just tools`")]);
    }
    let session = DocsSession::open(&rig::built("probity")?)?;
    let (mut documents, mut misfits) = (0, Vec::new());
    for (typed, schema) in PRINTED {
        let typed = typed.replace("{q}", QUESTION);
        let done = session.typed(&format!("probity {typed}"))?;
        let lines = documents_in(&done.stdout, schema)
            .with_context(|| format!("`{typed}` printed: {}{}", done.stdout, done.stderr))?;
        ensure!(!lines.is_empty(), "`{typed}` printed nothing: {}", done.stderr);
        documents += lines.len();
        misfits.extend(refused(schema, &lines)?.into_iter().flatten().map(|why| format!("`{typed}`: {why}")));
    }
    let planted = ["{\"schema_version\":\"one\"}".to_owned(), "{\"type\":\"rumour\"}".to_owned()];
    let seen =
        refused(JSON, &planted[..1])?.into_iter().chain(refused(STREAM, &planted[1..])?).flatten().count();
    ensure!(seen == planted.len(), "the validator is blind: {seen} of {}", planted.len());
    Ok(vec![
        Figure::judged(
            NAME,
            misfits.is_empty(),
            format!("{} of {documents} from {} commands", documents - misfits.len(), PRINTED.len()),
            GOAL,
        )
        .with_note(misfits.first().cloned().unwrap_or_else(|| {
            "Python's jsonschema; control: two documents that break their schemas are refused".to_owned()
        })),
    ])
}

/// One per line, each on its line.
fn documents_in(printed: &str, schema: &str) -> anyhow::Result<Vec<String>> {
    if schema == STREAM {
        return Ok(printed.lines().map(str::to_owned).collect());
    }
    let document: Value = serde_json::from_str(printed)?;
    Ok(vec![document.to_string()])
}

/// For each document why it does not fit, if it does not.
fn refused(schema: &str, documents: &[String]) -> anyhow::Result<Vec<Option<String>>> {
    let repository = rig::repository();
    let mut file = tempfile::NamedTempFile::new()?;
    writeln!(file, "{}", documents.join("\n"))?;
    let mut command = rig::command(repository.join(".tools/venv/bin/python"));
    command
        .arg(repository.join("benches/checks/schemas/validate.py"))
        .arg(repository.join("docs/generated").join(schema))
        .stdin(file.reopen()?);
    let done = command.output()?;
    ensure!(done.status.success(), "the validator said: {}", String::from_utf8_lossy(&done.stderr));
    let said = String::from_utf8(done.stdout)?;
    Ok(said.lines().map(|line| (!line.is_empty()).then(|| line.to_owned())).collect())
}
