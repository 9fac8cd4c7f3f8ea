//! In-memory store with one person, one app, one service client and one code; codes are single-use.

use application::StorageError;
use application::ports::storage::test_support::{MockUnitOfWork, RecordedEvents};
use application::ports::storage::{
    ClientReader, ClientWithSecrets, CodeWithUser, FailureCount, GrantFilter, GrantReader, GrantWithUser,
    MockFailureCounter, UnitOfWork, UnitOfWorkFactory,
};
use application::ports::system::{Clock, Entropy};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditEvent;
use domain::client::{
    Client, ClientKind, ClientName, ClientPages, ClientSecret, ClientStatus, RedirectUri, Review,
};
use domain::code::{AuthorizationCode, CodeState};
use domain::grant::{Grant, GrantState};
use domain::id::{ClientId, ClientSecretId, GrantId, UserId};
use domain::resource::Resource;
use domain::scope::{Scope, ScopeSet};
use domain::secret::{Secret, SecretBytes, SecretHash, SecretKind};
use domain::time::TimeZone;
use domain::user::{Biology, Email, User, UserStatus};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// Current time in every test.
pub(crate) const NOW: DateTime<Utc> = DateTime::from_timestamp(1_780_000_000, 0).unwrap();

/// Clock that always returns [`NOW`].
pub(crate) struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        NOW
    }
}

/// Contents of the store.
#[derive(Clone)]
struct Contents {
    clients: Vec<ClientWithSecrets>,
    code: AuthorizationCode,
    grants: Vec<Grant>,
}

/// The store; also the source of (predictable) randomness.
pub(crate) struct MemoryStore {
    contents: Arc<Mutex<Contents>>,
    drawn: AtomicU8,
    failures: AtomicU32,
    events: RecordedEvents,
    is_down: bool,
}

/// Returns the secret with this number.
fn secret(kind: SecretKind, number: u8) -> Secret {
    Secret::from_bytes(kind, &SecretBytes::new([number; 32]))
}

fn client(id: &str, kind: ClientKind, allow_query_secrets: bool, secret_number: u8) -> ClientWithSecrets {
    ClientWithSecrets {
        client: Client {
            id: ClientId::parse(id).unwrap(),
            name: ClientName::parse("Night Owl").unwrap(),
            kind,
            redirect_uris: vec![RedirectUri::parse(MemoryStore::REDIRECT_URI).unwrap()],
            pages: ClientPages::default(),
            contact: None,
            review: Review::BY_OPERATOR,
            scopes: match kind {
                ClientKind::App | ClientKind::PublicApp => ScopeSet::CONSENTABLE,
                ClientKind::Service => ScopeSet::from_iter([Scope::UsersWrite, Scope::SleepWrite]),
            },
            allow_query_secrets,
            require_pkce: false,
            status: ClientStatus::Active,
            document: None,
            created_at: NOW,
        },
        secrets: vec![ClientSecret {
            id: ClientSecretId::from_uuid(Uuid::nil()),
            hash: secret(SecretKind::ClientSecret, secret_number).hash(),
            created_at: NOW,
            expires_at: None,
        }],
    }
}

impl MemoryStore {
    /// An app that may send secrets in queries.
    pub(crate) const APP: &'static str = "5f9d2b1c-3e4a-4b8d-9c6f-7a1e2d3c4b5a";
    /// A service client.
    pub(crate) const SERVICE: &'static str = "6a8e3c2d-4f5b-4c9e-8d7a-8b2f3e4d5c6b";
    /// An app that may not send secrets in queries.
    pub(crate) const STRICT: &'static str = "7b9f4d3e-5a6c-4d8f-9e8b-9c3a4f5e6d7c";
    pub(crate) const USER: &'static str = "8c1a5e4f-6b7d-4e9a-8f9c-0d4b5a6f7e8d";
    pub(crate) const REDIRECT_URI: &'static str = "https://app.example/back";

    /// Returns the secret of every client.
    pub(crate) fn client_secret() -> String {
        secret(SecretKind::ClientSecret, 1).expose().to_owned()
    }

    /// Returns the only code.
    pub(crate) fn code() -> String {
        secret(SecretKind::AuthorizationCode, 2).expose().to_owned()
    }

    /// Returns the refresh token of the initial grant.
    pub(crate) fn refresh_token() -> String {
        secret(SecretKind::RefreshToken, 3).expose().to_owned()
    }

    /// Returns a store that cannot be reached.
    pub(crate) fn down() -> Self {
        Self { is_down: true, ..Self::default() }
    }

    pub(crate) fn code_is_unused(&self) -> bool {
        self.contents.lock().unwrap().code.state == CodeState::Issued
    }

    /// Returns the number of counted authentication failures.
    pub(crate) fn failures(&self) -> u32 {
        self.failures.load(Ordering::SeqCst)
    }

    /// Returns the audit events, in order.
    pub(crate) fn events(&self) -> Vec<AuditEvent> {
        self.events.all()
    }

    /// Returns counters that count every failure together.
    pub(crate) fn failure_counter(self: &Arc<Self>) -> Arc<MockFailureCounter> {
        let (mut failures, store) = (MockFailureCounter::new(), Arc::clone(self));
        failures.expect_record_failure().returning(move |keys, at, window| {
            store.check()?;
            let count = store.failures.fetch_add(1, Ordering::SeqCst) + 1;
            Ok(vec![FailureCount { count, window_ends_at: at + window }; keys.len()])
        });
        Arc::new(failures)
    }

    fn check(&self) -> Result<(), StorageError> {
        if self.is_down { Err(StorageError::Unavailable) } else { Ok(()) }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        let user_id = UserId::parse(Self::USER).unwrap();
        let app = ClientId::parse(Self::APP).unwrap();
        let contents = Contents {
            clients: vec![
                client(Self::APP, ClientKind::App, true, 1),
                client(Self::SERVICE, ClientKind::Service, true, 1),
                client(Self::STRICT, ClientKind::App, false, 1),
            ],
            code: AuthorizationCode {
                hash: secret(SecretKind::AuthorizationCode, 2).hash(),
                client_id: app,
                user_id,
                redirect_uri: Self::REDIRECT_URI.to_owned(),
                scopes: ScopeSet::from_iter([Scope::Profile, Scope::Sleep]),
                resource: Resource::Api,
                challenge: None,
                issued_at: NOW,
                expires_at: NOW + TimeDelta::seconds(60),
                state: CodeState::Issued,
            },
            grants: vec![Grant {
                id: GrantId::from_uuid(Uuid::nil()),
                client_id: app,
                user_id,
                scopes: ScopeSet::from_iter([Scope::Profile, Scope::Sleep]),
                resource: Resource::Api,
                refresh_token_hash: secret(SecretKind::RefreshToken, 3).hash(),
                newest_token_hash: None,
                created_at: NOW,
                last_used_at: Some(NOW),
                last_used_from: None,
                state: GrantState::Live,
            }],
        };
        Self {
            contents: Arc::new(Mutex::new(contents)),
            drawn: AtomicU8::new(100),
            failures: AtomicU32::new(0),
            events: RecordedEvents::default(),
            is_down: false,
        }
    }
}

impl Entropy for MemoryStore {
    fn secret_bytes(&self) -> SecretBytes {
        SecretBytes::new([self.drawn.fetch_add(1, Ordering::SeqCst); 32])
    }
    fn uuid(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.drawn.fetch_add(1, Ordering::SeqCst)))
    }
}

#[async_trait]
impl ClientReader for MemoryStore {
    async fn find_with_secrets(&self, id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError> {
        self.check()?;
        Ok(self.contents.lock().unwrap().clients.iter().find(|found| found.client.id == id).cloned())
    }

    async fn list_clients(&self, _: Option<ClientId>, _: u32) -> Result<Vec<Client>, StorageError> {
        self.check()?;
        Ok(self.contents.lock().unwrap().clients.iter().map(|found| found.client.clone()).collect())
    }

    async fn list_own_clients(&self, _: UserId) -> Result<Vec<Client>, StorageError> {
        Ok(Vec::new())
    }

    async fn count_draft_users(&self, _: ClientId) -> Result<u32, StorageError> {
        Ok(0)
    }
}

#[async_trait]
impl GrantReader for MemoryStore {
    async fn find_by_refresh_token(
        &self,
        hash: &SecretHash,
        _user_id: Option<UserId>,
    ) -> Result<Option<GrantWithUser>, StorageError> {
        self.check()?;
        let contents = self.contents.lock().unwrap();
        let grant = contents.grants.iter().find(|grant| grant.refresh_token_hash == *hash).cloned();
        Ok(grant.map(|grant| GrantWithUser { grant, user_status: UserStatus::Active }))
    }

    async fn list_grants(
        &self,
        _: GrantFilter,
        _: Option<GrantId>,
        _: u32,
    ) -> Result<Vec<Grant>, StorageError> {
        self.check()?;
        Ok(self.contents.lock().unwrap().grants.clone())
    }

    async fn count_live_grants(&self, _: ClientId, _: u32) -> Result<u32, StorageError> {
        self.check()?;
        Ok(0)
    }
}

#[async_trait]
impl UnitOfWorkFactory for MemoryStore {
    /// Starts a unit of work that writes to the store directly.
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        self.check()?;
        let mut unit = MockUnitOfWork::default();
        unit.audit = self.events.clone();
        let contents = Arc::clone(&self.contents);
        unit.codes.expect_find_and_lock().returning(move |hash| {
            let code = contents.lock().unwrap().code.clone();
            let held = (code.hash == *hash).then_some(code);
            Ok(held.map(|code| CodeWithUser { code, user_status: UserStatus::Active }))
        });
        let (contents, events) = (Arc::clone(&self.contents), self.events.clone());
        unit.codes.expect_redeem().returning(move |_, grant, event| {
            let contents = &mut *contents.lock().unwrap();
            if contents.code.state != CodeState::Issued {
                return Ok(None);
            }
            contents.code.state = CodeState::Redeemed { grant_id: grant.id, at: grant.created_at };
            contents.grants.push(grant.clone());
            events.record(event);
            Ok(Some(1))
        });
        unit.grants.expect_revoke_excess().returning(|_, _, _, _| Ok(0));
        unit.grants.expect_revoke().returning(|_, _, _| Ok(1));
        unit.grants.expect_record_use().returning(|_, _, _, _| Ok(()));
        unit.users.expect_find().returning(|id| {
            Ok(Some(User {
                id,
                email: Email::parse("sam@example.org").unwrap(),
                home_timezone: TimeZone::UTC,
                created_at: NOW,
                status: UserStatus::Active,
                biology: Biology::default(),
            }))
        });
        Ok(Box::new(unit))
    }
}
