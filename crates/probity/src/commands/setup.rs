//! `probity setup`: finds what is installed, asks for what is missing, stores the answers, and ends with the
//! doctor.
//!
//! Every answer is also a flag. Never prints a secret; never takes one on the command line, where others see it.

mod ask;
mod endpoints;
mod findings;
mod judge;
mod store;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use clap::Args;
use probity_clients::McpClient;
use probity_research::{Code, cost::MicroUsd};

use self::judge::JudgeProgram;
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    commands::{
        doctor::{self, DoctorArguments},
        mcp::{
            clients,
            install::{self, InstallArguments},
            plan::WriteArguments,
        },
    },
    environment::Environment,
    exit::Exit,
    settings::edit::ConfigValue,
};

#[derive(Debug, Args)]
pub struct SetupArguments {
    /// Take keys from this file: lines such as TAVILY_API_KEY=…, or one Gemini key on its own
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Take a Gemini API key from stdin; a key on the command line would be seen by others
    #[arg(long, value_name = "-")]
    pub gemini_key: Option<String>,
    /// Let the model at this OpenAI-compatible address write, such as http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL", requires = "model")]
    pub model_endpoint: Option<String>,
    /// The name of that model
    #[arg(long, value_name = "NAME", requires = "model_endpoint")]
    pub model: Option<String>,
    /// Let this program judge claims with an entailment model: a program of yours, see `checks.judge_program`
    #[arg(long, value_name = "FILE", requires = "judge_weights")]
    pub judge_program: Option<PathBuf>,
    /// The weights of that model; their hash is pinned
    #[arg(long, value_name = "FILE", requires = "judge_program")]
    pub judge_weights: Option<PathBuf>,
    /// Most that one research may cost, in US dollars
    #[arg(long, value_name = "USD")]
    pub spend_cap: Option<String>,
    /// Add Probity to these MCP clients: names with commas, `all` that are found, or `none`
    #[arg(long, value_name = "LIST")]
    pub clients: Option<String>,
    /// Ask nothing; what no flag says stays as it is
    #[arg(long)]
    pub yes: bool,
}

/// What is to be stored.
#[derive(Default)]
pub struct SetupAnswers {
    pub keys: BTreeMap<String, String>,
    /// Settings of the user's file: key and value as written there.
    pub settings: Vec<(&'static str, ConfigValue)>,
    pub clients: Vec<McpClient>,
}

impl SetupAnswers {
    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.settings.is_empty() && self.clients.is_empty()
    }
}

pub async fn run(context: &CommandContext, arguments: &SetupArguments) -> Result<Exit, CommandError> {
    let mut answers = typed(context, arguments)?;
    let found = findings::inspect_machine(context).await?;
    context.output.data(&found.render(context))?;
    let asks = context.output.can_ask() && !arguments.yes && arguments.gemini_key.is_none();
    if asks {
        ask::ask_missing(context, &found, arguments, &mut answers)?;
    }
    if answers.is_empty() && !asks {
        context.output.data(&found.commands())?;
        return Ok(Exit::Done);
    }
    store::store_keys(context, &answers.keys)?;
    store::store_settings(context, &answers.settings)?;
    let mut exit = Exit::Done;
    if !answers.clients.is_empty() {
        let writing = WriteArguments { yes: arguments.yes, ..WriteArguments::default() };
        let install = InstallArguments { clients: answers.clients, writing, ..InstallArguments::default() };
        exit = match install::run(context, &install) {
            // Declining the diff is an answer too.
            Err(failure) if failure.problem.code == Code::Cancelled => Exit::Done,
            ended => ended?,
        };
    }
    context.output.data("")?;
    // What was just stored is used.
    let context = CommandContext { output: context.output.clone(), environment: Environment::read() };
    let checked = Box::pin(doctor::run(&context, &DoctorArguments { json: false, probe: false })).await?;
    Ok(if exit == Exit::Done { checked } else { exit })
}

fn typed(context: &CommandContext, arguments: &SetupArguments) -> Result<SetupAnswers, CommandError> {
    let mut answers = SetupAnswers::default();
    if let Some(path) = &arguments.key_file {
        answers.keys.extend(store::keys_in(path)?);
    }
    if let Some(place) = &arguments.gemini_key {
        if place != "-" {
            // Not repeated in the message: it may be the key.
            return Err(CommandError::new(
                Code::InvalidArguments,
                "a key on the command line can be seen by others",
            )
            .with_hint("pass it through stdin: `probity setup --gemini-key - < key.txt`"));
        }
        answers.keys.insert("GEMINI_API_KEY".to_owned(), store::key_from_stdin()?);
    }
    if let (Some(address), Some(model)) = (&arguments.model_endpoint, &arguments.model) {
        answers.settings.extend(model_settings(address, model));
    }
    if let (Some(program), Some(weights)) = (&arguments.judge_program, &arguments.judge_weights) {
        let judge = JudgeProgram { program: absolute(program)?, weights: absolute(weights)? };
        answers.settings.extend(judge.settings()?);
    }
    if let Some(cap) = &arguments.spend_cap {
        answers.settings.push(("budget.max_usd", spend_cap(cap)?));
    }
    if let Some(list) = &arguments.clients {
        answers.clients = listed(context, list)?;
    }
    Ok(answers)
}

fn model_settings(address: &str, model: &str) -> [(&'static str, ConfigValue); 2] {
    let text = |text: &str| ConfigValue::Text(text.to_owned());
    [("chat.base_url", text(address)), ("chat.model", text(model))]
}

/// Settings hold whole paths: the program runs anywhere.
fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    path.canonicalize().map_err(|error| {
        CommandError::new(Code::InvalidArguments, &format!("could not find {}", path.display()))
            .with_cause(&error)
            .with_hint("name files that are there: `probity setup --judge-program FILE --judge-weights FILE`")
    })
}

fn spend_cap(text: &str) -> Result<ConfigValue, CommandError> {
    let amount = text.trim().trim_start_matches('$');
    let is_amount = MicroUsd::parse_usd(amount).is_some_and(|cap| cap.0 > 0);
    if !is_amount {
        let shown = probity_research::text::line(text, 40);
        let message = format!("`{shown}` is not an amount in US dollars");
        return Err(CommandError::new(Code::InvalidArguments, &message)
            .with_hint("write it like `probity setup --spend-cap 2.50`"));
    }
    Ok(ConfigValue::Number(amount.to_owned()))
}

fn listed(context: &CommandContext, list: &str) -> Result<Vec<McpClient>, CommandError> {
    match list.trim() {
        "none" | "" => Ok(Vec::new()),
        "all" => Ok(clients::installed(context, &clients::client_directories(context)?)),
        names => names
            .split(',')
            .map(|name| {
                clients::parse(name.trim()).map_err(|expected| {
                    let shown = probity_research::text::line(name, 40);
                    CommandError::new(
                        Code::InvalidArguments,
                        &format!("`{shown}` is no MCP client: {expected}"),
                    )
                    .with_hint("run `probity setup --clients all --yes`, or name them with commas")
                })
            })
            .collect(),
    }
}
