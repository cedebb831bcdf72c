//! `probity serve`: one server for many clients, over HTTP and for programs that attach. Drives due runs.

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
    attach::ServedSettings,
    command_context::CommandContext,
    command_error::CommandError,
    commands::mcp,
    exit::Exit,
    keys::ProviderKeys,
    output::Tone,
    settings::{
        Settings,
        raw::{RawSettings, RawValue, SettingOrigin},
    },
    shutdown::ShutdownSignals,
    watch,
};

/// How often changed tokens are looked for: a removed token grants nothing after this.
const TOKENS_LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often a backup may be due.
const COPY_LOOK_EVERY: Duration = Duration::from_secs(3_600);
/// A start that is under way says whether money was spent, so shutdown waits for it, but not for ever.
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
    let loaded = context.settings(flags)?;
    loaded.notes.iter().for_each(|note| tracing::warn!("{note}"));
    let served = ServedSettings::new(&loaded.shown);
    let settings = loaded.settings;
    if arguments.fleet {
        return Box::pin(fleet::run(context, &settings)).await;
    }
    let wanted = settings.serve.address()?;
    let keys = ProviderKeys::read(&context.environment)?;
    let served = served.with_keys(&keys);
    let serving = ServeLock::acquire(&settings.store_directory)?;
    let app = Arc::new(AppContext::open(&settings, Some(keys))?);
    app.ensure_writable()?;
    let files = TokenFiles::in_directory(&settings.store_directory);
    let tokens = Arc::new(TokenTable::default());
    load_tokens(&files, &tokens)?;
    let listener = listen(wanted).await?;
    let address = listener.local_addr().unwrap_or(wanted);
    serving.write_notice(&format!("http://{address}{}", http::PATH), &served.encode());
    let socket = socket(&settings.store_directory);
    announce(context, address, &files);

    let stop = CancellationToken::new();
    let work = start_tasks(&app, &settings, listener, socket, &stop, &tokens)?;
    keep_tokens_fresh(&work, files, tokens, Arc::clone(&app));
    let mut leave = ShutdownSignals::new();
    let request = leave.wait().await;
    tracing::info!("shutdown requested");
    tokio::select! {
        () = work.close() => {}
        _ = leave.wait() => tracing::warn!("second shutdown request; open connections are dropped"),
        () = app.clock().sleep(request.patience(LEAVING_TAKES)) => tracing::warn!("shutdown timeout: some runs are under way"),
    }
    app.back_up_when_due();
    drop(serving);
    Ok(Exit::Done)
}

/// Everything that runs until it is closed: both listeners, driving, the daily backup.
fn start_tasks(
    app: &Arc<AppContext>,
    settings: &Settings,
    listener: TcpListener,
    socket: Option<LocalSocket>,
    stop: &CancellationToken,
    tokens: &Arc<TokenTable>,
) -> Result<TaskGroup, CommandError> {
    let server = Arc::new(mcp::mcp_server(app, settings)?);
    let http_settings = HttpSettings {
        allowed: settings.serve.allowed.clone(),
        pace: settings.serve.pace,
        ..HttpSettings::new(AuthPolicy::Tokens(Arc::clone(tokens)))
    };
    let tasks = TaskGroup::child_of(stop);
    let over_http = Arc::clone(&server);
    tasks.spawn_named("http", |stop| async move {
        if let Err(error) = over_http.serve_http(listener, http_settings, stop).await {
            tracing::error!(%error, "HTTP listener failed");
        }
    });
    if let Some(socket) = socket {
        tasks.spawn_named("attached", |stop| server.serve_local(socket, stop));
    }
    let driving = mcp::start_background_tasks(app, settings, stop);
    tasks.spawn_named("background", |stop| async move {
        stop.cancelled().await;
        driving.close().await;
    });
    if settings.watch.by_server {
        let (watching, settings) = (Arc::clone(app), settings.clone());
        tasks.spawn_named("watches", |stop| async move {
            watch::keep_checking(&watching, &settings, stop).await;
        });
    }
    let copying = Arc::clone(app);
    tasks.spawn_named("backups", |stop| async move {
        while stop.run_until_cancelled(copying.clock().sleep(COPY_LOOK_EVERY)).await.is_some() {
            Box::pin(copying.purge_expired()).await;
            let app = Arc::clone(&copying);
            if let Err(error) = tokio::task::spawn_blocking(move || app.back_up_when_due()).await {
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

/// Without the socket each `probity mcp` serves by itself; HTTP is not affected.
fn socket(directory: &Path) -> Option<LocalSocket> {
    match LocalSocket::bind(directory) {
        Ok(socket) => Some(socket),
        Err(error) => {
            tracing::warn!(%error, "socket was not opened; each `probity mcp` serves by itself");
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

/// A token that was added grants access, and one that was removed does not, without a restart. Files that
/// cannot be trusted any more change nothing, and that is logged once.
fn keep_tokens_fresh(work: &TaskGroup, files: TokenFiles, tokens: Arc<TokenTable>, app: Arc<AppContext>) {
    work.spawn_named("tokens", |stop| async move {
        let mut said = None;
        while stop.run_until_cancelled(app.clock().sleep(TOKENS_LOOK_EVERY)).await.is_some() {
            let (files, tokens) = (files.clone(), Arc::clone(&tokens));
            let loaded = tokio::task::spawn_blocking(move || load_tokens(&files, &tokens)).await;
            let Ok(loaded) = loaded else { continue };
            let failure = loaded.err().map(|failure| (failure.problem.message, failure.hint));
            if let Some((message, hint)) = failure.as_ref().filter(|_| failure != said) {
                tracing::error!(message, hint, "token files were not reloaded");
            }
            said = failure;
        }
    });
}

/// Prints where the server listens, where the token is, and what to paste into a client.
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
