//! What research in rounds needs: an engine, its models, the prompts, and the Gemini CLI where it is wanted.

use probity_models::{
    ApiKey,
    gemini_cli::{ALLOWED_TOOLS, CliMcpServers, VERSION_MIN, confinement, locate},
};
use probity_research::{
    CodedError,
    model::{DEFAULT_MODEL, ModelName},
    plan::EngineName,
    planning::{PlanningRequest, choose_engine},
    rounds::{Mode, VerificationMode},
};

use super::{CheckSeverity, DoctorCheck, MODELS};
use crate::{
    engine,
    keys::ProviderKeys,
    planning,
    settings::{Settings, rounds::EngineChoice},
};

pub async fn all(settings: &Settings, keys: &ProviderKeys) -> Vec<DoctorCheck> {
    // The engine that `probity ask` would use.
    let search = PlanningRequest::new(Mode::Search);
    let chosen = choose_engine(&planning::engine_options(settings, keys), &search);
    let engine = DoctorCheck::fine(MODELS, "engine", chosen.reason.sentence(chosen.name));
    let mut checks = vec![engine, models(settings, chosen.name), limits(settings), prompts(settings)];
    checks.extend(cli(settings, keys).await);
    checks
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
            "`probity config unset rounds.verification` to have evidence count too",
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
async fn cli(settings: &Settings, keys: &ProviderKeys) -> Vec<DoctorCheck> {
    let wanted = settings.engine == EngineChoice::Named(EngineName::GeminiCli);
    let confined = DoctorCheck::fine(MODELS, "confined", confinement().to_string());
    let policy = match engine::mcp_servers(settings, keys) {
        Ok(servers) => {
            let servers = servers.names().map(|name| format!("the MCP server {name}"));
            let allowed: Vec<String> = ALLOWED_TOOLS.iter().map(ToString::to_string).chain(servers).collect();
            DoctorCheck::fine(MODELS, "policy", format!("it may use {} and nothing else", allowed.join(", ")))
        }
        Err(problem) => DoctorCheck::failed(
            MODELS,
            "policy",
            problem.message,
            "mend `gemini_cli.mcp_servers`, or unset it",
        ),
    };
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
    let key = match (&keys.gemini, &keys.gemini_cli) {
        (Some(_), _) => "; started with Probity's key",
        (None, Some(_)) => "; it has a key of its own",
        (None, None) => "; without a key: set GEMINI_API_KEY, here or in ~/.gemini/.env",
    };
    let found = DoctorCheck::fine(MODELS, "Gemini CLI", format!("{}{key}", program.display()));
    let version = match cli_version(settings, keys.for_cli().cloned()).await {
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
    let cli = engine::gemini_cli(settings, key, String::new(), CliMcpServers::default())?;
    let version = Box::pin(cli.version()).await?;
    Ok(format!("{version} (at least {VERSION_MIN} is needed)"))
}
