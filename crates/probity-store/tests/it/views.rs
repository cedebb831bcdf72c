//! The views that people and scripts read with SQL: the names and columns they know, of every report, and nothing to
//! write to.

use probity_research::{
    Event,
    cost::{Cost, MicroUsd, Usage},
    ports::{Journal as _, JournalWriter},
    report::{Report, SourceLink},
    stop::RunStop,
};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::world::{Truth, World, started};

fn report(text: &str) -> Report {
    let source = SourceLink { url: "https://example.com/".to_owned(), title: "A \"title\"".to_owned() };
    Report { text: text.to_owned(), sources: vec![source], ..Report::default() }
}

fn ended(report: probity_research::Digest) -> Event {
    let usage = Usage {
        input_tokens: 100,
        tool_use_tokens: 20,
        output_tokens: 30,
        thought_tokens: 4,
        ..Usage::default()
    };
    Event::Ended {
        stop: RunStop::Completed,
        report: Some(report),
        raw: None,
        usage: Some(usage),
        cost: Cost::FromUsage(MicroUsd(1_230_600)),
        problem: None,
        sources: 1,
        progress: None,
    }
}

fn columns(database: &Connection, view: &str) -> Vec<String> {
    let statement = database.prepare(&format!("SELECT * FROM {view}")).unwrap();
    statement.column_names().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_seeds_tables_can_be_read_and_not_written() {
    let world = World::new();
    let store = world.open(1);
    let client = JournalWriter::Client;
    // The second report is too large for a row and lies in a file.
    let texts = ["# Short".to_owned(), format!("# Long\n\n{}", "Words. ".repeat(20_000))];
    let mut truths = Vec::new();
    for (number, text) in (1..).zip(&texts) {
        let digest = store.store_blob(report(text).encode()).await.unwrap();
        let mut truth = Truth::ask(&store, number).await;
        truth.append(&store, client, Event::CreateIntended { attempt: 1 }).await.unwrap();
        truth.append(&store, client, started(1)).await.unwrap();
        truth.append(&store, client, ended(digest)).await.unwrap();
        truths.push(truth);
    }
    let mut running = Truth::ask(&store, 3).await;
    running.append(&store, client, Event::CreateIntended { attempt: 1 }).await.unwrap();
    running.append(&store, client, started(1)).await.unwrap();

    let database = Connection::open_with_flags(world.database(), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    assert_eq!(
        columns(&database, "research_tasks"),
        [
            "task_id",
            "interaction_id",
            "query",
            "status",
            "progress",
            "enable_notifications",
            "created_at",
            "updated_at",
            "completed_at"
        ]
    );
    assert_eq!(
        columns(&database, "research_results"),
        ["task_id", "report_markdown", "sources_json", "metadata_json"]
    );
    let task: (String, String, String, String, u32, bool, String, Option<String>) = database
        .query_row(
            "SELECT task_id, interaction_id, query, status, progress, enable_notifications, created_at, completed_at
             FROM research_tasks WHERE task_id = ?1",
            [truths[0].id.to_string()],
            |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get(5)?,
                    row.get(6)?,
                    row.get(7)?,
                ))
            },
        )
        .unwrap();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        task,
        (
            truths[0].id.to_string(),
            text("remote-1"),
            text("Why is Question number 1 asked?"),
            text("completed"),
            100,
            true,
            text("2026-09-21 14:13:20"),
            Some(text("2026-09-21 14:13:23"))
        )
    );
    let open: (String, Option<String>) = database
        .query_row(
            "SELECT status, completed_at FROM research_tasks WHERE task_id = ?1",
            [running.id.to_string()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!(open, (text("running"), None));
    for (truth, expected) in truths.iter().zip(&texts) {
        let (markdown, sources, metadata): (String, String, String) = database
            .query_row(
                "SELECT report_markdown, sources_json, metadata_json FROM research_results WHERE task_id = ?1",
                [truth.id.to_string()],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap();
        assert_eq!(&markdown, expected);
        let sources: Value = serde_json::from_str(&sources).unwrap();
        assert_eq!(sources, json!([{ "number": 1, "url": "https://example.com/", "title": "A \"title\"" }]));
        let metadata: Value = serde_json::from_str(&metadata).unwrap();
        assert_eq!(metadata["tokens_used"], json!({ "input": 120, "output": 34 }));
        assert_eq!((&metadata["cost_usd"], &metadata["status"]), (&json!(1.2306), &json!("completed")));
    }
    let count: u32 =
        database.query_row("SELECT count(*) FROM research_results", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 2);
    drop(database);
    let database = Connection::open(world.database()).unwrap();
    for view in ["research_tasks", "research_results"] {
        let refused = database.execute(&format!("DELETE FROM {view}"), []).unwrap_err();
        assert!(refused.to_string().contains("it is a view"), "{refused}");
    }
}
