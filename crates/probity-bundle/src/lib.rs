//! One research in one signed file, the evidence bundle: made, read, verified and replayed. Pure.
//!
//! `Bundle::read` refuses whatever is not byte for byte a bundle; `verify` says which promises its contents keep;
//! `replay` writes the report again from the journal and the stored bytes. Files and keys on disk, the parser of pages
//! and the reader of a provider's answers come in as arguments. `bench` writes reports the way benchmarks read them.

pub mod bench;
pub mod bundle;
pub mod contents;
pub mod journal;
pub mod make;
pub mod manifest;
pub mod pages;
mod readme;
pub mod refused;
pub mod replay;
pub mod signature;
pub mod tar;
pub mod verify;

pub use bundle::Bundle;
pub use contents::Contents;
pub use make::{Parts, make};
pub use readme::own_files;
pub use refused::Refused;
pub use replay::{NotReplayed, Outside, replay};
pub use signature::{PublicKey, SigningKey};
pub use tar::BUNDLE_BYTES_MAX;
pub use verify::{Finding, Kept, Means, Promise, verify};
