//! Requests with a personal access token, which need no keys and no grants.

use super::{Outcome, authorizing, counting, kind, limits};
use crate::access::AuthorizeAccessError;
use crate::ports::storage::{MockAccessReader, MockClientReader, PersonalAccess, StorageError};
use crate::ports::system::{InvalidToken, MockRateLimiter, MockTokenVerifier, MockUnknownKeyReload};
use crate::testing::{noon, scopes, seconds, secret, unknown_keys, user_id, verifier};
use domain::data_kind::DataKind;
use domain::id::PersonalTokenId;
use domain::rate_limit::RateKey;
use domain::read_tally::Reader;
use domain::resource::Resource;
use domain::secret::SecretKind;
use domain::time::TimeZone;
use uuid::Uuid;

type FindResult = Result<Option<PersonalAccess>, StorageError>;

fn token_id() -> PersonalTokenId {
    PersonalTokenId::from_uuid(Uuid::from_u128(0x9a7))
}

fn access() -> PersonalAccess {
    PersonalAccess {
        token_id: token_id(),
        user_id: user_id(1),
        scopes: scopes("profile sleep"),
        is_live: true,
        ended_at: None,
        expires_at: None,
        home_timezone: TimeZone::parse("Europe/Berlin").unwrap(),
    }
}

fn token() -> String {
    secret(SecretKind::PersonalAccessToken, 8).expose().to_owned()
}

/// A request. The counter must be called once if `used` is set; the store is called once, or never if `found`
/// is `None`.
struct Request {
    token: String,
    found: Option<FindResult>,
    user_id: String,
    endpoint: DataKind,
    used: Option<u32>,
}

impl Request {
    fn good() -> Self {
        Self {
            token: token(),
            found: Some(Ok(Some(access()))),
            user_id: user_id(1).to_string(),
            endpoint: DataKind::Sleep,
            used: Some(0),
        }
    }

    async fn run(self) -> Outcome {
        let Self { token, found, user_id: text, endpoint, used } = self;
        let hash = secret(SecretKind::PersonalAccessToken, 8).hash();
        let mut access = MockAccessReader::new();
        access
            .expect_find_personal_access()
            .times(usize::from(found.is_some()))
            .withf(move |asked| *asked == hash)
            .return_once(move |_| found.unwrap_or(Ok(None)));
        let reader = Reader::PersonalToken(token_id());
        let key = RateKey { reader, user: Some(user_id(1)), endpoint: endpoint.into() };
        let limiter = counting(key, limits().limit(endpoint.into()), used);
        let keys = (MockTokenVerifier::new(), MockUnknownKeyReload::new());
        let authorize = authorizing(keys, access, MockClientReader::new(), limiter);
        let caller = authorize.identify(&token, Resource::Api).await?;
        authorize.admit_to(&caller, &text, endpoint.into()).await
    }
}

async fn refusal(request: Request) -> &'static str {
    kind(&Request { used: None, ..request }.run().await)
}

#[tokio::test]
async fn a_personal_token_reads_its_persons_data_and_is_counted_as_a_separate_client() {
    let granted = Request::good().run().await.unwrap();
    assert_eq!((granted.user_id, granted.reader), (user_id(1), Reader::PersonalToken(token_id())));
    assert_eq!(granted.scopes, scopes("profile sleep"));
    assert_eq!(granted.home_timezone.name(), "Europe/Berlin");
    assert_eq!((granted.rate.limit, granted.rate.remaining), (5, 4));
}

#[tokio::test]
async fn the_token_is_checked_before_the_user_id() {
    let found = Some(Ok(Some(PersonalAccess { is_live: false, ..access() })));
    let request = Request { found, user_id: "not-a-uuid".to_owned(), ..Request::good() };
    assert_eq!(refusal(request).await, "invalid token");
}

#[tokio::test]
async fn a_mistyped_token_is_rejected_without_a_lookup() {
    let right = token();
    let mut swapped = right.clone().into_bytes();
    swapped.swap(10, 52);
    for wrong in [
        right.strip_suffix(right.chars().last().unwrap()).unwrap().to_owned(),
        format!("{right}0"),
        right.to_uppercase().replacen("RWP_", "rwp_", 1),
        String::from_utf8(swapped).unwrap(),
        "rwp_".to_owned(),
        "rwp_eyJhbGciOiJFZERTQSJ9.e30.x".to_owned(),
    ] {
        assert_ne!(wrong, right);
        assert_eq!(refusal(Request { token: wrong, found: None, ..Request::good() }).await, "invalid token");
    }
}

#[tokio::test]
async fn an_unknown_token_is_invalid() {
    assert_eq!(refusal(Request { found: Some(Ok(None)), ..Request::good() }).await, "invalid token");
}

#[tokio::test]
async fn a_revoked_token_or_one_of_a_locked_person_is_invalid() {
    let found = Some(Ok(Some(PersonalAccess { is_live: false, ..access() })));
    assert_eq!(refusal(Request { found, ..Request::good() }).await, "invalid token");
}

#[tokio::test]
async fn a_token_is_valid_until_just_before_its_expiry() {
    for (left, outcome) in [(1, "granted"), (0, "invalid token"), (-1, "invalid token")] {
        let found = Some(Ok(Some(PersonalAccess { expires_at: Some(noon() + seconds(left)), ..access() })));
        let used = (left > 0).then_some(0);
        assert_eq!(kind(&Request { found, used, ..Request::good() }.run().await), outcome, "{left} s left");
    }
}

#[tokio::test]
async fn t18_no_other_secret_opens_data() {
    for other in SecretKind::ALL.into_iter().filter(|kind| *kind != SecretKind::PersonalAccessToken) {
        let text = secret(other, 8).expose().to_owned();
        let sent = text.clone();
        let unknown_keys = unknown_keys(1, move |token| {
            assert_eq!(token, sent);
            Ok(false)
        });
        let authorize = authorizing(
            (verifier(1, |_| Err(InvalidToken)), unknown_keys),
            MockAccessReader::new(),
            MockClientReader::new(),
            MockRateLimiter::new(),
        );
        let outcome = authorize.identify(&text, Resource::Api).await;
        assert!(matches!(outcome, Err(AuthorizeAccessError::InvalidToken)), "{other:?}");
    }
}
