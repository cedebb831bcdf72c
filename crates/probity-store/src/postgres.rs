//! The store of a fleet: the same journals, leases and lists as on a laptop, in PostgreSQL, for many
//! processes.
//!
//! An append that returned `Ok` is committed with `synchronous_commit = on`. Every status row and every event
//! is checked against its hash when it is read. Whether an owner is alive is decided by the database's clock
//! alone. Bytes above `ROW_BYTES_MAX` are in the object storage.

mod admission;
mod audit;
mod blobs;
mod chain_hash_cache;
mod deliveries;
mod error_codes;
mod events;
mod health;
mod idempotency;
mod invocations;
mod journal;
mod judgements;
mod keys;
mod leases;
mod limits;
mod list;
mod partitions;
mod pool;
mod quotas;
mod row;
mod run_start;
mod schema;
mod search;
mod tenant_load;
mod tenant_semaphores;
mod tenants;

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use deadpool_postgres::{Object, Pool, PoolError, Timeouts};
use probity_research::{
    error::{Code, CodedError},
    id::OwnerId,
};
use secrecy::SecretString;
use tokio_postgres::{Row, types::ToSql};

use self::{chain_hash_cache::ChainHashCache, tenant_semaphores::TenantSemaphores};
use crate::objects::ObjectStorage;

pub use self::{
    admission::{AdmissionRound, AdmittedRun},
    audit::{AuditFilter, AuditLine, NewAuditLine},
    deliveries::{
        AttemptOutcome, DELIVERY_LEASE, Delivery, DeliveryAttempt, DeliveryState, NewWebhook, StoredSecret,
        Webhook,
    },
    health::{DatabaseInfo, PostgresHealth},
    idempotency::IdempotencyKey,
    invocations::InvocationState,
    keys::{ApiKey, KeyHolder, KeyId, KeyRow, NewKey},
    limits::ProviderLimit,
    partitions::UpkeepReport,
    quotas::DailyUsage,
    run_start::{RunStartOutcome, RunStartRequest},
    schema::{MigrationReport, MigrationStep, STEPS},
    tenant_load::TenantLoadRow,
};

/// How long a request waits for a connection before it says that the store is busy.
const CONNECTION_WAIT_MAX: Duration = Duration::from_secs(5);

/// How to reach the database, and the owner that does.
#[derive(Clone)]
pub struct PostgresSettings {
    /// `postgresql://user:password@host/database`; with `sslmode=require` or `verify-full` the connection is
    /// encrypted and the server's certificate is checked. Never shown.
    pub url: SecretString,
    /// Connections of this process. All processes together must stay below the server's `max_connections`.
    pub connections_max: usize,
    pub objects: ObjectStorage,
    /// Names this process among all that share the database; never used twice.
    pub owner: OwnerId,
    /// Where a report is written that the database refuses.
    pub rescue_directory: PathBuf,
    /// An owner without a heartbeat for this long counts as dead. The same in all processes.
    pub lease: Duration,
}

impl PostgresSettings {
    /// Connections enough for a worker: appends share commits from about here on.
    pub const CONNECTIONS: usize = 16;

    pub fn new(url: SecretString, objects: ObjectStorage, owner: OwnerId, rescue_directory: PathBuf) -> Self {
        Self {
            url,
            connections_max: Self::CONNECTIONS,
            objects,
            owner,
            rescue_directory,
            lease: crate::owners::LEASE,
        }
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresSettings")
            .field("connections_max", &self.connections_max)
            .field("objects", &self.objects)
            .field("owner", &self.owner)
            .field("rescue_directory", &self.rescue_directory)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

/// Cheap to clone; all clones share the connections.
#[derive(Clone)]
pub struct Postgres {
    pub(crate) inner: Arc<PostgresInner>,
}

pub(crate) struct PostgresInner {
    pool: Pool,
    /// Host and database, for messages; no user, no password.
    place: String,
    objects: ObjectStorage,
    owner: OwnerId,
    rescue_directory: PathBuf,
    lease: Duration,
    chains: ChainHashCache,
    turns: TenantSemaphores,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Postgres({})", self.inner.place)
    }
}

impl Postgres {
    /// Connects and makes sure that the tables are ones that this program knows.
    pub async fn connect(settings: PostgresSettings) -> Result<Self, CodedError> {
        let store = Self::connect_unchecked(settings).await?;
        schema::check(&store).await?;
        Ok(store)
    }

    /// Connects to a database whose tables may not be there yet, in order to `migrate` it.
    pub async fn connect_unchecked(settings: PostgresSettings) -> Result<Self, CodedError> {
        let (pool, place) = pool::build_pool(&settings)?;
        let store = Self {
            inner: Arc::new(PostgresInner {
                pool,
                place,
                objects: settings.objects,
                owner: settings.owner,
                rescue_directory: settings.rescue_directory,
                lease: settings.lease,
                chains: ChainHashCache::default(),
                turns: TenantSemaphores::default(),
            }),
        };
        drop(store.client().await?);
        Ok(store)
    }

    /// Performs the steps that are missing. Safe to run twice and from several places at once.
    pub async fn migrate(&self) -> Result<MigrationReport, CodedError> {
        schema::migrate(self, STEPS).await
    }

    /// Names this process in locks and leases.
    pub fn owner(&self) -> OwnerId {
        self.inner.owner
    }

    pub fn objects(&self) -> &ObjectStorage {
        &self.inner.objects
    }

    /// A connection of the pool; its `prepare_cached` keeps statements from one use to the next.
    pub(crate) async fn client(&self) -> Result<Object, CodedError> {
        let timeouts = Timeouts {
            wait: Some(CONNECTION_WAIT_MAX),
            create: Some(CONNECTION_WAIT_MAX),
            recycle: Some(CONNECTION_WAIT_MAX),
        };
        self.inner.pool.timeout_get(&timeouts).await.map_err(|error| match error {
            PoolError::Backend(error) => self.problem(&error),
            PoolError::Timeout(_) => {
                let message = format!(
                    "no connection to `{}` became free within {} s",
                    self.inner.place,
                    CONNECTION_WAIT_MAX.as_secs()
                );
                CodedError::new(Code::StoreBusy, &message)
            }
            error => CodedError::new(
                Code::StoreFailed,
                &format!("`{}` could not be reached: {error}", self.inner.place),
            ),
        })
    }

    /// One statement; the number of rows that it changed.
    pub(crate) async fn execute(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, CodedError> {
        let client = self.client().await?;
        let done = async { client.execute(&client.prepare_cached(sql).await?, parameters).await }.await;
        done.map_err(|error| self.problem(&error))
    }

    /// One statement and its rows.
    pub(crate) async fn query(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, CodedError> {
        let client = self.client().await?;
        let found = async { client.query(&client.prepare_cached(sql).await?, parameters).await }.await;
        found.map_err(|error| self.problem(&error))
    }

    /// The same for statements that change nothing: asked once more where the connection turns out to be gone,
    /// as all of them are after a restart of the database.
    pub(crate) async fn read(
        &self,
        sql: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, CodedError> {
        let client = self.client().await?;
        match async { client.query(&client.prepare_cached(sql).await?, parameters).await }.await {
            Ok(rows) => Ok(rows),
            Err(_) if client.is_closed() => self.query(sql, parameters).await,
            Err(error) => Err(self.problem(&error)),
        }
    }

    /// The error of the database, as one of the public codes; names host and database, never the password.
    pub(crate) fn problem(&self, error: &tokio_postgres::Error) -> CodedError {
        error_codes::problem_from_postgres(error, &self.inner.place)
    }

    /// A row or blob that was read is not what was written.
    pub(crate) fn damaged(&self, what: &str) -> CodedError {
        CodedError::new(Code::StoreCorrupt, &format!("`{}` is damaged: {what}", self.inner.place))
    }
}
