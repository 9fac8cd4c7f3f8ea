//! Keys that are loaded again, and failures of the store. The contract suite shows the others on each store.

use super::{OlderKeys, SigningKeyError, SigningKeys, reload_signing_keys};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{MockSigningKeyReader, StorageError};
use crate::ports::system::{KeyRingError, MockKeyRing};
use crate::testing::{drawn_uuid, noon, one, store};
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use mockall::Sequence;
use std::collections::VecDeque;
use std::sync::Arc;

fn key(number: u8) -> SigningKey {
    SigningKey {
        id: KeyId::from_uuid(drawn_uuid(number.into())),
        public_key: [number; 32],
        private_key: SealedPrivateKey::new(vec![number]),
        created_at: noon(),
        state: SigningKeyState::Active,
    }
}

fn retired(number: u8) -> SigningKey {
    SigningKey { state: SigningKeyState::Retired { at: noon() }, ..key(number) }
}

/// A reader that returns these lists, one per call.
fn reader_of(lists: impl IntoIterator<Item = Result<Vec<SigningKey>, StorageError>>) -> MockSigningKeyReader {
    let mut lists: VecDeque<_> = lists.into_iter().collect();
    let times = lists.len();
    let mut reader = MockSigningKeyReader::new();
    let list = move || lists.pop_front().unwrap();
    reader.expect_list_signing_keys().times(times).returning(list);
    reader
}

/// A key ring that expects these loads, in order, with these results.
fn ring_of(loads: impl IntoIterator<Item = (Vec<SigningKey>, Result<(), KeyRingError>)>) -> MockKeyRing {
    let mut order = Sequence::new();
    let mut ring = MockKeyRing::new();
    for (keys, answer) in loads {
        ring.expect_load()
            .times(1)
            .in_sequence(&mut order)
            .withf(move |given| given == keys)
            .return_once(move |_| answer);
    }
    ring
}

/// A replica that loads the keys of a store.
struct Reload {
    reader: MockSigningKeyReader,
    ring: MockKeyRing,
    loaded: Vec<SigningKey>,
}

impl Reload {
    const fn new(reader: MockSigningKeyReader, ring: MockKeyRing) -> Self {
        Self { reader, ring, loaded: Vec::new() }
    }

    async fn run(&mut self) -> Result<bool, SigningKeyError> {
        reload_signing_keys(&self.reader, &self.ring, &mut self.loaded).await
    }
}

#[tokio::test]
async fn unchanged_keys_are_decrypted_once() {
    let keys = vec![key(1), retired(2)];
    let reader = reader_of([Ok(keys.clone()), Ok(keys.clone()), Ok(keys.clone())]);
    let mut reload = Reload::new(reader, ring_of([(keys, Ok(()))]));
    assert!(reload.run().await.unwrap());
    assert!(!reload.run().await.unwrap());
    assert!(!reload.run().await.unwrap());
}

#[tokio::test]
async fn a_key_that_is_added_or_retired_is_noticed() {
    let lists = [vec![key(1)], vec![key(1), key(2)], vec![retired(1), key(2)]];
    let ring = ring_of(lists.clone().map(|keys| (keys, Ok(()))));
    let mut reload = Reload::new(reader_of(lists.map(Ok)), ring);
    for _ in 0..3 {
        assert!(reload.run().await.unwrap());
    }
}

#[tokio::test]
async fn keys_that_could_not_be_decrypted_are_tried_again() {
    let keys = vec![key(1)];
    let refused = KeyRingError::CannotDecrypt(key(1).id);
    let ring = ring_of([(keys.clone(), Err(refused)), (keys.clone(), Ok(()))]);
    let mut reload = Reload::new(reader_of([Ok(keys.clone()), Ok(keys)]), ring);
    let error = reload.run().await.unwrap_err();
    assert!(matches!(error, SigningKeyError::KeyRing(KeyRingError::CannotDecrypt(_))), "{error}");
    assert!(reload.run().await.unwrap());
}

#[tokio::test]
async fn a_store_that_fails_leaves_the_keys_in_use_as_they_are() {
    let lists = [Ok(vec![key(1)]), Err(StorageError::Unavailable), Ok(vec![key(1)])];
    let reader = reader_of(lists);
    let mut reload = Reload::new(reader, ring_of([(vec![key(1)], Ok(()))]));
    assert!(reload.run().await.unwrap());
    assert!(matches!(reload.run().await, Err(SigningKeyError::Storage(StorageError::Unavailable))));
    assert!(!reload.run().await.unwrap());
}

#[tokio::test]
async fn a_rotation_whose_store_fails_commits_nothing() {
    let mut unit = MockUnitOfWork::default();
    unit.signing_keys.expect_list_for_update().returning(|| Ok(vec![retired(8), key(9)]));
    unit.signing_keys.expect_insert().times(1).returning(|_| Ok(()));
    unit.signing_keys.expect_retire().times(1).returning(|_, _| Err(StorageError::Unavailable));
    let mut ring = ring_of([(vec![retired(8), key(9)], Ok(()))]);
    ring.expect_create_key().returning(|id, at| Ok(SigningKey { id, created_at: at, ..key(1) }));
    let (units, endings) = one(unit);
    let keys = SigningKeys { store: store(&units), reader: Arc::new(MockSigningKeyReader::new()) };
    let outcome = keys.rotate(&ring, OlderKeys::Retire).await;
    assert!(matches!(outcome, Err(SigningKeyError::Storage(StorageError::Unavailable))));
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
}
