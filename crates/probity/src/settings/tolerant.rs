//! The settings for someone who looks for a broken one: everything that can be read is shown, and what cannot is named.
//! Whoever uses settings takes `load`, which refuses them all.

use probity_research::Code;

use super::{
    MachineDefaults, PROJECT, SettingLine, SettingsFile, SettingsSources, USER, USER_FILE, definitions, file,
    nearest_project, openable, place_defaults, project, raw::RawSettings, resolve, shown,
};
use crate::command_error::CommandError;

/// What is in force, or would be.
#[derive(Debug)]
pub struct ShownSettings {
    pub lines: Vec<SettingLine>,
    pub places: Vec<SettingsFile>,
    pub notes: Vec<String>,
    /// What is wrong; empty where all settings can be used.
    pub problems: Vec<String>,
}

impl ShownSettings {
    /// Whether something is wrong with this setting.
    pub fn is_broken(&self, key: &str) -> bool {
        let named = format!("`{key}`");
        self.problems.iter().any(|problem| problem.contains(&named))
    }
}

/// Fails only where there is no place to look.
pub fn load_shown(sources: SettingsSources<'_>) -> Result<ShownSettings, CommandError> {
    let homes = sources.homes.ok_or_else(|| {
        CommandError::new(Code::Settings, "there is no home directory to keep researches in")
            .with_hint("set HOME, or set XDG_CONFIG_HOME and XDG_DATA_HOME")
    })?;
    let (mut raw, mut places, mut notes) = (RawSettings::defaults(), Vec::new(), Vec::new());
    let mut problems = Vec::new();
    place_defaults(&mut raw, &homes);
    let usual = raw.clone();
    for (role, path) in [("system", sources.system_file), (USER, homes.config.join(USER_FILE))] {
        let (read, wrong) = file::read_usable(&path);
        problems.extend(wrong);
        places.push(SettingsFile { role, path, found: read.is_some() });
        raw.override_with(read.unwrap_or_default());
    }
    if let Some(path) = sources.working_directory.as_deref().and_then(nearest_project) {
        match project::foreign(&path) {
            Some(why) => notes.push(format!("{} is not read: {why}", path.display())),
            None => {
                let (read, wrong) = file::read_usable(&path);
                problems.extend(wrong);
                match project::tighten(&mut raw, read.unwrap_or_default()) {
                    Ok(told) => notes = told,
                    Err(problem) => problems.push(problem),
                }
                places.push(SettingsFile { role: PROJECT, path, found: true });
            }
        }
    }
    let (variables, wrong) = RawSettings::usable_from_environment(sources.environment);
    problems.extend(wrong);
    raw.override_with(variables);
    raw.override_with(sources.flags);
    let outside = || MachineDefaults {
        prompts: homes.config.join("prompts"),
        path: sources.environment.path(),
        cli_home: sources.environment.cli_home(),
    };
    let lines = shown(&raw);
    let mut problems: Vec<String> = problems.into_iter().map(told).collect();
    problems.extend(unusable(raw, &usual, outside));
    Ok(ShownSettings { lines, places, notes, problems })
}

fn told(failure: CommandError) -> String {
    [failure.problem.message].into_iter().chain(failure.causes).collect::<Vec<String>>().join(": ")
}

/// Every value that is refused: the reader names one at a time, so that one gets its default and the others are read
/// again.
fn unusable(mut raw: RawSettings, usual: &RawSettings, outside: impl Fn() -> MachineDefaults) -> Vec<String> {
    let mut problems = Vec::new();
    for _ in definitions::all() {
        let problem = match resolve(&raw, outside()) {
            Ok(settings) => {
                let found = [openable::of_web, openable::of_search, openable::of_chat];
                let found = found.into_iter().flat_map(|of| of(&settings));
                problems.extend(found.map(|one| one.problem().message));
                return problems;
            }
            Err(failure) => failure.problem.message,
        };
        let named = definitions::all().find(|known| problem.contains(&format!("`{}`", known.key)));
        problems.push(problem);
        let Some(known) = named else { return problems };
        raw.values.remove(known.key);
        if let Some(value) = usual.get(known.key) {
            raw.values.insert(known.key, value.clone());
        }
    }
    problems
}
