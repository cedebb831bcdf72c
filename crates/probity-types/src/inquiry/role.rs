//! What a model is asked for. Each role may have a model of its own; one model is enough for all.

use serde::{Deserialize, Serialize};

use crate::web::task::WebTask;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelRole {
    /// Reads pages: many calls, long in, short out.
    Reader,
    /// Compares claims with passages.
    Judge,
    /// Brief, lines and outline.
    Planner,
    /// Sections, synthesis and front.
    Writer,
}

impl ModelRole {
    pub const ALL: [Self; 4] = [Self::Reader, Self::Judge, Self::Planner, Self::Writer];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Judge => "judge",
            Self::Planner => "planner",
            Self::Writer => "writer",
        }
    }

    /// Whose work a task is; none where no model is asked.
    pub fn of(task: &WebTask) -> Option<Self> {
        match task {
            WebTask::Plan { .. }
            | WebTask::Choose { .. }
            | WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Outline { .. } => Some(Self::Planner),
            WebTask::Read { .. } | WebTask::Survey { .. } => Some(Self::Reader),
            WebTask::Write | WebTask::Section { .. } | WebTask::Synthesis | WebTask::Front => {
                Some(Self::Writer)
            }
            WebTask::Search { .. } | WebTask::Folder { .. } | WebTask::Page { .. } => None,
        }
    }
}
