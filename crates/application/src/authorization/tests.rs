//! Tests of authorization, and their shared fixtures.

mod begin;
mod decide;
mod fault;
mod metadata;
mod prompt;
mod remembered;

use super::{ANONYMOUS_REQUESTS, Authorizations};
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork, RecordedEvents};
use crate::ports::storage::{
    FailureCount, MockAuthorizationRequestReader, MockClientReader, MockConnectedAppReader,
    MockFailureCounter, StorageError,
};
use crate::ports::system::MockMetadataSource;
use crate::testing::{
    ADDRESS, REDIRECT_URI, app, client_id, client_reader, counters, issued_code, noon, person, scopes,
    seconds, secret, session, signed_in, store, unit_with, user_id, with_session, without_secrets,
};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::authorization_response::AuthorizationResponse;
use domain::client::{Client, MetadataPolicy};
use domain::code::{AuthorizationCode, PkceChallenge};
use domain::consent::RememberedConsent;
use domain::id::AuthorizationRequestId;
use domain::resource::Resource;
use domain::secret::{Secret, SecretKind};
use domain::user::User;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

const ISSUER: &str = "https://sleep.example";
/// [`client_id`] 1, as an app sends it.
const CLIENT: &str = "00000000-0000-0000-0000-0000c11e0001";
/// The challenge of RFC 7636 appendix B.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn visit() -> Secret {
    secret(SecretKind::Visit, 6)
}

fn request_id() -> AuthorizationRequestId {
    AuthorizationRequestId::from_uuid(Uuid::from_u128(0x4e9))
}

/// A one-minute-old request for profile and sleep, assigned to user 1.
fn request() -> AuthorizationRequest {
    AuthorizationRequest {
        id: request_id(),
        client_id: client_id(1),
        redirect_uri: REDIRECT_URI.to_owned(),
        scopes: scopes("profile sleep"),
        resource: Resource::Api,
        state: Some("abc".to_owned()),
        challenge: Some(PkceChallenge::parse(CHALLENGE).unwrap()),
        force_consent: false,
        visit_hash: visit().hash(),
        user_id: Some(user_id(1)),
        login_hint: None,
        created_at: noon() - seconds(60),
        decision: RequestState::Open,
    }
}

fn remembered(text: &str) -> RememberedConsent {
    RememberedConsent {
        user_id: user_id(1),
        client_id: client_id(1),
        scopes: scopes(text),
        remembered_at: noon() - seconds(3600),
    }
}

/// A unit of work that finds this user.
fn with_person(user: Option<User>) -> MockUnitOfWork {
    with_session(unit_with(user), Some(session(30)))
}

/// A unit of work that finds user 1, whose session has ended since.
fn after_the_session() -> MockUnitOfWork {
    with_session(unit_with(Some(person())), None)
}

fn expect_remembered(unit: &mut MockUnitOfWork, consent: Option<RememberedConsent>) {
    unit.consents
        .expect_find()
        .times(1)
        .withf(|user, client| *user == user_id(1) && *client == client_id(1))
        .returning(move |_, _| Ok(consent));
}

type Captured<T> = Arc<Mutex<Option<T>>>;

fn captured<T: Clone>(note: &Captured<T>) -> T {
    note.lock().unwrap().clone().expect("nothing was stored")
}

/// Expects one code insert and records it.
fn expect_code(unit: &mut MockUnitOfWork) -> Captured<AuthorizationCode> {
    let note = Captured::default();
    let stored = Arc::clone(&note);
    expect_insert(unit, move |code| {
        *stored.lock().unwrap() = Some(code.clone());
        Ok(())
    });
    note
}

fn expect_insert(
    unit: &mut MockUnitOfWork,
    insert: impl Fn(&AuthorizationCode) -> Result<(), StorageError> + Send + 'static,
) {
    unit.codes.expect_insert().times(1).returning(insert);
}

/// Expects one request insert and records it.
fn expect_request(unit: &mut MockUnitOfWork) -> Captured<AuthorizationRequest> {
    let note = Captured::default();
    let stored = Arc::clone(&note);
    unit.authorization_requests
        .expect_delete_excess()
        .times(..=1)
        .withf(|user, keep| *user == user_id(1) && *keep == 20)
        .returning(|_, _| Ok(0));
    unit.authorization_requests.expect_insert().times(1).returning(move |request| {
        *stored.lock().unwrap() = Some(request.clone());
        Ok(())
    });
    note
}

/// The service of one test. Calls that the test does not set up fail.
struct World {
    requests: MockAuthorizationRequestReader,
    clients: MockClientReader,
    apps: MockConnectedAppReader,
    failures: MockFailureCounter,
    metadata: MockMetadataSource,
    metadata_policy: MetadataPolicy,
    units: Vec<MockUnitOfWork>,
}

/// Recorded effects of a test.
struct Effects {
    endings: Arc<Endings>,
    events: RecordedEvents,
}

impl Effects {
    fn assert_committed(&self) {
        assert_eq!((self.endings.opened(), self.endings.committed()), (1, 1));
    }

    fn assert_untouched(&self) {
        assert_eq!(self.endings.opened(), 0);
    }

    /// Returns the kinds of the events, which are all of user 1 and client 1.
    fn kinds(&self) -> Vec<AuditKind> {
        let events = self.events.all();
        for event in &events {
            let AuditEvent { id: _, at, kind: _, actor, user_id: user, client_id: client, .. } = *event;
            assert_eq!((at, actor), (noon(), AuditActor::Person));
            assert_eq!((user, client), (Some(user_id(1)), Some(client_id(1))));
            assert_eq!(event.address, Some(AddressBlock::containing(ADDRESS)));
        }
        events.iter().map(|event| event.kind).collect()
    }
}

impl World {
    fn new(units: impl IntoIterator<Item = MockUnitOfWork>) -> Self {
        Self {
            requests: MockAuthorizationRequestReader::new(),
            clients: MockClientReader::new(),
            apps: MockConnectedAppReader::new(),
            failures: MockFailureCounter::new(),
            metadata: MockMetadataSource::new(),
            metadata_policy: MetadataPolicy::Off,
            units: units.into_iter().collect(),
        }
    }

    /// Expects that client 1 is looked up, and returns this client.
    fn with_client(mut self, client: Option<Client>) -> Self {
        self.clients = client_reader(1, move |id| {
            assert_eq!(id, client_id(1));
            Ok(client.clone().map(without_secrets))
        });
        self
    }

    /// Expects one request to be counted, as the `count`th of its network.
    fn counting(mut self, count: u32) -> Self {
        self.failures = counters(1, move |keys, at, window| {
            assert_eq!((keys.len(), window), (1, seconds(600)));
            Ok(vec![FailureCount { count, window_ends_at: at + seconds(90) }])
        });
        self
    }

    fn service(self) -> (Authorizations, Effects) {
        let units = Arc::new(PreparedUnitsOfWork::new(self.units));
        let effects = Effects { endings: units.endings(), events: units.events() };
        let service = Authorizations {
            store: store(&units),
            requests: Arc::new(self.requests),
            clients: Arc::new(self.clients),
            apps: Arc::new(self.apps),
            failures: Arc::new(self.failures),
            anonymous_requests: ANONYMOUS_REQUESTS,
            metadata: Arc::new(self.metadata),
            metadata_policy: self.metadata_policy,
            issuer: ISSUER.to_owned(),
        };
        (service, effects)
    }
}

/// Returns a parameter of a response, still encoded.
fn parameter<'a>(response: &'a AuthorizationResponse, name: &str) -> Option<&'a str> {
    let (_, query) = response.expose().split_once('?')?;
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// Asserts that a response goes to the registered URI and names the configured issuer (security.md T23, T26).
fn assert_redirects_to_app(response: &AuthorizationResponse) {
    assert!(response.expose().starts_with("https://owl.example/callback?"));
    assert_eq!(parameter(response, "iss"), Some("https%3A%2F%2Fsleep.example"));
}

/// Returns error and state of an error response.
fn error_of(response: &AuthorizationResponse) -> (&str, Option<&str>) {
    assert_redirects_to_app(response);
    assert_eq!(parameter(response, "code"), None);
    let description = parameter(response, "error_description").expect("no description");
    assert!(!description.is_empty());
    (parameter(response, "error").expect("no error"), parameter(response, "state"))
}

/// Asserts that the response carries the stored code, and the state.
fn assert_carries(response: &AuthorizationResponse, code: &AuthorizationCode, state: Option<&str>) {
    assert_redirects_to_app(response);
    let text = parameter(response, "code").expect("no code");
    assert_eq!(Secret::parse(SecretKind::AuthorizationCode, text).unwrap().hash(), code.hash);
    assert_eq!(parameter(response, "state"), state);
    assert_eq!(parameter(response, "error"), None);
}

/// [`app`], with PKCE required.
fn strict_app() -> Client {
    Client { require_pkce: true, ..app() }
}
