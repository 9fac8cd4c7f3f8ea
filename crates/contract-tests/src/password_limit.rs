//! Limits on guessing and races of forms about passwords.

use crate::Harness;
use crate::account::{Accounts, NEW_PASSWORD, NoCounters, PASSWORD, hash_of, link_for, link_secret};
use crate::fixture::{browser, user, user_id};
use crate::password_change::{CHANGE, CHOICE};
use crate::password_link::store;
use crate::service::{ORIGIN, assert_rejected, event_of_person, prepare, recorded};
use crate::sign_in_form::{Race, Racing};
use application::account::{
    ChangePasswordError, PasswordChange, PasswordCheckError, Passwords, SetPasswordError,
};
use application::attempt_limit::AttemptLimit;
use application::ports::storage::StorageError;
use application::session::{SignInLimits, SignedInPerson};
use domain::audit::AuditKind;
use domain::known_browser::known_browser_cookie;
use domain::password_link::PasswordLinkPurpose;
use domain::second_factor::SecondFactorPolicy::Optional;
use domain::secret::Secret;
use domain::session::Session;
use domain::user::User;
use std::sync::Arc;

const ONE: AttemptLimit = AttemptLimit { attempts: 1, window_seconds: 600 };
const LIMITS: SignInLimits = SignInLimits { per_account: ONE, per_account_and_day: ONE, ..Accounts::LIMITS };

// T81
pub(crate) async fn a_new_password_resets_the_failure_counters_of_the_account(harness: &Harness) {
    prepare(harness).await;
    let accounts = &Accounts::limited(harness, LIMITS);
    let (sign_ins, passwords) = (accounts.sign_ins(Optional), accounts.passwords(Optional));
    let sign_in = async |known: Option<&Secret>, password: &str| {
        sign_ins.sign_in(ORIGIN, known, user(1).email.as_str(), password).await
    };
    let reset = || link_for(1, PasswordLinkPurpose::Reset { user_id: user_id(1) });
    for is_link in [true, false] {
        accounts.set_password(&hash_of(PASSWORD)).await;
        let [old, new] =
            [PASSWORD, NEW_PASSWORD].map(|text| known_browser_cookie(user_id(1), &hash_of(text)));
        for known in [None, Some(&old)] {
            let wrong = sign_in(known, "another").await;
            assert!(matches!(wrong, Err(PasswordCheckError::WrongCredentials)), "{wrong:?}");
            let limited = sign_in(known, PASSWORD).await;
            assert!(matches!(limited, Err(PasswordCheckError::TooManyAttempts { .. })), "{limited:?}");
        }
        // A rejected password resets no counters.
        passwords.set(user_id(1), "password and some more").await.unwrap_err();
        sign_in(None, PASSWORD).await.unwrap_err();
        if is_link {
            store(harness, &[reset()]).await;
            passwords.choose(link_secret(1).expose(), CHOICE).await.unwrap();
        } else {
            passwords.set(user_id(1), NEW_PASSWORD).await.unwrap();
        }
        for known in [None, Some(&new)] {
            sign_in(known, NEW_PASSWORD).await.unwrap();
        }
    }
    // A failure to reset the counters is not an error.
    let mut failing = accounts.passwords(Optional);
    failing.checkpoint.failures = Arc::new(NoCounters);
    failing.set(user_id(1), PASSWORD).await.unwrap();
    store(harness, &[reset()]).await;
    failing.choose(link_secret(1).expose(), CHOICE).await.unwrap();
}

// T81
pub(crate) async fn guesses_of_the_current_password_are_limited_like_sign_ins(harness: &Harness) {
    let person = prepare(harness).await;
    let accounts = Accounts::limited(harness, SignInLimits::default());
    accounts.set_password(&hash_of(PASSWORD)).await;
    let passwords = accounts.passwords(Optional);
    for number in 0..20 {
        let change = PasswordChange { current: "another", ..CHANGE };
        let error = passwords.change(&person, change).await.unwrap_err();
        let is_expected = match error {
            ChangePasswordError::Check(PasswordCheckError::WrongCredentials) => number < 10,
            ChangePasswordError::Check(PasswordCheckError::TooManyAttempts { .. }) => number >= 10,
            _ => false,
        };
        assert!(is_expected, "{number}");
    }
    assert_eq!(accounts.hasher.checked.lock().unwrap().len(), 10);
    let mut expected = vec![event_of_person(AuditKind::SignInRefused); 10];
    expected.push(event_of_person(AuditKind::SignInLimited));
    assert_eq!(recorded(harness).await, expected);
}

/// Passwords of person 3. The race happens while a password is hashed, and if the flag is set also while one
/// is checked.
async fn racing(harness: &Harness, race: Race, in_check: bool) -> Passwords {
    let mut unit = harness.begin().await;
    unit.users().delete(user_id(3)).await.unwrap();
    unit.users().insert(&user(3)).await.unwrap();
    unit.passwords().set(user_id(3), &hash_of(PASSWORD), user(3).created_at).await.unwrap();
    unit.sessions().insert(&Session { user_id: user_id(3), ..browser(3) }).await.unwrap();
    unit.commit().await.unwrap();
    let mut passwords = Accounts::new(harness).passwords(Optional);
    passwords.checkpoint.hasher = Arc::new(Racing(harness.clone(), race, in_check));
    passwords
}

pub(crate) async fn a_password_that_changes_while_it_is_hashed_is_not_replaced(harness: &Harness) {
    let person = prepare(harness).await;
    let User { id: user_id, email, .. } = user(3);
    let session = Session { user_id, ..browser(3) };
    let person = &SignedInPerson { user_id, email, session, ..person };
    let is_late = |error: &ChangePasswordError| {
        matches!(error, ChangePasswordError::Check(PasswordCheckError::Storage(StorageError::Retryable)))
    };
    for (race, in_check) in
        [(Race::NewPassword, true), (Race::NewPassword, false), (Race::Lock, true), (Race::Lock, false)]
    {
        assert_rejected(harness, "changed", is_late, async || {
            racing(harness, race, in_check).await.change(person, CHANGE).await
        })
        .await;
    }
    let is_unknown = |error: &SetPasswordError| matches!(error, SetPasswordError::NotFound);
    assert_rejected(harness, "erased", is_unknown, async || {
        racing(harness, Race::Erasure, false).await.set(user_id, NEW_PASSWORD).await
    })
    .await;
    assert_eq!(recorded(harness).await, []);
}
