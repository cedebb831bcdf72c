//! `probity serve --fleet`: a front end of a fleet. Keeps nothing of its own: any other could answer the next
//! request.

use std::{sync::Arc, time::Duration};

use probity_research::{Code, seams::Clock as _};
use probity_runner::{SystemClock, tasks::Tasks};
use probity_server::{
    Desk, Face, FaceParts,
    desk::fleet::FleetDesk,
    http::{Auth, HttpSettings, Keeper, Limits},
    markdown::Templates,
    oauth::{Trusted, Verifier},
    rest::{FleetKeeper, Rest},
    webhooks::Secret,
};
use probity_store::TokenFiles;
use probity_telemetry::record::Role;
use tokio_util::sync::CancellationToken;

use super::{listen, token};
use crate::{
    context::Context,
    environment::PROVIDER_SECRET,
    exit::Exit,
    failure::Failure,
    fleet::{self, FleetOffice, issuer::IssuerFetch, operations},
    follow::Leave,
    keys::Keys,
    output::Tone,
    settings::Settings,
};

/// Calls that are under way end within this after a wish to leave.
const LEAVING_TAKES: Duration = Duration::from_secs(20);
/// Connections of one front end; each is one file.
const CONNECTIONS_MAX: usize = 4_096;

pub async fn run(context: &Context, settings: &Settings) -> Result<Exit, Failure> {
    let wanted = settings.serve.address()?;
    let keys = Keys::read(&context.environment)?;
    let postgres = fleet::postgres_when_up(context, settings).await?;
    let executor = fleet::executor(settings, postgres.clone())?;
    let office = Arc::new(FleetOffice::new(executor.clone(), settings, keys));
    let face = Arc::new(Face::new(FaceParts {
        desk: Arc::clone(&office) as Arc<dyn Desk>,
        templates: Templates::new(settings.report_template()?)?,
        secret: fleet::seal(settings)?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        app: Some(crate::verbs::mcp::view()),
    }));
    let http = http_settings(context, settings, &office, &face)?;
    let listener = listen(wanted).await?;
    let address = listener.local_addr().unwrap_or(wanted);
    context.output.say(&context.output.rows(&[
        ("serving", context.output.err(Tone::Strong, &format!("http://{address}"))),
        ("MCP", format!("http://{address}/mcp")),
        ("API", format!("http://{address}/v1/openapi.json")),
        (
            "keys",
            "make one with `probity fleet key make TENANT --scopes research:read,research:start`".to_owned(),
        ),
    ]));

    let stop = CancellationToken::new();
    let work = Tasks::below(&stop);
    work.spawn_named("http", |stop| async move {
        if let Err(error) = face.serve_http(listener, http, stop).await {
            tracing::error!(%error, "the listener broke");
        }
    });
    operations::serve(settings, &postgres, Role::Serve, &work).await?;
    work.spawn_named("fleet", |stop| async move { executor.run(stop).await });
    let clock = SystemClock::default();
    let mut leave = Leave::new();
    leave.asked().await;
    tracing::info!("asked to leave");
    tokio::select! {
        () = work.close() => {}
        () = leave.asked() => tracing::warn!("asked twice; what is open is cut"),
        () = clock.sleep(LEAVING_TAKES) => tracing::warn!("some calls did not end in time"),
    }
    Ok(Exit::Done)
}

fn http_settings(
    context: &Context,
    settings: &Settings,
    office: &Arc<FleetOffice>,
    face: &Arc<Face>,
) -> Result<HttpSettings, Failure> {
    let fleet_desk = Arc::clone(office) as Arc<dyn FleetDesk>;
    let files = TokenFiles::made_in(&settings.store_directory)?;
    let own = files.own(token::random()?).map_err(|problem| token::told(problem, &files.own_path()))?;
    let mut keeper = FleetKeeper::new(Arc::clone(office) as Arc<dyn Desk>, Arc::clone(&fleet_desk))
        .with_operator(own.hash());
    if let Some(oauth) = &settings.fleet.oauth {
        if settings.fleet.resource.is_empty() {
            let message = "`fleet.oauth_issuer` is set and `fleet.resource` is not: tokens need an audience";
            return Err(Failure::new(Code::Settings, message));
        }
        let trusted = Trusted {
            issuer: oauth.issuer.clone(),
            audience: settings.fleet.resource.clone(),
            tenant_claim: Some(oauth.tenant_claim.clone()),
        };
        keeper = keeper.with_tokens_of(Verifier::new(trusted, Arc::new(IssuerFetch::new(&oauth.issuer)?))?);
    }
    let secrets = match context.environment.text(PROVIDER_SECRET) {
        Some(text) => Secret::parse_all(&text)?,
        None => Vec::new(),
    };
    Ok(HttpSettings {
        allowed: settings.serve.allowed.clone(),
        pace: settings.serve.pace,
        api: Some(Arc::new(Rest::new(Arc::clone(face), fleet_desk).with_provider_secrets(secrets))),
        limits: Limits { connections_max: CONNECTIONS_MAX, ..Limits::default() },
        ..HttpSettings::new(Auth::Keeper(Keeper(Arc::new(keeper))))
    })
}
