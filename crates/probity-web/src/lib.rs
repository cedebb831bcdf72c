//! The web: `fetch` fetches pages and connects to public addresses only; `search` asks search providers, one
//! file each; `browser` renders pages that scripts build; `archive` has copies of dead ones; `page_service` asks somebody else for a page; `local` reads
//! the user's own files. Never asks a model, never decides what to read.

pub mod archive;
pub mod browser;
pub mod fetch;
mod firecrawl;
pub mod local;
pub mod page_service;
pub mod search;
