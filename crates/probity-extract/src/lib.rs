//! The readable text of pages: HTML, PDF, XML, Markdown and plain text, with each block's place in the bytes.
//!
//! Parsers meet hostile bytes, so they run in a process of their own, with little memory, little time, no network
//! and no files. `extract` is the pure part that runs inside; `Parser` starts and watches that process.
