//! The store: one adapter behind every storage port.

use super::{ClockSkew, Schema};
use crate::settings::{Settings, StoragePlace};
use anyhow::{Context, bail};
use application::ports::storage::{
    AccessReader, AuditReader, AuthorizationRequestReader, ChangeReader, ClientReader, ConnectedAppReader,
    CredentialReader, FailureCounter, GrantReader, IdempotencyStore, ImportReader, JobLeases, OutboxReader,
    PasswordLinkReader, PersonalTokenReader, ProfileReader, ReadTallyStore, SessionReader, SigningKeyReader,
    SleepReader, StoreClock, StoreUpkeep, SupplementReader, UnitOfWorkFactory,
};
use postgres_adapter::{PostgresOptions, PostgresReplica, PostgresStore};
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Prefix of the reason why a standby cannot be used.
const STANDBY_REFUSED: &str = "storage.read_url cannot be used";

/// Maximum number of connections for small reads beside the pool, so that a machine with many cores leaves
/// the database connections for others.
const SHARED_CONNECTIONS: usize = 16;

/// What to do if the file of an embedded store does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfMissing {
    /// Create it.
    Create,
    /// Fail, and name the command that creates it.
    Refuse,
}

/// The ports of one store.
#[derive(Clone)]
pub(crate) struct Store {
    pub(crate) schema: Arc<dyn Schema>,
    pub(crate) units: Arc<dyn UnitOfWorkFactory>,
    pub(crate) profiles: Arc<dyn ProfileReader>,
    pub(crate) sleep: Arc<dyn SleepReader>,
    pub(crate) supplements: Arc<dyn SupplementReader>,
    pub(crate) changes: Arc<dyn ChangeReader>,
    /// The access check, without a cache.
    pub(crate) access: Arc<dyn AccessReader>,
    /// Clients with their secrets.
    pub(crate) clients: Arc<dyn ClientReader>,
    pub(crate) grants: Arc<dyn GrantReader>,
    /// Failed authentications.
    pub(crate) failures: Arc<dyn FailureCounter>,
    /// Responses to idempotent requests.
    pub(crate) idempotency: Arc<dyn IdempotencyStore>,
    pub(crate) signing_keys: Arc<dyn SigningKeyReader>,
    /// Password hashes for sign-ins.
    pub(crate) credentials: Arc<dyn CredentialReader>,
    /// Signed-in browsers.
    pub(crate) sessions: Arc<dyn SessionReader>,
    /// Links to set a password.
    pub(crate) password_links: Arc<dyn PasswordLinkReader>,
    /// Personal access tokens.
    pub(crate) personal_tokens: Arc<dyn PersonalTokenReader>,
    pub(crate) authorization_requests: Arc<dyn AuthorizationRequestReader>,
    pub(crate) imports: Arc<dyn ImportReader>,
    /// Apps with live grants.
    pub(crate) connected_apps: Arc<dyn ConnectedAppReader>,
    /// The audit trail.
    pub(crate) audit: Arc<dyn AuditReader>,
    /// Read counts.
    pub(crate) read_tallies: Arc<dyn ReadTallyStore>,
    /// Leases of jobs that one process at a time runs.
    pub(crate) leases: Arc<dyn JobLeases>,
    /// Counts of waiting email.
    pub(crate) outbox: Arc<dyn OutboxReader>,
    /// Files of the store, and whether they accept writes.
    pub(crate) upkeep: Arc<dyn StoreUpkeep>,
    /// Clock of the database, with which this machine's is compared.
    pub(crate) database_clock: Arc<dyn StoreClock>,
}

impl Store {
    /// Validates the Postgres settings like [`Self::open`], without connecting.
    pub(crate) fn check(settings: &Settings) -> anyhow::Result<()> {
        match settings.storage.place()? {
            StoragePlace::Sqlite(_) => Ok(()),
            StoragePlace::Postgres(url) => {
                postgres(settings, url.expose())?;
                standby(settings)?
                    .map_or(Ok(()), |options| PostgresReplica::check(&options).context(STANDBY_REFUSED))
            }
        }
    }

    /// Opens the store of the settings for a server. The data endpoints may read from a standby, which is
    /// monitored from now on.
    pub(crate) async fn open_to_serve(settings: &Settings) -> anyhow::Result<Self> {
        let (StoragePlace::Postgres(url), Some(standby)) = (settings.storage.place()?, standby(settings)?)
        else {
            return Self::open(settings, IfMissing::Refuse).await;
        };
        let max_lag = Duration::from_millis(u64::from(settings.storage.read_max_lag_milliseconds));
        let primary = Arc::new(postgres(settings, url.expose())?);
        let replica =
            PostgresReplica::open(Arc::clone(&primary), &standby, max_lag).context(STANDBY_REFUSED)?;
        let replica = Arc::new(replica);
        Ok(Self {
            profiles: replica.clone(),
            sleep: replica.clone(),
            supplements: replica.clone(),
            changes: replica,
            ..Self::of(primary)
        })
    }

    /// Opens the store of the settings. An unreachable Postgres is no error here.
    pub(crate) async fn open(settings: &Settings, if_missing: IfMissing) -> anyhow::Result<Self> {
        match settings.storage.place()? {
            StoragePlace::Sqlite(path) => open_sqlite(settings, &path, if_missing).await,
            StoragePlace::Postgres(url) => Ok(Self::of(Arc::new(postgres(settings, url.expose())?))),
        }
    }

    /// Fails if this machine's clock is too far from the database's to write timestamps.
    pub(crate) async fn check_clock(&self) -> anyhow::Result<()> {
        let skew = ClockSkew::measure(self.database_clock.as_ref()).await;
        match skew.context("the database did not return its time")? {
            Some(skew) if skew.is_too_large() => bail!(
                "this machine's clock and the database's are {:.1} s apart, and 2 s is the limit; correct the wrong \
                 clock and try again",
                skew.ahead().abs().as_seconds_f64()
            ),
            _ => Ok(()),
        }
    }

    fn of<S>(store: Arc<S>) -> Self
    where
        S: Schema
            + UnitOfWorkFactory
            + ProfileReader
            + SleepReader
            + SupplementReader
            + ChangeReader
            + AccessReader
            + ClientReader
            + GrantReader
            + FailureCounter
            + IdempotencyStore
            + SigningKeyReader
            + CredentialReader
            + SessionReader
            + PasswordLinkReader
            + PersonalTokenReader
            + AuthorizationRequestReader
            + ImportReader
            + ConnectedAppReader
            + AuditReader
            + ReadTallyStore
            + JobLeases
            + OutboxReader
            + StoreClock
            + StoreUpkeep
            + 'static,
    {
        Self {
            schema: store.clone(),
            units: store.clone(),
            profiles: store.clone(),
            sleep: store.clone(),
            supplements: store.clone(),
            changes: store.clone(),
            access: store.clone(),
            clients: store.clone(),
            grants: store.clone(),
            failures: store.clone(),
            idempotency: store.clone(),
            signing_keys: store.clone(),
            credentials: store.clone(),
            sessions: store.clone(),
            password_links: store.clone(),
            personal_tokens: store.clone(),
            authorization_requests: store.clone(),
            imports: store.clone(),
            connected_apps: store.clone(),
            audit: store.clone(),
            read_tallies: store.clone(),
            leases: store.clone(),
            outbox: store.clone(),
            upkeep: store.clone(),
            database_clock: store,
        }
    }
}

async fn open_sqlite(settings: &Settings, path: &Path, if_missing: IfMissing) -> anyhow::Result<Store> {
    let create = if_missing == IfMissing::Create;
    if !create && !path.exists() {
        bail!("there is no store at {} yet; run `restwell migrate` to create it", path.display());
    }
    if let Some(folder) = path.parent().filter(|_| create) {
        create_private_folder(folder)?;
    }
    let options = SqliteOptions {
        readers: usize::try_from(settings.storage.pool_size)?,
        busy_timeout: seconds(settings.storage.lock_timeout_seconds),
        create,
    };
    let store = SqliteStore::open(path, options).await;
    let store = store.with_context(|| {
        format!("the store {} cannot be opened; is it readable and writable?", path.display())
    })?;
    Ok(Store::of(Arc::new(store)))
}

/// Creates a folder that only its owner may enter; an existing one stays unchanged.
pub(super) fn create_private_folder(folder: &Path) -> anyhow::Result<()> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.with_context(|| format!("the folder {} cannot be created", folder.display()))
}

fn postgres(settings: &Settings, url: &str) -> anyhow::Result<PostgresStore> {
    PostgresStore::connect(&postgres_options(settings, url)).context("storage.url cannot be used")
}

/// Returns the connection options of the standby for reads; `None` if there is none.
fn standby(settings: &Settings) -> anyhow::Result<Option<PostgresOptions>> {
    Ok(settings.storage.standby()?.map(|url| postgres_options(settings, url.expose())))
}

fn postgres_options(settings: &Settings, url: &str) -> PostgresOptions {
    let storage = &settings.storage;
    PostgresOptions {
        pool_size: usize::try_from(storage.pool_size).unwrap_or(usize::MAX),
        shared_connections: settings.server.worker_count().min(SHARED_CONNECTIONS),
        statement_timeout: seconds(storage.statement_timeout_seconds),
        lock_timeout: seconds(storage.lock_timeout_seconds),
        wait_timeout: seconds(storage.connect_timeout_seconds),
        ..PostgresOptions::new(url)
    }
}

fn seconds(number: u32) -> Duration {
    Duration::from_secs(u64::from(number))
}
