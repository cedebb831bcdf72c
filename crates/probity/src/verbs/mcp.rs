//! `probity mcp`: the MCP server for one client on stdin and stdout. Researches it starts are on disk and go
//! on at the next start if the client takes this process down with it. Beside it the verbs that tell clients of us.

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
use probity_runner::tasks::Tasks;
use probity_server::{Face, FaceParts, app::App, markdown::Templates};
use probity_store::Depth;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use tokio_util::sync::CancellationToken;

use crate::{
    attach,
    context::Context,
    desk::{Desk, Drives},
    exit::Exit,
    failure::Failure,
    follow::asked_to_leave,
    keys::Keys,
    notify,
    office::Office,
    settings::{Settings, written::RawSettings},
};

/// Drivers leave their researches within this when the client has gone.
const LEAVING_TAKES: Duration = Duration::from_secs(3);

#[derive(Debug, Args)]
#[command(after_help = "Without a command: serve.")]
pub struct McpArguments {
    #[command(subcommand)]
    verb: Option<McpVerb>,
}

#[derive(Debug, Subcommand)]
pub enum McpVerb {
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
    pub fn serves(&self) -> bool {
        matches!(self.verb, None | Some(McpVerb::Serve))
    }

    pub fn wants_json(&self) -> bool {
        match &self.verb {
            None | Some(McpVerb::Serve) => false,
            Some(McpVerb::Install(arguments)) => arguments.json,
            Some(McpVerb::Uninstall(arguments)) => arguments.json,
            Some(McpVerb::Status(arguments)) => arguments.json,
        }
    }
}

pub async fn run(context: &Context, arguments: &McpArguments) -> Result<Exit, Failure> {
    match &arguments.verb {
        None | Some(McpVerb::Serve) => serve(context).await,
        Some(McpVerb::Install(arguments)) => install::run(context, arguments),
        Some(McpVerb::Uninstall(arguments)) => uninstall::run(context, arguments),
        Some(McpVerb::Status(arguments)) => status::run(context, arguments).await,
    }
}

/// Whoever starts this program may have opened its ends of the pipes so that a read never waits (Node does): a pause of
/// the client would then look like an error.
fn wait_on_pipes() {
    let (input, output) = (io::stdin(), io::stdout());
    for end in [input.as_fd(), output.as_fd()] {
        let waits = fcntl_getfl(end).and_then(|flags| fcntl_setfl(end, flags.difference(OFlags::NONBLOCK)));
        if let Err(error) = waits {
            tracing::debug!(%error, "stdin or stdout stays as it is");
        }
    }
}

async fn serve(context: &Context) -> Result<Exit, Failure> {
    wait_on_pipes();
    let settings = context.settings(RawSettings::default())?.settings;
    if let Some(ended) = attach::through(&settings.store_directory).await {
        return ended;
    }
    let keys = Keys::read(&context.environment)?;
    let desk = Arc::new(Desk::open(&settings, Some(keys))?);
    let face = face(&desk, &settings)?;
    let stop = CancellationToken::new();
    let background = background(&desk, &settings, &stop);
    let served = tokio::select! {
        served = face.serve_stdio(stop.child_token()) => served,
        () = asked_to_leave() => Ok(()),
    };
    stop.cancel();
    if tokio::time::timeout(LEAVING_TAKES, background.close()).await.is_err() {
        tracing::warn!("some work did not end in time; it is on disk and goes on at the next start");
    }
    served.map(|()| Exit::Done).map_err(|error| {
        Failure::new(Code::InvalidArguments, "the client does not speak MCP").because(&error)
    })
}

/// The server's face on this desk.
pub fn face(desk: &Arc<Desk>, settings: &Settings) -> Result<Face, Failure> {
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret).map_err(|error| {
        Failure::new(Code::StoreFailed, "the system gives no random numbers").because(&error)
    })?;
    Ok(Face::new(FaceParts {
        desk: Arc::new(Office::new(Arc::clone(desk), settings)),
        templates: Templates::new(settings.report_template()?)?,
        secret,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        app: Some(view()),
    }))
}

/// What hosts that show views get.
pub fn view() -> App {
    let (uri, media_type, html) = (view::URI, view::MEDIA_TYPE, view::HTML);
    App { uri, media_type, html, meta: view::meta() }
}

/// What goes on beside answering: driving what is due, telling the desktop, and looking over the store once.
pub fn background(desk: &Arc<Desk>, settings: &Settings, stop: &CancellationToken) -> Tasks {
    let tasks = Tasks::below(stop);
    let auditor = Arc::clone(desk);
    tasks.spawn_named("audit", move |_| async move {
        let audited = tokio::task::spawn_blocking(move || {
            auditor.researches.executor().engine().sweep();
            auditor.store.audit(Depth::Rows)
        })
        .await;
        if let Ok(Err(problem)) = audited {
            tracing::error!(code = %problem.code, message = %problem.message, "the store is damaged");
        }
    });
    if desk.drives != Drives::Nothing && desk.store.refusal().is_none() {
        let driver = Arc::clone(desk);
        let all_told = CancellationToken::new();
        let telling = notify::watch(desk, settings, all_told.clone());
        tasks.spawn_named("drive", move |stop| async move {
            let preparing = Arc::clone(&driver);
            // Building the client costs milliseconds that the first answer must not wait for.
            let prepared = tokio::task::spawn_blocking(move || {
                preparing.researches.executor().engine().prepare();
            });
            if let Err(error) = prepared.await {
                tracing::warn!(%error, "the engine could not be prepared");
            }
            let driving = async {
                driver.researches.executor().run(stop).await;
                // Drivers announce until the executor has returned.
                all_told.cancel();
            };
            tokio::join!(driving, telling);
            driver.copy_when_old();
        });
    }
    tasks
}
