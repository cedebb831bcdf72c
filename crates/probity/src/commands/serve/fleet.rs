//! `probity serve --fleet`: a front end of a fleet. Keeps no state of its own: any other front end can answer
//! the next request.

use std::{sync::Arc, time::Duration};

use probity_research::{Code, ports::Clock as _};
use probity_runner::{SystemClock, tasks::TaskGroup};
use probity_server::{
    Backend, McpServer, McpServerParts,
    backend::admin::AdminBackend,
    http::{AuthPolicy, ConnectionLimits, HttpSettings, SharedAuthenticator},
    markdown::ReportTemplates,
    oauth::{IssuerSettings, TokenVerifier},
    rest::{FleetAuthenticator, RestApi},
    webhooks::WebhookSecret,
};
use probity_store::TokenFiles;
use probity_telemetry::record::ProcessRole;
use tokio_util::sync::CancellationToken;

use super::{listen, token};
use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    environment::PROVIDER_SECRET,
    exit::Exit,
    fleet::{self, FleetBackend, issuer::IssuerKeyFetcher, operations},
    keys::ProviderKeys,
    output::Tone,
    settings::Settings,
    shutdown::ShutdownSignals,
};

/// Calls that are under way must end within this after a shutdown request.
const LEAVING_TAKES: Duration = Duration::from_secs(20);
/// Connections of one front end; each takes one file descriptor.
const CONNECTIONS_MAX: usize = 4_096;

pub async fn run(context: &CommandContext, settings: &Settings) -> Result<Exit, CommandError> {
    let wanted = settings.serve.address()?;
    let keys = ProviderKeys::read(&context.environment)?;
    let postgres = fleet::postgres_when_up(context, settings).await?;
    let executor = fleet::executor(settings, postgres.clone())?;
    let backend = Arc::new(FleetBackend::new(
        executor.clone(),
        settings,
        keys,
        fleet::sealing_keys(&context.environment)?,
    ));
    let server = Arc::new(McpServer::new(McpServerParts {
        backend: Arc::clone(&backend) as Arc<dyn Backend>,
        templates: ReportTemplates::new(settings.report_template()?)?,
        secret: fleet::seal_key(settings)?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        app: Some(crate::commands::mcp::mcp_app()),
    }));
    let http = http_settings(context, settings, &backend, &server)?;
    let listener = listen(wanted).await?;
    let address = listener.local_addr().unwrap_or(wanted);
    context.output.print_message(&context.output.rows(&[
        ("serving", context.output.style_err(Tone::Strong, &format!("http://{address}"))),
        ("MCP", format!("http://{address}/mcp")),
        ("API", format!("http://{address}/v1/openapi.json")),
        (
            "keys",
            "make one with `probity fleet key make TENANT --scopes research:read,research:start`".to_owned(),
        ),
    ]));

    let stop = CancellationToken::new();
    let work = TaskGroup::child_of(&stop);
    work.spawn_named("http", |stop| async move {
        if let Err(error) = server.serve_http(listener, http, stop).await {
            tracing::error!(%error, "HTTP listener failed");
        }
    });
    operations::serve(settings, &postgres, ProcessRole::Serve, &work).await?;
    work.spawn_named("fleet", |stop| async move { executor.run(stop).await });
    let clock = SystemClock::default();
    let mut leave = ShutdownSignals::new();
    let request = leave.wait().await;
    tracing::info!("shutdown requested");
    tokio::select! {
        () = work.close() => {}
        _ = leave.wait() => tracing::warn!("second shutdown request; open connections are dropped"),
        () = clock.sleep(request.patience(LEAVING_TAKES)) => tracing::warn!("shutdown timeout: some calls did not end"),
    }
    Ok(Exit::Done)
}

fn http_settings(
    context: &CommandContext,
    settings: &Settings,
    backend: &Arc<FleetBackend>,
    server: &Arc<McpServer>,
) -> Result<HttpSettings, CommandError> {
    let admin = Arc::clone(backend) as Arc<dyn AdminBackend>;
    let files = TokenFiles::create_in(&settings.store_directory)?;
    let own = files
        .own_token(token::random_secret()?)
        .map_err(|problem| token::token_file_error(problem, &files.own_path()))?;
    let mut authn = FleetAuthenticator::new(Arc::clone(backend) as Arc<dyn Backend>, Arc::clone(&admin))
        .with_operator(own.hash());
    if let Some(oauth) = &settings.fleet.oauth {
        if settings.fleet.resource.is_empty() {
            let message = "`fleet.oauth_issuer` is set and `fleet.resource` is not: tokens need an audience";
            return Err(CommandError::new(Code::Settings, message));
        }
        let trusted = IssuerSettings {
            issuer: oauth.issuer.clone(),
            audience: settings.fleet.resource.clone(),
            tenant_claim: Some(oauth.tenant_claim.clone()),
        };
        authn = authn
            .with_tokens_of(TokenVerifier::new(trusted, Arc::new(IssuerKeyFetcher::new(&oauth.issuer)?))?);
    }
    let secrets = match context.environment.text(PROVIDER_SECRET) {
        Some(text) => WebhookSecret::parse_all(&text)?,
        None => Vec::new(),
    };
    Ok(HttpSettings {
        allowed: settings.serve.allowed.clone(),
        pace: settings.serve.pace,
        api: Some(Arc::new(RestApi::new(Arc::clone(server), admin).with_provider_secrets(secrets))),
        limits: ConnectionLimits { connections_max: CONNECTIONS_MAX, ..ConnectionLimits::default() },
        ..HttpSettings::new(AuthPolicy::External(SharedAuthenticator(Arc::new(authn))))
    })
}
