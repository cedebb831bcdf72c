//! Who judges whether a page says what a claim says: what is set, what is on this machine, and how to get one.
//!
//! Only looks; what is found is set after a yes.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use probity_models::entailment::weights_hash;

use crate::{
    command_error::CommandError,
    keys::ProviderKeys,
    planning,
    settings::{Settings, edit::ConfigValue},
};

/// The name under which a program that runs an entailment model is looked for along PATH.
const PROGRAM: &str = "probity-entailment";
/// Its weights, beside it or in the data directory.
const WEIGHTS: &str = "probity-entailment.weights";

/// Printed where there is no judge and none was found.
pub const HOW: &str = "Without a judge the best a claim can be called is `quoted`. To have one on this machine:\n  \
    Ollama      install it from https://ollama.com, then `ollama pull qwen2.5:7b`\n  \
    llama.cpp   llama-server -m MODEL.gguf --port 8080\n  \
    a program   that runs an entailment model: see `checks.judge_program` in the settings\n\
    then run `probity setup` again. Nothing of your reports leaves the machine with any of them.";

/// An entailment program with its weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeProgram {
    pub program: PathBuf,
    pub weights: PathBuf,
}

impl JudgeProgram {
    /// The settings that make it the judge. Reads the weights to the end: their hash is pinned.
    pub fn settings(&self) -> Result<[(&'static str, ConfigValue); 3], CommandError> {
        let text = |path: &Path| ConfigValue::Text(path.display().to_string());
        let hash = weights_hash(&self.weights)?;
        Ok([
            ("checks.judge_program", text(&self.program)),
            ("checks.judge_weights", text(&self.weights)),
            ("checks.judge_hash", ConfigValue::Text(hash)),
        ])
    }
}

/// The judge that is set, in words.
pub fn current(settings: &Settings, keys: &ProviderKeys) -> Option<String> {
    let second = planning::second_judge_settings(settings, keys)
        .map(|chat| format!(", second judge {}", chat.model))
        .unwrap_or_default();
    if let Some(local) = planning::local_judge(settings) {
        return Some(format!("{} (a program on this machine){second}", local.program.display()));
    }
    planning::judge_settings(settings, keys).map(|chat| format!("{}{second}", chat.model))
}

/// The entailment program of this machine, if it has one.
pub fn find_program(path: &OsStr, store_directory: &Path) -> Option<JudgeProgram> {
    let program = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(PROGRAM))
        .find(|file| file.is_file())?;
    let beside = program.parent().map(|folder| folder.join(WEIGHTS));
    let weights = beside.into_iter().chain([store_directory.join(WEIGHTS)]).find(|file| file.is_file())?;
    Some(JudgeProgram { program, weights })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{JudgeProgram, PROGRAM, WEIGHTS, find_program};

    #[test]
    fn a_program_counts_only_with_its_weights() {
        let (bin, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let program = bin.path().join(PROGRAM);
        let found = |path: &Path| find_program(path.as_os_str(), data.path());
        assert_eq!(found(bin.path()), None);
        fs::write(&program, "").unwrap();
        assert_eq!(found(bin.path()), None);
        let weights = data.path().join(WEIGHTS);
        fs::write(&weights, "").unwrap();
        assert_eq!(found(bin.path()), Some(JudgeProgram { program, weights }));
        assert_eq!(found(Path::new("relative")), None);
    }
}
