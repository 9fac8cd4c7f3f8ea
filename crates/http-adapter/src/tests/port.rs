//! Mock ports of which one method gives an answer.

use application::StorageError;
use application::ports::storage::{
    AccessState, MockAccessReader, MockChangeReader, MockProfileReader, MockSleepReader,
    MockSupplementReader, PersonalAccess,
};
use application::ports::system::{
    InvalidToken, MockRateLimiter, MockTokenSigner, MockTokenVerifier, SigningFailed,
};
use application::read::{
    ChangePage, ChangePageQuery, SleepPage, SleepPageQuery, SupplementPage, SupplementPageQuery,
};
use chrono::{DateTime, Utc};
use domain::access_token::AccessClaims;
use domain::id::{GrantId, UserId};
use domain::rate_limit::{RateKey, RateStatus};
use domain::secret::SecretHash;
use domain::user::User;
use std::sync::Arc;

macro_rules! ports {
    ($($name:ident: $port:ident.$method:ident($($argument:ty),+) -> $answer:ty;)+) => {$(
        pub(crate) fn $name(answer: impl Fn($($argument),+) -> $answer + Send + 'static) -> Arc<$port> {
            let mut port = $port::new();
            port.$method().returning(answer);
            Arc::new(port)
        }
    )+};
}

ports! {
    profiles: MockProfileReader.expect_find_profile(UserId) -> Result<Option<User>, StorageError>;
    sleep: MockSleepReader.expect_page(SleepPageQuery) -> Result<SleepPage, StorageError>;
    supplements: MockSupplementReader.expect_page(SupplementPageQuery) -> Result<SupplementPage, StorageError>;
    changes: MockChangeReader.expect_changes(ChangePageQuery) -> Result<ChangePage, StorageError>;
    access: MockAccessReader.expect_find_access(UserId, GrantId) -> Result<Option<AccessState>, StorageError>;
    personal_access:
        MockAccessReader.expect_find_personal_access(&SecretHash) -> Result<Option<PersonalAccess>, StorageError>;
    signer: MockTokenSigner.expect_sign(&AccessClaims) -> Result<String, SigningFailed>;
    verifier: MockTokenVerifier.expect_verify(&str, DateTime<Utc>) -> Result<AccessClaims, InvalidToken>;
    limiter: MockRateLimiter.expect_count(RateKey, u32, DateTime<Utc>) -> RateStatus;
}
