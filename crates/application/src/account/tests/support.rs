//! Shared fixtures: test accounts, and units of work with expectations.

pub(super) use super::double::*;
pub(super) use crate::testing::units;

use super::super::{
    LinkRequestLimits, PasswordCheckError, PasswordCheckpoint, PasswordLinks, SignInProgress, SignIns,
};
use crate::mail::{PublicLinks, QueueMail};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{
    Credentials, MockCredentialReader, MockPasswordLinkReader, MockPendingSignInReader, StorageError,
    UnitOfWork, UnitOfWorkFactory,
};
use crate::ports::system::{MockFormSealer, MockTotpSealer};
use crate::session::{SignInLimits, SignInOrigin};
use crate::testing::{entropy, noon, person, store};
use async_trait::async_trait;
use domain::password::PasswordHash;
use domain::second_factor::SecondFactorPolicy;
use domain::user::{Email, User, UserStatus};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

pub(super) const EMAIL: &str = "robin@example.org";
pub(super) const PASSWORD: &str = "a quiet night in the hills";
pub(super) const WRONG: &str = "a loud night in the hills";

pub(super) fn home() -> IpAddr {
    "192.0.2.7".parse().unwrap()
}

/// An unknown browser without a session.
pub(super) fn stranger(address: IpAddr) -> SignInOrigin<'static> {
    SignInOrigin { address, device: None, replaces: None, pending: None }
}

/// Signs in at home, in an unknown browser without a session.
pub(super) async fn sign_in(
    sign_ins: &SignIns,
    email: &str,
    password: &str,
) -> Result<SignInProgress, PasswordCheckError> {
    sign_ins.sign_in(stranger(home()), None, email, password).await
}

/// Creates an unlimited number of identical units of work.
pub(super) struct EndlessUnitsOfWork<F>(pub(super) F);

#[async_trait]
impl<F: Fn() -> MockUnitOfWork + Send + Sync> UnitOfWorkFactory for EndlessUnitsOfWork<F> {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        Ok(Box::new((self.0)()))
    }
}

/// Finds this account by its address, and no other.
pub(super) fn account(user: &User, password: Option<PasswordHash>) -> MockCredentialReader {
    let (email, user_id, status) = (user.email.normalised(), user.id, user.status);
    let mut reader = MockCredentialReader::new();
    reader.expect_find_credentials().returning(move |asked| {
        let found = Credentials { user_id, status, password: password.clone() };
        Ok((asked.normalised() == email).then_some(found))
    });
    reader
}

/// Checks of passwords of this account, and the recorded hashes and counters.
pub(super) fn checkpoint(
    credentials: MockCredentialReader,
    units: &Arc<PreparedUnitsOfWork>,
) -> (PasswordCheckpoint, Arc<RecordingHasher>, Arc<MemoryFailures>) {
    let hasher = Arc::new(RecordingHasher::outside(units.endings()));
    let failures = Arc::new(MemoryFailures::default());
    let checkpoint = PasswordCheckpoint {
        store: store(units),
        credentials: Arc::new(credentials),
        hasher: Arc::<RecordingHasher>::clone(&hasher),
        failures: Arc::<MemoryFailures>::clone(&failures),
        limits: limits(),
    };
    (checkpoint, hasher, failures)
}

pub(super) fn limits() -> SignInLimits {
    SignInLimits::default()
}

/// Sign-ins with this check, without a second factor unless the person has one.
pub(super) fn fixture(checkpoint: PasswordCheckpoint) -> SignIns {
    SignIns {
        checkpoint,
        pending: Arc::new(MockPendingSignInReader::new()),
        totp_sealer: Arc::new(MockTotpSealer::new()),
        form_sealer: Arc::new(MockFormSealer::new()),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

/// Links of a server without email where anyone may sign up.
pub(super) fn password_links(units: &Arc<PreparedUnitsOfWork>) -> PasswordLinks {
    PasswordLinks {
        store: store(units),
        reader: Arc::new(MockPasswordLinkReader::new()),
        failures: Arc::new(MemoryFailures::default()),
        limits: LinkRequestLimits::default(),
        is_sign_up_open: true,
        mail: None,
    }
}

/// A unit of work that allows what a sign-in with [`PASSWORD`] needs.
pub(super) fn signing_in() -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(|_| Ok(Some(person())));
    unit.passwords.expect_find().returning(|_| Ok(Some(hash_of(PASSWORD))));
    unit.second_factors.expect_find().returning(|_| Ok(None));
    unit.sessions.expect_insert().returning(|_| Ok(()));
    unit
}

/// Arguments that a mock received, in order.
pub(super) type CallLog<T> = Arc<Mutex<Vec<T>>>;

pub(super) fn locked_person() -> User {
    User { status: UserStatus::Locked { at: noon() }, ..person() }
}

pub(super) fn email(text: &str) -> Email {
    Email::parse(text).unwrap()
}

/// An outbox with readable messages.
pub(super) fn mail() -> (QueueMail, Arc<RecordingSealer>) {
    let sealer = Arc::new(RecordingSealer::default());
    let links = PublicLinks::new("https://rest.example/");
    (QueueMail::new(Arc::<RecordingSealer>::clone(&sealer), entropy(), links), sealer)
}
