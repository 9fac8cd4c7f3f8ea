//! The operator's use cases, run by the test itself on the servers' store: like the command line, without a
//! process for each step, and with a clock that can be slow.

use crate::e2e::app::{REDIRECT_URI, Registration};
use crate::e2e::world::{StoreKind, World};
use application::account::{ChoosePasswordPorts, IssuePasswordLink, SetPassword};
use application::erasure::{ErasePerson, ErasePersonCommand};
use application::key::{OlderKeys, RotateSigningKey};
use application::operator::{
    ChangeClient, ChangeUser, ClientChange, CreateClient, CreateClientCommand, CreateUser, CreateUserCommand,
    IssueCode, IssueCodeCommand, IssueCodeError, RevokeGrants, RotateClientSecret, UserChange,
};
use application::personal_token::{CreatePersonalToken, CreatePersonalTokenCommand};
use application::ports::storage::{
    ClientReader, FailureCounter, GrantFilter, GrantReader, PasswordLinkReader, ProfileReader,
    SigningKeyReader, UnitOfWorkFactory,
};
use application::ports::system::{Clock, Entropy, KeyRing as _};
use application::token::{RedeemCode, RedeemCodeCommand, TokenMint};
use chrono::{DateTime, TimeDelta, Utc};
use domain::address::AddressBlock;
use domain::client::{ClientKind, ClientName, RedirectUri};
use domain::code::CodeLifetime;
use domain::id::{ClientId, SessionId, UserId};
use domain::scope::{Scope, ScopeSet};
use domain::secret::{Secret, SecretKind};
use domain::session::{AuthenticationMethod, Session};
use domain::time::TimeZone;
use domain::user::{Biology, Email};
use sqlite_adapter::{SqliteOptions, SqliteStore};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system_adapter::{
    Argon2PasswordHasher, Ed25519KeyRing, EncryptionKey, HashParameters, HashingLimits, SystemClock,
    SystemEntropy, TokenParties, ZxcvbnPasswordJudge,
};

/// Operator of a world's store.
#[derive(Clone)]
pub(super) struct Operator {
    units: Arc<dyn UnitOfWorkFactory>,
    clients: Arc<dyn ClientReader>,
    failures: Arc<dyn FailureCounter>,
    grants: Arc<dyn GrantReader>,
    links: Arc<dyn PasswordLinkReader>,
    profiles: Arc<dyn ProfileReader>,
    keys: Arc<dyn SigningKeyReader>,
    encryption_key: PathBuf,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

/// Clock that returns a time in the past.
struct SlowClock(TimeDelta);

impl Clock for SlowClock {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() - self.0
    }
}

/// Personal access token with the id by which it is revoked.
#[derive(Clone, Debug)]
pub(super) struct MadeToken {
    pub(super) id: String,
    pub(super) text: String,
}

impl Operator {
    /// Opens the store of a world, which must be migrated.
    pub(super) async fn of(world: &World) -> Self {
        let encryption_key = find(world.dir.path(), "restwell.key").expect("the file of the encryption key");
        match (&world.database, world.kind) {
            (Some(database), _) => Self::at(Arc::new(database.store()), encryption_key),
            (None, StoreKind::Sqlite) => {
                let path = world.dir.path().join("restwell.db");
                let store = SqliteStore::open(&path, SqliteOptions::default()).await.expect("store");
                Self::at(Arc::new(store), encryption_key)
            }
            (None, StoreKind::Postgres) => panic!("a world without its database"),
        }
    }

    fn at<S>(store: Arc<S>, encryption_key: PathBuf) -> Self
    where
        S: UnitOfWorkFactory
            + ClientReader
            + FailureCounter
            + GrantReader
            + PasswordLinkReader
            + ProfileReader
            + SigningKeyReader
            + 'static,
    {
        Self {
            units: store.clone(),
            clients: store.clone(),
            failures: store.clone(),
            grants: store.clone(),
            links: store.clone(),
            profiles: store.clone(),
            keys: store,
            encryption_key,
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
        }
    }

    /// Returns the same operator with an earlier clock.
    pub(super) fn earlier(&self, by: TimeDelta) -> Self {
        Self { clock: Arc::new(SlowClock(by)), ..self.clone() }
    }

    fn ports(&self) -> (Arc<dyn UnitOfWorkFactory>, Arc<dyn Entropy>, Arc<dyn Clock>) {
        (self.units.clone(), self.entropy.clone(), self.clock.clone())
    }

    /// Creates a person who can sign in with this password; returns the id.
    pub(super) async fn create_person(&self, email: &str, password: &str) -> String {
        let (units, entropy, clock) = self.ports();
        let command = CreateUserCommand {
            id: None,
            email: Email::parse(email).expect("address"),
            home_timezone: TimeZone::parse("Europe/Berlin").expect("zone"),
            biology: Biology::default(),
        };
        let user = CreateUser::new(units, entropy, clock).run(command).await.expect("person");
        self.set_password(&user.id.to_string(), password).await;
        user.id.to_string()
    }

    pub(super) async fn set_password(&self, user_id: &str, password: &str) {
        let (units, entropy, clock) = self.ports();
        let limits = HashingLimits::for_this_machine(0, 32);
        let hasher = Argon2PasswordHasher::new(HashParameters::MINIMUM, limits).expect("hasher");
        let ports = ChoosePasswordPorts {
            links: self.links.clone(),
            units,
            hasher: Arc::new(hasher),
            judge: Arc::new(ZxcvbnPasswordJudge),
            failures: self.failures.clone(),
            clock,
            entropy,
        };
        let set = SetPassword::new(ports, self.profiles.clone());
        set.run(user(user_id), password).await.expect("password");
    }

    /// Creates a link with which a person can set a password; earlier links become invalid.
    pub(super) async fn issue_link(&self, user_id: &str) -> String {
        let (units, entropy, clock) = self.ports();
        let issued = IssuePasswordLink::new(units, entropy, clock, None).run(user(user_id)).await;
        issued.expect("link").link.expose().to_owned()
    }

    /// Locks or unlocks a person.
    pub(super) async fn lock(&self, user_id: &str, locked: bool) {
        let (units, entropy, clock) = self.ports();
        let change = UserChange { locked: Some(locked), ..UserChange::default() };
        ChangeUser::new(units, entropy, clock).run(user(user_id), change).await.expect("change");
    }

    /// Deletes a person.
    pub(super) async fn delete(&self, user_id: &str) {
        let (units, entropy, clock) = self.ports();
        let command = ErasePersonCommand::ByOperator(user(user_id));
        ErasePerson::new(units, entropy, clock).run(command).await.expect("erasure");
    }

    /// Registers an app with every scope, or a service client with every service scope.
    pub(super) async fn create_client(&self, kind: ClientKind, user_id: &str) -> Registration {
        let (units, entropy, clock) = self.ports();
        let uri = RedirectUri::parse(REDIRECT_URI).expect("URI");
        let (redirect_uris, by_consent) = match kind {
            ClientKind::App => (vec![uri], true),
            ClientKind::Service => (Vec::new(), false),
        };
        let command = CreateClientCommand {
            name: ClientName::parse("Night Reader").expect("name"),
            kind,
            redirect_uris,
            scopes: Scope::ALL.into_iter().filter(|scope| scope.by_consent() == by_consent).collect(),
            allow_query_secrets: true,
            require_pkce: false,
        };
        let created = CreateClient::new(units, entropy, clock).run(command).await.expect("client");
        Registration {
            user_id: user_id.to_owned(),
            client_id: created.client.id.to_string(),
            client_secret: created.secret.expose().to_owned(),
        }
    }

    /// Disables or enables a client.
    pub(super) async fn enable(&self, client_id: &str, enabled: bool) {
        let (units, entropy, clock) = self.ports();
        let change = ClientChange { enabled: Some(enabled), ..ClientChange::default() };
        ChangeClient::new(units, entropy, clock).run(client(client_id), change).await.expect("change");
    }

    /// Issues a new secret for a client; of the earlier ones, only the newest stays valid.
    pub(super) async fn rotate_secret(&self, client_id: &str) -> String {
        let (units, entropy, clock) = self.ports();
        let secret = RotateClientSecret::new(units, entropy, clock).run(client(client_id), None).await;
        secret.expect("secret").expose().to_owned()
    }

    /// Creates a new signing key; returns its id.
    pub(super) async fn rotate_key(&self, older: OlderKeys) -> String {
        let (units, entropy, clock) = self.ports();
        let ring = Arc::new(self.ring(""));
        let rotation = RotateSigningKey::new(units, ring, entropy, clock).run(older).await;
        rotation.expect("rotation").made.to_string()
    }

    /// Revokes a person's grant to a client.
    pub(super) async fn revoke_grants(&self, of: &Registration) {
        let (units, entropy, clock) = self.ports();
        let filter = GrantFilter {
            user_id: Some(user(&of.user_id)),
            client_id: Some(client(&of.client_id)),
            ..GrantFilter::default()
        };
        RevokeGrants::new(self.grants.clone(), units, entropy, clock).run(filter).await.expect("revocation");
    }

    /// Issues a code with a lifetime of ten minutes.
    pub(super) async fn issue_code(&self, of: &Registration, scopes: &[Scope]) -> String {
        self.try_issue_code(of, scopes).await.expect("code")
    }

    /// Issues a code with a lifetime of ten minutes; `None` if the person or client cannot be connected.
    pub(super) async fn try_issue_code(&self, of: &Registration, scopes: &[Scope]) -> Option<String> {
        let (units, entropy, clock) = self.ports();
        let command = IssueCodeCommand {
            client_id: client(&of.client_id),
            user_id: user(&of.user_id),
            redirect_uri: REDIRECT_URI.to_owned(),
            scopes: scopes.iter().copied().collect(),
            lifetime: CodeLifetime::MAX,
        };
        match IssueCode::new(units, entropy, clock).run(command).await {
            Ok(issued) => Some(issued.code.expose().to_owned()),
            Err(IssueCodeError::UnknownUser | IssueCodeError::UserLocked | IssueCodeError::UnknownClient) => {
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Issues a code and redeems it, as a server with this issuer would; returns the access token.
    pub(super) async fn access_token(&self, issuer: &str, of: &Registration, scopes: &[Scope]) -> String {
        let code = self.issue_code(of, scopes).await;
        let ring = self.ring(issuer);
        ring.load(&self.keys.list_signing_keys().await.expect("keys")).expect("keys that open");
        let mint = TokenMint::new(Arc::new(ring), self.entropy.clone(), self.clock.clone());
        let found =
            self.clients.find_with_secrets(client(&of.client_id)).await.expect("store").expect("client");
        let command = RedeemCodeCommand {
            client: &found.client,
            code: &code,
            redirect_uri: REDIRECT_URI,
            code_verifier: None,
            address: AddressBlock::containing(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        };
        let redeem = RedeemCode::new(self.units.clone(), self.entropy.clone(), mint);
        redeem.run(command).await.expect("tokens").access_token
    }

    /// Creates a personal access token that expires after 30 days.
    pub(super) async fn personal_token(&self, user_id: &str, scopes: &[Scope]) -> MadeToken {
        let (units, entropy, clock) = self.ports();
        let scopes: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
        let session = self.fresh_session(user_id);
        let mut unit = units.begin().await.expect("unit of work");
        unit.sessions().insert(&session).await.expect("session");
        unit.commit().await.expect("session");
        let command = CreatePersonalTokenCommand {
            session: &session,
            name: "My script",
            scopes: &scopes,
            expires_in_days: Some(30),
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        };
        let created = CreatePersonalToken::new(units, entropy, clock).run(command).await.expect("token");
        MadeToken { id: created.token.id.to_string(), text: created.secret.expose().to_owned() }
    }

    fn fresh_session(&self, user_id: &str) -> Session {
        let now = self.clock.now();
        let cookie = Secret::from_bytes(SecretKind::Session, &self.entropy.secret_bytes());
        Session {
            id: SessionId::from_uuid(self.entropy.uuid()),
            user_id: user(user_id),
            token_hash: cookie.hash(),
            method: AuthenticationMethod::Password,
            authenticated_at: now,
            last_seen_at: now,
        }
    }

    /// Returns a key ring without keys, for tokens of this issuer.
    fn ring(&self, issuer: &str) -> Ed25519KeyRing {
        let key = EncryptionKey::load_or_create_file(&self.encryption_key).expect("encryption key");
        let parties = TokenParties { issuer: issuer.to_owned(), audience: issuer.to_owned() };
        Ed25519KeyRing::new(key, parties)
    }
}

/// Returns every scope that a person can grant.
pub(super) fn all_scopes() -> Vec<Scope> {
    ScopeSet::CONSENTABLE.iter().collect()
}

fn user(id: &str) -> UserId {
    UserId::parse(id).expect("user id")
}

fn client(id: &str) -> ClientId {
    ClientId::parse(id).expect("client id")
}

/// Finds a file by its name, up to two folders deep.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries: Vec<_> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    let here = entries.iter().find(|path| path.file_name().is_some_and(|found| found == name));
    here.cloned().or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|path| find(path, name)))
}
