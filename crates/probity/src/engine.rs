//! The engines as this program uses them: built when driving begins, because starting TLS costs milliseconds
//! that a status answer need not pay.

use std::{
    ffi::OsString,
    io::{ErrorKind, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use probity_engines::{
    ApiRounds, CliRounds, CliRoundsResult, EngineDispatcher, GoogleEngines, PromptName, Prompts, RoleClients,
    WebEngine, judge::Judge, prompts::PROMPT_BYTES_MAX,
};
use probity_extract::{ParserPool, ParserSettings};
use probity_models::{
    ApiKey, DeepResearch, DeepResearchSettings, HttpTransport,
    chat::{ChatClient, ChatSettings},
    entailment::EntailmentModel,
    gemini::redirects::RedirectResolver,
    gemini_cli::{CliMcpServers, CliSettings, GeminiCli, SETTINGS_BYTES_MAX, SETTINGS_FILE, sweep},
};
use probity_research::{
    Code, CodedError, RunId, RunState,
    engine_call::{EngineCall, EngineOutcome},
    plan::{EngineName, Plan},
    ports::Engine,
    rounds::log_lines,
    web::ProviderName,
};

use probity_web::{
    archive::WebArchive,
    browser::{self, Browser},
    fetch::{AddressGuard, Fetcher, FetcherSettings, PageFetch, UpstreamProxy},
    search::SearchClient,
};

use crate::{environment, keys::ProviderKeys, planning, settings::Settings};

type SharedTransport = Arc<HttpTransport>;

/// Where the Gemini CLI's processes have their private folders, below the data directory.
const CLI_FOLDER: &str = "cli";
/// Where pages are cached that a server can revalidate, and where browsers have their private folders.
pub const PAGES_FOLDER: &str = "pages";
const BROWSER_FOLDER: &str = "browser";

pub struct LazyEngine {
    settings: Settings,
    keys: ProviderKeys,
    /// Each engine is built when it is first used: a server that only waits for Google does not load the web
    /// engine.
    google: OnceLock<EngineBuildResult>,
    web: OnceLock<EngineBuildResult>,
}

type EngineBuildResult = Result<EngineDispatcher<SharedTransport>, CodedError>;

impl LazyEngine {
    pub fn new(settings: &Settings, keys: ProviderKeys) -> Self {
        Self { settings: settings.clone(), keys, google: OnceLock::new(), web: OnceLock::new() }
    }

    /// Builds Google's engines now, before anything is driven: a process that dies between the intent and the
    /// paid call cannot say whether money was spent, so nothing slow may happen between the two. A failure is
    /// reported at the call.
    pub fn prepare(&self) {
        log_build_problem(self.google().as_ref().map_err(CodedError::clone));
    }

    /// The same for the engine that this plan takes, before it is started. Where that is the Gemini CLI, what dead
    /// processes left is removed too: whoever never starts a server would keep it for ever.
    pub fn prepare_for(&self, plan: &Plan) {
        if plan.engine == EngineName::GeminiCli {
            match sweep(&self.cli_folder()) {
                Ok(files) => tracing::debug!(files, "removed what dead processes left"),
                Err(problem) => log_unswept(&problem),
            }
        }
        log_build_problem(self.engines(plan));
    }

    /// Removes what dead processes left behind, and logs how much it was: a server does so when it starts.
    pub fn remove_leftovers(&self) {
        match sweep(&self.cli_folder()) {
            Ok(files) => {
                tracing::info!(target: log_lines::TARGET, "Cleaned up {files} orphaned temp-invalid-output files");
            }
            Err(problem) => log_unswept(&problem),
        }
    }

    fn cli_folder(&self) -> PathBuf {
        self.settings.store_directory.join(CLI_FOLDER)
    }

    fn engines(&self, plan: &Plan) -> Result<&EngineDispatcher<SharedTransport>, CodedError> {
        match plan.web {
            Some(_) => self.web().as_ref().map_err(CodedError::clone),
            None => self.google().as_ref().map_err(CodedError::clone),
        }
    }

    fn google(&self) -> &EngineBuildResult {
        self.google.get_or_init(|| {
            let prompts = prompts(&self.settings.prompts)?;
            let google = google(&self.settings, &self.keys, &prompts);
            Ok(EngineDispatcher { google, web: Err(wrong_engine()), prompts })
        })
    }

    fn web(&self) -> &EngineBuildResult {
        self.web.get_or_init(|| {
            let prompts = prompts(&self.settings.prompts)?;
            Ok(EngineDispatcher {
                google: Err(wrong_engine()),
                web: web(&self.settings, &self.keys),
                prompts,
            })
        })
    }
}

fn log_unswept(problem: &CodedError) {
    tracing::warn!(code = %problem.code, cause = %problem.message, "orphaned files stay");
}

fn log_build_problem<T>(built: Result<T, CodedError>) {
    if let Err(problem) = built {
        tracing::debug!(code = %problem.code, "engines were not prepared");
    }
}

/// No plan asks one engine for what the other does.
fn wrong_engine() -> CodedError {
    CodedError::new(Code::UnknownEngine, "this is another engine's work")
}

impl Engine for LazyEngine {
    async fn perform(&self, research: &RunState, call: &EngineCall) -> EngineOutcome {
        // Whichever engine gathered a text, the web engine's parts check it.
        let engines = match call {
            EngineCall::Check(_) => self.web().as_ref().map_err(CodedError::clone),
            _ => self.engines(&research.plan),
        };
        match (engines, call) {
            (Ok(engines), _) => engines.perform(research, call).await,
            // No byte was sent: nothing can have been billed.
            (Err(problem), EngineCall::Create { .. } | EngineCall::Ask(_)) => EngineOutcome::Refused(problem),
            (Err(problem), EngineCall::Web(call)) => call.refused(problem).into(),
            (Err(problem), EngineCall::Check(call)) => call.refused(problem).into(),
            (
                Err(problem),
                EngineCall::Follow { .. } | EngineCall::Cancel { .. } | EngineCall::Collect { .. },
            ) => EngineOutcome::Unreachable(problem),
        }
    }

    fn release_run(&self, id: RunId) {
        // The web engine keeps nothing open between its calls.
        if let Some(Ok(engines)) = self.google.get() {
            engines.release_run(id);
        }
    }
}

fn google(
    settings: &Settings,
    keys: &ProviderKeys,
    prompts: &Prompts,
) -> Result<GoogleEngines<SharedTransport>, CodedError> {
    let missing = || CodedError::new(Code::KeyMissing, "there is no API key");
    let cli_key = keys.for_cli().ok_or_else(missing)?;
    let base_url = settings.base_url.as_str().to_owned();
    let network = Arc::new(HttpTransport::new(&base_url)?);
    let redirects = || RedirectResolver::new(Arc::clone(&network), &base_url);
    let service = match &keys.gemini {
        Some(key) => Ok(DeepResearch::new(
            Arc::clone(&network),
            DeepResearchSettings {
                base_url: base_url.clone(),
                api_version: settings.api_version.clone(),
                calls_in_flight_max: settings.calls_in_flight,
                streams_open_max: settings.streams_open,
                ..DeepResearchSettings::new(key.clone())
            },
        )?),
        None => Err(missing()),
    };
    let system = prompts.text(PromptName::System).to_owned();
    let mcp = mcp_servers(settings, keys);
    let cli: CliRoundsResult<SharedTransport> = mcp
        .and_then(|mcp| gemini_cli(settings, cli_key.clone(), system, mcp))
        .map(|cli| CliRounds::new(cli, redirects()));
    Ok(GoogleEngines { service, api: ApiRounds::new(redirects()), cli })
}

fn web(settings: &Settings, keys: &ProviderKeys) -> Result<WebEngine<SharedTransport>, CodedError> {
    let web = &settings.web;
    let fetcher = fetcher(settings)?;
    let connect = |chat: ChatSettings| {
        let network = Arc::new(HttpTransport::new(&chat.base_url)?);
        ChatClient::new(network, chat, planning::now)
    };
    let chat = planning::chat_settings(settings, keys);
    let role = |name: &Option<String>| {
        chat.as_ref()
            .and_then(|chat| planning::role_settings(settings, keys, chat, name))
            .map(connect)
            .transpose()
    };
    let roles = RoleClients {
        planner: role(&web.roles.planner)?,
        reader: role(&web.roles.reader)?,
        writer: role(&web.roles.writer)?,
    };
    let chat = chat.map(connect).transpose()?;
    let judge = match (planning::local_judge(settings), planning::judge_settings(settings, keys)) {
        (Some(local), _) => Some(Judge::Local(EntailmentModel::open(local.clone())?)),
        (None, Some(chat)) => Some(Judge::Chat(connect(chat)?)),
        (None, None) => None,
    };
    let second_judge = planning::second_judge_settings(settings, keys).map(connect).transpose()?;
    let browser = browser(settings, &fetcher);
    let parser = parser()?;
    Ok(WebEngine {
        search: SearchClient::new(Arc::clone(&fetcher), planning::search_settings(settings, keys)),
        fetcher,
        parser,
        archive: web.archive.then(WebArchive::default),
        page_service: planning::page_service(settings, keys),
        browser,
        chat,
        roles,
        judge,
        second_judge: second_judge.map(Judge::Chat),
        now: Box::new(planning::now),
    })
}

fn browser(settings: &Settings, fetcher: &Fetcher) -> Result<Browser<AddressGuard>, CodedError> {
    let web = &settings.web;
    if !web.browser {
        return Err(CodedError::new(Code::BrowserMissing, "the browser is switched off in `web.browser`"));
    }
    let program = browser::find(web.browser_program.as_deref(), &settings.path)?;
    let folder = settings.store_directory.join(BROWSER_FOLDER);
    Ok(Browser::new(program, &folder, Arc::clone(fetcher.guard())))
}

/// Fetches one public page, guarded like every page.
pub async fn fetch_page(settings: &Settings, url: &str) -> Result<PageFetch, CodedError> {
    Box::pin(fetcher(settings)?.page(url)).await
}

/// Asks search providers alone, for whoever wants to know whether they answer.
pub fn search_client(settings: &Settings, keys: &ProviderKeys) -> Result<SearchClient, CodedError> {
    Ok(SearchClient::new(fetcher(settings)?, planning::search_settings(settings, keys)))
}

/// A guarded fetcher, for pages and for the files of a release.
pub fn fetcher(settings: &Settings) -> Result<Arc<Fetcher>, CodedError> {
    let web = &settings.web;
    Fetcher::new(FetcherSettings {
        contact: web.contact.clone(),
        reach: web.reach.clone(),
        proxy: web.proxy.as_ref().map(|url| UpstreamProxy::new(url, None).map(Arc::new)).transpose()?,
        cache: Some(settings.store_directory.join(PAGES_FOLDER)),
        ..FetcherSettings::new(planning::now)
    })
    .map(Arc::new)
}

/// Parses pages in a process that can reach nothing.
pub fn parser() -> Result<ParserPool, CodedError> {
    let program = own_program()?;
    Ok(ParserPool::new(ParserSettings::new(vec![program.into_os_string(), OsString::from("parse")])))
}

fn own_program() -> Result<PathBuf, CodedError> {
    environment::program().map_err(|error| {
        CodedError::new(Code::CliFailed, &format!("this program does not find itself: {error}"))
    })
}

/// The MCP servers of the user's own Gemini CLI that the settings name.
pub fn mcp_servers(settings: &Settings, keys: &ProviderKeys) -> Result<CliMcpServers, CodedError> {
    let names = &settings.cli.mcp_servers;
    if names.is_empty() {
        return Ok(CliMcpServers::default());
    }
    let path = settings.cli_home.join(SETTINGS_FILE);
    let mut text = String::new();
    let read =
        std::fs::File::open(&path).and_then(|file| file.take(SETTINGS_BYTES_MAX).read_to_string(&mut text));
    if let Err(error) = read {
        let message = format!("could not read the Gemini CLI's own settings {}: {error}", path.display());
        return Err(CodedError::new(Code::CliConfiguration, &message));
    }
    let mut servers = CliMcpServers::find(names, &text, &settings.path)?;
    let key = keys.search.get(&ProviderName::Firecrawl).cloned();
    let base = settings.web.bases.get(&ProviderName::Firecrawl).map(|base| base.clone().into());
    let variables = [("FIRECRAWL_API_KEY", key), ("FIRECRAWL_API_URL", base)];
    servers.variables = variables.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    Ok(servers)
}

/// The Gemini CLI as the settings have it.
pub fn gemini_cli(
    settings: &Settings,
    key: ApiKey,
    system_prompt: String,
    mcp: CliMcpServers,
) -> Result<GeminiCli, CodedError> {
    let program = own_program()?;
    Ok(GeminiCli::new(CliSettings {
        program: settings.cli.program.clone(),
        path: settings.path.clone(),
        supervisor: vec![program.into_os_string(), OsString::from("keep")],
        directory: settings.store_directory.join(CLI_FOLDER),
        key,
        base_url: settings.base_url.clone(),
        system_prompt,
        reuse: settings.cli.reuse,
        mcp,
    }))
}

/// The prompts, with the user's own in place of ours.
pub fn prompts(directory: &Path) -> Result<Prompts, CodedError> {
    let mut prompts = Prompts::default();
    for name in PromptName::ALL {
        let path = directory.join(name.file_name());
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Ok(found) if found.len() > PROMPT_BYTES_MAX as u64 => {
                let message = format!("{} is longer than {PROMPT_BYTES_MAX} bytes", path.display());
                return Err(CodedError::new(Code::Settings, &message));
            }
            Ok(_) | Err(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(|error| {
            CodedError::new(Code::Settings, &format!("could not read the prompt {}: {error}", path.display()))
        })?;
        prompts.replace(name, &text)?;
    }
    Ok(prompts)
}
