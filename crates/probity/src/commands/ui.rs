//! `probity ui`: the local page. Loopback only; the address that is printed opens it once.

use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr},
    sync::Arc,
    time::Duration,
};

use axum::{
    extract::Request,
    http::StatusCode,
    middleware::{self, Next},
    response::Response,
};
use clap::Args;
use probity_page::{PageLogin, PageName};
use probity_research::{Code, RunId};
use probity_server::http::{self, ConnectionLimits, ConnectionTrust};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    app_context::{AppContext, DriveCapability},
    command_context::CommandContext,
    command_error::CommandError,
    commands::mcp,
    exit::Exit,
    keys::ProviderKeys,
    output::Tone,
    settings::raw::RawSettings,
    shutdown::ShutdownSignals,
    ui_backend::LocalUiBackend,
};

/// Drivers stop within this when the user ends the program.
const LEAVING_TAKES: Duration = Duration::from_secs(2);
/// Ports tried when another program has one of them on the other kind of loopback address.
const PORTS_TRIED: usize = 8;
/// What the guard of the page answers to whoever has not logged in.
const REFUSALS: [StatusCode; 3] =
    [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::MISDIRECTED_REQUEST];

#[derive(Debug, Args)]
pub struct UiArguments {
    /// The port on 127.0.0.1; any free one if not said
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Open the page as 127.0.0.1, for a browser that does not find names under `.localhost` (Safari); its
    /// cookie then also goes to every other program of this machine that the browser opens at 127.0.0.1
    #[arg(long)]
    pub plain_address: bool,
}

pub async fn run(context: &CommandContext, arguments: &UiArguments) -> Result<Exit, CommandError> {
    Box::pin(open_page(context, arguments, None)).await
}

/// Serves the page; the address that is printed leads to the library, or to this run.
pub async fn open_page(
    context: &CommandContext,
    arguments: &UiArguments,
    open: Option<RunId>,
) -> Result<Exit, CommandError> {
    let loaded = context.settings(RawSettings::default())?;
    let settings = loaded.settings.clone();
    let app = Arc::new(AppContext::open(&settings, Some(ProviderKeys::read(&context.environment)?))?);
    let refused = |error: &(dyn std::error::Error + 'static)| {
        CommandError::new(Code::ListenFailed, "could not open the page").with_cause(error)
    };
    let (listeners, port) = listen(arguments.port).await.map_err(|error| {
        CommandError::new(
            Code::ListenFailed,
            &format!("could not listen on port {} of loopback", arguments.port),
        )
        .with_cause(&error)
        .with_hint("leave out `--port` to take a free one")
    })?;
    let name = if arguments.plain_address { PageName::Loopback } else { PageName::Own };
    let login = Arc::new(PageLogin::new(port, name).map_err(|error| refused(&error))?);
    let mut address = login.login_url().map_err(|error| refused(&error))?;
    if let Some(id) = open {
        address.push_str(&format!("&open={id}"));
    }
    let stop = CancellationToken::new();
    let driving =
        (app.drives != DriveCapability::Nothing).then(|| mcp::start_background_tasks(&app, &settings, &stop));
    let router = probity_page::router(Arc::new(LocalUiBackend::new(Arc::clone(&app), loaded)), login);
    // Before the address is known: who has read it may end the program.
    let mut leave = ShutdownSignals::new();
    context.output.data(&address)?;
    context.output.print_message(&context.output.rows(&rows(context, name)));
    let router = router.layer(middleware::from_fn(keep_place));
    let serving = http::serve_router(listeners, router, ConnectionLimits::default(), stop.clone());
    let leaving = async {
        leave.wait().await;
        stop.cancel();
    };
    tokio::join!(serving, leaving);
    if let Some(driving) = driving
        && tokio::time::timeout(LEAVING_TAKES, driving.close()).await.is_err()
    {
        tracing::warn!("shutdown timeout: some runs are under way; they resume at the next start");
    }
    Box::pin(app.purge_expired()).await;
    app.back_up_when_due();
    Ok(Exit::Done)
}

fn rows(context: &CommandContext, name: PageName) -> [(&'static str, String); 3] {
    let about = match name {
        PageName::Own => {
            "If the browser does not find this name (Safari), end this and add `--plain-address`: other \
             programs of this machine that the browser opens at 127.0.0.1 then get the page's cookie."
        }
        PageName::Loopback => {
            "Until this ends, open nothing else at 127.0.0.1 in that browser: every program there gets the \
             page's cookie, and with it everything that the page can do."
        }
    };
    [
        (
            "page",
            context.output.style_err(Tone::Strong, "open the address above; it works once, for one browser"),
        ),
        ("", "Only this machine can reach it. Ctrl-C ends it; runs that have not ended go on when Probity is started again.".to_owned()),
        ("", about.to_owned()),
    ]
}

/// A browser that has logged in keeps its connections when places run out.
async fn keep_place(request: Request, next: Next) -> Response {
    let trust = request.extensions().get::<ConnectionTrust>().cloned();
    let response = next.run(request).await;
    if let Some(trust) = trust.filter(|_| !REFUSALS.contains(&response.status())) {
        trust.grant();
    }
    response
}

/// Both loopback addresses: browsers ask either for a name under `.localhost`, and a port left free on one
/// could be taken by another user of this machine, who would be sent the token.
async fn listen(wanted: u16) -> io::Result<(Vec<TcpListener>, u16)> {
    let mut tries = if wanted == 0 { PORTS_TRIED } else { 1 };
    loop {
        let first = TcpListener::bind((Ipv4Addr::LOCALHOST, wanted)).await?;
        let port = first.local_addr()?.port();
        tries -= 1;
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
            Ok(second) => return Ok((vec![first, second], port)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && tries > 0 => {}
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "no IPv6 on this machine; the page is reached by IPv4");
                return Ok((vec![first], port));
            }
        }
    }
}
