//! Races between two use cases of one person: the first one locks the person until it ends, and the second
//! one sees its result.

use crate::made_up::*;
use crate::made_up_sign_in::*;
use application::authorization::{
    ANONYMOUS_REQUESTS, Authorizations, ConsentDecision, ConsentError, ConsentOutcome,
};
use application::grant::Grants;
use application::personal_token::{
    CreatedPersonalToken, NewPersonalToken, PersonalTokenError, PersonalTokens,
};
use application::ports::storage::StorageError;
use application::ports::system::{Clock, Entropy, FetchedMetadata, MetadataSource};
use application::session::{AccountActor, Sessions, SignedInPerson};
use application::store::AuditTrail;
use application::store::Store;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::authorization_request::AuthorizationRequest;
use domain::authorization_response::AuthorizationResponse;
use domain::client::{MetadataError, MetadataPolicy, MetadataUrl};
use domain::consent::RememberedConsent;
use domain::scope::ScopeSet;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::session::{Session, SessionLifetime};
use domain::user::User;
use postgres_adapter::test_support::TestDatabase;
use postgres_adapter::{PostgresOptions, PostgresStore};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use uuid::Uuid;

const ISSUER: &str = "https://sleep.example";
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));
const LIVE_CODES: &str = "SELECT count(*) FROM authorization_code";
const LIVE_GRANTS: &str = "SELECT count(*) FROM access_grant WHERE revoked_at IS NULL";
const CONSENTS: &str = "SELECT count(*) FROM consent";
const SESSIONS: &str = "SELECT count(*) FROM session";
const TOKENS: &str = "SELECT count(*) FROM personal_token";

/// Time limit until both wait for the lock, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A clock one minute after the test data was created.
struct MinuteLater;

impl Clock for MinuteLater {
    fn now(&self) -> DateTime<Utc> {
        at(60)
    }
}

/// Fetches no metadata document.
struct NoDocuments;

#[async_trait]
impl MetadataSource for NoDocuments {
    async fn read(&self, _: &MetadataUrl) -> Result<FetchedMetadata, MetadataError> {
        Err(MetadataError::Busy)
    }
}

/// Random source of distinct numbers for all tests of this process.
struct DistinctEntropy;

static DRAWN: AtomicU64 = AtomicU64::new(1);

impl Entropy for DistinctEntropy {
    fn secret_bytes(&self) -> SecretBytes {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(self.uuid().as_bytes());
        SecretBytes::new(bytes)
    }

    fn uuid(&self) -> Uuid {
        Uuid::from_u128(0xd7a3_0000_0000_0000_0000_0000 + u128::from(DRAWN.fetch_add(1, Ordering::SeqCst)))
    }
}

fn visit() -> Secret {
    Secret::from_bytes(SecretKind::Visit, &SecretBytes::new([3; 32]))
}

fn asked() -> AuthorizationRequest {
    AuthorizationRequest { visit_hash: visit().hash(), ..request(5) }
}

fn browser() -> Session {
    browser_session(5, 1)
}

fn signed_in() -> SignedInPerson {
    let User { id: user_id, email, home_timezone, .. } = user(1);
    let cookie = Secret::from_bytes(SecretKind::Session, &SecretBytes::new([1; 32]));
    let session = browser();
    SignedInPerson { user_id, email, home_timezone, session, cookie, is_fresh: true, address: ADDRESS }
}

/// Returns a store whose statements wait for a lock for longer than [`TIMEOUT`]: the first of two must not
/// give up before the second has come.
fn patient(database: &TestDatabase) -> PostgresStore {
    let options = PostgresOptions {
        pool_size: 4,
        statement_timeout: TIMEOUT * 2,
        lock_timeout: TIMEOUT * 2,
        idle_in_transaction_timeout: TIMEOUT * 2,
        ..PostgresOptions::new(database.url())
    };
    PostgresStore::connect(&options).unwrap()
}

/// Person 1 with a browser session, and a request by an app that has a grant and a remembered consent.
struct Scene {
    database: TestDatabase,
    store: Arc<PostgresStore>,
    observer: tokio_postgres::Client,
}

impl Scene {
    async fn create() -> Self {
        let database = TestDatabase::create().await;
        let (store, observer) = (Arc::new(patient(&database)), bystander(&database).await);
        populate(&store, [1]).await;
        let mut unit = begin(&store).await;
        unit.sessions().insert(&browser()).await.unwrap();
        unit.authorization_requests().insert(&asked()).await.unwrap();
        let (user_id, client_id) = (user_id(1), client().id);
        let consent =
            RememberedConsent { user_id, client_id, scopes: ScopeSet::CONSENTABLE, remembered_at: at(0) };
        unit.consents().remember(&consent).await.unwrap();
        unit.grants().insert(&grant(7, 1)).await.unwrap();
        unit.commit().await.unwrap();
        Self { database, store, observer }
    }

    fn authorizations(&self) -> Authorizations {
        Authorizations {
            store: self.audited(),
            requests: self.store.clone(),
            clients: self.store.clone(),
            apps: self.store.clone(),
            failures: self.store.clone(),
            anonymous_requests: ANONYMOUS_REQUESTS,
            metadata: Arc::new(NoDocuments),
            metadata_policy: MetadataPolicy::default(),
            issuer: ISSUER.to_owned(),
        }
    }

    fn open(&self) -> JoinHandle<Result<ConsentOutcome, ConsentError>> {
        let authorizations = self.authorizations();
        tokio::spawn(async move { authorizations.open(&signed_in(), &visit(), asked().id).await })
    }

    /// The store of services.
    fn audited(&self) -> Store {
        let trail = AuditTrail::new(Arc::new(DistinctEntropy), Arc::new(MinuteLater));
        Store { units: self.store.clone(), trail }
    }

    fn disconnect(&self) -> JoinHandle<Result<u64, StorageError>> {
        let grants = Grants { store: self.audited(), reader: self.store.clone(), apps: self.store.clone() };
        tokio::spawn(async move { grants.disconnect(&signed_in(), Some(client().id)).await })
    }

    fn sign_out(&self) -> JoinHandle<Result<bool, StorageError>> {
        let sessions = Sessions {
            store: self.audited(),
            reader: self.store.clone(),
            lifetime: SessionLifetime::default(),
            policy: SecondFactorPolicy::Optional,
            is_recording: Arc::default(),
        };
        tokio::spawn(async move { sessions.end(AccountActor::Person(&signed_in()), browser().id).await })
    }

    /// Assigns the request to the person, as the consent page does.
    async fn show_page(&self) {
        let mut unit = begin(&self.store).await;
        assert!(unit.authorization_requests().assign(asked().id, user_id(1)).await.unwrap());
        unit.commit().await.unwrap();
    }

    fn decide(&self) -> JoinHandle<Result<AuthorizationResponse, ConsentError>> {
        let authorizations = self.authorizations();
        tokio::spawn(async move {
            let decision = ConsentDecision::Allow { ticked: &["sleep"], remember: false };
            authorizations.decide(&signed_in(), &visit(), asked().id, decision).await
        })
    }

    fn make_token(&self) -> JoinHandle<Result<CreatedPersonalToken, PersonalTokenError>> {
        let tokens = PersonalTokens { store: self.audited(), reader: self.store.clone() };
        tokio::spawn(async move {
            let form = tokens.new_form();
            let new = NewPersonalToken { form, name: "Notebook", scopes: &["sleep"], expires_in_days: None };
            tokens.create(AccountActor::Person(&signed_in()), new).await
        })
    }

    /// Locks the person, starts one future and then the other, and releases the lock when both wait.
    async fn one_after_the_other<T, U>(
        &self,
        one: impl FnOnce(&Self) -> JoinHandle<T>,
        other: impl FnOnce(&Self) -> JoinHandle<U>,
    ) -> (T, U) {
        let mut holding = begin(&self.store).await;
        assert!(holding.users().find(user_id(1)).await.unwrap().is_some());
        let one = one(self);
        self.until_waiting(1).await;
        let other = other(self);
        self.until_waiting(2).await;
        holding.rollback().await.unwrap();
        (one.await.unwrap(), other.await.unwrap())
    }

    async fn until_waiting(&self, waiting: i64) {
        const BLOCKED: &str = "SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'restwell' AND wait_event_type = 'Lock'";
        let all_wait = async { while number(&self.observer, BLOCKED).await < waiting {} };
        tokio::time::timeout(TIMEOUT, all_wait).await.expect("one of the two did not wait for the lock");
    }

    async fn count(&self, sql: &str) -> i64 {
        number(&self.observer, sql).await
    }
}

// T57
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disconnecting_voids_the_code_of_an_app_authorized_just_before() {
    let scene = Scene::create().await;
    let (opened, revoked) = scene.one_after_the_other(Scene::open, Scene::disconnect).await;
    assert!(matches!(opened, Ok(ConsentOutcome::Redirect(_))));
    assert_eq!(revoked.unwrap(), 1);
    assert_eq!((scene.count(LIVE_CODES).await, scene.count(LIVE_GRANTS).await), (0, 0));
    assert_eq!(scene.count(CONSENTS).await, 0);
}

// T57
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_disconnected_just_before_is_not_authorized() {
    let scene = Scene::create().await;
    let (revoked, opened) = scene.one_after_the_other(Scene::disconnect, Scene::open).await;
    assert_eq!(revoked.unwrap(), 1);
    assert!(matches!(opened, Ok(ConsentOutcome::Ask(_))));
    assert_eq!((scene.count(LIVE_CODES).await, scene.count(LIVE_GRANTS).await), (0, 0));
    assert_eq!(scene.count(CONSENTS).await, 0);
}

// T57
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_access_survives_a_race_of_disconnecting_and_authorizing() {
    const ROUNDS: u128 = 20;
    let scene = Scene::create().await;
    let rival = Arc::new(scene.database.store());
    for round in 0..ROUNDS {
        let mut unit = begin(&scene.store).await;
        let consent = RememberedConsent {
            user_id: user_id(1),
            client_id: client().id,
            scopes: ScopeSet::CONSENTABLE,
            remembered_at: at(0),
        };
        unit.consents().remember(&consent).await.unwrap();
        let again = AuthorizationRequest { visit_hash: visit().hash(), ..request(100 + round) };
        unit.authorization_requests().insert(&again).await.unwrap();
        unit.commit().await.unwrap();
        let store = Store { units: rival.clone(), ..scene.audited() };
        let authorizations = Authorizations { store, apps: rival.clone(), ..scene.authorizations() };
        let (person, visit) = (signed_in(), visit());
        let (opened, revoked) =
            tokio::join!(authorizations.open(&person, &visit, again.id), scene.disconnect());
        assert!(matches!(opened, Ok(ConsentOutcome::Redirect(_) | ConsentOutcome::Ask(_))), "round {round}");
        revoked.unwrap().unwrap();
        assert_eq!((scene.count(LIVE_CODES).await, scene.count(LIVE_GRANTS).await), (0, 0), "round {round}");
    }
}

// T30
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consent_after_signing_out_is_rejected() {
    let scene = Scene::create().await;
    scene.show_page().await;
    let (existed, decided) = scene.one_after_the_other(Scene::sign_out, Scene::decide).await;
    assert!(existed.unwrap());
    assert!(matches!(decided, Err(ConsentError::AccountUnavailable)));
    assert_eq!((scene.count(LIVE_CODES).await, scene.count(SESSIONS).await), (0, 0));
}

// T30
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consent_given_just_before_signing_out_is_valid() {
    let scene = Scene::create().await;
    scene.show_page().await;
    let (decided, existed) = scene.one_after_the_other(Scene::decide, Scene::sign_out).await;
    assert!(decided.is_ok() && existed.unwrap());
    assert_eq!((scene.count(LIVE_CODES).await, scene.count(SESSIONS).await), (1, 0));
}

// T30
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_created_after_signing_out_is_rejected() {
    let scene = Scene::create().await;
    let (existed, made) = scene.one_after_the_other(Scene::sign_out, Scene::make_token).await;
    assert!(existed.unwrap());
    assert!(matches!(made, Err(PersonalTokenError::SessionEnded)));
    assert_eq!((scene.count(TOKENS).await, scene.count(SESSIONS).await), (0, 0));
}

// T30
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_created_just_before_signing_out_is_valid() {
    let scene = Scene::create().await;
    let (made, existed) = scene.one_after_the_other(Scene::make_token, Scene::sign_out).await;
    assert!(made.is_ok() && existed.unwrap());
    assert_eq!((scene.count(TOKENS).await, scene.count(SESSIONS).await), (1, 0));
}
