//! Listing, rotating and retiring signing keys (T70).

use super::*;
use crate::key::{OlderKeys, RetireSigningKeyError, SigningKeyRotation, SigningKeyUse};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::AuditEvent;

/// An event about a key that the operator created or retired.
fn key_event(kind: AuditKind, number: u8) -> AuditEvent {
    event(AuditActor::Operator, kind).subject(key(number).id.as_uuid())
}

/// A unit of work that finds these keys and expects at most one new key, created at `created_at`.
fn unit_of(keys: Vec<SigningKey>, created_at: Option<DateTime<Utc>>) -> MockUnitOfWork {
    let mut unit = MockUnitOfWork::default();
    let mut order = Sequence::new();
    unit.signing_keys
        .expect_list_for_update()
        .times(1)
        .in_sequence(&mut order)
        .returning(move || Ok(keys.clone()));
    if let Some(at) = created_at {
        unit.signing_keys
            .expect_insert()
            .times(1)
            .in_sequence(&mut order)
            .withf(move |stored| stored.id == key(1).id && stored.created_at == at)
            .returning(|_| Ok(()));
    }
    unit
}

fn expect_retired(unit: &mut MockUnitOfWork, number: u8) {
    unit.signing_keys
        .expect_retire()
        .times(1)
        .withf(move |id, at| *id == key(number).id && *at == noon())
        .returning(|_, _| Ok(true));
}

/// A key ring that loads these keys, then creates one.
fn opening(keys: Vec<SigningKey>) -> MockKeyRing {
    let mut ring = MockKeyRing::new();
    ring.expect_load().times(1).withf(move |given| given == keys).returning(|_| Ok(()));
    ring.expect_create_key().times(1).returning(|id, at| Ok(SigningKey { id, created_at: at, ..key(1) }));
    ring
}

async fn rotate(
    units: PreparedUnitsOfWork,
    ring: MockKeyRing,
    older: OlderKeys,
) -> Result<SigningKeyRotation, SigningKeyError> {
    keys_of(units, MockSigningKeyReader::new()).rotate(&ring, older).await
}

#[tokio::test]
async fn t70_a_routine_rotation_adds_a_key_and_retires_none() {
    let keys = vec![SigningKey { created_at: noon() - TimeDelta::days(1), ..key(9) }];
    let units = PreparedUnitsOfWork::new([unit_of(keys.clone(), Some(noon()))]);
    let (endings, events) = (units.endings(), units.events());
    let done = rotate(units, opening(keys), OlderKeys::Keep).await.unwrap();
    assert_eq!(done, SigningKeyRotation { created: key(1).id, created_at: noon(), retired: Vec::new() });
    assert_eq!(endings.committed(), 1);
    assert_events(&events, &[key_event(AuditKind::KeyCreated, 1)]);
}

#[tokio::test]
async fn t70_an_emergency_retires_every_active_key_in_the_same_unit_of_work() {
    let older = |key| SigningKey { created_at: noon() - TimeDelta::days(1), ..key };
    let keys = vec![older(retired(7)), older(key(8)), older(key(9))];
    let mut unit = unit_of(keys.clone(), Some(noon()));
    expect_retired(&mut unit, 8);
    expect_retired(&mut unit, 9);
    let units = PreparedUnitsOfWork::new([unit]);
    let (endings, events) = (units.endings(), units.events());
    let done = rotate(units, opening(keys), OlderKeys::Retire).await.unwrap();
    assert_eq!(done.retired, [key(8).id, key(9).id]);
    assert_eq!(endings.committed(), 1);
    let kinds = [(AuditKind::KeyCreated, 1), (AuditKind::KeyRetired, 8), (AuditKind::KeyRetired, 9)];
    assert_events(&events, &kinds.map(|(kind, number)| key_event(kind, number)));
}

#[tokio::test]
async fn a_key_is_created_if_there_is_none_or_none_is_active() {
    for keys in [Vec::new(), vec![retired(9)]] {
        let units = PreparedUnitsOfWork::new([unit_of(keys.clone(), Some(noon()))]);
        assert!(rotate(units, opening(keys), OlderKeys::Retire).await.unwrap().retired.is_empty());
    }
}

#[tokio::test]
async fn a_new_key_is_younger_than_all_even_where_the_clock_is_behind() {
    let ahead = noon() + TimeDelta::minutes(3);
    let keys = vec![SigningKey { created_at: ahead, ..key(9) }, key(8)];
    let expected = ahead + TimeDelta::microseconds(1);
    let units = PreparedUnitsOfWork::new([unit_of(keys.clone(), Some(expected))]);
    assert_eq!(rotate(units, opening(keys), OlderKeys::Keep).await.unwrap().created_at, expected);
}

#[tokio::test]
async fn no_key_is_stored_if_the_encryption_key_cannot_decrypt_the_others() {
    for older in [OlderKeys::Keep, OlderKeys::Retire] {
        let units = PreparedUnitsOfWork::new([unit_of(vec![key(9)], None)]);
        let endings = units.endings();
        let mut ring = MockKeyRing::new();
        ring.expect_load().times(1).returning(|keys| Err(KeyRingError::CannotDecrypt(keys[0].id)));
        let error = rotate(units, ring, older).await.unwrap_err();
        assert!(error.to_string().contains("keys.encryption_key"), "{error}");
        assert_eq!(endings.committed(), 0);
    }
}

#[tokio::test]
async fn a_rotation_whose_store_fails_commits_nothing() {
    let keys = vec![key(9)];
    let mut unit = unit_of(keys.clone(), Some(noon() + TimeDelta::microseconds(1)));
    unit.signing_keys.expect_retire().returning(|_, _| Err(StorageError::Unavailable));
    let units = PreparedUnitsOfWork::new([unit]);
    let endings = units.endings();
    let outcome = rotate(units, opening(keys), OlderKeys::Retire).await;
    assert!(matches!(outcome, Err(SigningKeyError::Storage(StorageError::Unavailable))));
    assert_eq!((endings.committed(), endings.rolled_back()), (0, 1));
}

async fn retire(units: PreparedUnitsOfWork, number: u8) -> Result<DateTime<Utc>, RetireSigningKeyError> {
    keys_of(units, MockSigningKeyReader::new()).retire(key(number).id).await
}

#[tokio::test]
async fn a_key_is_retired_while_another_is_active() {
    let mut unit = unit_of(vec![key(8), key(9)], None);
    expect_retired(&mut unit, 9);
    let units = PreparedUnitsOfWork::new([unit]);
    let (endings, events) = (units.endings(), units.events());
    assert_eq!(retire(units, 9).await.unwrap(), noon());
    assert_eq!(endings.committed(), 1);
    assert_events(&events, &[key_event(AuditKind::KeyRetired, 9)]);
}

#[tokio::test]
async fn a_key_that_is_retired_already_keeps_its_date() {
    let earlier = noon() - TimeDelta::days(2);
    let old = SigningKey { state: SigningKeyState::Retired { at: earlier }, ..key(8) };
    let units = PreparedUnitsOfWork::new([unit_of(vec![old, key(9)], None)]);
    let events = units.events();
    assert_eq!(retire(units, 8).await.unwrap(), earlier);
    assert_events(&events, &[]);
}

#[tokio::test]
async fn the_list_shows_which_key_signs_and_which_only_verify() {
    let younger = SigningKey { created_at: noon() + TimeDelta::seconds(1), ..key(3) };
    let gone = SigningKey {
        created_at: noon() + TimeDelta::seconds(2),
        state: SigningKeyState::Retired { at: noon() },
        ..key(4)
    };
    let reader = reader_of(vec![key(2), younger, gone]);
    let listed = keys_of(PreparedUnitsOfWork::new([]), reader).list().await.unwrap();
    let uses: Vec<_> = listed.iter().map(|entry| (entry.id, entry.usage)).collect();
    let expected = [
        (key(2).id, SigningKeyUse::Verifies),
        (key(3).id, SigningKeyUse::Signs),
        (key(4).id, SigningKeyUse::Retired { at: noon() }),
    ];
    assert_eq!(uses, expected);
}
