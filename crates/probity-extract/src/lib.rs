//! The readable text of pages: HTML, PDF, XML, Markdown and plain text, with each block's offset in the
//! bytes.
//!
//! Parsers meet hostile bytes, so they run in a process of their own, with little memory, little time, no network
//! and no files. `extract` is the pure part that runs inside; `ParserPool` starts and watches that process.

mod charset;
mod clean;
pub mod confine;
mod dates;
mod document;
mod extract;
mod frame;
mod html;
mod injection_signs;
mod json;
mod language;
mod markdown;
mod parser;
mod pdf;
mod serve;
mod text;
mod xml;

pub use document::{DocumentFormat, document};
pub use extract::{extract, main_text};
pub use frame::PAGE_BYTES_MAX;
pub use parser::{PAGE_TIME_MAX, ParserPool, ParserSettings};
pub use serve::serve;
