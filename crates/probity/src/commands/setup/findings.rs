//! What is there already: programs, keys, models, clients. Reads only.

use probity_clients::McpClient;
use probity_models::gemini_cli::locate;

use super::{
    endpoints::{self, ModelEndpoint},
    judge::{self, JudgeProgram},
};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    commands::{doctor, mcp::clients},
    environment::{ANTHROPIC_KEY, CHAT_KEY, KEYS, search_keys},
    keys::{ProviderKeys, file},
    output::Tone,
    settings::{Settings, raw::RawSettings},
};

pub struct SetupFindings {
    pub settings: Settings,
    /// Version and path of the Gemini CLI, or why there is none.
    cli: Result<String, String>,
    /// Names of keys, never their values.
    pub keys: Vec<&'static str>,
    stored: Vec<&'static str>,
    pub endpoints: Vec<ModelEndpoint>,
    /// The judge that is set, in words.
    pub judge: Option<String>,
    /// An entailment program that is here and not set.
    pub judge_program: Option<JudgeProgram>,
    /// Installed clients, and whether each has an entry of ours.
    pub clients: Vec<(McpClient, bool)>,
}

pub async fn inspect_machine(context: &CommandContext) -> Result<SetupFindings, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let places = clients::client_directories(context)?;
    let is_set = |name: &&'static str| context.environment.is_set(name);
    let keys: Vec<&'static str> = file::names().filter(is_set).collect();
    let stored = keys.iter().copied().filter(|name| context.environment.is_stored(name)).collect();
    let cli = cli(context, &settings).await;
    let known = clients::installed(context, &places).into_iter().map(|client| {
        let has_entry = doctor::clients::entry(&places, client).is_ok_and(|entry| entry.is_some());
        (client, has_entry)
    });
    let known = known.collect();
    let all_keys = ProviderKeys::read(&context.environment).unwrap_or_default();
    Ok(SetupFindings {
        judge: judge::current(&settings, &all_keys),
        judge_program: judge::find_program(&settings.path, &settings.store_directory),
        cli,
        keys,
        stored,
        endpoints: endpoints::find_endpoints().await,
        clients: known,
        settings,
    })
}

async fn cli(context: &CommandContext, settings: &Settings) -> Result<String, String> {
    let program =
        locate(settings.cli.program.as_deref(), &settings.path).map_err(|_| "not found".to_owned())?;
    let key = ProviderKeys::read(&context.environment).unwrap_or_default().gemini;
    match doctor::rounds::cli_version(settings, key).await {
        Ok(version) => Ok(format!("{version}, {}", program.display())),
        Err(problem) => Err(format!("{}: {}", program.display(), problem.message)),
    }
}

impl SetupFindings {
    pub fn has_gemini_key(&self) -> bool {
        KEYS.iter().any(|name| self.keys.contains(name))
    }

    pub fn has_model(&self) -> bool {
        self.settings.web.chat_model.is_some()
    }

    pub fn clients_without_entry(&self) -> Vec<McpClient> {
        self.clients.iter().filter(|(_, has_entry)| !has_entry).map(|(client, _)| *client).collect()
    }

    pub fn render(&self, context: &CommandContext) -> String {
        let output = &context.output;
        let mut lines = vec![output.style_out(Tone::Strong, "Found")];
        for (good, name, detail) in self.rows() {
            let (mark, tone) = if good { ("✓", Tone::Good) } else { ("·", Tone::Quiet) };
            lines.push(
                output.fit_out(&format!("  {} {name:<12}  {detail}", output.style_out(tone, mark)), 18),
            );
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn rows(&self) -> Vec<(bool, &'static str, String)> {
        let named = |names: Vec<&'static str>| {
            let shown = names.into_iter().map(|name| match self.stored.contains(&name) {
                true => format!("{name} (stored)"),
                false => name.to_owned(),
            });
            Some(shown.collect::<Vec<String>>().join(", ")).filter(|text| !text.is_empty())
        };
        let held = |wanted: &[&'static str]| {
            named(self.keys.iter().copied().filter(|name| wanted.contains(name)).collect())
        };
        let searches: Vec<&'static str> = search_keys().map(|(name, _)| name).collect();
        let none = |text: Option<String>, without: &str| {
            (text.is_some(), text.unwrap_or_else(|| without.to_owned()))
        };
        let gemini = none(held(&KEYS), "no GEMINI_API_KEY");
        let search = none(held(&searches), "none; Tavily's keyless access and Wikipedia are asked");
        let mut rows = vec![
            (gemini.0, "Gemini key", gemini.1),
            (self.cli.is_ok(), "Gemini CLI", self.cli.clone().unwrap_or_else(|why| why)),
            (search.0, "search keys", search.1),
        ];
        if let Some(key) = held(&[CHAT_KEY, ANTHROPIC_KEY]) {
            rows.push((true, "chat key", key));
        }
        rows.extend(self.endpoints.iter().map(|endpoint| {
            let models = match endpoint.models.as_slice() {
                [] => "no model yet".to_owned(),
                models => models.join(", "),
            };
            (true, endpoint.usually, format!("{}: {models}", endpoint.address))
        }));
        if self.endpoints.is_empty() {
            rows.push((
                false,
                "local model",
                "none at the ports of Ollama, LM Studio, llama.cpp, vLLM".to_owned(),
            ));
        }
        let found = self.judge_program.as_ref().map(|judge| {
            format!("none set; {} with {} is here", judge.program.display(), judge.weights.display())
        });
        let without = found.unwrap_or_else(|| "none: the best a claim can be called is `quoted`".to_owned());
        rows.push((self.judge.is_some(), "judge", self.judge.clone().unwrap_or(without)));
        let clients = self.clients.iter().map(|(client, has_entry)| match has_entry {
            true => format!("{} (has Probity)", client.title()),
            false => client.title().to_owned(),
        });
        let clients: Vec<String> = clients.collect();
        rows.push((
            !clients.is_empty(),
            "MCP clients",
            match clients.is_empty() {
                true => "none".to_owned(),
                false => clients.join(", "),
            },
        ));
        let cap = self.settings.budget.map(|cap| format!("{cap} for each research"));
        rows.push((cap.is_some(), "spend cap", cap.unwrap_or_else(|| "none".to_owned())));
        rows
    }

    /// What to type, for a user who cannot be asked.
    pub fn commands(&self) -> String {
        let mut lines = vec!["Nobody to ask here. What can be set, each with its command:".to_owned()];
        let mut add = |command: String, why: &str| lines.push(format!("  {command:<50}  {why}"));
        if !self.has_gemini_key() {
            add("probity setup --gemini-key - < key.txt".to_owned(), "store a Gemini API key");
        }
        add("probity setup --key-file keys.env".to_owned(), "store search keys (NAME=VALUE lines)");
        if !self.has_model() {
            let first = self.endpoints.iter().find_map(|endpoint| Some((endpoint, endpoint.models.first()?)));
            let (address, model) = first
                .map_or(("URL", "NAME"), |(endpoint, model)| (endpoint.address.as_str(), model.as_str()));
            add(
                format!("probity setup --model-endpoint {address} --model {model}"),
                "write with a model of your own",
            );
        }
        if let Some(judge) = self.judge_program.as_ref().filter(|_| self.judge.is_none()) {
            let (program, weights) = (judge.program.display(), judge.weights.display());
            add(
                format!("probity setup --judge-program {program} --judge-weights {weights}"),
                "judge claims on this machine",
            );
        }
        if self.settings.budget.is_none() {
            add("probity setup --spend-cap 5".to_owned(), "stop each research at 5 US dollars");
        }
        if !self.clients_without_entry().is_empty() {
            add("probity setup --clients all --yes".to_owned(), "add Probity to the clients above");
        }
        add("probity doctor".to_owned(), "check everything");
        if self.judge.is_none() && self.judge_program.is_none() && self.endpoints.is_empty() {
            lines.push(format!("\n{}", judge::HOW));
        }
        lines.join("\n")
    }
}
