use super::{AccessPorts, AuthorizeAccess, AuthorizeAccessError, DailyLimits, GrantedAccess, TokenCheck};
use crate::ports::storage::{AccessState, MockAccessReader, MockClientReader, StorageError};
use crate::ports::system::{InvalidToken, MockRateLimiter, MockTokenVerifier, MockUnknownKeyReload};
use crate::testing::{
    access_claims, access_state, app, client_id, client_reader, clock, grant_id, noon, scopes, unknown_keys,
    user_id, verifier, without_secrets,
};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::client::{Client, ClientStatus};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use domain::rate_limit::{RateKey, RateStatus, RateWindow};
use domain::read_tally::Reader;
use domain::resource::Resource;
use domain::scope::Scope;
use std::sync::{Arc, Mutex};

mod audience;
mod ingest;
mod personal_token;

type Outcome = Result<GrantedAccess, AuthorizeAccessError>;

fn limits() -> DailyLimits {
    PersonEndpoint::all().zip([3, 5, 7, 9, 11, 13]).collect()
}

/// A request. [`Request::good`] passes every check; each test breaks one.
struct Request {
    claims: Option<AccessClaims>,
    /// Whether a rejected token is checked again, and the result of that check.
    reload: Result<Option<AccessClaims>, StorageError>,
    state: Result<Option<AccessState>, StorageError>,
    /// The client in the store, for service tokens.
    service: Result<Option<Client>, StorageError>,
    user_id: String,
    endpoint: DataKind,
    /// Requests counted today; `None` if the counter must not be reached.
    used: Option<u32>,
}

impl Request {
    fn good() -> Self {
        Self {
            claims: Some(access_claims()),
            reload: Ok(None),
            state: Ok(Some(access_state())),
            service: Ok(Some(app())),
            user_id: user_id(1).to_string(),
            endpoint: DataKind::Sleep,
            used: Some(0),
        }
    }

    /// Runs the request. The counter must be called once if `used` is set, otherwise never.
    async fn run(self) -> Outcome {
        let Self { claims, reload, state, service, user_id: text, endpoint, used } = self;
        let mut access = MockAccessReader::new();
        access
            .expect_find_access()
            .withf(|user, grant| *user == user_id(1) && *grant == grant_id(1))
            .return_once(move |_, _| state);
        let limiter = counting(rate_key(endpoint), limits().limit(endpoint.into()), used);
        let authorize = authorizing(checking(claims, reload), access, finding(service), limiter);
        let caller = authorize.identify("the token", Resource::Api).await?;
        authorize.admit_to(&caller, &text, endpoint.into()).await
    }
}

/// Expects one count of this key after this many others today; none if `used` is not set.
fn counting(key: RateKey, limit: u32, used: Option<u32>) -> MockRateLimiter {
    let mut limiter = MockRateLimiter::new();
    limiter
        .expect_count()
        .times(usize::from(used.is_some()))
        .withf(move |counted, asked, at| (*counted, *asked, *at) == (key, limit, noon()))
        .returning(move |_, limit, at| {
            RateStatus::after(used.unwrap_or_default(), limit, RateWindow::at(at))
        });
    limiter
}

/// A reader of the client, which is asked once at most.
fn finding(client: Result<Option<Client>, StorageError>) -> MockClientReader {
    let client = Mutex::new(Some(client));
    client_reader(..=1, move |id| {
        assert_eq!(id, client_id(1));
        client.lock().unwrap().take().unwrap().map(|client| client.map(without_secrets))
    })
}

fn authorizing(
    (verifier, unknown_keys): (MockTokenVerifier, MockUnknownKeyReload),
    access: MockAccessReader,
    clients: MockClientReader,
    limiter: MockRateLimiter,
) -> AuthorizeAccess {
    let ports = AccessPorts {
        tokens: TokenCheck::new(Arc::new(verifier), Arc::new(unknown_keys)),
        access: Arc::new(access),
        clients: Arc::new(clients),
        limiter: Arc::new(limiter),
        clock: clock(),
    };
    AuthorizeAccess::new(ports, limits())
}

/// Expects a key reload for a rejected token only; what it finds is the answer to a second check.
fn checking(
    claims: Option<AccessClaims>,
    reload: Result<Option<AccessClaims>, StorageError>,
) -> (MockTokenVerifier, MockUnknownKeyReload) {
    let times = if matches!(reload, Ok(Some(_))) { 2 } else { 1 };
    let (answer, mut reload) = (Arc::new(Mutex::new(claims)), Some(reload));
    let current = Arc::clone(&answer);
    let verifier = verifier(times, move |token| {
        assert_eq!(token, "the token");
        current.lock().unwrap().ok_or(InvalidToken)
    });
    let unknown_keys = unknown_keys(usize::from(claims.is_none()), move |token| {
        assert_eq!(token, "the token");
        let found = reload.take().unwrap()?;
        *answer.lock().unwrap() = found;
        Ok(found.is_some())
    });
    (verifier, unknown_keys)
}

fn rate_key(endpoint: DataKind) -> RateKey {
    RateKey { reader: Reader::Client(client_id(1)), user: Some(user_id(1)), endpoint: endpoint.into() }
}

fn service_claims() -> AccessClaims {
    AccessClaims { subject: TokenSubject::Service, ..access_claims() }
}

fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(_) => "granted",
        Err(AuthorizeAccessError::InvalidToken) => "invalid token",
        Err(AuthorizeAccessError::InvalidUserId) => "invalid user_id",
        Err(AuthorizeAccessError::OtherUser) => "other user",
        Err(AuthorizeAccessError::InsufficientScope { .. }) => "insufficient scope",
        Err(AuthorizeAccessError::RateLimited { .. }) => "rate limited",
        Err(AuthorizeAccessError::Storage(_)) => "storage",
    }
}

async fn refusal(request: Request) -> &'static str {
    kind(&Request { used: None, ..request }.run().await)
}

#[tokio::test]
async fn a_valid_request_is_granted_with_everything_the_response_needs() {
    let granted = Request::good().run().await.unwrap();
    assert_eq!((granted.user_id, granted.reader), (user_id(1), Reader::Client(client_id(1))));
    assert_eq!(granted.scopes, scopes("profile sleep"));
    assert_eq!(granted.home_timezone.name(), "Europe/Berlin");
    assert_eq!((granted.rate.limit, granted.rate.remaining), (5, 4));
}

/// The checks of decisions 4, in order; each entry breaks a request for one check.
type FaultCase = (&'static str, fn(&mut Request));
const CHECKS: [FaultCase; 5] = [
    ("invalid token", |request| request.claims = None),
    ("invalid user_id", |request| request.user_id = "not-a-uuid".to_owned()),
    ("other user", |request| {
        // A malformed id set by an earlier fault is kept.
        if request.user_id == user_id(1).to_string() {
            request.user_id = user_id(2).to_string();
        }
    }),
    ("insufficient scope", |request| request.endpoint = DataKind::Supplements),
    ("rate limited", |request| request.used = Some(u32::MAX)),
];

#[tokio::test]
async fn only_the_first_fault_in_check_order_is_reported() {
    // Every combination of faults, as bits.
    for faults in 1_usize..1 << CHECKS.len() {
        let mut request = Request::good();
        for (place, (_, spoil)) in CHECKS.iter().enumerate() {
            if faults & (1 << place) != 0 {
                spoil(&mut request);
            }
        }
        let first = faults.trailing_zeros() as usize;
        // Only a request that passes the earlier checks reaches the counter.
        if first < CHECKS.len() - 1 {
            request.used = None;
        }
        assert_eq!(kind(&request.run().await), CHECKS[first].0, "faults {faults:05b}");
    }
}

#[tokio::test]
async fn t70_a_token_of_another_replicas_new_key_is_checked_again_with_that_key() {
    let request = Request { claims: None, reload: Ok(Some(access_claims())), ..Request::good() };
    assert_eq!(kind(&request.run().await), "granted");
}

#[tokio::test]
async fn an_unreadable_key_store_does_not_make_the_token_invalid() {
    let request = Request { claims: None, reload: Err(StorageError::Unavailable), ..Request::good() };
    assert_eq!(refusal(request).await, "storage");
}

#[tokio::test]
async fn a_missing_or_ended_grant_is_reported_before_an_invalid_user_id() {
    for gone in [None, Some(AccessState { is_live: false, ..access_state() })] {
        let request = Request { state: Ok(gone), user_id: "not-a-uuid".to_owned(), ..Request::good() };
        assert_eq!(refusal(request).await, "invalid token");
    }
}

#[tokio::test]
async fn a_missing_grant_makes_the_token_invalid() {
    assert_eq!(refusal(Request { state: Ok(None), ..Request::good() }).await, "invalid token");
}

#[tokio::test]
async fn a_token_of_an_inactive_grant_client_or_person_is_invalid() {
    let state = Ok(Some(AccessState { is_live: false, ..access_state() }));
    assert_eq!(refusal(Request { state, ..Request::good() }).await, "invalid token");
}

#[tokio::test]
async fn a_token_whose_grant_belongs_to_another_client_is_invalid() {
    let state = Ok(Some(AccessState { client_id: client_id(2), ..access_state() }));
    assert_eq!(refusal(Request { state, ..Request::good() }).await, "invalid token");
}

#[tokio::test]
async fn a_store_that_fails_does_not_make_the_token_invalid() {
    let request = Request { state: Err(StorageError::Unavailable), ..Request::good() };
    assert_eq!(refusal(request).await, "storage");
}

#[tokio::test]
async fn a_service_token_cannot_read_data() {
    let request = Request { claims: Some(service_claims()), ..Request::good() };
    assert_eq!(refusal(request).await, "other user");
}

#[tokio::test]
async fn a_token_of_a_disabled_or_missing_service_client_is_invalid() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..app() };
    for (service, outcome) in [
        (Ok(Some(disabled)), "invalid token"),
        (Ok(None), "invalid token"),
        (Err(StorageError::Unavailable), "storage"),
    ] {
        let request = Request { claims: Some(service_claims()), service, ..Request::good() };
        assert_eq!(refusal(request).await, outcome);
    }
}

#[tokio::test]
async fn a_service_token_reports_a_malformed_user_id_first() {
    let user_id = "not-a-uuid".to_owned();
    let request = Request { claims: Some(service_claims()), user_id, ..Request::good() };
    assert_eq!(refusal(request).await, "invalid user_id");
}

#[tokio::test]
async fn the_user_id_is_accepted_in_any_letter_case() {
    let user_id = user_id(1).to_string().to_uppercase();
    assert_eq!(kind(&Request { user_id, ..Request::good() }.run().await), "granted");
}

#[tokio::test]
async fn a_user_id_in_another_form_is_malformed() {
    for user_id in [user_id(1).to_string().replace('-', ""), String::new(), "*".to_owned()] {
        assert_eq!(refusal(Request { user_id, ..Request::good() }).await, "invalid user_id");
    }
}

#[tokio::test]
async fn a_narrowed_token_reads_only_its_scopes() {
    let narrowed = AccessClaims { scopes: scopes("profile"), ..access_claims() };
    let outcome = Request { claims: Some(narrowed), used: None, ..Request::good() }.run().await;
    let needed = match outcome {
        Err(AuthorizeAccessError::InsufficientScope { needed }) => needed,
        other => panic!("not refused for its scope: {other:?}"),
    };
    assert_eq!(needed, [Scope::Sleep].into_iter().collect());
}

#[tokio::test]
async fn a_token_is_limited_to_the_scopes_of_its_grant() {
    let state = Ok(Some(AccessState { scopes: scopes("profile"), ..access_state() }));
    assert_eq!(refusal(Request { state, ..Request::good() }).await, "insufficient scope");
}

#[tokio::test]
async fn the_scopes_returned_are_those_of_the_grant_not_of_a_narrowed_token() {
    let narrowed = AccessClaims { scopes: scopes("sleep"), ..access_claims() };
    let granted = Request { claims: Some(narrowed), ..Request::good() }.run().await.unwrap();
    assert_eq!(granted.scopes, scopes("profile sleep"));
}

#[tokio::test]
async fn each_endpoint_requires_its_scope_and_has_its_limit() {
    for (endpoint, scope, limit) in [
        (DataKind::Profile, "profile", 3),
        (DataKind::Sleep, "sleep", 5),
        (DataKind::Supplements, "supplements", 7),
    ] {
        let claims = Some(AccessClaims { scopes: scopes(scope), ..access_claims() });
        let state = Ok(Some(AccessState { scopes: scopes(scope), ..access_state() }));
        let granted = Request { claims, state, endpoint, ..Request::good() }.run().await.unwrap();
        assert_eq!(granted.rate.limit, limit, "{scope}");
    }
}

#[tokio::test]
async fn the_last_request_within_the_limit_is_granted() {
    let granted = Request { used: Some(4), ..Request::good() }.run().await.unwrap();
    assert_eq!(granted.rate.remaining, 0);
}

#[tokio::test]
async fn beyond_the_limit_the_error_has_the_seconds_to_midnight_utc() {
    let outcome = Request { used: Some(5), ..Request::good() }.run().await;
    let Err(AuthorizeAccessError::RateLimited { rate, retry_after_seconds }) = outcome else {
        panic!("not limited: {outcome:?}");
    };
    assert_eq!(retry_after_seconds, 12 * 3600);
    assert_eq!((rate.limit, rate.remaining, rate.allowed), (5, 0, false));
    assert_eq!(rate.reset, noon().timestamp() + 12 * 3600);
}

#[test]
fn the_default_limits_are_those_of_decisions_7() {
    let limits = DailyLimits::default();
    let data = [DataKind::Profile, DataKind::Sleep, DataKind::Supplements];
    assert_eq!(data.map(|kind| limits.limit(kind.into())), [1_000, 10_000, 10_000]);
}
