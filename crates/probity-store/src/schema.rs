//! The tables, in ordered steps. A step is never edited after a release; a change is a new step.

use rusqlite::Connection;

use probity_research::error::{Code, CodedError};

use crate::{connection, error::Error, search_text};

/// `PRBT`: tells a Probity database from any other SQLite file.
pub const APPLICATION_ID: i64 = 0x5052_4254;

/// Step 1 leads from an empty file to version 1, and so on.
///
/// `event.place` is `research.number` times 2^20 plus the sequence: one b-tree without a second index,
/// with the events of one run side by side.
pub const STEPS: &[&str] = &[
    "
CREATE TABLE research (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    sequence INTEGER NOT NULL,
    chain BLOB NOT NULL,
    status TEXT NOT NULL,
    due INTEGER NOT NULL,
    owner BLOB,
    fence INTEGER NOT NULL,
    called INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    engine TEXT NOT NULL,
    words TEXT NOT NULL,
    seal BLOB NOT NULL,
    hash BLOB NOT NULL,
    summary TEXT NOT NULL
) STRICT;
CREATE INDEX research_due ON research (owner, called) WHERE due = 1;
CREATE INDEX research_listed ON research (status, updated_at);
CREATE TABLE event (
    place INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    attended_ms INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE blob (
    digest BLOB NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;
CREATE TABLE owner (
    owner BLOB NOT NULL PRIMARY KEY,
    beats INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    pid INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE totals (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    researches INTEGER NOT NULL,
    fold BLOB NOT NULL,
    commits INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
",
    "
CREATE TABLE judgement (
    number INTEGER PRIMARY KEY,
    question BLOB NOT NULL UNIQUE,
    answer TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
",
    // The amounts of runs that were here before follow from their status, as `spending::charge` has it.
    "
CREATE TABLE charge (
    number INTEGER PRIMARY KEY,
    asked_at INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    open INTEGER NOT NULL,
    start BLOB
) STRICT;
INSERT INTO charge (number, asked_at, amount, open)
SELECT number, asked_at,
       CASE WHEN ended AND basis = 'from-usage' THEN counted
            WHEN ended AND basis = 'nothing' THEN 0
            ELSE max(counted, expected) END,
       NOT ended
FROM (SELECT number, asked_at,
             status NOT IN ('pending', 'running_async', 'cancelling') AS ended,
             json_extract(summary, '$.cost.basis') AS basis,
             CAST(ifnull(json_extract(summary, '$.cost.micro_usd'), 0) AS INTEGER) AS counted,
             CAST(ifnull(json_extract(summary, '$.estimate.cost_max'), 0) AS INTEGER) AS expected
      FROM research);
CREATE INDEX charge_day ON charge (asked_at, amount);
CREATE INDEX charge_open ON charge (start, asked_at, amount) WHERE open = 1;
",
    // Two views for people and scripts, with the names and columns that they know. `result` has what the views need and
    // a summary does not; large reports of runs from before lie in files, where SQL cannot read them.
    "
CREATE TABLE result (
    number INTEGER PRIMARY KEY,
    report_markdown TEXT NOT NULL,
    sources_json TEXT NOT NULL
) STRICT;
INSERT INTO result (number, report_markdown, sources_json)
SELECT number, ifnull(json_extract(report, '$.text'), ''), ifnull(json_extract(report, '$.sources'), '[]')
FROM (SELECT number, CAST(bytes AS TEXT) AS report
      FROM research JOIN blob ON digest = unhex(json_extract(summary, '$.report'))
      WHERE ended_at IS NOT NULL)
WHERE json_valid(report);
CREATE VIEW research_tasks AS
SELECT 'res_' || lower(hex(id)) AS task_id,
       json_extract(summary, '$.remote_id') AS interaction_id,
       json_extract(summary, '$.query') AS query,
       CASE WHEN status IN ('running_async', 'cancelling') THEN 'running' ELSE status END AS status,
       json_extract(summary, '$.progress_percent') AS progress,
       ifnull(json_extract(summary, '$.notify'), 'when-done') = 'when-done' AS enable_notifications,
       datetime(asked_at / 1000, 'unixepoch') AS created_at,
       datetime(updated_at / 1000, 'unixepoch') AS updated_at,
       datetime(ended_at / 1000, 'unixepoch') AS completed_at
FROM research;
CREATE VIEW research_results AS
SELECT 'res_' || lower(hex(id)) AS task_id,
       report_markdown,
       sources_json,
       json_object(
           'status', status,
           'duration_minutes', round((ended_at - asked_at) / 60000.0, 1),
           'tokens_used', CASE WHEN json_extract(summary, '$.usage') IS NOT NULL THEN json_object(
               'input', json_extract(summary, '$.usage.input_tokens')
                      + json_extract(summary, '$.usage.tool_use_tokens'),
               'output', json_extract(summary, '$.usage.output_tokens')
                       + json_extract(summary, '$.usage.thought_tokens')
           ) END,
           'cost_usd', CASE json_extract(summary, '$.cost.basis')
               WHEN 'nothing' THEN 0.0
               ELSE json_extract(summary, '$.cost.micro_usd') / 1000000.0 END,
           'cost_basis', json_extract(summary, '$.cost.basis'),
           'model', json_extract(summary, '$.agent')
       ) AS metadata_json
FROM result JOIN research USING (number);
",
    "
CREATE TABLE watch (
    id BLOB NOT NULL PRIMARY KEY,
    watch TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;
",
    // What the user says of a run lies beside it; a removed one is in neither view. `search` has the words of reports.
    "
CREATE TABLE shelf (
    number INTEGER PRIMARY KEY,
    title TEXT,
    tags TEXT NOT NULL,
    removed_at INTEGER,
    hash BLOB NOT NULL
) STRICT;
CREATE VIRTUAL TABLE search USING fts5(question, title, report, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO search (rowid, question, title, report)
SELECT number, ifnull(json_extract(summary, '$.query'), ''), '', report_markdown
FROM result JOIN research USING (number);
DROP VIEW research_tasks;
DROP VIEW research_results;
CREATE VIEW research_tasks AS
SELECT 'res_' || lower(hex(id)) AS task_id,
       json_extract(summary, '$.remote_id') AS interaction_id,
       json_extract(summary, '$.query') AS query,
       CASE WHEN status IN ('running_async', 'cancelling') THEN 'running' ELSE status END AS status,
       json_extract(summary, '$.progress_percent') AS progress,
       ifnull(json_extract(summary, '$.notify'), 'when-done') = 'when-done' AS enable_notifications,
       datetime(asked_at / 1000, 'unixepoch') AS created_at,
       datetime(updated_at / 1000, 'unixepoch') AS updated_at,
       datetime(ended_at / 1000, 'unixepoch') AS completed_at
FROM research
WHERE NOT EXISTS (SELECT 1 FROM shelf WHERE shelf.number = research.number AND shelf.removed_at IS NOT NULL);
CREATE VIEW research_results AS
SELECT 'res_' || lower(hex(id)) AS task_id,
       report_markdown,
       sources_json,
       json_object(
           'status', status,
           'duration_minutes', round((ended_at - asked_at) / 60000.0, 1),
           'tokens_used', CASE WHEN json_extract(summary, '$.usage') IS NOT NULL THEN json_object(
               'input', json_extract(summary, '$.usage.input_tokens')
                      + json_extract(summary, '$.usage.tool_use_tokens'),
               'output', json_extract(summary, '$.usage.output_tokens')
                       + json_extract(summary, '$.usage.thought_tokens')
           ) END,
           'cost_usd', CASE json_extract(summary, '$.cost.basis')
               WHEN 'nothing' THEN 0.0
               ELSE json_extract(summary, '$.cost.micro_usd') / 1000000.0 END,
           'cost_basis', json_extract(summary, '$.cost.basis'),
           'model', json_extract(summary, '$.agent')
       ) AS metadata_json
FROM result JOIN research USING (number)
WHERE NOT EXISTS (SELECT 1 FROM shelf WHERE shelf.number = research.number AND shelf.removed_at IS NOT NULL);
",
    // No table changes: from here on `search` has folded texts, and `perform` folds those that are there.
    "-- folded texts",
];

/// From this version on `search` has folded texts.
const FOLDED_SINCE: usize = 7;

/// What must be done to a database before it can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaAction {
    Nothing,
    Create,
    Migrate { from: usize },
}

/// Compares what is there with what these steps would have made.
pub fn required_action(connection: &Connection, steps: &[&str]) -> Result<SchemaAction, Error> {
    // One moment for all these reads: another process may be creating the tables between them.
    let _snapshot = if connection.is_autocommit() { Some(connection.unchecked_transaction()?) } else { None };
    let version = number(connection, "PRAGMA user_version")?;
    let application = number(connection, "PRAGMA application_id")?;
    let tables = number(connection, "SELECT count(*) FROM sqlite_schema")?;
    if version == 0 && application == 0 && tables == 0 {
        return Ok(SchemaAction::Create);
    }
    if application != APPLICATION_ID {
        return Err(Error::Damaged("it is not a Probity database".to_owned()));
    }
    let from = usize::try_from(version).unwrap_or(usize::MAX);
    if from > steps.len() {
        let message = format!("the database has version {version}; this Probity knows {}", steps.len());
        return Err(CodedError::new(Code::StoreNewer, &message).into());
    }
    let made = steps.get(..from).unwrap_or_default();
    if tables_of(connection)? != tables_of(&build_in_memory(made)?)? {
        return Err(Error::Damaged(format!("its tables are not those of version {version}")));
    }
    Ok(if from == steps.len() { SchemaAction::Nothing } else { SchemaAction::Migrate { from } })
}

/// Performs the steps after `from`, inside the caller's transaction.
pub fn perform(connection: &Connection, steps: &[&str], from: usize) -> Result<(), Error> {
    for step in steps.iter().skip(from) {
        connection.execute_batch(step)?;
    }
    if from < FOLDED_SINCE && steps.len() >= FOLDED_SINCE {
        search_text::fold_index(connection)?;
    }
    connection.execute_batch(&format!(
        "PRAGMA user_version = {}; PRAGMA application_id = {APPLICATION_ID};",
        steps.len()
    ))?;
    Ok(())
}

fn build_in_memory(steps: &[&str]) -> Result<Connection, Error> {
    let connection = connection::in_memory()?;
    perform(&connection, steps, 0)?;
    Ok(connection)
}

fn tables_of(connection: &Connection) -> Result<Vec<[String; 4]>, Error> {
    let mut statement = connection.prepare(
        "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name, tbl_name",
    )?;
    let rows = statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn number(connection: &Connection, sql: &str) -> Result<i64, Error> {
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

#[cfg(test)]
mod tests;
