mod rotation;

use super::{SigningKeyError, SigningKeys, reload_signing_keys};
use crate::audit::testing::{assert_events, event};
use crate::ports::storage::test_support::{MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{MockSigningKeyReader, StorageError};
use crate::ports::system::{KeyRingError, MockKeyRing};
use crate::testing::{drawn_uuid, noon, store};
use domain::audit::{AuditActor, AuditKind};
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use mockall::Sequence;
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

/// Keys of a store with these units of work.
fn keys_of(units: PreparedUnitsOfWork, reader: MockSigningKeyReader) -> SigningKeys {
    SigningKeys { store: store(&Arc::new(units)), reader: Arc::new(reader) }
}

fn reader_of(keys: Vec<SigningKey>) -> MockSigningKeyReader {
    let mut reader = MockSigningKeyReader::new();
    reader.expect_list_signing_keys().times(1).returning(move || Ok(keys.clone()));
    reader
}

/// A key ring that expects the creation of the first key.
fn making() -> MockKeyRing {
    let mut ring = MockKeyRing::new();
    ring.expect_create_key()
        .times(1)
        .withf(|id, at| *id == key(1).id && *at == noon())
        .returning(|_, _| Ok(key(1)));
    ring
}

fn storing(is_first: bool) -> PreparedUnitsOfWork {
    let mut unit = MockUnitOfWork::default();
    unit.signing_keys
        .expect_insert_first()
        .times(1)
        .withf(|stored| *stored == key(1))
        .returning(move |_| Ok(is_first));
    PreparedUnitsOfWork::new([unit])
}

async fn ensure(
    reader: MockSigningKeyReader,
    units: PreparedUnitsOfWork,
    ring: MockKeyRing,
) -> Result<bool, SigningKeyError> {
    keys_of(units, reader).ensure(&ring).await
}

#[tokio::test]
async fn the_first_key_is_created_if_there_is_none() {
    let units = storing(true);
    let (endings, events) = (units.endings(), units.events());
    assert!(ensure(reader_of(Vec::new()), units, making()).await.unwrap());
    assert_eq!(endings.committed(), 1);
    let created = event(AuditActor::Server, AuditKind::KeyCreated).subject(key(1).id.as_uuid());
    assert_events(&events, &[created]);
}

#[tokio::test]
async fn a_key_is_created_if_all_are_retired() {
    assert!(ensure(reader_of(vec![retired(8), retired(9)]), storing(true), making()).await.unwrap());
}

#[tokio::test]
async fn no_key_is_created_or_decrypted_while_one_is_active() {
    let keys = vec![retired(8), key(9)];
    let none = PreparedUnitsOfWork::new([]);
    assert!(!ensure(reader_of(keys), none, MockKeyRing::new()).await.unwrap());
}

#[tokio::test]
async fn the_loser_of_the_race_for_the_first_key_creates_none() {
    let units = storing(false);
    let events = units.events();
    assert!(!ensure(reader_of(Vec::new()), units, making()).await.unwrap());
    assert_events(&events, &[]);
}

#[tokio::test]
async fn a_key_that_cannot_be_created_is_not_stored() {
    let mut ring = MockKeyRing::new();
    ring.expect_create_key().returning(|_, _| Err(KeyRingError::CannotCreate));
    let outcome = ensure(reader_of(Vec::new()), PreparedUnitsOfWork::new([]), ring).await;
    assert!(matches!(outcome, Err(SigningKeyError::KeyRing(KeyRingError::CannotCreate))));
}

/// A reader that returns these lists, one per call.
fn reader_of_lists(lists: impl IntoIterator<Item = Vec<SigningKey>>) -> MockSigningKeyReader {
    let mut order = Sequence::new();
    let mut reader = MockSigningKeyReader::new();
    for keys in lists {
        reader.expect_list_signing_keys().times(1).in_sequence(&mut order).return_once(move || Ok(keys));
    }
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
    let reader = reader_of_lists([keys.clone(), keys.clone(), keys.clone()]);
    let mut reload = Reload::new(reader, ring_of([(keys, Ok(()))]));
    assert!(reload.run().await.unwrap());
    assert!(!reload.run().await.unwrap());
    assert!(!reload.run().await.unwrap());
}

#[tokio::test]
async fn a_key_that_is_added_or_retired_is_noticed() {
    let lists = [vec![key(1)], vec![key(1), key(2)], vec![retired(1), key(2)]];
    let ring = ring_of(lists.clone().map(|keys| (keys, Ok(()))));
    let mut reload = Reload::new(reader_of_lists(lists), ring);
    for _ in 0..3 {
        assert!(reload.run().await.unwrap());
    }
}

#[tokio::test]
async fn keys_that_could_not_be_decrypted_are_tried_again() {
    let keys = vec![key(1)];
    let refused = KeyRingError::CannotDecrypt(key(1).id);
    let ring = ring_of([(keys.clone(), Err(refused)), (keys.clone(), Ok(()))]);
    let mut reload = Reload::new(reader_of_lists([keys.clone(), keys]), ring);
    let error = reload.run().await.unwrap_err();
    assert!(matches!(error, SigningKeyError::KeyRing(KeyRingError::CannotDecrypt(_))), "{error}");
    assert!(reload.run().await.unwrap());
}

#[tokio::test]
async fn a_store_that_fails_leaves_the_keys_in_use_as_they_are() {
    let mut order = Sequence::new();
    let mut reader = MockSigningKeyReader::new();
    reader.expect_list_signing_keys().times(1).in_sequence(&mut order).return_once(|| Ok(vec![key(1)]));
    reader
        .expect_list_signing_keys()
        .times(1)
        .in_sequence(&mut order)
        .return_once(|| Err(StorageError::Unavailable));
    reader.expect_list_signing_keys().times(1).in_sequence(&mut order).return_once(|| Ok(vec![key(1)]));
    let mut reload = Reload::new(reader, ring_of([(vec![key(1)], Ok(()))]));
    assert!(reload.run().await.unwrap());
    assert!(matches!(reload.run().await, Err(SigningKeyError::Storage(StorageError::Unavailable))));
    assert!(!reload.run().await.unwrap());
}
