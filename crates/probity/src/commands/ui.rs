//! `probity ui`: the local page. Loopback only; the address that is printed opens it once.

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

use clap::Args;
use probity_page::PageLogin;
use probity_research::{Code, ports::Clock as _};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    app_context::{AppContext, DriveCapability},
    command_context::CommandContext,
    command_error::CommandError,
    commands::mcp,
    exit::Exit,
    follow::ShutdownSignals,
    keys::ProviderKeys,
    output::Tone,
    settings::raw::RawSettings,
    ui_backend::LocalUiBackend,
};

/// Open pages are cut after this: a browser keeps its event stream open as long as it can.
const LEAVING_TAKES: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub struct UiArguments {
    /// The port on 127.0.0.1; any free one if not said
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
}

pub async fn run(context: &CommandContext, arguments: &UiArguments) -> Result<Exit, CommandError> {
    let loaded = context.settings(RawSettings::default())?;
    let settings = loaded.settings.clone();
    let app = Arc::new(AppContext::open(&settings, Some(ProviderKeys::read(&context.environment)?))?);
    let listener = listen(arguments.port).await?;
    let refused = |error: &(dyn std::error::Error + 'static)| {
        CommandError::new(Code::ListenFailed, "could not open the page").with_cause(error)
    };
    let port = listener.local_addr().map_err(|error| refused(&error))?.port();
    let login = Arc::new(PageLogin::new(port).map_err(|error| refused(&error))?);
    let address = login.login_url().map_err(|error| refused(&error))?;
    let stop = CancellationToken::new();
    let driving =
        (app.drives != DriveCapability::Nothing).then(|| mcp::start_background_tasks(&app, &settings, &stop));
    let router = probity_page::router(Arc::new(LocalUiBackend::new(Arc::clone(&app), loaded)), login);
    context.output.data(&address)?;
    let rows = [
        (
            "page",
            context.output.style_err(Tone::Strong, "open the address above; it works once, for one browser"),
        ),
        ("", "Only this machine can reach it. Ctrl-C ends it; researches under way go on later.".to_owned()),
    ];
    context.output.print_message(&context.output.rows(&rows));
    serve(listener, router, &stop, &app).await;
    stop.cancel();
    if let Some(driving) = driving {
        driving.close().await;
    }
    app.back_up_when_due();
    Ok(Exit::Done)
}

async fn listen(port: u16) -> Result<TcpListener, CommandError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        CommandError::new(Code::ListenFailed, &format!("could not listen on 127.0.0.1:{port}"))
            .with_cause(&error)
            .with_hint("leave out `--port` to take a free one")
    })
}

/// Until the user stops the program.
async fn serve(listener: TcpListener, router: axum::Router, stop: &CancellationToken, app: &AppContext) {
    let ended = stop.clone();
    let serving =
        axum::serve(listener, router).with_graceful_shutdown(async move { ended.cancelled().await });
    let leaving = async {
        ShutdownSignals::new().wait().await;
        stop.cancel();
        app.clock().sleep(LEAVING_TAKES).await;
    };
    tokio::select! {
        served = serving.into_future() => {
            if let Err(error) = served {
                tracing::error!(%error, "page listener failed");
            }
        }
        () = leaving => {}
    }
}
