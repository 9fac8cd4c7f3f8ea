//! The store under test.

use crate::fixture::user;
use application::ports::storage::{
    AccessReader, AuditReader, AuthorizationRequestReader, ChangeReader, ClientReader, ClientUsageStore,
    ConnectedAppReader, CredentialReader, FailureCounter, GrantReader, IdempotencyStore, ImportReader,
    JobLeases, OutboxReader, PasskeyReader, PasswordLinkReader, PendingSignInReader, PersonalTokenReader,
    ProfileReader, ReadTallyStore, SandboxReader, SecondFactorReader, SessionReader, SigningKeyReader,
    SleepReader, StorageError, StoreClock, StoreUpkeep, SupplementReader, UnitOfWork, UnitOfWorkFactory,
    WebhookReader,
};
use async_trait::async_trait;
use domain::client::{Client, ClientSecret};
use domain::code::AuthorizationCode;
use domain::grant::Grant;
use domain::id::UserId;
use domain::personal_token::PersonalToken;
use domain::read_tally::ReadTally;
use domain::sleep::SleepSession;
use domain::supplement::{CatalogueKey, IntakeLog, Supplement};
use domain::user::User;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts units of work.
pub(crate) struct Counted {
    factory: Arc<dyn UnitOfWorkFactory>,
    begun: AtomicU64,
}

impl Counted {
    pub(crate) fn new(factory: Arc<dyn UnitOfWorkFactory>) -> Self {
        Self { factory, begun: AtomicU64::new(0) }
    }

    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl UnitOfWorkFactory for Counted {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        self.factory.begin().await
    }
}

/// An empty store with the current schema, accessed through its ports. Each case has a separate one.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its port")]
pub struct Harness {
    pub factory: Arc<dyn UnitOfWorkFactory>,
    pub clients: Arc<dyn ClientReader>,
    pub grants: Arc<dyn GrantReader>,
    pub access: Arc<dyn AccessReader>,
    pub profiles: Arc<dyn ProfileReader>,
    pub sleep: Arc<dyn SleepReader>,
    pub supplements: Arc<dyn SupplementReader>,
    pub signing_keys: Arc<dyn SigningKeyReader>,
    pub failures: Arc<dyn FailureCounter>,
    pub credentials: Arc<dyn CredentialReader>,
    pub sessions: Arc<dyn SessionReader>,
    pub password_links: Arc<dyn PasswordLinkReader>,
    pub pending_sign_ins: Arc<dyn PendingSignInReader>,
    pub second_factors: Arc<dyn SecondFactorReader>,
    pub passkeys: Arc<dyn PasskeyReader>,
    pub personal_tokens: Arc<dyn PersonalTokenReader>,
    pub authorization_requests: Arc<dyn AuthorizationRequestReader>,
    pub imports: Arc<dyn ImportReader>,
    pub apps: Arc<dyn ConnectedAppReader>,
    pub audit: Arc<dyn AuditReader>,
    pub tallies: Arc<dyn ReadTallyStore>,
    pub usage: Arc<dyn ClientUsageStore>,
    pub changes: Arc<dyn ChangeReader>,
    pub idempotency: Arc<dyn IdempotencyStore>,
    pub leases: Arc<dyn JobLeases>,
    pub outbox: Arc<dyn OutboxReader>,
    pub sandbox: Arc<dyn SandboxReader>,
    pub clock: Arc<dyn StoreClock>,
    pub upkeep: Arc<dyn StoreUpkeep>,
    pub webhooks: Arc<dyn WebhookReader>,
    opened: Arc<dyn Fn() -> u64 + Send + Sync>,
    units: Arc<Counted>,
    _keep: Arc<dyn Any + Send + Sync>,
}

impl Harness {
    /// Wraps a store. `opened` returns the number of connections that it has opened; `keep` is dropped after
    /// the case, such as the directory or database of the store.
    pub fn new<S>(store: S, opened: fn(&S) -> u64, keep: impl Any + Send + Sync) -> Self
    where
        S: UnitOfWorkFactory
            + ClientReader
            + GrantReader
            + AccessReader
            + ProfileReader
            + SleepReader
            + SupplementReader
            + SigningKeyReader
            + FailureCounter
            + CredentialReader
            + SessionReader
            + PasskeyReader
            + PasswordLinkReader
            + PendingSignInReader
            + SecondFactorReader
            + PersonalTokenReader
            + WebhookReader
            + AuthorizationRequestReader
            + ImportReader
            + ConnectedAppReader
            + AuditReader
            + ReadTallyStore
            + ClientUsageStore
            + ChangeReader
            + IdempotencyStore
            + JobLeases
            + OutboxReader
            + SandboxReader
            + StoreClock
            + StoreUpkeep
            + 'static,
    {
        let store = Arc::new(store);
        let counted = store.clone();
        let units = Arc::new(Counted::new(store.clone()));
        Self {
            opened: Arc::new(move || opened(&counted)),
            factory: units.clone(),
            units,
            clients: store.clone(),
            grants: store.clone(),
            access: store.clone(),
            profiles: store.clone(),
            sleep: store.clone(),
            supplements: store.clone(),
            signing_keys: store.clone(),
            failures: store.clone(),
            credentials: store.clone(),
            sessions: store.clone(),
            password_links: store.clone(),
            pending_sign_ins: store.clone(),
            second_factors: store.clone(),
            passkeys: store.clone(),
            personal_tokens: store.clone(),
            webhooks: store.clone(),
            authorization_requests: store.clone(),
            imports: store.clone(),
            apps: store.clone(),
            audit: store.clone(),
            tallies: store.clone(),
            usage: store.clone(),
            changes: store.clone(),
            idempotency: store.clone(),
            leases: store.clone(),
            outbox: store.clone(),
            sandbox: store.clone(),
            clock: store.clone(),
            upkeep: store,
            _keep: Arc::new(keep),
        }
    }

    /// Returns the number of connections that the store has opened.
    pub(crate) fn opened(&self) -> u64 {
        (self.opened)()
    }

    /// Returns the number of units of work that were started.
    pub(crate) fn begun(&self) -> u64 {
        self.units.begun()
    }

    pub(crate) async fn begin(&self) -> Box<dyn UnitOfWork> {
        self.factory.begin().await.unwrap()
    }

    pub(crate) async fn store_user(&self, user: &User) {
        let mut unit = self.begin().await;
        unit.users().insert(user).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Stores people with required fields only, each in its unit of work.
    pub(crate) async fn store_users(&self, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            self.store_user(&user(number)).await;
        }
    }

    /// Stores a client with its first secret.
    pub(crate) async fn store_client(&self, client: &Client, secret: &ClientSecret) {
        let mut unit = self.begin().await;
        unit.clients().insert(client).await.unwrap();
        unit.clients().insert_secret(client.id, secret).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Stores an existing client as this.
    pub(crate) async fn update_client(&self, client: &Client) {
        let mut unit = self.begin().await;
        assert!(unit.clients().update(client).await.unwrap());
        unit.commit().await.unwrap();
    }

    /// Stores a code; its person and client must exist.
    pub(crate) async fn store_code(&self, code: &AuthorizationCode) {
        let mut unit = self.begin().await;
        unit.codes().insert(code).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Stores grants; their people and clients must exist.
    pub(crate) async fn store_grants(&self, grants: &[Grant]) {
        let mut unit = self.begin().await;
        for grant in grants {
            unit.grants().insert(grant).await.unwrap();
        }
        unit.commit().await.unwrap();
    }

    /// Stores personal access tokens; their people must exist.
    pub(crate) async fn store_personal_tokens(&self, tokens: &[PersonalToken]) {
        let mut unit = self.begin().await;
        for token in tokens {
            unit.personal_tokens().insert(token).await.unwrap();
        }
        unit.commit().await.unwrap();
    }

    pub(crate) async fn add_tallies(&self, tallies: &[ReadTally]) {
        self.tallies.add(tallies).await.unwrap();
    }

    /// Stores sleep sessions of an existing person.
    pub(crate) async fn store_sessions(&self, user_id: UserId, sessions: &[SleepSession]) {
        let mut unit = self.begin().await;
        unit.sleep().insert(user_id, sessions).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Stores the first version of a label.
    pub(crate) async fn store_supplement(&self, key: &CatalogueKey, supplement: &Supplement) {
        let mut unit = self.begin().await;
        unit.supplements().insert(&[(key.clone(), supplement.clone())]).await.unwrap();
        unit.commit().await.unwrap();
    }

    /// Stores logs of an existing person and existing supplements.
    pub(crate) async fn store_logs(&self, user_id: UserId, logs: &[IntakeLog]) {
        let mut unit = self.begin().await;
        unit.intake_logs().insert(user_id, logs).await.unwrap();
        unit.commit().await.unwrap();
    }
}
