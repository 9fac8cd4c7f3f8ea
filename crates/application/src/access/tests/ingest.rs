//! Access checks of the ingest endpoints.

use super::{authorizing, checking, counting, finding, service_claims};
use crate::access::{AuthorizeAccessError, GrantedIngest};
use crate::ports::storage::{MockAccessReader, StorageError};
use crate::testing::{access_claims, access_state, client_id, noon, scopes, service, user_id};
use domain::access_token::AccessClaims;
use domain::client::{Client, ClientStatus};
use domain::data_endpoint::PersonEndpoint;
use domain::id::UserId;
use domain::rate_limit::RateKey;
use domain::read_tally::Reader;
use domain::resource::Resource;
use domain::scope::Scope;

type Outcome = Result<GrantedIngest, AuthorizeAccessError>;

/// The daily limit.
const LIMIT: u32 = 13;
const WRITES: &str = "sleep:write users:write";

/// A request. [`Request::good`] passes every check; each test breaks one.
struct Request {
    claims: Option<AccessClaims>,
    client: Result<Option<Client>, StorageError>,
    user_id: Option<String>,
    scope: Scope,
    /// Requests counted today; `None` if the counter must not be reached.
    used: Option<u32>,
}

impl Request {
    fn good() -> Self {
        Self {
            claims: Some(AccessClaims { scopes: scopes(WRITES), ..service_claims() }),
            client: Ok(Some(Client { scopes: scopes(WRITES), ..service() })),
            user_id: Some(user_id(1).to_string()),
            scope: Scope::SleepWrite,
            used: Some(0),
        }
    }

    /// A request with a user's token that carries scopes no user can grant.
    fn of_a_person() -> Self {
        Self { claims: Some(AccessClaims { scopes: scopes(WRITES), ..access_claims() }), ..Self::good() }
    }

    /// Runs the request. The counter must be called once if `used` is set, for the user of the path,
    /// otherwise never.
    async fn run(self) -> Outcome {
        let Self { claims, client, user_id: of_path, scope, used } = self;
        let mut access = MockAccessReader::new();
        access.expect_find_access().times(..=1).return_once(|_, _| Ok(Some(access_state())));
        let user = of_path.as_deref().and_then(|text| UserId::parse(text).ok());
        let key = RateKey { reader: Reader::Client(client_id(1)), user, endpoint: PersonEndpoint::Ingest };
        let limiter = counting(key, LIMIT, used);
        let authorize = authorizing(checking(claims, Ok(None)), access, finding(client), limiter);
        let caller = authorize.identify("the token", Resource::Api).await?;
        authorize.admit_write(&caller, of_path.as_deref(), scope).await
    }
}

/// Runs a request that must not be counted, and returns the name of its error.
async fn refusal(request: Request) -> &'static str {
    match (Request { used: None, ..request }).run().await {
        Err(AuthorizeAccessError::InvalidToken) => "invalid token",
        Err(AuthorizeAccessError::InvalidUserId) => "invalid user_id",
        Err(AuthorizeAccessError::InsufficientScope { .. }) => "insufficient scope",
        Err(AuthorizeAccessError::Storage(_)) => "storage",
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_service_client_writes_and_is_counted_for_the_person_in_the_path() {
    let granted = Request::good().run().await.unwrap();
    assert_eq!((granted.client_id, granted.user_id), (client_id(1), Some(user_id(1))));
    assert_eq!((granted.rate.limit, granted.rate.remaining), (LIMIT, LIMIT - 1));
}

#[tokio::test]
async fn paths_without_a_person_have_a_separate_counter() {
    let granted = Request { user_id: None, scope: Scope::UsersWrite, ..Request::good() }.run().await;
    assert_eq!(granted.unwrap().user_id, None);
}

#[tokio::test]
async fn the_person_in_the_path_is_not_looked_up() {
    // The store of users is not read.
    let granted = Request { user_id: Some(user_id(77).to_string()), ..Request::good() }.run().await;
    assert_eq!(granted.unwrap().user_id, Some(user_id(77)));
}

#[tokio::test]
async fn a_malformed_token_is_rejected() {
    assert_eq!(refusal(Request { claims: None, ..Request::good() }).await, "invalid token");
}

#[tokio::test]
async fn a_missing_or_disabled_client_is_rejected() {
    let disabled = Client { status: ClientStatus::Disabled { at: noon() }, ..service() };
    for client in [None, Some(disabled)] {
        assert_eq!(refusal(Request { client: Ok(client), ..Request::good() }).await, "invalid token");
    }
}

#[tokio::test]
async fn a_token_has_only_the_scopes_that_its_client_still_has() {
    let narrowed = Client { scopes: scopes("users:write"), ..service() };
    assert_eq!(
        refusal(Request { client: Ok(Some(narrowed)), ..Request::good() }).await,
        "insufficient scope"
    );
    // A token does not gain scopes when its client does.
    let narrow = AccessClaims { scopes: scopes("users:write"), ..service_claims() };
    assert_eq!(refusal(Request { claims: Some(narrow), ..Request::good() }).await, "insufficient scope");
}

#[tokio::test]
async fn each_missing_scope_is_rejected_and_named() {
    for scope in [Scope::ProfileWrite, Scope::SupplementsWrite, Scope::Sleep] {
        let outcome = Request { scope, used: None, ..Request::good() }.run().await;
        let Err(AuthorizeAccessError::InsufficientScope { needed }) = outcome else { panic!("{outcome:?}") };
        assert_eq!(needed, [scope].into_iter().collect());
    }
}

#[tokio::test]
async fn a_persons_token_can_never_write() {
    assert_eq!(refusal(Request::of_a_person()).await, "insufficient scope");
}

#[tokio::test]
async fn only_the_first_fault_in_check_order_is_reported_and_none_is_counted() {
    let bad_id = || Some("not-a-uuid".to_owned());
    let bad_scope = Scope::ProfileWrite;
    let no_token = Request { claims: None, user_id: bad_id(), scope: bad_scope, ..Request::good() };
    assert_eq!(refusal(no_token).await, "invalid token");
    let bad_path = Request { user_id: bad_id(), scope: bad_scope, ..Request::good() };
    assert_eq!(refusal(bad_path).await, "invalid user_id");
    // As elsewhere, the path is checked before the scope.
    assert_eq!(refusal(Request { user_id: bad_id(), ..Request::of_a_person() }).await, "invalid user_id");
}

#[tokio::test]
async fn beyond_the_daily_limit_the_error_has_the_time_to_wait() {
    let outcome = Request { used: Some(LIMIT), ..Request::good() }.run().await;
    let Err(AuthorizeAccessError::RateLimited { rate, retry_after_seconds }) = outcome else {
        panic!("{outcome:?}")
    };
    // From noon to midnight.
    assert_eq!((rate.allowed, retry_after_seconds), (false, 12 * 3600));
}
