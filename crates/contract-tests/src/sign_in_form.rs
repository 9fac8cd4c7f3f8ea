//! Rejected forms about sign-ins, each up to the statement that rejects it.

use crate::Harness;
use crate::account::{Accounts, PASSWORD};
use crate::fixture::{now, password_hash, pending_sign_in, user, user_id};
use crate::second_factor_form::CODE;
use crate::service::{ORIGIN, assert_rejected, prepare, secret_text};
use application::StorageError;
use application::account::{
    PasswordCheckError, PasswordHashingError, SecondStepError, SignInProgress, SignIns,
};
use application::ports::storage::{PendingSignInReader, PendingSignInWithEmail};
use application::ports::system::{PasswordCheck, PasswordHasher};
use application::session::{SignInOrigin, SignedIn};
use async_trait::async_trait;
use domain::password::{Password, PasswordHash};
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::second_factor::{RecoveryCode, SealedTotpSecret, SecondFactorPolicy, Totp, TotpStep};
use domain::secret::{Secret, SecretBytes, SecretHash, SecretKind};
use domain::user::{User, UserStatus};
use std::sync::Arc;

/// What happens to person 3 while their password is checked or hashed.
#[derive(Clone, Copy)]
pub(crate) enum Race {
    Nothing,
    NewPassword,
    NoPassword,
    Lock,
    Erasure,
}

/// A hasher that accepts [`PASSWORD`] whatever the hash. Something else happens while it hashes, and if the
/// flag is set also while it checks.
pub(crate) struct Racing(pub(crate) Harness, pub(crate) Race, pub(crate) bool);

impl Racing {
    async fn run(&self) {
        let mut unit = self.0.begin().await;
        match self.1 {
            Race::Nothing => {}
            Race::NewPassword => unit.passwords().set(user_id(3), &password_hash(4), now()).await.unwrap(),
            Race::NoPassword => assert!(unit.passwords().delete(user_id(3)).await.unwrap()),
            Race::Lock => {
                let locked = User { status: UserStatus::Locked { at: now() }, ..user(3) };
                assert!(unit.users().update(&locked).await.unwrap());
            }
            Race::Erasure => assert!(unit.users().delete(user_id(3)).await.unwrap()),
        }
        unit.commit().await.unwrap();
    }
}

#[async_trait]
impl PasswordHasher for Racing {
    async fn hash(&self, _: &Password) -> Result<PasswordHash, PasswordHashingError> {
        self.run().await;
        Ok(password_hash(4))
    }

    async fn check<'a>(
        &self,
        password: &'a Password,
        _: Option<&'a PasswordHash>,
    ) -> Result<PasswordCheck, PasswordHashingError> {
        if self.2 {
            self.run().await;
        }
        Ok(PasswordCheck { is_right: password.expose() == PASSWORD, is_outdated: false })
    }
}

/// A reader that finds a sign-in which has ended in the meantime.
struct Ended(PendingSignIn);

#[async_trait]
impl PendingSignInReader for Ended {
    async fn find_pending_sign_in(
        &self,
        _: &SecretHash,
    ) -> Result<Option<PendingSignInWithEmail>, StorageError> {
        Ok(Some(PendingSignInWithEmail { pending: self.0.clone(), email: user(1).email }))
    }
}

fn sign_ins(harness: &Harness, race: Race) -> SignIns {
    let mut sign_ins = Accounts::new(harness).sign_ins(SecondFactorPolicy::Optional);
    sign_ins.checkpoint.hasher = Arc::new(Racing(harness.clone(), race, true));
    sign_ins
}

/// Stores person 3 again, with a password, and signs them in.
async fn sign_in(
    harness: &Harness,
    sign_ins: &SignIns,
    password: &str,
) -> Result<SignInProgress, PasswordCheckError> {
    let mut unit = harness.begin().await;
    unit.users().delete(user_id(3)).await.unwrap();
    unit.users().insert(&user(3)).await.unwrap();
    unit.passwords().set(user_id(3), &password_hash(3), now()).await.unwrap();
    unit.commit().await.unwrap();
    sign_ins.sign_in(ORIGIN, None, user(3).email.as_str(), password).await
}

pub(crate) async fn rejected_passwords_open_no_connection(harness: &Harness) {
    let quiet = &sign_ins(harness, Race::Nothing);
    let is_wrong = |error: &PasswordCheckError| matches!(error, PasswordCheckError::WrongCredentials);
    assert_rejected(harness, "wrong password", is_wrong, async || sign_in(harness, quiet, "another").await)
        .await;
    let is_late =
        |error: &PasswordCheckError| matches!(error, PasswordCheckError::Storage(StorageError::Retryable));
    for (name, race) in [
        ("password changed in the meantime", Race::NewPassword),
        ("password reset in the meantime", Race::NoPassword),
        ("account locked in the meantime", Race::Lock),
        ("account erased in the meantime", Race::Erasure),
    ] {
        let racing = &sign_ins(harness, race);
        assert_rejected(harness, name, is_late, async || sign_in(harness, racing, PASSWORD).await).await;
        assert_eq!(harness.sessions.list_sessions(user_id(3)).await.unwrap(), []);
    }
    let progress = sign_in(harness, quiet, PASSWORD).await.unwrap();
    assert!(matches!(progress, SignInProgress::SignedIn(_)), "{progress:?}");
}

fn cookie(number: u8) -> Secret {
    secret_text(SecretKind::PendingSignIn, number)
}

/// A sign-in of this person in the browser with the cookie of this number.
fn pending(person: u64, step: SecondStep, number: u8) -> PendingSignIn {
    PendingSignIn { cookie_hash: cookie(number).hash(), user_id: user_id(person), step, ..pending_sign_in(1) }
}

/// Enters a code in the browser with the cookie of this number, to set up an app if that is the step.
async fn enter(
    sign_ins: &SignIns,
    step: SecondStep,
    number: u8,
    code: &str,
) -> Result<SignedIn, SecondStepError> {
    let pending = &cookie(number);
    let origin = SignInOrigin { pending: Some(pending), ..ORIGIN };
    match step {
        SecondStep::Code => sign_ins.complete(origin, code).await,
        SecondStep::SetUp => sign_ins.set_up(origin, "", code).await.map(|on| on.signed_in),
    }
}

pub(crate) async fn rejected_second_steps_open_no_connection(harness: &Harness) {
    use SecondStep::{Code, SetUp};
    prepare(harness).await;
    harness.store_user(&user(3)).await;
    let recovery = RecoveryCode::from_bytes(&SecretBytes::new([7; 32]));
    let recovery_text = recovery.expose();
    let totp = Totp { secret: SealedTotpSecret::new(vec![1]), last_step: TotpStep::new(1), set_at: now() };
    let mut unit = harness.begin().await;
    // Person 1 has an app and a passkey, person 2 is locked, and person 3 has no factor.
    unit.second_factors().set(user_id(1), &totp).await.unwrap();
    let codes = [recovery.hash(user_id(1))];
    unit.second_factors().replace_recovery_codes(user_id(1), &codes).await.unwrap();
    for (person, step, number) in
        [(1, Code, 1), (1, Code, 2), (1, Code, 3), (1, SetUp, 4), (2, Code, 5), (2, SetUp, 6), (3, Code, 7)]
    {
        unit.pending_sign_ins().insert(&pending(person, step, number)).await.unwrap();
    }
    unit.pending_sign_ins().insert(&pending(3, SetUp, 8)).await.unwrap();
    unit.commit().await.unwrap();

    let stored = &sign_ins(harness, Race::Nothing);
    let is_wrong = |error: &SecondStepError| matches!(error, SecondStepError::WrongCode);
    for (name, step, number, code) in [
        ("malformed code", Code, 1, "12"),
        ("wrong code", Code, 1, "000000"),
        ("unknown recovery code", Code, 1, "0000-0000-0000-0000"),
        ("wrong code of a new app", SetUp, 8, "000000"),
    ] {
        assert_rejected(harness, name, is_wrong, async || enter(stored, step, number, code).await).await;
    }
    let is_over = |error: &SecondStepError| matches!(error, SecondStepError::NotPending);
    for (name, step, number) in [
        ("unknown cookie", Code, 9),
        ("code instead of an app", Code, 8),
        ("app instead of a code", SetUp, 1),
        ("app of a person with a factor", SetUp, 4),
        ("code of a locked person", Code, 5),
        ("app of a locked person", SetUp, 6),
        ("code of an app that is gone", Code, 7),
    ] {
        assert_rejected(harness, name, is_over, async || enter(stored, step, number, CODE).await).await;
    }
    for (name, person, step, code) in [
        ("code of a sign-in that ended", 1, Code, CODE),
        ("recovery code of a sign-in that ended", 1, Code, recovery_text.as_str()),
        ("app of a sign-in that ended", 3, SetUp, CODE),
    ] {
        let pending = Arc::new(Ended(pending(person, step, 9)));
        let ended = SignIns { pending, ..sign_ins(harness, Race::Nothing) };
        assert_rejected(harness, name, is_over, async || enter(&ended, step, 9, code).await).await;
    }
    // Neither the codes nor the sign-ins have been used up.
    enter(stored, Code, 1, CODE).await.unwrap();
    enter(stored, Code, 2, &recovery_text).await.unwrap();
    enter(stored, SetUp, 8, CODE).await.unwrap();
    for (name, code) in [("used code", CODE), ("used recovery code", &recovery_text)] {
        assert_rejected(harness, name, is_wrong, async || enter(stored, Code, 3, code).await).await;
    }
}
