//! The operators' endpoints of a fleet's process: metrics, readiness, traces.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use probity_fleet::Ingress;
use probity_research::{Code, CodedError, ports::Clock as _};
use probity_runner::{SystemClock, tasks::TaskGroup};
use probity_server::{
    backend::BackendFuture,
    operations::{self, ComponentHealth},
};
use probity_store::postgres::Postgres;
use probity_telemetry::{
    Metrics,
    record::{self, ProcessRole},
    tenant_gauges::{self, TenantGauges},
};
use tokio::net::TcpListener;

use crate::{command_error::CommandError, settings::Settings};

/// How often gauges are read and durations are put into their buckets.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);
/// Timeout of one part's readiness probe.
const ANSWER_TAKES_MAX: Duration = Duration::from_secs(3);

struct FleetOperations {
    metrics: Metrics,
    postgres: Postgres,
    ingress: Ingress,
    leaving: AtomicBool,
}

impl operations::Operations for FleetOperations {
    fn metrics(&self) -> String {
        self.metrics.render()
    }

    fn component_health(&self) -> BackendFuture<'_, Vec<ComponentHealth>> {
        Box::pin(async move {
            let (database, objects, engine) = tokio::join!(
                with_timeout(self.postgres.ping()),
                with_timeout(self.postgres.objects().check()),
                with_timeout(self.ingress.check())
            );
            let staying = match self.leaving.load(Ordering::Relaxed) {
                false => Ok(()),
                true => Err(CodedError::new(Code::ServerGone, "this process is leaving")),
            };
            Ok(vec![("database", database), ("objects", objects), ("engine", engine), ("staying", staying)])
        })
    }
}

async fn with_timeout(asked: impl Future<Output = Result<(), CodedError>>) -> Result<(), CodedError> {
    tokio::time::timeout(ANSWER_TAKES_MAX, asked)
        .await
        .unwrap_or_else(|_| Err(CodedError::new(Code::Timeout, "no answer in time")))
}

/// Serves on `fleet.metrics_listen`, if it is set; without it nothing is recorded.
pub async fn serve(
    settings: &Settings,
    postgres: &Postgres,
    role: ProcessRole,
    work: &TaskGroup,
) -> Result<(), CommandError> {
    let Some(address) = settings.fleet.metrics_listen else { return Ok(()) };
    let listener = bind(address).await?;
    let metrics = Metrics::install();
    record::build(env!("CARGO_PKG_VERSION"), role);
    let standing = Arc::new(FleetOperations {
        metrics: metrics.clone(),
        postgres: postgres.clone(),
        ingress: Ingress::new(&settings.fleet.engine)?,
        leaving: AtomicBool::new(false),
    });
    let answering = Arc::clone(&standing);
    work.spawn_named("operations", |stop| async move {
        if let Err(error) = operations::serve(listener, answering, stop).await {
            tracing::error!(%error, "metrics listener failed");
        }
    });
    let postgres = postgres.clone();
    work.spawn_named("gauges", |stop| async move {
        let clock = SystemClock::default();
        let mut named = TenantGauges::default();
        while stop.run_until_cancelled(clock.sleep(UPKEEP_EVERY)).await.is_some() {
            metrics.upkeep();
            record_gauges(&postgres, role, &mut named).await;
        }
        standing.leaving.store(true, Ordering::Relaxed);
        record::draining();
    });
    Ok(())
}

/// Gauges of this process; those of the whole fleet from front ends only, so that few processes report them.
async fn record_gauges(postgres: &Postgres, role: ProcessRole, named: &mut TenantGauges) {
    let health = postgres.health().await;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let in_use = health.connections_open.saturating_sub(health.connections_idle);
    record::pool(number(in_use), number(health.connections_max), number(health.waiting));
    if role == ProcessRole::Serve
        && let Ok(loads) = postgres.tenant_loads().await
    {
        let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let shown: Vec<(Option<&str>, tenant_gauges::TenantLoad)> = loads
            .iter()
            .map(|load| {
                let counted = tenant_gauges::TenantLoad {
                    in_flight: number(load.in_flight),
                    waiting: number(load.waiting),
                };
                (load.tenant.as_ref().map(|tenant| tenant.as_str()), counted)
            })
            .collect();
        named.set(&shown);
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, CommandError> {
    TcpListener::bind(address).await.map_err(|error| {
        CommandError::new(Code::ListenFailed, &format!("could not listen on {address}")).with_cause(&error)
    })
}
