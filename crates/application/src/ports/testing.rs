//! Mocks of ports that several tests share.

use super::storage::test_support::MockUnitOfWork;
use super::storage::{
    ClientWithSecrets, FailureCount, FailureKey, GrantWithUser, MockClientReader, MockFailureCounter,
    MockGrantReader, MockProfileReader, MockSleepReader, MockSupplementReader, SleepPage, SleepPageQuery,
    StorageError, SupplementPage, SupplementPageQuery,
};
use super::system::{InvalidToken, MockTokenVerifier, MockUnknownKeyReload};
use crate::access::TokenCheck;
use crate::testing::{noon, session, user_id};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::AccessClaims;
use domain::client::Client;
use domain::id::{ClientId, SessionId, UserId};
use domain::secret::SecretHash;
use domain::session::Session;
use domain::user::User;
use mockall::TimesRange;
use std::sync::Arc;

/// A reader of clients, which are asked for this many times.
pub(crate) fn client_reader(
    times: impl Into<TimesRange>,
    find: impl Fn(ClientId) -> Result<Option<ClientWithSecrets>, StorageError> + Send + 'static,
) -> MockClientReader {
    let mut reader = MockClientReader::new();
    reader.expect_find_with_secrets().times(times).returning(find);
    reader
}

pub(crate) const fn without_secrets(client: Client) -> ClientWithSecrets {
    ClientWithSecrets { client, secrets: Vec::new() }
}

/// A reader of profiles.
pub(crate) fn profile_reader(
    find: impl Fn(UserId) -> Result<Option<User>, StorageError> + Send + 'static,
) -> Arc<MockProfileReader> {
    let mut reader = MockProfileReader::new();
    reader.expect_find_profile().returning(find);
    Arc::new(reader)
}

/// A reader that finds this grant of a user by the hash of a refresh token, of this user if one is named.
pub(crate) fn grant_reader(
    times: impl Into<TimesRange>,
    find: impl Fn(&SecretHash, Option<UserId>) -> Option<GrantWithUser> + Send + 'static,
) -> MockGrantReader {
    let mut reader = MockGrantReader::new();
    reader.expect_find_by_refresh_token().times(times).returning(move |hash, user| Ok(find(hash, user)));
    reader
}

/// A reader of sleep that answers each query for a page.
pub(crate) fn sleep_pages(
    page: impl Fn(SleepPageQuery) -> Result<SleepPage, StorageError> + Send + 'static,
) -> MockSleepReader {
    let mut reader = MockSleepReader::new();
    reader.expect_page().returning(page);
    reader
}

/// A reader of supplements that answers each query for a page.
pub(crate) fn supplement_pages(
    page: impl Fn(SupplementPageQuery) -> Result<SupplementPage, StorageError> + Send + 'static,
) -> MockSupplementReader {
    let mut reader = MockSupplementReader::new();
    reader.expect_page().returning(page);
    reader
}

/// Counters that count this many times, at a time and for a window.
pub(crate) fn counters(
    times: impl Into<TimesRange>,
    count: impl Fn(&[FailureKey], DateTime<Utc>, TimeDelta) -> Result<Vec<FailureCount>, StorageError>
    + Send
    + 'static,
) -> MockFailureCounter {
    let mut failures = MockFailureCounter::new();
    failures.expect_record_failure().times(times).returning(count);
    failures
}

/// A unit of work that finds this user, by their id only, and MUST: this locks the user.
pub(crate) fn unit_with(user: Option<User>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    let find = move |id| Ok(user.clone().filter(|user| user.id == id));
    unit.users.expect_find().times(1..).returning(find);
    unit
}

/// Lets this unit of work find a session of user 1, or none.
pub(crate) fn with_session(mut unit: MockUnitOfWork, found: Option<Session>) -> MockUnitOfWork {
    let is_asked = |user: &UserId, id: &SessionId| *user == user_id(1) && *id == session(0).id;
    unit.sessions.expect_find().withf(is_asked).returning(move |_, _| Ok(found.clone()));
    unit
}

/// A verifier of access tokens at noon.
pub(crate) fn verifier(
    times: impl Into<TimesRange>,
    verify: impl FnMut(&str) -> Result<AccessClaims, InvalidToken> + Send + 'static,
) -> MockTokenVerifier {
    let mut verify = verify;
    let mut verifier = MockTokenVerifier::new();
    verifier.expect_verify().times(times).returning(move |token, at| {
        assert_eq!(at, noon());
        verify(token)
    });
    verifier
}

/// The keys of a process, which are loaded again this many times, at noon, for a token that the verifier
/// rejects.
pub(crate) fn unknown_keys(
    times: impl Into<TimesRange>,
    reload: impl FnMut(&str) -> Result<bool, StorageError> + Send + 'static,
) -> MockUnknownKeyReload {
    let mut reload = reload;
    let mut keys = MockUnknownKeyReload::new();
    keys.expect_reload_for().times(times).returning(move |token, at| {
        assert_eq!(at, noon());
        reload(token)
    });
    keys
}

/// A token check with this verifier, in a process that has loaded all keys.
pub(crate) fn checking_with(verifier: MockTokenVerifier) -> TokenCheck {
    TokenCheck::new(Arc::new(verifier), Arc::new(unknown_keys(.., |_| Ok(false))))
}
