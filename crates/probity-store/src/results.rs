//! The reports of ended runs as plain columns, for whoever reads the database with SQL. Probity never reads them: what
//! counts are the bytes under their digest.

use probity_research::{Event, ports::JournalEntry, report::Report};
use rusqlite::{Connection, params};

use crate::{error::Error, shelf};

/// The readable part of a report.
#[derive(Debug)]
pub struct ReadableResult {
    markdown: String,
    sources: String,
}

impl ReadableResult {
    /// None for bytes that are no report.
    pub fn of(report: &[u8]) -> Option<Self> {
        let report = Report::decode(report).ok()?;
        let listed = report.numbered_sources();
        let listed = listed.iter().map(
            |source| serde_json::json!({ "number": source.number, "url": source.url, "title": source.title }),
        );
        let sources = serde_json::to_string(&listed.collect::<Vec<_>>()).ok()?;
        let markdown = report.renumbered_text().into_owned();
        Some(Self { markdown, sources })
    }

    pub fn bytes(&self) -> usize {
        self.markdown.len() + self.sources.len()
    }

    /// Writes it, and makes it searchable with its question.
    pub fn write(&self, connection: &Connection, number: i64, question: &str) -> Result<(), Error> {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO result (number, report_markdown, sources_json) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![number, self.markdown, self.sources])?;
        shelf::index(connection, number, question, &self.markdown)
    }
}

/// Whether a report comes with this entry: the final one, or what was there when the run ended.
pub fn ends_with_report(entry: &JournalEntry) -> bool {
    matches!(entry.event, Event::Ended { .. }) && entry.summary.report.is_some()
}
