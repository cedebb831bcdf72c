//! Filters for lists of runs.

use crate::{
    principal::Principal,
    shelf::{SearchWords, ShelfPart, Tag},
    status::RunStatus,
    time::Moment,
};

/// Runs in one answer; more are asked for with `offset`.
pub const LIST_MAX: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFilter {
    /// Part of the question, in any case.
    pub text: Option<String>,
    pub status: Option<RunStatus>,
    pub engine: Option<String>,
    /// Asked by this principal; none lists those of all.
    pub asked_by: Option<Principal>,
    /// Asked at this moment or later.
    pub asked_after: Option<Moment>,
    /// Asked before this moment.
    pub asked_before: Option<Moment>,
    /// In question, title or report.
    pub words: Option<SearchWords>,
    pub tag: Option<Tag>,
    pub part: ShelfPart,
    /// At most `LIST_MAX`.
    pub limit: usize,
    pub offset: usize,
}

impl Default for ListFilter {
    fn default() -> Self {
        Self {
            text: None,
            status: None,
            engine: None,
            asked_by: None,
            asked_after: None,
            asked_before: None,
            words: None,
            tag: None,
            part: ShelfPart::Kept,
            limit: 20,
            offset: 0,
        }
    }
}
