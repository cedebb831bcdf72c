//! Settings for rounds: the engine, how many rounds, what counts as verified, and the Gemini CLI.

use std::{path::PathBuf, time::Duration};

use probity_models::gemini_cli::{CliProcessReuse, MCP_SERVERS_MAX, is_server_name};
use probity_research::{
    Code,
    model::ModelName,
    plan::EngineName,
    rounds::{
        Mode, RoundsPlan, VerificationMode,
        plan::{ROUNDS_MAX, ROUNDS_MIN},
    },
};

use crate::{
    command_error::CommandError,
    format,
    settings::{SettingsReader, definitions::ENGINES, directory},
};

/// Which engine answers rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
    /// The first that works.
    Auto,
    Named(EngineName),
}

impl EngineChoice {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "auto" => Some(Self::Auto),
            _ => EngineName::ALL.into_iter().find(|engine| engine.as_str() == text).map(Self::Named),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundsSettings {
    /// Never below two nor above what a plan takes.
    pub max_iterations: u32,
    pub model: Option<ModelName>,
    pub correction_model: Option<ModelName>,
    pub verification: VerificationMode,
    pub round_deadline: Duration,
}

impl RoundsSettings {
    /// A plan of these settings; `rounds` is what the caller asked for, if anything.
    pub fn plan(&self, manner: Mode, rounds: Option<u32>) -> RoundsPlan {
        RoundsPlan {
            verification: self.verification,
            model: self.model.clone(),
            correction_model: self.correction_model.clone(),
            round_deadline_ms: u64::try_from(self.round_deadline.as_millis()).unwrap_or(u64::MAX),
            ..RoundsPlan::new(manner, rounds.unwrap_or(self.max_iterations))
        }
    }
}

/// The Gemini CLI as installed on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliProgramSettings {
    /// None looks for `gemini` along PATH.
    pub program: Option<PathBuf>,
    pub reuse: CliProcessReuse,
    /// MCP servers of the user's own CLI that may be used.
    pub mcp_servers: Vec<String>,
}

pub(super) fn engine(read: &SettingsReader<'_>) -> Result<EngineChoice, CommandError> {
    let text = read.text("research.engine");
    EngineChoice::parse(&text).ok_or_else(|| {
        let (origin, known) = (read.origin("research.engine"), ENGINES.join(", "));
        let text = probity_research::text::line(&text, 80);
        CommandError::new(
            Code::UnknownEngine,
            &format!("{origin}: `{text}` is not an engine; known: {known}"),
        )
    })
}

pub(super) fn resolve(read: &SettingsReader<'_>) -> Result<RoundsSettings, CommandError> {
    Ok(RoundsSettings {
        max_iterations: read.value("rounds.max_iterations", count)?,
        model: model(read, "rounds.model")?,
        correction_model: model(read, "rounds.correction_model")?,
        verification: read.value("rounds.verification", verification)?,
        round_deadline: read.value("rounds.round_deadline", format::parse_span)?,
    })
}

pub(super) fn cli(read: &SettingsReader<'_>) -> Result<CliProgramSettings, CommandError> {
    Ok(CliProgramSettings {
        program: read.optional("gemini_cli.program", directory)?,
        reuse: read.value("gemini_cli.reuse", reuse)?,
        mcp_servers: mcp_servers(read)?,
    })
}

fn mcp_servers(read: &SettingsReader<'_>) -> Result<Vec<String>, CommandError> {
    const KEY: &str = "gemini_cli.mcp_servers";
    let texts = read.raw.get(KEY).map(|written| written.texts.clone()).unwrap_or_default();
    let names: Vec<String> = texts.into_iter().filter(|name| !name.is_empty()).collect();
    let wrong = names.iter().find(|name| !is_server_name(name));
    if wrong.is_some() || names.len() > MCP_SERVERS_MAX {
        let name = probity_research::text::line(wrong.map_or("", String::as_str), 80);
        let message = format!(
            "{}: `{KEY}` holds `{name}`; expected: at most {MCP_SERVERS_MAX} names of letters, digits and hyphens",
            read.origin(KEY)
        );
        return Err(CommandError::new(Code::Settings, &message));
    }
    Ok(names)
}

/// Any whole number, brought into the range that a deep search can have.
pub(super) fn count(text: &str) -> Option<u32> {
    let text = text.trim().replace('_', "");
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.as_str()),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // More digits than fit are still a number, and a large one.
    let asked = if negative { 0 } else { digits.parse().unwrap_or(u32::MAX) };
    is_number.then(|| asked.clamp(ROUNDS_MIN, ROUNDS_MAX))
}

fn model(read: &SettingsReader<'_>, key: &'static str) -> Result<Option<ModelName>, CommandError> {
    let text = read.text(key);
    if text.is_empty() {
        return Ok(None);
    }
    ModelName::parse(&text).map(Some).map_err(|problem| {
        CommandError::new(problem.code, &format!("{}: {}", read.origin(key), problem.message))
    })
}

fn verification(text: &str) -> Option<VerificationMode> {
    match text {
        "evidence" => Some(VerificationMode::Evidence),
        "model" => Some(VerificationMode::Model),
        _ => None,
    }
}

fn reuse(text: &str) -> Option<CliProcessReuse> {
    match text {
        "pool" => Some(CliProcessReuse::Pool),
        "spawn" => Some(CliProcessReuse::Spawn),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{EngineChoice, count, reuse, verification};
    use crate::settings::definitions::{ENGINES, REUSES, VERIFICATIONS};

    #[test]
    fn any_number_of_rounds_is_brought_into_range_and_anything_else_is_refused() {
        let read = ["5", "2", "1", "0", "-3", "20", "21", "99999999999999999999"].map(count);
        assert_eq!(read, [5, 2, 2, 2, 2, 20, 20, 20].map(Some));
        for refused in ["", "-", "five", "2.5", "1e3", "0x5", "+3"] {
            assert_eq!(count(refused), None, "{refused}");
        }
    }

    #[test]
    fn every_word_that_is_offered_is_understood() {
        assert!(ENGINES.iter().all(|word| EngineChoice::parse(word).is_some()));
        assert!(VERIFICATIONS.iter().all(|word| verification(word).is_some()));
        assert!(REUSES.iter().all(|word| reuse(word).is_some()));
        assert_eq!(EngineChoice::parse("gemini"), None);
    }
}
