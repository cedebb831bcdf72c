use rusqlite::params;

use super::{STEPS, perform};
use crate::connection;

/// The version before the views.
const BEFORE: usize = 3;

#[test]
fn a_database_from_before_the_views_shows_its_reports_in_them() {
    let database = connection::in_memory().unwrap();
    perform(&database, &STEPS[..BEFORE], 0).unwrap();
    let digest = [7_u8; 32];
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let report = r##"{"text":"# Blue","citations":[],"sources":[{"url":"https://a.example/","title":"A"}],"queries":[]}"##;
    database
        .execute("INSERT INTO blob (digest, bytes) VALUES (?1, ?2)", params![digest, report.as_bytes()])
        .unwrap();
    let summaries = [
        (
            1,
            "completed",
            Some(2_000),
            format!(
                r#"{{"query":"why?","progress_percent":100,"report":"{hex}","cost":{{"basis":"nothing"}}}}"#
            ),
        ),
        (
            2,
            "completed",
            Some(3_000),
            format!(r#"{{"query":"large","report":"{}","cost":{{"basis":"unknown"}}}}"#, "ab".repeat(32)),
        ),
        (
            3,
            "running_async",
            None,
            r#"{"query":"now?","notify":"never","cost":{"basis":"unknown"}}"#.to_owned(),
        ),
    ];
    for (number, status, ended_at, summary) in summaries {
        database
            .execute(
                "INSERT INTO research VALUES (?1, ?2, 1, x'00', ?3, 0, NULL, 0, 0, 1000, 1000, ?4, 'e', 'w', x'00', x'00', ?5)",
                params![number, [number as u8; 16], status, ended_at, summary],
            )
            .unwrap();
    }
    perform(&database, STEPS, BEFORE).unwrap();
    let rows = |sql: &str| -> Vec<String> {
        let mut statement = database.prepare(sql).unwrap();
        let found = statement.query_map([], |row| row.get(0)).unwrap();
        found.map(Result::unwrap).collect()
    };
    assert_eq!(
        rows(
            "SELECT query || '|' || status || '|' || enable_notifications FROM research_tasks ORDER BY query"
        ),
        ["large|completed|1", "now?|running|0", "why?|completed|1"]
    );
    let task = format!("res_{}", "01".repeat(16));
    assert_eq!(
        rows("SELECT task_id || '|' || report_markdown || '|' || sources_json FROM research_results"),
        [format!(r##"{task}|# Blue|[{{"url":"https://a.example/","title":"A"}}]"##)]
    );
    assert_eq!(rows("SELECT metadata_json ->> '$.cost_usd' || '' FROM research_results"), ["0.0"]);
}
