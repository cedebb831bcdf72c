//! `probity mcp`: the MCP server for one client on stdin and stdout. Runs it starts are on disk and go
//! on at the next start if the client ends this process. Also the subcommands that edit the clients'
//! settings.

pub mod clients;
pub mod file;
mod handshake;
pub mod install;
pub mod plan;
pub mod status;
pub mod uninstall;

use std::{io, os::fd::AsFd as _, sync::Arc, time::Duration};

use clap::{Args, Subcommand};
use probity_page::app as view;
use probity_research::Code;
use probity_runner::tasks::TaskGroup;
use probity_server::{McpServer, McpServerParts, app_view::AppView, markdown::ReportTemplates};
use probity_store::IntegrityDepth;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use tokio_util::sync::CancellationToken;

use crate::{
    app_context::{AppContext, DriveCapability},
    attach::{self, ServedSettings},
    command_context::CommandContext,
    command_error::CommandError,
    environment::working_directory,
    exit::Exit,
    keys::ProviderKeys,
    local_backend::LocalBackend,
    notify,
    settings::{Settings, raw::RawSettings},
    shutdown::wait_for_shutdown,
};

/// Drivers stop within this when the client has disconnected.
const LEAVING_TAKES: Duration = Duration::from_secs(3);

#[derive(Debug, Args)]
#[command(after_help = "Without a command: serve.")]
pub struct McpArguments {
    #[command(subcommand)]
    verb: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// Serve MCP on stdin and stdout, for clients that start this program
    Serve,
    /// Add Probity to the MCP clients on this machine
    Install(install::InstallArguments),
    /// Take Probity out of the MCP clients again
    Uninstall(uninstall::UninstallArguments),
    /// Start the server as each client would, and say whether it answers
    Status(status::StatusArguments),
}

impl McpArguments {
    /// Whether stdin and stdout belong to a client.
    pub fn is_server(&self) -> bool {
        matches!(self.verb, None | Some(McpCommand::Serve))
    }

    pub fn wants_json(&self) -> bool {
        match &self.verb {
            None | Some(McpCommand::Serve) => false,
            Some(McpCommand::Install(arguments)) => arguments.json,
            Some(McpCommand::Uninstall(arguments)) => arguments.json,
            Some(McpCommand::Status(arguments)) => arguments.json,
        }
    }
}

pub async fn run(context: &CommandContext, arguments: &McpArguments) -> Result<Exit, CommandError> {
    match &arguments.verb {
        None | Some(McpCommand::Serve) => serve(context).await,
        Some(McpCommand::Install(arguments)) => install::run(context, arguments),
        Some(McpCommand::Uninstall(arguments)) => uninstall::run(context, arguments),
        Some(McpCommand::Status(arguments)) => status::run(context, arguments).await,
    }
}

/// A client may have made its ends of the pipes non-blocking (Node does): a pause of
/// the client would then look like an error.
fn set_pipes_blocking() {
    let (input, output) = (io::stdin(), io::stdout());
    for end in [input.as_fd(), output.as_fd()] {
        let waits = fcntl_getfl(end).and_then(|flags| fcntl_setfl(end, flags.difference(OFlags::NONBLOCK)));
        if let Err(error) = waits {
            tracing::debug!(%error, "stdin or stdout was not set to blocking");
        }
    }
}

async fn serve(context: &CommandContext) -> Result<Exit, CommandError> {
    set_pipes_blocking();
    let loaded = context.settings(RawSettings::default())?;
    loaded.notes.iter().for_each(|note| tracing::warn!("{note}"));
    let wanted = ServedSettings::new(&loaded.shown);
    let settings = loaded.settings;
    let keys = ProviderKeys::read(&context.environment)?;
    if let Some(ended) = attach::serve_client(&settings.store_directory, &wanted.with_keys(&keys)).await {
        return ended;
    }
    let app = Arc::new(AppContext::open(&settings, Some(keys))?);
    let server = mcp_server(&app, &settings)?;
    let stop = CancellationToken::new();
    let background = start_background_tasks(&app, &settings, &stop);
    let served = tokio::select! {
        served = server.serve_stdio(working_directory(), stop.child_token()) => served,
        () = wait_for_shutdown() => Ok(()),
    };
    stop.cancel();
    if tokio::time::timeout(LEAVING_TAKES, background.close()).await.is_err() {
        tracing::warn!("shutdown timeout: some runs are under way; they resume at the next start");
    }
    served.map(|()| Exit::Done).map_err(|error| {
        CommandError::new(Code::InvalidArguments, "the client does not speak MCP").with_cause(&error)
    })
}

/// The MCP server of this machine's store.
pub fn mcp_server(app: &Arc<AppContext>, settings: &Settings) -> Result<McpServer, CommandError> {
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret).map_err(|error| {
        CommandError::new(Code::StoreFailed, "the system gives no random numbers").with_cause(&error)
    })?;
    Ok(McpServer::new(McpServerParts {
        backend: Arc::new(LocalBackend::new(Arc::clone(app), settings)),
        templates: ReportTemplates::new(settings.report_template()?)?,
        secret,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        app: Some(mcp_app()),
    }))
}

/// What hosts that show MCP apps get.
pub fn mcp_app() -> AppView {
    let (uri, media_type, html) = (view::URI, view::MEDIA_TYPE, view::HTML);
    AppView { uri, media_type, html, meta: view::meta() }
}

/// The background tasks beside the server: driving due runs, desktop notifications, and one integrity check
/// of the store.
pub fn start_background_tasks(
    app: &Arc<AppContext>,
    settings: &Settings,
    stop: &CancellationToken,
) -> TaskGroup {
    let tasks = TaskGroup::child_of(stop);
    let auditor = Arc::clone(app);
    tasks.spawn_named("audit", move |_| async move {
        let audited = tokio::task::spawn_blocking(move || {
            auditor.researches.executor().engine().remove_leftovers();
            auditor.store.check_integrity(IntegrityDepth::Rows)
        })
        .await;
        if let Ok(Err(problem)) = audited {
            tracing::error!(code = %problem.code, cause = %problem.message, "store is damaged");
        }
    });
    if app.drives != DriveCapability::Nothing && app.store.refusal().is_none() {
        let driver = Arc::clone(app);
        let announced = CancellationToken::new();
        let telling = notify::notify_endings(app, settings, announced.clone());
        tasks.spawn_named("drive", move |stop| async move {
            let preparing = Arc::clone(&driver);
            // Building the HTTP client takes milliseconds that the first answer must not wait for.
            let prepared = tokio::task::spawn_blocking(move || {
                preparing.researches.executor().engine().prepare();
            });
            if let Err(error) = prepared.await {
                tracing::warn!(%error, "engine was not prepared");
            }
            let driving = async {
                driver.researches.executor().run(stop).await;
                // Drivers announce until the executor has returned.
                announced.cancel();
            };
            tokio::join!(driving, telling);
            Box::pin(driver.purge_expired()).await;
            driver.back_up_when_due();
        });
    }
    tasks
}
