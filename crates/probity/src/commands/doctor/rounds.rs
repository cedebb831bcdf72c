//! What research in rounds needs: an engine, its models, the prompts, and the Gemini CLI where it is wanted.

use probity_models::{
    ApiKey,
    gemini_cli::{ALLOWED_TOOLS, VERSION_MIN, confinement, locate},
};
use probity_research::{
    CodedError,
    model::{DEFAULT_MODEL, ModelName},
    plan::EngineName,
    rounds::VerificationMode,
};

use super::{CheckSeverity, DoctorCheck, MODELS};
use crate::{
    engine,
    settings::{Settings, rounds::EngineChoice},
};

pub async fn all(settings: &Settings, key: Option<ApiKey>) -> Vec<DoctorCheck> {
    let taken = chosen_engine(settings, key.is_some());
    let mut checks =
        vec![engine(settings, taken), models(settings, taken), limits(settings), prompts(settings)];
    checks.extend(cli(settings, key).await);
    checks
}

/// The engine that `probity ask` would use.
fn chosen_engine(settings: &Settings, has_key: bool) -> EngineName {
    match settings.engine {
        EngineChoice::Named(name) => name,
        EngineChoice::Auto if has_key => EngineName::GeminiApi,
        EngineChoice::Auto => EngineName::Web,
    }
}

fn engine(settings: &Settings, taken: EngineName) -> DoctorCheck {
    let taken = taken.as_str();
    let detail = match settings.engine {
        EngineChoice::Auto => format!("{taken} (auto)"),
        EngineChoice::Named(_) => format!("{taken} (settings)"),
    };
    DoctorCheck::fine(MODELS, "engine", detail)
}

fn models(settings: &Settings, taken: EngineName) -> DoctorCheck {
    let named = |model: &Option<ModelName>| model.as_ref().map(ModelName::to_string);
    let chosen = match taken {
        EngineName::GeminiApi => format!("{DEFAULT_MODEL} (chosen by the engine)"),
        EngineName::GeminiCli => "chosen by the Gemini CLI".to_owned(),
        EngineName::Web => "see the chat model below".to_owned(),
    };
    let answers = named(&settings.rounds.model).unwrap_or(chosen);
    let corrects = named(&settings.rounds.correction_model);
    let corrects = corrects.map(|model| format!("; corrections: {model}")).unwrap_or_default();
    DoctorCheck::fine(MODELS, "model", format!("{answers}{corrects}"))
}

fn limits(settings: &Settings) -> DoctorCheck {
    let rounds = settings.rounds.max_iterations;
    match settings.rounds.verification {
        VerificationMode::Evidence => DoctorCheck::fine(
            MODELS,
            "limit",
            format!("{rounds} rounds; verified by the model and by evidence"),
        ),
        VerificationMode::Model => DoctorCheck::warning(
            MODELS,
            "limit",
            format!("{rounds} rounds; verified by the model's word alone"),
            "unset `rounds.verification` to have evidence count too",
        ),
    }
}

/// The user's own prompts replace ours; a broken one fails every run in rounds.
fn prompts(settings: &Settings) -> DoctorCheck {
    let prompts = match engine::prompts(&settings.prompts) {
        Ok(prompts) => prompts,
        Err(problem) => {
            let fix = "mend the file, or delete it to use ours";
            return DoctorCheck::failed(MODELS, "prompts", problem.message, fix);
        }
    };
    let own: Vec<&str> = prompts.replaced().iter().map(|name| name.file_name()).collect();
    let place = settings.prompts.display();
    match own.as_slice() {
        [] => DoctorCheck::fine(MODELS, "prompts", format!("ours; {place} would replace them")),
        own => DoctorCheck::fine(MODELS, "prompts", format!("yours: {} in {place}", own.join(", "))),
    }
}

/// A missing CLI is worth a note, and a failure only where it was chosen.
async fn cli(settings: &Settings, key: Option<ApiKey>) -> Vec<DoctorCheck> {
    let wanted = settings.engine == EngineChoice::Named(EngineName::GeminiCli);
    let confined = DoctorCheck::fine(MODELS, "confined", confinement().to_string());
    let policy = DoctorCheck::fine(
        MODELS,
        "policy",
        format!("it may use {} and nothing else", ALLOWED_TOOLS.join(", ")),
    );
    let Ok(program) = locate(settings.cli.program.as_deref(), &settings.path) else {
        let named = settings.cli.program.as_ref().map(|path| format!(" at {}", path.display()));
        let detail = format!("not found{}", named.unwrap_or_default());
        let fix = "npm install -g @google/gemini-cli, or set `gemini_cli.program`";
        let missing = match wanted {
            true => DoctorCheck::failed(MODELS, "Gemini CLI", detail, fix),
            false => DoctorCheck::fine(MODELS, "Gemini CLI", format!("{detail}; not needed for gemini-api")),
        };
        return vec![missing, policy, confined];
    };
    let found = DoctorCheck::fine(MODELS, "Gemini CLI", program.display().to_string());
    let version = match cli_version(settings, key).await {
        Ok(version) => DoctorCheck::fine(MODELS, "CLI version", version),
        Err(problem) => {
            let verdict = if wanted { CheckSeverity::Failed } else { CheckSeverity::Warning };
            let fix = problem.code.hint().to_owned();
            DoctorCheck { verdict, ..DoctorCheck::failed(MODELS, "CLI version", problem.message, fix) }
        }
    };
    vec![found, version, policy, confined]
}

/// The version of the Gemini CLI, as the CLI prints it.
pub async fn cli_version(settings: &Settings, key: Option<ApiKey>) -> Result<String, CodedError> {
    // `--version` needs no valid key.
    let key = key.map_or_else(|| ApiKey::parse("no-key"), Ok)?;
    let cli = engine::gemini_cli(settings, key, String::new())?;
    let version = Box::pin(cli.version()).await?;
    Ok(format!("{version} (at least {VERSION_MIN} is needed)"))
}
