//! The figures for people: what the local page and the report weigh, whether everybody can use them and nothing in them
//! acts; clients, packages, documentation and the first answer.

mod clients;
pub mod docs;
mod documents;
mod first_answer;
mod packages;
mod page;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[
    ("page", page::measure),
    ("clients", clients::measure),
    ("docs", docs::measure),
    ("documents", documents::measure),
    ("packages", packages::measure),
    ("first_answer", first_answer::measure),
];
