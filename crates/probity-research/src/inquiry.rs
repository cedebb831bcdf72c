//! The second research engine (`web/2`), as rules: the question in parts, lines of inquiry, a bank of quotations, an
//! outline that grows with them, sections written from their own quotations.
//!
//! Events, searches, pages and records are those of the first engine: `web::state` keeps what was gathered, and these
//! rules say what it is worth and what comes next. A plan without an `InquiryPlan` is a run of the first engine.

pub mod anchor;
pub mod asked;
pub mod bank;
pub mod belonging;
pub mod claims;
pub mod comparable;
pub mod compose;
pub mod conflict;
pub mod doubt;
pub mod evidence;
pub mod facet;
pub mod figures;
pub mod gaps;
pub mod intake;
pub mod keys;
pub mod lead;
pub mod length;
pub mod named;
pub mod outline;
pub mod part;
pub mod patch;
pub mod patched;
pub mod plan;
pub mod premises;
pub mod requests;
pub mod section;
pub mod spoken;
pub mod state;
pub mod stated;
pub mod steering;
pub mod step;
pub mod synthesis;
pub mod unmet;
pub mod vocabulary;
pub mod window;
pub mod witness;
pub mod written;

pub use part::InquiryPart;
pub use plan::{InquiryCaps, InquiryPlan, RolePrice};
/// The engine speaks of these by the same names.
pub use probity_types::inquiry::*;
pub use state::{InquiryStage, InquiryState};

#[cfg(test)]
mod tests;
