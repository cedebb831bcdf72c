//! `probity worker`: carries out steps of runs for a fleet. Any number of workers may run, anywhere.

use std::{sync::Arc, time::Duration};

use clap::Args;
use probity_fleet::{
    Ingress, Worker, WorkerSettings, endpoint,
    throttled_engine::{ThrottleSettings, ThrottledEngine},
};
use probity_research::{
    Code,
    ports::{Clock as _, Journal as _, Leases as _},
    report::Report,
    status::RunSummary,
    throttle::{CallRate, ProviderCeiling},
};
use probity_runner::{SystemClock, tasks::TaskGroup};
use probity_store::postgres::Postgres;
use probity_telemetry::{
    ObservedEngine,
    record::{self, ProcessRole},
};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio_util::sync::CancellationToken;

use crate::{
    command_context::CommandContext,
    command_error::CommandError,
    engine::LazyEngine,
    exit::Exit,
    fleet::{self, operations},
    keys::ProviderKeys,
    logging,
    output::Tone,
    settings::{
        Settings,
        raw::{RawSettings, RawValue, SettingOrigin},
    },
    shutdown::ShutdownSignals,
};

/// A start that is under way says whether money was spent, so shutdown waits for it, but not for ever.
const LEAVING_TAKES: Duration = Duration::from_secs(60);
/// Pause before the retry that registers the workers at the engine.
const REGISTER_EVERY: Duration = Duration::from_secs(2);
/// How often a worker reads how many runs are in flight.
const CROWD_EVERY: Duration = Duration::from_secs(5);
/// How often partitions are created ahead and old rows are deleted.
const UPKEEP_EVERY: Duration = Duration::from_secs(6 * 3_600);

#[derive(Debug, Args)]
pub struct WorkerArguments {
    /// Address and port to listen on for the engine, instead of `fleet.worker_listen`
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
}

pub async fn run(context: &CommandContext, arguments: &WorkerArguments) -> Result<Exit, CommandError> {
    let mut flags = RawSettings::default();
    if let Some(listen) = &arguments.listen {
        flags.values.insert("fleet.worker_listen", RawValue::one(listen, SettingOrigin::Flag("--listen")));
    }
    let mut settings = context.settings(flags)?.settings;
    // Between two polls a run waits in the engine; a stream would keep it in this process.
    settings.streams_open = 0;
    let keys = ProviderKeys::read(&context.environment)?;
    let sealing = fleet::sealing_keys(&context.environment)?;
    let postgres = fleet::postgres_when_up(context, &settings).await?;
    let clock = SystemClock::default();
    let engine = LazyEngine::new(&settings, keys);
    engine.prepare();
    let engine = ObservedEngine::new(engine, clock, logging::capture(&context.environment));
    let engine = ThrottledEngine::new(engine, postgres.clone(), clock, postgres.owner(), limits(&settings));
    let worker =
        Worker::new(postgres.clone(), engine.clone(), clock, postgres.owner(), WorkerSettings::default());
    let wanted = settings.fleet.worker_listen;
    let listener = endpoint::listen(wanted).map_err(|error| {
        CommandError::new(Code::ListenFailed, &format!("could not listen on {wanted}")).with_cause(&error)
    })?;

    // The worker's heartbeat is stored before its first call: an in-flight lock of an unknown owner would
    // never expire.
    postgres.heartbeat(postgres.owner()).await?;
    let stop = CancellationToken::new();
    let work = TaskGroup::child_of(&stop);
    let turns = Arc::new(worker.clone());
    work.spawn_named("engine", |stop| endpoint::serve(listener, turns, stop));
    let beating = worker.clone();
    work.spawn_named("worker", |stop| async move {
        // Permits of the throttle are returned only when the last call is over.
        let over = CancellationToken::new();
        let driving = async {
            beating.run(stop).await;
            over.cancel();
        };
        tokio::join!(driving, engine.run(over.clone()));
    });
    let (counted, of) = (worker.clone(), postgres.clone());
    work.spawn_named("active-runs", move |stop| async move {
        while stop.run_until_cancelled(clock.sleep(CROWD_EVERY)).await.is_some() {
            if let Ok(active) = of.in_flight_count().await {
                counted.set_active_runs(active);
            }
        }
    });
    let kept = postgres.clone();
    work.spawn_named("upkeep", move |stop| async move { upkeep(&kept, clock, stop).await });
    let (delivered, hosts) = (postgres.clone(), settings.fleet.webhook_hosts.clone());
    work.spawn_named("webhooks", move |stop| async move {
        fleet::deliver_webhooks(delivered, hosts, sealing, clock, stop).await
    });
    operations::serve(&settings, &postgres, ProcessRole::Worker, &work).await?;
    let (endings, indexed) = (worker.event_bus().subscribe_endings(), postgres.clone());
    work.spawn_named("index", move |stop| index(endings, indexed, stop));
    register(&settings, clock, &work)?;
    context.output.print_message(&context.output.rows(&[
        ("working", context.output.style_err(Tone::Strong, &settings.fleet.worker_address())),
        ("engine", settings.fleet.engine.clone()),
    ]));

    let mut leave = ShutdownSignals::new();
    let request = leave.wait().await;
    tracing::info!("shutdown requested; calls under way end first");
    tokio::select! {
        () = work.close() => {}
        _ = leave.wait() => tracing::warn!("second shutdown request; open connections are dropped"),
        () = clock.sleep(request.patience(LEAVING_TAKES)) => tracing::warn!("shutdown timeout: other workers take over"),
    }
    Ok(Exit::Done)
}

/// The rate that all workers together may use of one provider.
fn limits(settings: &Settings) -> ThrottleSettings {
    let per_second = settings.fleet.provider_calls_per_second;
    let otherwise = ProviderCeiling {
        slots: settings.fleet.provider_calls_max,
        rate: CallRate::per_second(per_second),
        burst: per_second.saturating_mul(2),
    };
    ThrottleSettings { otherwise, ..ThrottleSettings::default() }
}

/// Registers the workers' address at the engine, with retries until it answers.
fn register(settings: &Settings, clock: SystemClock, work: &TaskGroup) -> Result<(), CommandError> {
    let ingress = Ingress::new(&settings.fleet.engine)?;
    let (admin, address) = (settings.fleet.engine_admin.clone(), settings.fleet.worker_address());
    work.spawn_named("register", move |stop| async move {
        while let Err(problem) = ingress.register(&admin, &address).await {
            tracing::warn!(cause = %problem.message, "worker is not registered at the engine; will retry");
            if stop.run_until_cancelled(clock.sleep(REGISTER_EVERY)).await.is_none() {
                return;
            }
        }
        tracing::info!(address, "workers are registered at the engine");
    });
    Ok(())
}

/// Indexes the text of finished reports. A report that is missed is still found by its question.
async fn index(mut endings: Receiver<Arc<RunSummary>>, postgres: Postgres, stop: CancellationToken) {
    while let Some(heard) = stop.run_until_cancelled(endings.recv()).await {
        let summary = match heard {
            Ok(summary) => summary,
            Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        record::research_ended(summary.status);
        let Some(digest) = summary.report else { continue };
        let Ok(bytes) = postgres.fetch_blob(digest).await else { continue };
        let Ok(report) = Report::decode(&bytes) else { continue };
        if let Err(problem) = postgres.index_report(summary.id, &summary.query, &report.text).await {
            tracing::debug!(research = %summary.id, code = %problem.code, "report text was not indexed");
        }
    }
}

async fn upkeep(postgres: &Postgres, clock: SystemClock, stop: CancellationToken) {
    loop {
        if let Err(problem) = postgres.upkeep().await {
            tracing::warn!(code = %problem.code, cause = %problem.message, "table maintenance failed");
        }
        if stop.run_until_cancelled(clock.sleep(UPKEEP_EVERY)).await.is_none() {
            return;
        }
    }
}
