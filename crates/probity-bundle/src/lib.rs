//! One run in one signed file, the evidence bundle: made, read, verified and replayed. Pure.
//!
//! `Bundle::read` refuses whatever is not byte for byte a bundle; `verify` says which promises its contents
//! keep; `replay` rebuilds the report from the journal and the stored bytes. Files and keys on disk, the
//! parser of pages and the reader of a provider's answers come in as arguments. `bench` writes reports the
//! way benchmarks read them.

pub mod bench;
pub mod blob_collector;
pub mod bundle;
pub mod error;
pub mod journal;
pub mod make;
pub mod manifest;
pub mod pages;
mod readme;
pub mod replay;
pub mod signature;
pub mod tar;
pub mod verify;

pub use blob_collector::BlobCollector;
pub use bundle::Bundle;
pub use error::BundleError;
pub use make::{BundleParts, make_bundle};
pub use pages::page_origins;
pub use readme::count_own_files;
pub use replay::{BundleReplayError, ReplayReaders, replay};
pub use signature::{PublicKey, SigningKey};
pub use tar::BUNDLE_BYTES_MAX;
pub use verify::{BundleIssue, BundlePromise, PrivatePages, PromiseStatus, VerifyOptions, verify};
