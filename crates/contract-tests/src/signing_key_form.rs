//! Signing keys that a server creates, and that the operator rotates and retires (security.md T70).

use crate::Harness;
use crate::fixture::{key_id, now, signing_key};
use crate::service::{assert_units, assert_untouched, audited, event_by, recorded};
use application::key::{
    OlderKeys, SigningKeyEntry, SigningKeyError, SigningKeyRotation, SigningKeyUse, SigningKeys,
};
use application::ports::storage::{SigningKeyReader, StorageError};
use application::ports::system::{KeyRing, KeyRingError};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::KeyId;
use domain::signing_key::{SigningKey, SigningKeyState};
use std::sync::Arc;

/// A key ring.
pub(crate) enum Ring {
    /// Decrypts and creates every key.
    Open,
    /// Decrypts no key.
    Closed,
    /// Creates no key.
    Broken,
}

impl KeyRing for Ring {
    fn create_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<SigningKey, KeyRingError> {
        let mut public_key = [4; 32];
        public_key[..16].copy_from_slice(id.as_uuid().as_bytes());
        match self {
            Self::Open => Ok(SigningKey { id, public_key, created_at: at, ..signing_key(1) }),
            Self::Closed | Self::Broken => Err(KeyRingError::CannotCreate),
        }
    }

    fn load(&self, keys: &[SigningKey]) -> Result<(), KeyRingError> {
        match self {
            Self::Open | Self::Broken => Ok(()),
            Self::Closed => Err(KeyRingError::CannotDecrypt(keys[0].id)),
        }
    }
}

/// A reader whose answer is too late: outside of the unit of work, no key is found.
pub(crate) struct Late;

#[async_trait]
impl SigningKeyReader for Late {
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StorageError> {
        Ok(Vec::new())
    }
}

fn keys(harness: &Harness) -> SigningKeys {
    SigningKeys { store: audited(harness), reader: harness.signing_keys.clone() }
}

async fn store(harness: &Harness, keys: &[SigningKey]) {
    let mut unit = harness.begin().await;
    for key in keys {
        unit.signing_keys().insert(key).await.unwrap();
    }
    unit.commit().await.unwrap();
}

async fn stored(harness: &Harness) -> Vec<SigningKey> {
    harness.signing_keys.list_signing_keys().await.unwrap()
}

/// A key that was created this many seconds after now.
fn aged(number: u64, after: i64) -> SigningKey {
    SigningKey { created_at: now() + TimeDelta::seconds(after), ..signing_key(number) }
}

fn retired(key: SigningKey) -> SigningKey {
    SigningKey { state: SigningKeyState::Retired { at: now() }, ..key }
}

/// An event about a key that the operator created or retired.
fn event(kind: AuditKind, id: KeyId) -> AuditEvent {
    event_by(AuditActor::Operator, kind).subject(id.as_uuid())
}

pub(crate) async fn a_key_is_created_if_none_is_active(harness: &Harness) {
    let keys = keys(harness);
    let is_broken =
        |error: &SigningKeyError| matches!(error, SigningKeyError::KeyRing(KeyRingError::CannotCreate));
    // Without any key, and with retired ones only.
    for _ in 0..2 {
        assert_untouched(harness, "broken", is_broken, async || keys.ensure(&Ring::Broken).await).await;
        assert!(assert_units(harness, 1, keys.ensure(&Ring::Open)).await.unwrap());
        let created = stored(harness).await.pop().unwrap();
        assert_eq!((created.created_at, created.state), (now(), SigningKeyState::Active));
        let by_server = event_by(AuditActor::Server, AuditKind::KeyCreated);
        assert_eq!(recorded(harness).await, [by_server.subject(created.id.as_uuid())]);
        assert!(commit!(harness, signing_keys().retire(created.id, now())));
    }
    store(harness, &[aged(1, 0)]).await;
    // While one is active, none is created or decrypted.
    assert!(!assert_units(harness, 0, keys.ensure(&Ring::Closed)).await.unwrap());
    // The loser of the race for the first key creates none.
    let late = SigningKeys { reader: Arc::new(Late), ..keys };
    assert!(!late.ensure(&Ring::Open).await.unwrap());
    assert_eq!(stored(harness).await.len(), 3);
    assert_eq!(recorded(harness).await, []);
}

pub(crate) async fn a_routine_rotation_adds_a_key_and_retires_none(harness: &Harness) {
    let keys = keys(harness);
    // On a replica whose clock is ahead, so that the new key is younger than all.
    for (number, after, expected) in
        [(1, -86_400, now()), (2, 180, now() + TimeDelta::seconds(180) + TimeDelta::microseconds(1))]
    {
        store(harness, &[aged(number, after)]).await;
        let before = stored(harness).await;
        let done = assert_units(harness, 1, keys.rotate(&Ring::Open, OlderKeys::Keep)).await.unwrap();
        let SigningKeyRotation { created, created_at, retired } = done;
        assert_eq!((created_at, retired), (expected, Vec::new()));
        let mut after = stored(harness).await;
        assert_eq!(after.pop().map(|key| (key.id, key.created_at)), Some((created, expected)));
        assert_eq!(after, before);
        assert_eq!(recorded(harness).await, [event(AuditKind::KeyCreated, created)]);
    }
}

pub(crate) async fn an_emergency_retires_every_active_key(harness: &Harness) {
    let keys = keys(harness);
    // Without any key, one is created too.
    let first = keys.rotate(&Ring::Open, OlderKeys::Retire).await.unwrap();
    assert_eq!(first.retired, []);
    recorded(harness).await;
    store(harness, &[retired(aged(1, -9)), aged(2, -8)]).await;
    let done = keys.rotate(&Ring::Open, OlderKeys::Retire).await.unwrap();
    assert_eq!(done.retired, [key_id(2), first.created]);
    let active: Vec<_> =
        stored(harness).await.into_iter().filter(|key| key.state == SigningKeyState::Active).collect();
    assert!(matches!(&active[..], [key] if key.id == done.created), "{active:?}");
    let expected = [
        event(AuditKind::KeyCreated, done.created),
        event(AuditKind::KeyRetired, key_id(2)),
        event(AuditKind::KeyRetired, first.created),
    ];
    assert_eq!(recorded(harness).await, expected);
    let before = stored(harness).await;
    for older in [OlderKeys::Keep, OlderKeys::Retire] {
        let error = keys.rotate(&Ring::Closed, older).await.unwrap_err();
        assert!(error.to_string().contains("keys.encryption_key"), "{error}");
    }
    assert_eq!((stored(harness).await, recorded(harness).await), (before, vec![]));
}

pub(crate) async fn a_key_is_retired_while_another_is_active_and_keeps_its_date(harness: &Harness) {
    store(harness, &[aged(1, -9), aged(2, -8)]).await;
    let keys = SigningKeys { reader: Arc::new(Late), ..keys(harness) };
    assert_eq!(assert_units(harness, 1, keys.retire(key_id(2))).await.unwrap(), now());
    assert_eq!(stored(harness).await, [aged(1, -9), retired(aged(2, -8))]);
    assert_eq!(recorded(harness).await, [event(AuditKind::KeyRetired, key_id(2))]);
    let later =
        SigningKeys { store: crate::service::audited_at(harness, now() + TimeDelta::days(2)), ..keys };
    assert_eq!(later.retire(key_id(2)).await.unwrap(), now());
    assert_eq!(recorded(harness).await, []);
}

pub(crate) async fn the_list_shows_which_key_signs_and_which_only_verify(harness: &Harness) {
    store(harness, &[aged(2, 0), aged(3, 1), retired(aged(4, 2))]).await;
    let listed = keys(harness).list().await.unwrap();
    let entry = |number, after, usage| SigningKeyEntry {
        id: key_id(number),
        created_at: aged(number, after).created_at,
        usage,
    };
    let expected = [
        entry(2, 0, SigningKeyUse::Verifies),
        entry(3, 1, SigningKeyUse::Signs),
        entry(4, 2, SigningKeyUse::Retired { at: now() }),
    ];
    assert_eq!(listed, expected);
}
