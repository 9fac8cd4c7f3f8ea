//! The store: one adapter behind every storage port.

use super::{ClockSkew, Schema};
use crate::settings::{Settings, StoragePlace};
use anyhow::{Context, bail};
use application::ports::storage::{
    AccessReader, AuditReader, AuthorizationRequestReader, ChangeReader, ClientReader, ClientUsageStore,
    ConnectedAppReader, CredentialReader, FailureCounter, GrantReader, IdempotencyStore, ImportReader,
    JobLeases, OutboxReader, PasskeyReader, PasswordLinkReader, PendingSignInReader, PersonalTokenReader,
    ProfileReader, ReadTallyStore, SandboxReader, SecondFactorReader, SessionReader, SigningKeyReader,
    SleepReader, StoreClock, StoreUpkeep, SupplementReader, UnitOfWorkFactory, WebhookReader,
};
use application::record::RecordReaders;
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

/// Declares the store with its ports, all of which one adapter implements.
macro_rules! store {
    ($($field:ident: $port:ident,)+) => {
        /// The ports of one store.
        #[derive(Clone)]
        pub(crate) struct Store {
            $(pub(crate) $field: Arc<dyn $port>,)+
        }

        impl Store {
            fn new<S: $($port +)+ 'static>(store: &Arc<S>) -> Self {
                Self { $($field: store.clone(),)+ }
            }
        }
    };
}

store! {
    schema: Schema,
    units: UnitOfWorkFactory,
    profiles: ProfileReader,
    sleep: SleepReader,
    supplements: SupplementReader,
    changes: ChangeReader,
    primary_changes: ChangeReader,
    access: AccessReader,
    clients: ClientReader,
    grants: GrantReader,
    failures: FailureCounter,
    idempotency: IdempotencyStore,
    signing_keys: SigningKeyReader,
    credentials: CredentialReader,
    sessions: SessionReader,
    passkeys: PasskeyReader,
    password_links: PasswordLinkReader,
    pending_sign_ins: PendingSignInReader,
    second_factors: SecondFactorReader,
    personal_tokens: PersonalTokenReader,
    authorization_requests: AuthorizationRequestReader,
    imports: ImportReader,
    connected_apps: ConnectedAppReader,
    audit: AuditReader,
    read_tallies: ReadTallyStore,
    client_usage: ClientUsageStore,
    leases: JobLeases,
    outbox: OutboxReader,
    sandbox: SandboxReader,
    upkeep: StoreUpkeep,
    database_clock: StoreClock,
    webhooks: WebhookReader,
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
            ..Self::new(&primary)
        })
    }

    /// Opens the store of the settings. An unreachable Postgres is no error here.
    pub(crate) async fn open(settings: &Settings, if_missing: IfMissing) -> anyhow::Result<Self> {
        match settings.storage.place()? {
            StoragePlace::Sqlite(path) => open_sqlite(settings, &path, if_missing).await,
            StoragePlace::Postgres(url) => Ok(Self::new(&Arc::new(postgres(settings, url.expose())?))),
        }
    }

    /// Returns the readers of every kind of data.
    pub(super) fn record_readers(&self) -> RecordReaders {
        RecordReaders {
            profiles: self.profiles.clone(),
            sleep: self.sleep.clone(),
            supplements: self.supplements.clone(),
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
}

async fn open_sqlite(settings: &Settings, path: &Path, if_missing: IfMissing) -> anyhow::Result<Store> {
    let create = if_missing == IfMissing::Create;
    if !create
        && !path.try_exists().with_context(|| format!("the store {} cannot be read", path.display()))?
    {
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
    Ok(Store::new(&Arc::new(store)))
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
