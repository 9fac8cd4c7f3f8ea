//! Tests of passkeys.

use super::{CeremonyStart, NewPasskey, PasskeyAnswer, PasskeyError, Passkeys, RemoveAllPasskeysError};
use crate::account::{SignInLimits, SignInOrigin, SignedInPerson};
use crate::attempt_limit::AttemptLimit;
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{FailureCount, MockFailureCounter, MockPasskeyReader};
use crate::ports::system::MockPasskeyVerifier;
use crate::testing::{ADDRESS, noon, person, secret, signed_in, store, units, user_id};
use domain::audit::AuditKind;
use domain::id::PasskeyId;
use domain::passkey::{
    CeremonyPurpose, CredentialId, MAX_PASSKEYS, Passkey, PasskeyKey, PasskeyName, RelyingParty, Transports,
};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretKind};
use std::sync::Arc;
use url::Url;
use uuid::Uuid;

const LIMIT: AttemptLimit = AttemptLimit { attempts: 2, window_seconds: 600 };

fn passkey_id() -> PasskeyId {
    PasskeyId::from_uuid(Uuid::from_u128(7))
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

/// Passkeys in this store, whose operator requires no second factor.
fn passkeys(units: &Arc<PreparedUnitsOfWork>, failures: Arc<MockFailureCounter>) -> Passkeys {
    Passkeys {
        store: store(units),
        reader: Arc::new(MockPasskeyReader::new()),
        failures,
        verifier: Arc::new(MockPasskeyVerifier::new()),
        relying_party: RelyingParty::from_public_url(&Url::parse("https://rest.example").unwrap()),
        ceremony_limit: LIMIT,
        sign_in_limits: SignInLimits::default(),
        policy: SecondFactorPolicy::Optional,
        mail: None,
    }
}

/// Begins a ceremony, as the one with this number from its address.
async fn begin(
    units: &Arc<PreparedUnitsOfWork>,
    start: CeremonyStart<'_>,
    count: u32,
) -> Result<Secret, PasskeyError> {
    passkeys(units, counter_at(count)).offered().unwrap().begin_ceremony(start).await
}

#[test]
fn there_are_no_ceremonies_without_a_relying_party() {
    let failures = Arc::new(MockFailureCounter::new());
    let passkeys = Passkeys { relying_party: None, ..passkeys(&units([]), failures) };
    assert!(passkeys.offered().is_none());
}

#[tokio::test]
async fn t81_an_address_cannot_store_more_challenges_than_the_limit() {
    let visit = secret(SecretKind::Visit, 3);
    let start = CeremonyStart::SignIn { visit: &visit, address: ADDRESS };
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
    begin(&store, start, 2).await.unwrap();
    assert_eq!(store.endings().committed(), 1);

    let store = units([]);
    let error = begin(&store, start, 3).await.unwrap_err();
    assert!(matches!(error, PasskeyError::TooManyAttempts { retry_after_seconds: 600 }), "{error}");
    assert_eq!(store.endings().opened(), 0);
}

#[tokio::test]
async fn a_registration_needs_a_fresh_sign_in_and_fewer_passkeys_than_the_limit() {
    let stale = signed_in(301);
    let start = CeremonyStart::Registration { person: &stale };
    let error = begin(&units([MockUnitOfWork::default()]), start, 1).await.unwrap_err();
    assert!(matches!(error, PasskeyError::NotFresh), "{error}");

    let fresh = signed_in(0);
    let mut full = MockUnitOfWork::default();
    full.passkeys.expect_list().returning(|_| Ok(vec![passkey(); MAX_PASSKEYS]));
    let start = CeremonyStart::Registration { person: &fresh };
    let store = units([full]);
    let error = begin(&store, start, 1).await.unwrap_err();
    assert!(matches!(error, PasskeyError::TooManyPasskeys), "{error}");
    assert_eq!((store.endings().committed(), store.endings().rolled_back()), (0, 1));
}

#[tokio::test]
async fn adding_needs_a_fresh_sign_in_a_valid_name_and_valid_client_data() {
    let (fresh, stale) = (signed_in(0), signed_in(301));
    for (person, name, client_data, is_expected) in [
        (&stale, "Phone", "AAAA", (|error| matches!(error, PasskeyError::NotFresh)) as fn(&_) -> bool),
        (&fresh, "", "AAAA", |error| matches!(error, PasskeyError::InvalidName)),
        (&fresh, "a\nb", "AAAA", |error| matches!(error, PasskeyError::InvalidName)),
        (&fresh, "Phone", "not base64url!", |error| matches!(error, PasskeyError::Rejected)),
    ] {
        let store = units([]);
        let passkeys = passkeys(&store, Arc::new(MockFailureCounter::new()));
        let new = NewPasskey { name, client_data, attestation_object: "AAAA", transports: "internal" };
        let error = passkeys.offered().unwrap().add(person, new).await.unwrap_err();
        assert!(is_expected(&error), "{name:?}: {error}");
        assert_eq!(store.endings().opened(), 0);
    }
}

#[tokio::test]
async fn t81_t84_a_malformed_or_limited_sign_in_reads_no_passkey() {
    let visit = secret(SecretKind::Visit, 3);
    let origin = SignInOrigin { address: ADDRESS, device: None, replaces: None, pending: None };
    let limit = SignInLimits::default().per_address.attempts;
    for (count, credential_id, is_limited) in [(1, "not base64url!", false), (limit + 2, "AAAA", true)] {
        let answer = PasskeyAnswer {
            credential_id,
            user_handle: "AAAA",
            client_data: "",
            authenticator_data: "AAAA",
            signature: "AAAA",
        };
        let passkeys = passkeys(&units([]), counter_at(count));
        let error = passkeys.offered().unwrap().sign_in(answer, &visit, origin).await.unwrap_err();
        assert_eq!(matches!(error, PasskeyError::TooManyAttempts { .. }), is_limited, "{error}");
        assert_eq!(matches!(error, PasskeyError::Rejected), !is_limited, "{error}");
    }
}

#[tokio::test]
async fn only_the_owner_renames_a_passkey_and_only_to_a_visible_name() {
    let rename = async |name, units: &Arc<PreparedUnitsOfWork>| {
        let passkeys = passkeys(units, Arc::new(MockFailureCounter::new()));
        passkeys.rename(&signed_in(301), passkey_id(), name).await
    };
    let long = "x".repeat(101);
    for name in ["", " ", "a\nb", &long] {
        let store = units([]);
        let error = rename(name, &store).await.unwrap_err();
        assert!(matches!(error, PasskeyError::InvalidName), "{name:?}: {error}");
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
        assert_eq!(matches!(outcome, Err(PasskeyError::NotFound)), !is_owner);
        let kinds: Vec<_> = store.events().all().iter().map(|event| event.kind).collect();
        assert_eq!(kinds, vec![AuditKind::PasskeyRenamed; usize::from(is_owner)]);
        let endings = (store.endings().committed(), store.endings().rolled_back());
        assert_eq!(endings, (usize::from(is_owner), usize::from(!is_owner)));
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
) -> Result<(), PasskeyError> {
    let passkeys = Passkeys { policy, ..passkeys(store, Arc::new(MockFailureCounter::new())) };
    passkeys.remove(person, passkey_id()).await
}

#[tokio::test]
async fn a_passkey_is_removed_only_by_its_owner_after_a_fresh_sign_in() {
    let optional = SecondFactorPolicy::Optional;
    let store = units([]);
    let error = remove(&store, &signed_in(301), optional).await.unwrap_err();
    assert!(matches!(error, PasskeyError::NotFresh), "{error}");
    let store = units([removing(false, true), removing(true, false)]);
    let error = remove(&store, &signed_in(0), optional).await.unwrap_err();
    assert!(matches!(error, PasskeyError::NotFresh), "{error}");
    let error = remove(&store, &signed_in(0), optional).await.unwrap_err();
    assert!(matches!(error, PasskeyError::NotFound), "{error}");
    assert_eq!((store.endings().committed(), store.endings().rolled_back()), (0, 2));
    assert_eq!(store.events().all(), []);
}

#[tokio::test]
async fn the_only_second_factor_stays_if_the_operator_requires_one() {
    let store = units([removing(true, true)]);
    let error = remove(&store, &signed_in(0), SecondFactorPolicy::Required).await.unwrap_err();
    assert!(matches!(error, PasskeyError::LastFactor), "{error}");
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

#[tokio::test]
async fn the_operator_removes_no_passkey_of_an_unknown_user() {
    let mut unit = MockUnitOfWork::default();
    unit.users.expect_find().times(1).returning(|_| Ok(None));
    let store = units([unit]);
    let passkeys = passkeys(&store, Arc::new(MockFailureCounter::new()));
    let error = passkeys.remove_all(user_id(1)).await.unwrap_err();
    assert!(matches!(error, RemoveAllPasskeysError::NotFound), "{error}");
    assert_eq!((store.endings().committed(), store.endings().rolled_back()), (0, 1));
}
