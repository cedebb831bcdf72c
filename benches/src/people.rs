//! The figures for people: what the local page and the report weigh, whether everybody can use them and nothing in them
//! acts; clients, packages, documentation and the first answer.

mod clients;
pub mod docs;
mod packages;
mod page;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[
    ("page", page::measure),
    ("clients", clients::measure),
    ("docs", docs::measure),
    ("packages", packages::measure),
];
