//! The name of a model, as a user may write it in a setting or in `GEMINI_MODEL`.
//!
//! Says only that it can be a name. Which models exist is up to the provider and changes weekly.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    agent::well_formed,
    error::{Code, CodedError},
};

/// The model of rounds at the Interactions API when the user names none.
pub const DEFAULT_MODEL: &str = "gemini-3.8-flash";

/// Shown where it is unknown which model answered.
pub const MODEL_UNSEEN: &str = "auto-detected";

/// `^[a-z0-9][a-z0-9.\-]{0,63}$`: fits an address and a command line, and can be neither a flag nor a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelName(String);

impl ModelName {
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        if well_formed(text) {
            return Ok(Self(text.to_owned()));
        }
        let message = format!("`{}` cannot be the name of a model", crate::text::line(text, 80));
        Err(CodedError::new(Code::UnknownModel, &message))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// When the provider ends a model or an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retirement {
    pub name: &'static str,
    pub on: &'static str,
    pub instead: &'static str,
}

/// Dated by hand, from the provider's announcements as read on 2026-11-14; a name that is not here has no
/// known end.
pub const RETIREMENTS: &[Retirement] = &[Retirement {
    name: "antigravity-preview-05-2026",
    on: "2026-10-05",
    instead: "antigravity-preview-09-2026",
}];

pub fn retirement(name: &str) -> Option<&'static Retirement> {
    RETIREMENTS.iter().find(|retirement| retirement.name == name)
}

#[cfg(test)]
mod tests {
    use super::ModelName;
    use crate::error::Code;

    #[test]
    fn a_name_is_taken_and_what_could_be_a_flag_a_path_or_two_words_is_refused() {
        let long = "m".repeat(65);
        assert_eq!(ModelName::parse("gemini-3.8-flash").unwrap().as_str(), "gemini-3.8-flash");
        for refused in ["", "--yolo", "-m", ".hidden", "a b", "a/b", "a\nb", "a\0", "Gemini", "modèle", &long]
        {
            assert_eq!(ModelName::parse(refused).unwrap_err().code, Code::UnknownModel, "{refused:?}");
        }
    }
}
