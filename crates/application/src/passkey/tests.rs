//! Tests of passkeys.

use super::{
    AddPasskey, AddPasskeyCommand, AddPasskeyError, BeginPasskeyCeremony, BeginPasskeyCeremonyError,
    PasskeyAnswer, PasskeyCeremonyStart, PasskeyPorts, RemovePasskey, RemovePasskeyCommand,
    RemovePasskeyError, RenamePasskey, RenamePasskeyCommand, RenamePasskeyError, SignInWithPasskey,
    SignInWithPasskeyCommand, SignInWithPasskeyError,
};
use crate::account::{SignInLimits, SignInOrigin, SignedInPerson};
use crate::attempt_limit::AttemptLimit;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{FailureCount, MockFailureCounter, MockPasskeyReader};
use crate::ports::system::MockPasskeyVerifier;
use crate::testing::{clock, entropy, noon, person, secret, session, units, user_id};
use domain::audit::AuditKind;
use domain::id::PasskeyId;
use domain::passkey::{
    CeremonyPurpose, CredentialId, MAX_PASSKEYS, Passkey, PasskeyKey, PasskeyName, RelyingParty, Transports,
};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::SecretKind;
use domain::session::Session;
use std::net::IpAddr;
use std::sync::Arc;
use url::Url;
use uuid::Uuid;

const LIMIT: AttemptLimit = AttemptLimit { attempts: 2, window_seconds: 600 };

fn address() -> IpAddr {
    "192.0.2.7".parse().unwrap()
}

/// The person, who signed in this many seconds ago.
fn signed_in(ago: i64) -> SignedInPerson {
    let (user, cookie) = (person(), secret(SecretKind::Session, 5));
    let session = Session { token_hash: cookie.hash(), ..session(ago) };
    SignedInPerson {
        user_id: user.id,
        email: user.email,
        home_timezone: user.home_timezone,
        session,
        cookie,
        is_fresh: ago == 0,
    }
}

fn passkey_id() -> PasskeyId {
    PasskeyId::from_uuid(Uuid::from_u128(7))
}

fn relying_party() -> RelyingParty {
    RelyingParty::from_public_url(&Url::parse("https://rest.example").unwrap()).unwrap()
}

/// A passkey with an Ed25519 key.
fn passkey() -> Passkey {
    let head = [0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 0x20];
    Passkey {
        id: passkey_id(),
        user_id: user_id(1),
        name: PasskeyName::parse("Phone").unwrap(),
        credential_id: CredentialId::new(vec![5; 32]).unwrap(),
        key: PasskeyKey::parse(&[head.as_slice(), &[9; 32]].concat()).unwrap(),
        sign_count: 0,
        is_backup_eligible: false,
        is_backed_up: false,
        transports: Transports::default(),
        created_at: noon(),
        last_used_at: None,
    }
}

/// A counter that is at this number.
fn counter_at(count: u32) -> Arc<MockFailureCounter> {
    let mut failures = MockFailureCounter::new();
    failures.expect_record_failure().times(1).returning(move |keys, at, window| {
        Ok(keys.iter().map(|_| FailureCount { count, window_ends_at: at + window }).collect())
    });
    Arc::new(failures)
}

fn ports(units: Arc<PreparedUnitsOfWork>, failures: Arc<MockFailureCounter>) -> PasskeyPorts {
    PasskeyPorts {
        passkeys: Arc::new(MockPasskeyReader::new()),
        units,
        failures,
        verifier: Arc::new(MockPasskeyVerifier::new()),
        clock: clock(),
        entropy: entropy(),
    }
}

fn begin(units: &Arc<PreparedUnitsOfWork>, failures: Arc<MockFailureCounter>) -> BeginPasskeyCeremony {
    BeginPasskeyCeremony::new(ports(units.clone(), failures), LIMIT)
}

#[tokio::test]
async fn t81_an_address_cannot_store_more_challenges_than_the_limit() {
    let visit = secret(SecretKind::Visit, 3);
    let start = PasskeyCeremonyStart::SignIn { visit: &visit };
    let mut unit = MockUnitOfWork::default();
    let browser = visit.hash();
    unit.passkey_ceremonies
        .expect_insert()
        .times(1)
        .withf(move |ceremony| {
            ceremony.purpose == CeremonyPurpose::SignIn && ceremony.browser_hash == browser
        })
        .returning(|_| Ok(()));
    let store = units([unit]);
    begin(&store, counter_at(2)).run(start, address()).await.unwrap();
    assert_eq!(store.endings().committed(), 1);

    let store = units([]);
    let error = begin(&store, counter_at(3)).run(start, address()).await.unwrap_err();
    assert!(
        matches!(error, BeginPasskeyCeremonyError::TooManyAttempts { retry_after_seconds: 600 }),
        "{error}"
    );
    assert_eq!(store.endings().opened(), 0);
}

#[tokio::test]
async fn a_registration_begins_only_after_a_fresh_sign_in_and_below_the_limit_of_passkeys() {
    let stale = signed_in(301);
    let start = PasskeyCeremonyStart::Registration { person: &stale };
    let error =
        begin(&units([MockUnitOfWork::default()]), counter_at(1)).run(start, address()).await.unwrap_err();
    assert!(matches!(error, BeginPasskeyCeremonyError::NotFresh), "{error}");

    let fresh = signed_in(0);
    let mut full = MockUnitOfWork::default();
    full.passkeys.expect_list().returning(|_| Ok(vec![passkey(); MAX_PASSKEYS]));
    let start = PasskeyCeremonyStart::Registration { person: &fresh };
    let store = units([full]);
    let error = begin(&store, counter_at(1)).run(start, address()).await.unwrap_err();
    assert!(matches!(error, BeginPasskeyCeremonyError::TooManyPasskeys), "{error}");
    assert_eq!(store.endings().committed(), 0);
}

#[tokio::test]
async fn a_passkey_is_added_only_after_a_fresh_sign_in_with_a_valid_name_and_client_data() {
    let (fresh, stale) = (signed_in(0), signed_in(301));
    for (person, name, client_data, is_expected) in [
        (&stale, "Phone", "AAAA", (|error| matches!(error, AddPasskeyError::NotFresh)) as fn(&_) -> bool),
        (&fresh, "", "AAAA", |error| matches!(error, AddPasskeyError::InvalidName)),
        (&fresh, "a\nb", "AAAA", |error| matches!(error, AddPasskeyError::InvalidName)),
        (&fresh, "Phone", "not base64url!", |error| matches!(error, AddPasskeyError::Rejected)),
    ] {
        let store = units([]);
        let ports = ports(store.clone(), Arc::new(MockFailureCounter::new()));
        let command = AddPasskeyCommand {
            person,
            name,
            client_data,
            attestation_object: "AAAA",
            transports: "internal",
            address: address(),
        };
        let error = AddPasskey::new(ports, relying_party(), None).run(command).await.unwrap_err();
        assert!(is_expected(&error), "{name:?}: {error}");
        assert_eq!(store.endings().opened(), 0);
    }
}

#[tokio::test]
async fn t81_t84_a_malformed_or_limited_sign_in_reads_no_passkey() {
    let visit = secret(SecretKind::Visit, 3);
    let origin = SignInOrigin { address: address(), device: None, replaces: None, pending: None };
    let limit = SignInLimits::default().per_address.attempts;
    for (count, credential_id, is_limited) in [(1, "not base64url!", false), (limit + 2, "AAAA", true)] {
        let answer = PasskeyAnswer {
            credential_id,
            user_handle: "AAAA",
            client_data: "",
            authenticator_data: "AAAA",
            signature: "AAAA",
        };
        let command = SignInWithPasskeyCommand { answer, visit: &visit, origin };
        let ports = ports(units([]), counter_at(count));
        let sign_in = SignInWithPasskey::new(ports, SignInLimits::default(), relying_party());
        let error = sign_in.run(command).await.unwrap_err();
        assert_eq!(matches!(error, SignInWithPasskeyError::TooManyAttempts { .. }), is_limited, "{error}");
    }
}

#[tokio::test]
async fn only_the_owner_renames_a_passkey_and_only_to_a_visible_name() {
    let rename = async |name, units: &Arc<PreparedUnitsOfWork>| {
        let command =
            RenamePasskeyCommand { user_id: user_id(1), passkey_id: passkey_id(), name, address: address() };
        RenamePasskey::new(units.clone(), entropy(), clock()).run(command).await
    };
    let long = "x".repeat(101);
    for name in ["", " ", "a\nb", &long] {
        let store = units([]);
        let error = rename(name, &store).await.unwrap_err();
        assert!(matches!(error, RenamePasskeyError::InvalidName), "{name:?}: {error}");
        assert_eq!(store.endings().opened(), 0);
    }
    for is_owner in [true, false] {
        let mut unit = MockUnitOfWork::default();
        unit.passkeys
            .expect_rename()
            .times(1)
            .withf(|user, id, name| (*user, *id) == (user_id(1), passkey_id()) && name.as_str() == "Blue key")
            .returning(move |_, _, _| Ok(is_owner));
        let store = units([unit]);
        let outcome = rename("Blue key", &store).await;
        assert_eq!(matches!(outcome, Err(RenamePasskeyError::NotFound)), !is_owner);
        let kinds: Vec<_> = store.events().all().iter().map(|event| event.kind).collect();
        assert_eq!(kinds, vec![AuditKind::PasskeyRenamed; usize::from(is_owner)]);
        assert_eq!(store.endings().committed(), usize::from(is_owner));
    }
}

/// A unit of work in which the person's session exists or has ended, and the person has the passkey or not.
fn removing(is_signed_in: bool, had_it: bool) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().returning(|_| Ok(Some(person())));
    unit.sessions.expect_find().returning(move |_, _| Ok(is_signed_in.then(|| signed_in(0).session)));
    unit.passkeys.expect_delete().returning(move |_, _| Ok(had_it));
    unit.passkeys.expect_list().returning(|_| Ok(Vec::new()));
    unit.second_factors.expect_find().returning(|_| Ok(None));
    unit
}

async fn remove(
    store: &Arc<PreparedUnitsOfWork>,
    person: &SignedInPerson,
    policy: SecondFactorPolicy,
) -> Result<(), RemovePasskeyError> {
    let command = RemovePasskeyCommand { person, passkey_id: passkey_id(), address: address() };
    RemovePasskey::new(store.clone(), None, policy, entropy(), clock()).run(command).await
}

#[tokio::test]
async fn a_passkey_is_removed_only_by_its_owner_after_a_fresh_sign_in() {
    let optional = SecondFactorPolicy::Optional;
    let store = units([]);
    let error = remove(&store, &signed_in(301), optional).await.unwrap_err();
    assert!(matches!(error, RemovePasskeyError::NotFresh), "{error}");
    let store = units([removing(false, true), removing(true, false)]);
    let error = remove(&store, &signed_in(0), optional).await.unwrap_err();
    assert!(matches!(error, RemovePasskeyError::NotFresh), "{error}");
    let error = remove(&store, &signed_in(0), optional).await.unwrap_err();
    assert!(matches!(error, RemovePasskeyError::NotFound), "{error}");
    assert_eq!((store.endings().committed(), store.events().all().len()), (0, 0));
}

#[tokio::test]
async fn the_only_second_factor_stays_if_the_operator_requires_one() {
    let store = units([removing(true, true)]);
    let error = remove(&store, &signed_in(0), SecondFactorPolicy::Required).await.unwrap_err();
    assert!(matches!(error, RemovePasskeyError::LastFactor), "{error}");
    assert_eq!(store.endings().committed(), 0);
}

#[tokio::test]
async fn removing_a_passkey_ends_the_other_sessions_and_is_recorded() {
    let mut unit = removing(true, true);
    unit.pending_sign_ins.expect_delete_of_user().times(1).returning(|_| Ok(1));
    unit.password_links.expect_delete_of_user().times(1).returning(|_| Ok(0));
    unit.sessions
        .expect_delete_of_user()
        .times(1)
        .withf(|user, except| *user == user_id(1) && *except == Some(signed_in(0).session.id))
        .returning(|_, _| Ok(2));
    let store = units([unit]);
    remove(&store, &signed_in(0), SecondFactorPolicy::Optional).await.unwrap();
    let [event] = store.events().all().try_into().unwrap();
    assert_eq!((event.kind, event.count), (AuditKind::PasskeyRemoved, Some(2)));
    assert_eq!(event.subject, Some(passkey_id().as_uuid()));
    assert_eq!(store.endings().committed(), 1);
}
