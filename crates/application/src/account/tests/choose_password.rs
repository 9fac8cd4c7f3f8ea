use super::super::{
    ChoosePasswordError, ChosenPassword, NewPasswordError, PasswordChoice, Passwords, SignInOrigin,
    SignInProgress,
};
use super::support::{
    CallLog, EMAIL, FailingAt, MemoryFailures, PASSWORD, RecordingHasher, email, hash_of, home, link,
    locked_person, look, mail, opened, passwords, queueing, replacing, secret_link, still, storing, units,
};
use crate::account::attempt_counters::account_counters;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{FailureCounter, MockPasswordLinkReader, StorageError, UniqueKey};
use crate::ports::system::PasswordHashingError;
use crate::testing::{noon, person, seconds, secret, user_id};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{SecretHash, SecretKind};
use domain::time::TimeZone;
use domain::user::{Biology, User, UserStatus};
use std::sync::Arc;
use std::sync::atomic::Ordering;

type Outcome = Result<ChosenPassword, ChoosePasswordError>;

fn reset() -> PasswordLink {
    link(PasswordLinkPurpose::Reset { user_id: user_id(1) })
}

fn sign_up() -> PasswordLink {
    link(PasswordLinkPurpose::SignUp { email: email("new@example.org") })
}

/// Expects the link to be found and consumed in this unit of work.
fn consuming(mut unit: MockUnitOfWork, link: &PasswordLink) -> MockUnitOfWork {
    let (found, consumed) = (link.clone(), link.clone());
    let links = &mut unit.password_links;
    let expected = |hash: &SecretHash| *hash == secret_link().hash();
    links.expect_find().times(1).withf(expected).return_once(|_| Ok(Some(found)));
    links.expect_consume().times(1).withf(expected).return_once(|_| Ok(Some(consumed)));
    unit
}

fn choice(password: &str) -> PasswordChoice<'_> {
    let origin = SignInOrigin { address: home(), device: None, replaces: None, pending: None };
    PasswordChoice { password, home_timezone: None, kept_passkeys: None, disconnect_apps: false, origin }
}

/// Redeems the link with [`PASSWORD`].
async fn redeem(passwords: Passwords) -> Outcome {
    passwords.choose(secret_link().expose(), choice(PASSWORD)).await
}

async fn choose(
    links: Arc<MockPasswordLinkReader>,
    store: &Arc<PreparedUnitsOfWork>,
    password: &str,
) -> Outcome {
    let passwords = Passwords { links, ..passwords(store) };
    passwords.choose(secret_link().expose(), choice(password)).await
}

#[tokio::test]
async fn t17_t30_a_link_sets_the_password_and_ends_all_sessions_links_and_codes() {
    for purpose in [
        PasswordLinkPurpose::Invitation { user_id: user_id(1) },
        PasswordLinkPurpose::Reset { user_id: user_id(1) },
    ] {
        let link = link(purpose);
        let unit = consuming(still(person(), Some(hash_of("the one before"))), &link);
        let store = units([replacing(unit, &person(), PASSWORD, 3)]);
        let chosen = choose(look(Some(link), person()), &store, PASSWORD).await.unwrap();
        assert_eq!((chosen.user_id, chosen.email), (user_id(1), email(EMAIL)));
        assert!(chosen.sign_in.is_none());
        assert_eq!(store.endings().committed(), 1);
        let [event] = store.events().all().try_into().unwrap();
        assert_eq!((event.kind, event.actor), (AuditKind::PasswordSet, AuditActor::Person));
        assert_eq!((event.user_id, event.count), (Some(user_id(1)), Some(3)));
        assert_eq!(event.address, Some(AddressBlock::containing(home())));
    }
}

#[tokio::test]
async fn t85_a_rejected_password_does_not_use_up_the_link() {
    for (password, expected) in [
        ("", NewPasswordError::TooShort),
        ("too short", NewPasswordError::TooShort),
        ("password and some more", NewPasswordError::Guessable),
        ("I am robin of the hills", NewPasswordError::Guessable),
        (&"x".repeat(1025), NewPasswordError::TooLong),
    ] {
        let store = units([]);
        let error = choose(look(Some(reset()), person()), &store, password).await.unwrap_err();
        assert!(matches!(error, ChoosePasswordError::Rule(rule) if rule == expected), "{error}");
        assert_eq!(store.endings().opened(), 0);
    }
}

#[tokio::test]
async fn a_busy_server_does_not_use_up_the_link() {
    let store = units([]);
    let hasher = RecordingHasher::default();
    hasher.is_busy.store(true, Ordering::SeqCst);
    let links = look(Some(reset()), person());
    let mut busy = Passwords { links, ..passwords(&store) };
    busy.checkpoint.hasher = Arc::new(hasher);
    let error = redeem(busy).await.unwrap_err();
    assert!(matches!(error, ChoosePasswordError::Hashing(PasswordHashingError::Busy)), "{error}");
    assert_eq!(store.endings().opened(), 0);
}

#[tokio::test]
async fn t84_nothing_is_hashed_for_an_invalid_link() {
    let ended = PasswordLink { expires_at: noon(), ..reset() };
    assert!(ended.is_live(noon() - seconds(1)));
    let store = units([]);
    for links in [look(None, person()), look(Some(ended), person()), look(Some(reset()), locked_person())] {
        let hasher = Arc::new(RecordingHasher::default());
        let mut passwords = Passwords { links, ..passwords(&store) };
        passwords.checkpoint.hasher = hasher.clone();
        let error = redeem(passwords).await.unwrap_err();
        assert!(matches!(error, ChoosePasswordError::UnusableLink), "{error}");
        assert_eq!(hasher.hashed.load(Ordering::SeqCst), 0);
    }
    for link in ["", "owl", secret(SecretKind::Session, 9).expose()] {
        let error = passwords(&store).choose(link, choice(PASSWORD)).await.unwrap_err();
        assert!(matches!(error, ChoosePasswordError::UnusableLink), "{error}");
    }
}

#[tokio::test]
async fn only_one_of_two_concurrent_uses_sets_the_password() {
    for purpose in [reset(), sign_up()] {
        let mut late = MockUnitOfWork::default();
        let found = purpose.clone();
        late.password_links.expect_find().times(1).return_once(|_| Ok(Some(found)));
        late.password_links.expect_consume().times(1).return_once(|_| Ok(None));
        late.users.expect_find().returning(|_| Ok(Some(person())));
        let store = units([late]);
        let error = choose(look(Some(purpose), person()), &store, PASSWORD).await.unwrap_err();
        assert!(matches!(error, ChoosePasswordError::UnusableLink), "{error}");
        assert_eq!((store.endings().committed(), store.events().all().len()), (0, 0));
    }
}

/// A unit of work in which an account is created, or its address is taken.
fn creating(created: &CallLog<User>, outcome: Result<(), UniqueKey>) -> MockUnitOfWork {
    let mut unit = consuming(MockUnitOfWork::default(), &sign_up());
    unit.password_links
        .expect_delete_sign_ups()
        .times(usize::from(outcome.is_ok()))
        .withf(|asked| *asked == email("new@example.org"))
        .returning(|_| Ok(1));
    let created = Arc::clone(created);
    unit.users.expect_insert().times(1).returning(move |user| {
        created.lock().unwrap().push(user.clone());
        outcome.map_err(StorageError::Conflict)
    });
    unit
}

/// A unit of work in which an account with the password is created.
fn created_with_password(created: &CallLog<User>) -> MockUnitOfWork {
    let mut unit = creating(created, Ok(()));
    unit.passwords
        .expect_set()
        .times(1)
        .withf(|_, hash, at| *hash == hash_of(PASSWORD) && *at == noon())
        .returning(|_, _, _| Ok(()));
    unit
}

#[tokio::test]
async fn a_sign_up_link_creates_the_account_and_signs_its_owner_in() {
    for named in [Some(TimeZone::parse("Europe/Berlin").unwrap()), None] {
        let (created, sessions) = (CallLog::<User>::default(), CallLog::default());
        let mut unit = storing(created_with_password(&created), &sessions);
        unit.users.expect_find().returning(|_| Ok(Some(person())));
        unit.passwords.expect_find().returning(|_| Ok(Some(hash_of(PASSWORD))));
        let store = units([unit]);
        let choice = PasswordChoice { home_timezone: named, ..choice(PASSWORD) };
        let passwords = Passwords { links: look(Some(sign_up()), person()), ..passwords(&store) };
        let chosen = passwords.choose(secret_link().expose(), choice).await.unwrap();
        let expected = User {
            id: chosen.user_id,
            email: email("new@example.org"),
            home_timezone: named.unwrap_or(TimeZone::UTC),
            created_at: noon(),
            status: UserStatus::Active,
            biology: Biology::default(),
        };
        assert_eq!(*created.lock().unwrap(), [expected]);
        let session = opened(chosen.sign_in.unwrap()).session;
        assert_eq!(session.user_id, chosen.user_id);
        assert_eq!(*sessions.lock().unwrap(), [session]);
        let kinds: Vec<_> = store.events().all().iter().map(|event| (event.kind, event.user_id)).collect();
        let expected = [AuditKind::UserCreated, AuditKind::PasswordSet, AuditKind::SignedIn];
        assert_eq!(kinds, expected.map(|kind| (kind, Some(chosen.user_id))));
        assert_eq!(store.endings().committed(), 1);
    }
}

#[tokio::test]
async fn a_new_account_sets_up_a_second_factor_first_if_the_operator_requires_one() {
    let created = CallLog::<User>::default();
    let mut unit = created_with_password(&created);
    let stored = CallLog::<PendingSignIn>::default();
    let log = Arc::clone(&stored);
    unit.pending_sign_ins.expect_insert().times(1).returning(move |pending| {
        log.lock().unwrap().push(pending.clone());
        Ok(())
    });
    let store = units([unit]);
    let links = look(Some(sign_up()), person());
    let required = Passwords { links, policy: SecondFactorPolicy::Required, ..passwords(&store) };
    let chosen = redeem(required).await.unwrap();
    let Some(SignInProgress::SecondStep(cookie)) = chosen.sign_in else { panic!("there is a session") };
    let pending = stored.lock().unwrap()[0].clone();
    assert_eq!((pending.step, pending.cookie_hash), (SecondStep::SetUp, cookie.hash()));
    assert_eq!(store.endings().committed(), 1);
}

#[tokio::test]
async fn an_address_taken_in_the_meantime_keeps_its_account_and_the_link_is_used_up() {
    let created = CallLog::default();
    let unit = creating(&created, Err(UniqueKey::UserEmail));
    let store = units([unit]);
    let error = choose(look(Some(sign_up()), person()), &store, PASSWORD).await.unwrap_err();
    assert!(matches!(error, ChoosePasswordError::AccountExists), "{error}");
    assert_eq!((store.endings().committed(), store.events().all().len()), (1, 0));
}

#[tokio::test]
async fn only_a_person_who_had_a_password_gets_an_email_about_the_change() {
    for had_one in [true, false] {
        let stored = had_one.then(|| hash_of("the one before"));
        let unit = replacing(consuming(still(person(), stored), &reset()), &person(), PASSWORD, 0);
        let unit = if had_one { queueing(unit) } else { unit };
        let store = units([unit]);
        let (queue, sealer) = mail();
        let links = look(Some(reset()), person());
        redeem(Passwords { links, mail: Some(queue), ..passwords(&store) }).await.unwrap();
        assert_eq!(sealer.0.lock().unwrap().len(), usize::from(had_one));
    }
}

#[tokio::test]
async fn t81_a_new_password_resets_the_failure_counters_of_the_account() {
    let unit = || replacing(consuming(still(person(), None), &reset()), &person(), PASSWORD, 0);
    let store = units([unit(), unit()]);
    let passwords = || Passwords { links: look(Some(reset()), person()), ..passwords(&store) };
    let failures = Arc::new(MemoryFailures::default());
    failures.record_failure(&account_counters(EMAIL), noon(), seconds(600)).await.unwrap();
    assert_eq!(failures.counts(), [1; 4]);
    let mut counting = passwords();
    counting.checkpoint.failures = failures.clone();
    redeem(counting).await.unwrap();
    assert_eq!(failures.counts(), []);

    // A failure to reset the counters is not an error.
    let mut failing = passwords();
    failing.checkpoint.failures = Arc::new(FailingAt::call(1));
    assert!(redeem(failing).await.is_ok());
}
