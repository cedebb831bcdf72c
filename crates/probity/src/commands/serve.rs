//! `probity serve`: one server for many clients, over HTTP and for programs that attach. Drives what is due.

mod fleet;
mod token;

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use clap::{Args, Subcommand};
use probity_research::{Code, ports::Clock as _};
use probity_runner::tasks::TaskGroup;
use probity_server::{
    http::{self, AuthPolicy, HttpSettings, TokenTable},
    local_socket::LocalSocket,
};
use probity_store::{ServeLock, TokenFiles};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    commands::mcp,
    exit::Exit,
    follow::ShutdownSignals,
    keys::ProviderKeys,
    output::Tone,
    settings::{
        Settings,
        raw::{RawSettings, RawValue, SettingOrigin},
    },
};

/// How often changed tokens are looked for: a removed one opens nothing after this.
const TOKENS_LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often a backup may be due.
const COPY_LOOK_EVERY: Duration = Duration::from_secs(3_600);
/// A start that is under way says whether money was spent, so leaving waits for it, but not for ever.
const LEAVING_TAKES: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ServeArguments {
    /// Address and port to listen on, instead of `serve.listen`
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Serve as a front end of a fleet: its database and engine instead of this machine's store
    #[arg(long)]
    pub fleet: bool,
    #[command(subcommand)]
    verb: Option<ServeCommand>,
}

#[derive(Debug, Subcommand)]
enum ServeCommand {
    /// Give others a token of their own, list who has one, take one away
    #[command(subcommand)]
    Token(token::TokenCommand),
}

pub async fn run(context: &CommandContext, arguments: &ServeArguments) -> Result<Exit, CommandError> {
    if let Some(ServeCommand::Token(verb)) = &arguments.verb {
        return token::run(context, verb);
    }
    let mut flags = RawSettings::default();
    if let Some(listen) = &arguments.listen {
        flags.values.insert("serve.listen", RawValue::one(listen, SettingOrigin::Flag("--listen")));
    }
    let settings = context.settings(flags)?.settings;
    if arguments.fleet {
        return Box::pin(fleet::run(context, &settings)).await;
    }
    let wanted = settings.serve.address()?;
    let keys = ProviderKeys::read(&context.environment)?;
    let serving = ServeLock::acquire(&settings.store_directory)?;
    let desk = Arc::new(AppContext::open(&settings, Some(keys))?);
    desk.ensure_writable()?;
    let files = TokenFiles::in_directory(&settings.store_directory);
    let tokens = Arc::new(TokenTable::default());
    load_tokens(&files, &tokens)?;
    let listener = listen(wanted).await?;
    let address = listener.local_addr().unwrap_or(wanted);
    serving.write_address(&format!("http://{address}{}", http::PATH));
    let socket = socket(&settings.store_directory);
    announce(context, address, &files);

    let stop = CancellationToken::new();
    let work = start_tasks(&desk, &settings, listener, socket, &stop, &tokens)?;
    keep_tokens_fresh(&work, files, tokens, Arc::clone(&desk));
    let mut leave = ShutdownSignals::new();
    leave.wait().await;
    tracing::info!("asked to leave");
    tokio::select! {
        () = work.close() => {}
        () = leave.wait() => tracing::warn!("asked twice; what is open is cut"),
        () = desk.clock().sleep(LEAVING_TAKES) => tracing::warn!("some work did not end in time; it is on disk"),
    }
    desk.back_up_when_due();
    drop(serving);
    Ok(Exit::Done)
}

/// Everything that goes on until it is closed: both ways in, driving, the daily backup.
fn start_tasks(
    desk: &Arc<AppContext>,
    settings: &Settings,
    listener: TcpListener,
    socket: Option<LocalSocket>,
    stop: &CancellationToken,
    tokens: &Arc<TokenTable>,
) -> Result<TaskGroup, CommandError> {
    let face = Arc::new(mcp::mcp_server(desk, settings)?);
    let http_settings = HttpSettings {
        allowed: settings.serve.allowed.clone(),
        pace: settings.serve.pace,
        ..HttpSettings::new(AuthPolicy::Tokens(Arc::clone(tokens)))
    };
    let tasks = TaskGroup::child_of(stop);
    let over_http = Arc::clone(&face);
    tasks.spawn_named("http", |stop| async move {
        if let Err(error) = over_http.serve_http(listener, http_settings, stop).await {
            tracing::error!(%error, "the listener broke");
        }
    });
    if let Some(socket) = socket {
        tasks.spawn_named("attached", |stop| face.serve_local(socket, stop));
    }
    let driving = mcp::start_background_tasks(desk, settings, stop);
    tasks.spawn_named("background", |stop| async move {
        stop.cancelled().await;
        driving.close().await;
    });
    let copying = Arc::clone(desk);
    tasks.spawn_named("backups", |stop| async move {
        while stop.run_until_cancelled(copying.clock().sleep(COPY_LOOK_EVERY)).await.is_some() {
            let desk = Arc::clone(&copying);
            if let Err(error) = tokio::task::spawn_blocking(move || desk.back_up_when_due()).await {
                tracing::warn!(%error, "no backup was made");
            }
        }
    });
    Ok(tasks)
}

async fn listen(address: SocketAddr) -> Result<TcpListener, CommandError> {
    TcpListener::bind(address).await.map_err(|error| {
        CommandError::new(Code::ListenFailed, &format!("could not listen on {address}")).with_cause(&error)
    })
}

/// Without the socket `probity mcp` serves by itself; HTTP is not touched by that.
fn socket(directory: &Path) -> Option<LocalSocket> {
    match LocalSocket::bind(directory) {
        Ok(socket) => Some(socket),
        Err(error) => {
            tracing::warn!(%error, "no socket to attach to; `probity mcp` will serve on its own");
            None
        }
    }
}

fn load_tokens(files: &TokenFiles, tokens: &TokenTable) -> Result<(), CommandError> {
    let own = files
        .own_token(token::random_secret()?)
        .map_err(|problem| token::token_file_error(problem, &files.own_path()))?;
    let named =
        files.named_tokens().map_err(|problem| token::token_file_error(problem, &files.named_path()))?;
    tokens.replace(own.hash(), named);
    Ok(())
}

/// A token that was added opens the server, and one that was removed does not, without a restart. Files that
/// cannot be trusted any more change nothing, and that is said once.
fn keep_tokens_fresh(work: &TaskGroup, files: TokenFiles, tokens: Arc<TokenTable>, desk: Arc<AppContext>) {
    work.spawn_named("tokens", |stop| async move {
        let mut said = None;
        while stop.run_until_cancelled(desk.clock().sleep(TOKENS_LOOK_EVERY)).await.is_some() {
            let (files, tokens) = (files.clone(), Arc::clone(&tokens));
            let loaded = tokio::task::spawn_blocking(move || load_tokens(&files, &tokens)).await;
            let Ok(loaded) = loaded else { continue };
            let failure = loaded.err().map(|failure| (failure.problem.message, failure.hint));
            if let Some((message, hint)) = failure.as_ref().filter(|_| failure != said) {
                tracing::error!(message, hint, "tokens stay as they were");
            }
            said = failure;
        }
    });
}

/// Where it listens, where the token is, and what to paste into a client.
fn announce(context: &CommandContext, address: SocketAddr, files: &TokenFiles) {
    let output = &context.output;
    let place = format!("http://{address}{}", http::PATH);
    let rows = [
        ("serving", output.style_err(Tone::Strong, &place)),
        ("token", format!("in {}, for `Authorization: Bearer …`", files.own_path().display())),
        ("paste", "claude mcp add probity -- probity mcp".to_owned()),
        (
            "",
            "A client on this machine that starts `probity mcp` uses this server, without a token."
                .to_owned(),
        ),
    ];
    output.print_message(&output.rows(&rows));
    if !address.ip().is_loopback() {
        output.print_message(&output.style_err(
            Tone::Warning,
            "Other machines can reach this address, and tokens travel in clear: put TLS before it.",
        ));
    }
}
