//! The engines as this program uses them: built when driving begins, because starting TLS costs milliseconds
//! that a status answer need not pay.

use std::{
    ffi::OsString,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use probity_engines::{
    ApiRounds, Cli, CliRounds, Engines, Google, PromptName, Prompts, WebEngine, judge::Judge,
    prompts::PROMPT_BYTES_MAX,
};
use probity_extract::{Parser, ParserSettings};
use probity_models::{
    ApiKey, DeepResearch, DeepResearchSettings, HttpTransport,
    chat::Chat,
    entailment::Entailment,
    gemini::redirects::Redirects,
    gemini_cli::{CliSettings, GeminiCli, sweep},
};
use probity_research::{
    Code, Problem, Research, ResearchId,
    finding::{Call, Finding},
    plan::Plan,
    rounds::say,
    seams::Engine,
};

use probity_web::{
    archive::Archive,
    browser::{self, Browser},
    fetch::{Fetched, Fetcher, FetcherSettings, Guard, Proxy},
    search::Search,
};

use crate::{environment, keys::Keys, planning, settings::Settings};

type Network = Arc<HttpTransport>;

/// Where the Gemini CLI's processes have their private folders, below the data directory.
const CLI_FOLDER: &str = "cli";
/// Where pages are kept that a server can recognise, and where browsers have their private folders.
const PAGES_FOLDER: &str = "pages";
const BROWSER_FOLDER: &str = "browser";

pub struct LazyEngine {
    settings: Settings,
    keys: Keys,
    /// Each way when it is first gone: a server that only waits for Google need not hold what reads the web.
    google: OnceLock<Built>,
    web: OnceLock<Built>,
}

type Built = Result<Engines<Network>, Problem>;

impl LazyEngine {
    pub fn new(settings: &Settings, keys: Keys) -> Self {
        Self { settings: settings.clone(), keys, google: OnceLock::new(), web: OnceLock::new() }
    }

    /// Builds Google's engines now, before anything is driven: whoever dies between the intent and the paid call
    /// cannot say whether money was spent, so nothing slow may lie between the two. A failure is told at the call.
    pub fn prepare(&self) {
        told(self.google().as_ref().map_err(Problem::clone));
    }

    /// The same for the engine that this plan takes, before it is started.
    pub fn prepare_for(&self, plan: &Plan) {
        told(self.engines(plan));
    }

    /// Removes what dead processes left behind, and says how much it was: a server does so when it starts.
    pub fn sweep(&self) {
        match sweep(&self.settings.store_directory.join(CLI_FOLDER)) {
            Ok(files) => {
                tracing::info!(target: say::TARGET, "Cleaned up {files} orphaned temp-invalid-output files");
            }
            Err(problem) => {
                tracing::warn!(code = %problem.code, message = %problem.message, "orphaned files stay")
            }
        }
    }

    fn engines(&self, plan: &Plan) -> Result<&Engines<Network>, Problem> {
        match plan.web {
            Some(_) => self.web().as_ref().map_err(Problem::clone),
            None => self.google().as_ref().map_err(Problem::clone),
        }
    }

    fn google(&self) -> &Built {
        self.google.get_or_init(|| {
            let prompts = prompts(&self.settings.prompts)?;
            let google = match &self.keys.gemini {
                Some(key) => google(&self.settings, key, &prompts),
                None => Err(Problem::new(Code::KeyMissing, "there is no API key")),
            };
            Ok(Engines { google, web: Err(elsewhere()), prompts })
        })
    }

    fn web(&self) -> &Built {
        self.web.get_or_init(|| {
            let prompts = prompts(&self.settings.prompts)?;
            Ok(Engines { google: Err(elsewhere()), web: web(&self.settings, &self.keys), prompts })
        })
    }
}

fn told<T>(built: Result<T, Problem>) {
    if let Err(problem) = built {
        tracing::debug!(code = %problem.code, "the engines could not be prepared");
    }
}

/// No plan asks one way for what the other does.
fn elsewhere() -> Problem {
    Problem::new(Code::UnknownEngine, "this is another engine's work")
}

impl Engine for LazyEngine {
    async fn perform(&self, research: &Research, call: &Call) -> Finding {
        // Whatever gathered a text, the web engine's parts check it.
        let engines = match call {
            Call::Check(_) => self.web().as_ref().map_err(Problem::clone),
            _ => self.engines(&research.plan),
        };
        match (engines, call) {
            (Ok(engines), _) => engines.perform(research, call).await,
            // No byte was sent: nothing can have been billed.
            (Err(problem), Call::Create { .. } | Call::Ask(_)) => Finding::Refused(problem),
            (Err(problem), Call::Web(call)) => call.refused(problem),
            (Err(problem), Call::Check(call)) => call.refused(problem),
            (Err(problem), Call::Follow { .. } | Call::Cancel { .. } | Call::Collect { .. }) => {
                Finding::Unreachable(problem)
            }
        }
    }

    fn forget(&self, id: ResearchId) {
        // The web engine keeps nothing open between its calls.
        if let Some(Ok(engines)) = self.google.get() {
            engines.forget(id);
        }
    }
}

fn google(settings: &Settings, key: &ApiKey, prompts: &Prompts) -> Result<Google<Network>, Problem> {
    let base_url = settings.base_url.as_str().to_owned();
    let network = Arc::new(HttpTransport::new(&base_url)?);
    let redirects = || Redirects::new(Arc::clone(&network), &base_url);
    let service = DeepResearch::new(
        Arc::clone(&network),
        DeepResearchSettings {
            base_url: base_url.clone(),
            api_version: settings.api_version.clone(),
            calls_in_flight_max: settings.calls_in_flight,
            streams_open_max: settings.streams_open,
            ..DeepResearchSettings::new(key.clone())
        },
    )?;
    let system = prompts.text(PromptName::System).to_owned();
    let cli: Cli<Network> =
        gemini_cli(settings, key.clone(), system).map(|cli| CliRounds::new(cli, redirects()));
    Ok(Google { service, api: ApiRounds::new(redirects()), cli })
}

fn web(settings: &Settings, keys: &Keys) -> Result<WebEngine<Network>, Problem> {
    let web = &settings.web;
    let fetcher = fetcher(settings)?;
    let chat = match planning::chat_settings(settings, keys) {
        Some(chat) => {
            let network = Arc::new(HttpTransport::new(&chat.base_url)?);
            Some(Chat::new(network, chat, planning::now)?)
        }
        None => None,
    };
    let judge = match (planning::local_judge(settings), planning::judge_settings(settings, keys)) {
        (Some(local), _) => Some(Judge::Local(Entailment::open(local.clone())?)),
        (None, Some(chat)) => {
            let network = Arc::new(HttpTransport::new(&chat.base_url)?);
            Some(Judge::Chat(Chat::new(network, chat, planning::now)?))
        }
        (None, None) => None,
    };
    let browser = browser(settings, &fetcher);
    let parser = parser()?;
    Ok(WebEngine {
        search: Search::new(Arc::clone(&fetcher), planning::search(settings, keys)),
        fetcher,
        parser,
        archive: web.archive.then(Archive::default),
        browser,
        chat,
        judge,
        now: Box::new(planning::now),
    })
}

fn browser(settings: &Settings, fetcher: &Fetcher) -> Result<Browser<Guard>, Problem> {
    let web = &settings.web;
    if !web.browser {
        return Err(Problem::new(Code::BrowserMissing, "the browser is switched off in `web.browser`"));
    }
    let program = browser::find(web.browser_program.as_deref(), &settings.path)?;
    let folder = settings.store_directory.join(BROWSER_FOLDER);
    Ok(Browser::new(program, &folder, Arc::clone(fetcher.guard())))
}

/// A document of our own as a PDF; needs Chromium.
pub async fn print(settings: &Settings, html: &str) -> Result<Vec<u8>, Problem> {
    let browser = browser(settings, &*fetcher(settings)?)?;
    Box::pin(browser.print(html)).await
}

/// One page as anyone may fetch it: guarded, like every page.
pub async fn fetch(settings: &Settings, url: &str) -> Result<Fetched, Problem> {
    Box::pin(fetcher(settings)?.page(url)).await
}

fn fetcher(settings: &Settings) -> Result<Arc<Fetcher>, Problem> {
    let web = &settings.web;
    Fetcher::new(FetcherSettings {
        contact: web.contact.clone(),
        reach: web.reach.clone(),
        proxy: web.proxy.as_ref().map(|url| Proxy::new(url, None).map(Arc::new)).transpose()?,
        cache: Some(settings.store_directory.join(PAGES_FOLDER)),
        ..FetcherSettings::new(planning::now)
    })
    .map(Arc::new)
}

/// Reads pages in a process that can reach nothing.
pub fn parser() -> Result<Parser, Problem> {
    let program = myself()?;
    Ok(Parser::new(ParserSettings::new(vec![program.into_os_string(), OsString::from("parse")])))
}

fn myself() -> Result<PathBuf, Problem> {
    environment::program().map_err(|error| {
        Problem::new(Code::CliFailed, &format!("this program does not find itself: {error}"))
    })
}

/// The Gemini CLI as the settings have it.
pub fn gemini_cli(settings: &Settings, key: ApiKey, system_prompt: String) -> Result<GeminiCli, Problem> {
    let program = myself()?;
    Ok(GeminiCli::new(CliSettings {
        program: settings.cli.program.clone(),
        path: settings.path.clone(),
        keeper: vec![program.into_os_string(), OsString::from("keep")],
        directory: settings.store_directory.join(CLI_FOLDER),
        key,
        base_url: settings.base_url.clone(),
        system_prompt,
        reuse: settings.cli.reuse,
    }))
}

/// The prompts, with the user's own in place of ours.
pub fn prompts(directory: &Path) -> Result<Prompts, Problem> {
    let mut prompts = Prompts::default();
    for name in PromptName::ALL {
        let path = directory.join(name.file_name());
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Ok(found) if found.len() > PROMPT_BYTES_MAX as u64 => {
                let message = format!("{} is longer than {PROMPT_BYTES_MAX} bytes", path.display());
                return Err(Problem::new(Code::Settings, &message));
            }
            Ok(_) | Err(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Problem::new(Code::Settings, &format!("could not read the prompt {}: {error}", path.display()))
        })?;
        prompts.replace(name, &text)?;
    }
    Ok(prompts)
}
