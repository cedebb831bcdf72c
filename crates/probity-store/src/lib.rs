//! What survives a restart: journals, status rows, leases and blobs, in one SQLite database and some files.
//!
//! An append that returned `Ok` is on disk through power loss. Every read is checked against a hash:
//! an answer is what was written, or an error. Never decides what happens next and never reads a clock
//! of its own. Where the data directory lies is the program's choice.
//!
//! On disk: `probity.db` (with `-wal` and `-shm`), `probity.mark`, `owners/own_….lock`,
//! `blobs/ab/cdef…`, `backups/probity-v1-….db`; for `probity serve` also `serve.token`, `serve.principals`,
//! `serve.lock` and the socket `serve.sock`; for bundles `signing-key`; for watched reports
//! `watch-feed.json`.

mod backup;
mod blobs;
mod charges;
mod commit_mark;
mod connection;
mod drive_lock;
mod error;
mod events;
pub mod exports;
mod files;
mod integrity;
mod journal;
mod judgements;
mod layout;
mod leases;
mod list;
pub mod objects;
mod opening;
mod options;
mod owners;
pub mod postgres;
mod presence;
mod purge;
mod purge_record;
mod reader_pool;
mod restore;
mod results;
mod row;
mod schema;
mod search_text;
mod serve_lock;
mod shelf;
mod signing;
mod store;
mod tokens;
mod totals;
mod watches;
mod writer;

pub use backup::BACKUPS_MAX;
pub use blobs::ROW_BYTES_MAX;
pub use drive_lock::{DriveLock, DriveLockOutcome};
pub use exports::{ExportedFile, FileExportRequest, ReportExporter};
pub use integrity::{IntegrityDepth, IntegrityReport};
pub use leases::CLAIMS_MAX;
pub use objects::ObjectStorage;
pub use options::{Clocks, OpenMode, StoreOptions};
pub use owners::LEASE;
pub use postgres::{Postgres, PostgresSettings};
pub use probity_research::list::{LIST_MAX, ListFilter};
pub use purge::{PurgeChoice, PurgePlaces, PurgeReport};
pub use restore::{CarriedSpending, LossReport, RestoreReport};
pub use serve_lock::ServeLock;
pub use signing::{signing_key, signing_key_path};
pub use store::{Store, StoreHealth};
pub use tokens::{ServeToken, TokenFiles};
pub use watches::WATCH_FEED;
