//! Invalidation of everything, on a small in-memory store.

use super::{Credentials, InvalidationError, InvalidationReport};
use crate::audit::AuditTrail;
use crate::audit::testing::{assert_events, event};
use crate::key::SigningKeys;
use crate::ports::storage::test_support::{MockUnitOfWork, RecordedEvents};
use crate::ports::storage::{
    MockProfileReader, MockSigningKeyReader, StorageError, UnitOfWork, UnitOfWorkFactory,
};
use crate::ports::system::{KeyRingError, MockKeyRing};
use crate::store;
use crate::testing::{clock, drawn_uuid, entropy, noon, person, seconds, user_id};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{KeyId, UserId};
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use domain::user::User;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// More users than one batch.
const PEOPLE: u128 = 501;

/// Time of the theft.
fn theft() -> DateTime<Utc> {
    noon() - seconds(60)
}

/// Credentials left in the store; keys and grants with their creation time.
#[derive(Clone, Default)]
struct RemainingCredentials {
    keys: Vec<SigningKey>,
    sessions: u64,
    links: u64,
    consents: u64,
    codes: u64,
    grants: Owned,
    tokens: Owned,
}

/// Owner and creation time.
#[derive(Clone, Default, PartialEq, Debug)]
struct Owned(Vec<(UserId, DateTime<Utc>)>);

impl Owned {
    /// Removes what these users have from before this time; returns the number.
    fn take(&mut self, people: &RangeInclusive<UserId>, before: DateTime<Utc>) -> u64 {
        let had = self.0.len();
        self.0.retain(|(owner, since)| !people.contains(owner) || *since >= before);
        u64::try_from(had - self.0.len()).unwrap()
    }
}

/// A store that fails from this unit of work on.
struct Store {
    left: Arc<Mutex<RemainingCredentials>>,
    started: AtomicUsize,
    fails_at: usize,
    events: RecordedEvents,
}

impl Store {
    fn new(left: RemainingCredentials) -> Arc<Self> {
        Self::failing_at(left, usize::MAX)
    }

    fn failing_at(left: RemainingCredentials, fails_at: usize) -> Arc<Self> {
        let left = Arc::new(Mutex::new(left));
        Arc::new(Self { left, started: AtomicUsize::new(0), fails_at, events: RecordedEvents::default() })
    }

    fn remaining(&self) -> RemainingCredentials {
        self.left.lock().unwrap().clone()
    }
}

fn take_batch(rest: &mut u64, limit: u32) -> u64 {
    let batch = (*rest).min(u64::from(limit));
    *rest -= batch;
    batch
}

#[async_trait]
impl UnitOfWorkFactory for Store {
    async fn begin(&self) -> Result<Box<dyn UnitOfWork>, StorageError> {
        if self.started.fetch_add(1, Ordering::SeqCst) >= self.fails_at {
            return Err(StorageError::Unavailable);
        }
        let mut unit = MockUnitOfWork::default();
        unit.audit = self.events.clone();
        let left = Arc::clone(&self.left);
        unit.signing_keys.expect_list_for_update().returning(move || Ok(left.lock().unwrap().keys.clone()));
        let left = Arc::clone(&self.left);
        unit.signing_keys.expect_insert().returning(move |key| {
            left.lock().unwrap().keys.push(key.clone());
            Ok(())
        });
        let left = Arc::clone(&self.left);
        unit.signing_keys.expect_retire().returning(move |id, at| {
            let keys = &mut left.lock().unwrap().keys;
            let key = keys.iter_mut().find(|key| key.id == id).unwrap();
            key.state = SigningKeyState::Retired { at };
            Ok(true)
        });
        self.expect_the_rest(&mut unit);
        Ok(Box::new(unit))
    }
}

impl Store {
    fn expect_the_rest(&self, unit: &mut MockUnitOfWork) {
        unit.pending_sign_ins.expect_delete_expired().returning(|_, _| Ok(0));
        let left = Arc::clone(&self.left);
        unit.sessions
            .expect_delete_ended()
            .withf(|seen, signed_in, _| (*seen, *signed_in) == (theft(), theft()))
            .returning(move |_, _, limit| Ok(take_batch(&mut left.lock().unwrap().sessions, limit)));
        let left = Arc::clone(&self.left);
        unit.password_links
            .expect_delete_any()
            .returning(move |limit| Ok(take_batch(&mut left.lock().unwrap().links, limit)));
        let left = Arc::clone(&self.left);
        unit.consents
            .expect_forget_any()
            .returning(move |limit| Ok(take_batch(&mut left.lock().unwrap().consents, limit)));
        let left = Arc::clone(&self.left);
        unit.codes
            .expect_discard_unredeemed()
            .withf(|user, before| user.is_none() && *before == theft())
            .returning(move |_, _| Ok(std::mem::take(&mut left.lock().unwrap().codes)));
        let left = Arc::clone(&self.left);
        unit.grants
            .expect_revoke_created_before()
            .withf(|_, before, at| (*before, *at) == (theft(), noon()))
            .returning(move |people, before, _| Ok(left.lock().unwrap().grants.take(&people, before)));
        let left = Arc::clone(&self.left);
        unit.personal_tokens
            .expect_revoke_created_before()
            .withf(|_, before, at| (*before, *at) == (theft(), noon()))
            .returning(move |people, before, _| Ok(left.lock().unwrap().tokens.take(&people, before)));
    }
}

fn key(number: u32, created_at: DateTime<Utc>) -> SigningKey {
    SigningKey {
        id: KeyId::from_uuid(drawn_uuid(1_000 + number)),
        public_key: [7; 32],
        private_key: SealedPrivateKey::new(vec![7]),
        created_at,
        state: SigningKeyState::Active,
    }
}

/// Two old keys, one retired, and some credentials of each kind; one grant is newer than the theft.
fn much() -> RemainingCredentials {
    let retired = SigningKeyState::Retired { at: theft() - seconds(500) };
    RemainingCredentials {
        keys: vec![
            SigningKey { state: retired, ..key(1, theft() - seconds(900)) },
            key(2, theft() - seconds(600)),
        ],
        sessions: 1_234,
        links: 500,
        consents: 1_001,
        codes: 5,
        grants: Owned(vec![
            (user_id(1), theft() - seconds(1)),
            (user_id(500), theft() - seconds(1)),
            (user_id(501), theft() - seconds(2)),
            (user_id(501), theft()),
        ]),
        tokens: Owned(vec![(user_id(2), theft() - seconds(3)), (user_id(PEOPLE), theft() - seconds(3))]),
    }
}

/// A key ring that accepts every key and creates new ones.
fn ring() -> MockKeyRing {
    let mut ring = MockKeyRing::new();
    ring.expect_load().returning(|_| Ok(()));
    ring.expect_create_key().returning(|id, at| Ok(SigningKey { id, ..key(0, at) }));
    ring
}

fn people() -> Arc<MockProfileReader> {
    let mut profiles = MockProfileReader::new();
    profiles.expect_list_profiles().returning(|after, limit| {
        let people = (1..=PEOPLE).map(|number| User { id: user_id(number), ..person() });
        let next = people.filter(|person| after.is_none_or(|after| person.id > after));
        Ok(next.take(usize::try_from(limit).unwrap()).collect())
    });
    Arc::new(profiles)
}

fn credentials(units: &Arc<Store>) -> Credentials {
    let store = store::Store { units: units.clone(), trail: AuditTrail::new(entropy(), clock()) };
    Credentials {
        keys: SigningKeys { store, reader: Arc::new(MockSigningKeyReader::new()) },
        profiles: people(),
    }
}

async fn invalidate(store: &Arc<Store>) -> Result<InvalidationReport, InvalidationError> {
    credentials(store).invalidate(&ring(), theft()).await
}

fn assert_nothing_old_is_left(left: &RemainingCredentials) {
    let RemainingCredentials { keys, sessions, links, consents, codes, grants, tokens } = left;
    assert_eq!((*sessions, *links, *consents, *codes), (0, 0, 0, 0));
    assert_eq!((&*grants.0, &*tokens.0), (&[(user_id(501), theft())][..], &[][..]));
    let active: Vec<_> = keys.iter().filter(|key| key.state == SigningKeyState::Active).collect();
    assert_eq!(active.len(), 1, "one key signs on");
    assert!(active.iter().all(|key| key.created_at >= theft()));
}

fn operator_event(kind: AuditKind) -> AuditEvent {
    event(AuditActor::Operator, kind)
}

#[tokio::test]
async fn everything_of_before_is_invalidated_counted_and_reported() {
    let store = Store::new(much());
    let report = invalidate(&store).await.unwrap();
    assert_nothing_old_is_left(&store.remaining());
    let keys = report.keys.clone().unwrap();
    assert_eq!(keys.retired, [key(2, noon()).id]);
    assert_eq!((report.sessions, report.password_links, report.consents), (1_234, 500, 1_001));
    assert_eq!((report.codes, report.grants, report.personal_tokens), (5, 3, 2));
    assert_eq!(report.total(), 1 + 1_234 + 500 + 1_001 + 5 + 3 + 2);
    let expected = [
        operator_event(AuditKind::KeyCreated).subject(keys.created.as_uuid()),
        operator_event(AuditKind::KeyRetired).subject(key(2, noon()).id.as_uuid()),
        operator_event(AuditKind::SignedOut).count(500),
        operator_event(AuditKind::SignedOut).count(500),
        operator_event(AuditKind::SignedOut).count(234),
        operator_event(AuditKind::GrantRevoked).count(2),
        operator_event(AuditKind::PersonalTokenRevoked).count(1),
        operator_event(AuditKind::GrantRevoked).count(1),
        operator_event(AuditKind::PersonalTokenRevoked).count(1),
        operator_event(AuditKind::EverythingInvalidated).count(report.total()),
    ];
    assert_events(&store.events, &expected);
}

#[tokio::test]
async fn a_second_invalidation_finds_nothing_and_makes_no_further_key() {
    let store = Store::new(much());
    invalidate(&store).await.unwrap();
    let keys = store.remaining().keys;
    let report = invalidate(&store).await.unwrap();
    assert_eq!((report.keys.clone(), report.total()), (None, 0));
    assert_eq!(store.remaining().keys, keys);
    assert_eq!(store.events.all().last().map(|event| event.count), Some(Some(0)));
}

#[tokio::test]
async fn an_invalidation_that_stopped_anywhere_is_finished_by_the_next() {
    let mut stopped = 0;
    for fails_at in 0.. {
        let broken = Store::failing_at(much(), fails_at);
        let outcome = invalidate(&broken).await;
        if outcome.is_ok() {
            break;
        }
        stopped += 1;
        let recorded = broken.events.all();
        assert!(recorded.iter().all(|event| event.kind != AuditKind::EverythingInvalidated));
        let whole = Store::new(broken.remaining());
        invalidate(&whole).await.unwrap();
        assert_nothing_old_is_left(&whole.remaining());
    }
    assert!(stopped > 8, "every step was stopped at once, {stopped} in all");
}

#[tokio::test]
async fn keys_created_after_the_given_time_stay_active() {
    let young = RemainingCredentials { keys: vec![key(3, theft())], ..RemainingCredentials::default() };
    let store = Store::new(young.clone());
    assert_eq!(invalidate(&store).await.unwrap().keys, None);
    assert_eq!(store.remaining().keys, young.keys);
}

#[tokio::test]
async fn nothing_is_invalidated_with_an_encryption_key_that_cannot_decrypt_the_keys() {
    let store = Store::new(much());
    let mut ring = MockKeyRing::new();
    ring.expect_load().returning(|keys| Err(KeyRingError::CannotDecrypt(keys[0].id)));
    let error = credentials(&store).invalidate(&ring, theft()).await.unwrap_err();
    assert!(error.to_string().contains("keys.encryption_key"), "{error}");
    assert_eq!((store.remaining().sessions, store.remaining().grants.0.len()), (1_234, 4));
    assert_events(&store.events, &[]);
}

#[tokio::test]
async fn a_time_in_the_future_is_rejected_before_the_store_is_used() {
    let store = Store::new(much());
    let late = noon() + chrono::TimeDelta::microseconds(1);
    let outcome = credentials(&store).invalidate(&MockKeyRing::new(), late).await;
    assert!(matches!(outcome, Err(InvalidationError::InTheFuture)));
    assert_eq!(store.started.load(Ordering::SeqCst), 0);
}
