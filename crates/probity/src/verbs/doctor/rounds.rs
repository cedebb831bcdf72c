//! What research in rounds needs: an engine, its models, the prompts, and the Gemini CLI where it is wanted.

use jiff::civil::Date;
use probity_models::{
    ApiKey,
    gemini_cli::{ALLOWED_TOOLS, VERSION_MIN, confinement, locate},
};
use probity_research::{
    Problem,
    model::{self, DEFAULT_MODEL, ModelName},
    plan::EngineName,
    rounds::Verification,
};

use super::{Check, Verdict};
use crate::{
    engine,
    settings::{Settings, rounds::EngineChoice},
};

const ROUNDS: &str = "Rounds";
const CLI: &str = "Gemini CLI";

/// An end this near should be planned for: two months are a few releases.
const RETIRES_WITHIN_DAYS: i32 = 60;

/// `today` is `YYYY-MM-DD`.
pub async fn all(settings: &Settings, key: Option<ApiKey>, today: &str) -> Vec<Check> {
    let taken = taken(settings, key.is_some());
    let mut checks =
        vec![engine(settings, taken), models(settings, taken), limits(settings), prompts(settings)];
    checks.extend(retirements(settings, today));
    checks.extend(cli(settings, key).await);
    checks
}

/// What `probity ask` would take.
fn taken(settings: &Settings, has_key: bool) -> EngineName {
    match settings.engine {
        EngineChoice::Named(name) => name,
        EngineChoice::Auto if has_key => EngineName::GeminiApi,
        EngineChoice::Auto => EngineName::Web,
    }
}

fn engine(settings: &Settings, taken: EngineName) -> Check {
    let taken = taken.as_str();
    let detail = match settings.engine {
        EngineChoice::Auto => format!("{taken} (auto)"),
        EngineChoice::Named(_) => format!("{taken} (settings)"),
    };
    Check::fine(ROUNDS, "engine", detail)
}

fn models(settings: &Settings, taken: EngineName) -> Check {
    let named = |model: &Option<ModelName>| model.as_ref().map(ModelName::to_string);
    let chosen = match taken {
        EngineName::GeminiApi => format!("{DEFAULT_MODEL} (chosen by the engine)"),
        EngineName::GeminiCli => "chosen by the Gemini CLI".to_owned(),
        EngineName::Web => "see the web engine".to_owned(),
    };
    let answers = named(&settings.rounds.model).unwrap_or(chosen);
    let corrects = named(&settings.rounds.correction_model);
    let corrects = corrects.map(|model| format!("; corrections: {model}")).unwrap_or_default();
    Check::fine(ROUNDS, "model", format!("{answers}{corrects}"))
}

fn limits(settings: &Settings) -> Check {
    let rounds = settings.rounds.max_iterations;
    match settings.rounds.verification {
        Verification::Evidence => {
            Check::fine(ROUNDS, "limit", format!("{rounds} rounds; verified by the model and by evidence"))
        }
        Verification::Model => Check::warning(
            ROUNDS,
            "limit",
            format!("{rounds} rounds; verified by the model's word alone"),
            "unset `rounds.verification` to have evidence count too",
        ),
    }
}

/// The user's own prompts replace ours; a broken one stops every research in rounds.
fn prompts(settings: &Settings) -> Check {
    let prompts = match engine::prompts(&settings.prompts) {
        Ok(prompts) => prompts,
        Err(problem) => {
            let fix = "mend the file, or delete it to use ours";
            return Check::failed(ROUNDS, "prompts", problem.message, fix);
        }
    };
    let own: Vec<&str> = prompts.replaced().iter().map(|name| name.file_name()).collect();
    let place = settings.prompts.display();
    match own.as_slice() {
        [] => Check::fine(ROUNDS, "prompts", format!("ours; {place} would replace them")),
        own => Check::fine(ROUNDS, "prompts", format!("yours: {} in {place}", own.join(", "))),
    }
}

/// Only what is in use and near its end.
fn retirements(settings: &Settings, today: &str) -> Vec<Check> {
    let mut names = vec![settings.agent.as_str().to_owned(), DEFAULT_MODEL.to_owned()];
    names.extend(settings.agents.iter().cloned());
    let models = [&settings.rounds.model, &settings.rounds.correction_model];
    names.extend(models.into_iter().flatten().map(ModelName::to_string));
    names.dedup();
    names.iter().filter_map(|name| retirement(name, today)).collect()
}

fn retirement(name: &str, today: &str) -> Option<Check> {
    let known = model::retirement(name)?;
    let (today, ends): (Date, Date) = (today.parse().ok()?, known.on.parse().ok()?);
    let days = today.until(ends).ok()?.get_days();
    if days > RETIRES_WITHIN_DAYS {
        return None;
    }
    let detail = match days {
        ..=0 => format!("{name} was retired on {}", known.on),
        days => format!("{name} is retired on {}, in {days} days", known.on),
    };
    Some(Check::warning(ROUNDS, "retires", detail, format!("use {} instead", known.instead)))
}

/// A missing CLI is worth a note, and a failure only where it was chosen.
async fn cli(settings: &Settings, key: Option<ApiKey>) -> Vec<Check> {
    let wanted = settings.engine == EngineChoice::Named(EngineName::GeminiCli);
    let confined = Check::fine(CLI, "confined", confinement().to_string());
    let policy =
        Check::fine(CLI, "policy", format!("it may use {} and nothing else", ALLOWED_TOOLS.join(", ")));
    let Ok(program) = locate(settings.cli.program.as_deref(), &settings.path) else {
        let named = settings.cli.program.as_ref().map(|path| format!(" at {}", path.display()));
        let detail = format!("not found{}", named.unwrap_or_default());
        let fix = "npm install -g @google/gemini-cli, or set `gemini_cli.program`";
        let missing = match wanted {
            true => Check::failed(CLI, "program", detail, fix),
            false => Check::fine(CLI, "program", format!("{detail}; not needed for gemini-api")),
        };
        return vec![missing, policy, confined];
    };
    let found = Check::fine(CLI, "program", program.display().to_string());
    let version = match asked_version(settings, key).await {
        Ok(version) => Check::fine(CLI, "version", version),
        Err(problem) => {
            let verdict = if wanted { Verdict::Failed } else { Verdict::Warning };
            let fix = problem.code.hint().to_owned();
            Check { verdict, ..Check::failed(CLI, "version", problem.message, fix) }
        }
    };
    vec![found, version, policy, confined]
}

async fn asked_version(settings: &Settings, key: Option<ApiKey>) -> Result<String, Problem> {
    // Asking for a version needs no key that works.
    let key = key.map_or_else(|| ApiKey::parse("no-key"), Ok)?;
    let cli = engine::gemini_cli(settings, key, String::new())?;
    let version = Box::pin(cli.version()).await?;
    Ok(format!("{version} (at least {VERSION_MIN} is needed)"))
}

#[cfg(test)]
mod tests {
    use super::retirement;

    #[test]
    fn an_end_is_warned_of_two_months_ahead_and_after_it() {
        let told = |today| retirement("antigravity-preview-05-2026", today).map(|check| check.detail);
        assert_eq!(told("2026-08-01"), None);
        let soon = "antigravity-preview-05-2026 is retired on 2026-10-05, in 25 days";
        assert_eq!(told("2026-09-10").as_deref(), Some(soon));
        let over = "antigravity-preview-05-2026 was retired on 2026-10-05";
        assert_eq!(told("2026-11-15").as_deref(), Some(over));
        assert!(retirement("gemini-3.8-flash", "2026-11-15").is_none());
    }
}
