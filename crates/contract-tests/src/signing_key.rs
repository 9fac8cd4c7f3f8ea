//! The keys that sign access tokens.

use crate::Harness;
use crate::fixture::{conflict, key_id, now, seconds, signing_key};
use crate::service::{assert_rejected, audited};
use application::key::{RetireSigningKeyError, SigningKeys};
use application::ports::storage::UniqueKey;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};

async fn list(harness: &Harness) -> Vec<SigningKey> {
    harness.signing_keys.list_signing_keys().await.unwrap()
}

async fn store(harness: &Harness, key: &SigningKey) {
    commit!(harness, signing_keys().insert(key));
}

pub(crate) async fn keys_read_back_as_stored_oldest_first(harness: &Harness) {
    assert_eq!(list(harness).await, []);
    let retired = SigningKey {
        created_at: seconds(-5),
        private_key: SealedPrivateKey::new((0..=255).collect()),
        state: SigningKeyState::Retired { at: now() },
        ..signing_key(3)
    };
    for key in [signing_key(2), retired.clone(), signing_key(1)] {
        store(harness, &key).await;
    }
    assert_eq!(list(harness).await, [retired, signing_key(1), signing_key(2)]);
}

pub(crate) async fn the_first_key_is_stored_once(harness: &Harness) {
    let mut unit = harness.begin().await;
    assert!(unit.signing_keys().insert_first(&signing_key(1)).await.unwrap());
    assert!(!unit.signing_keys().insert_first(&signing_key(2)).await.unwrap());
    unit.commit().await.unwrap();
    assert!(!commit!(harness, signing_keys().insert_first(&signing_key(1))));
    assert_eq!(list(harness).await, [signing_key(1)]);
}

pub(crate) async fn exactly_one_of_several_tasks_stores_the_first_key(harness: &Harness) {
    let tasks: Vec<_> = (1..=20)
        .map(|number| {
            let harness = harness.clone();
            tokio::spawn(async move {
                let stored = commit!(harness, signing_keys().insert_first(&signing_key(number)));
                stored.then(|| signing_key(number))
            })
        })
        .collect();
    let mut winners = Vec::new();
    for task in tasks {
        winners.extend(task.await.unwrap());
    }
    assert_eq!(winners.len(), 1);
    assert_eq!(list(harness).await, winners);
}

pub(crate) async fn a_first_key_can_be_stored_again_after_all_are_retired(harness: &Harness) {
    store(harness, &SigningKey { state: SigningKeyState::Retired { at: now() }, ..signing_key(1) }).await;
    let mut unit = harness.begin().await;
    assert!(unit.signing_keys().insert_first(&signing_key(2)).await.unwrap());
}

pub(crate) async fn a_taken_id_is_a_conflict(harness: &Harness) {
    store(harness, &signing_key(1)).await;
    let mut unit = harness.begin().await;
    assert_eq!(conflict(unit.signing_keys().insert(&signing_key(1)).await), UniqueKey::SigningKey);
    unit.signing_keys().insert(&signing_key(2)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(list(harness).await, [signing_key(1), signing_key(2)]);
}

pub(crate) async fn an_active_key_is_retired_once(harness: &Harness) {
    store(harness, &signing_key(1)).await;
    store(harness, &signing_key(2)).await;
    let mut unit = harness.begin().await;
    assert!(unit.signing_keys().retire(key_id(1), now()).await.unwrap());
    assert!(!unit.signing_keys().retire(key_id(1), seconds(1)).await.unwrap());
    assert!(!unit.signing_keys().retire(key_id(3), now()).await.unwrap());
    unit.commit().await.unwrap();
    let retired = SigningKey { state: SigningKeyState::Retired { at: now() }, ..signing_key(1) };
    assert_eq!(list(harness).await, [retired, signing_key(2)]);
}

pub(crate) async fn a_list_for_update_includes_the_changes_of_its_unit_of_work(harness: &Harness) {
    for key in [signing_key(2), signing_key(1)] {
        store(harness, &key).await;
    }
    let mut unit = harness.begin().await;
    assert_eq!(unit.signing_keys().list_for_update().await.unwrap(), [signing_key(1), signing_key(2)]);
    unit.signing_keys().retire(key_id(1), now()).await.unwrap();
    let retired = SigningKey { state: SigningKeyState::Retired { at: now() }, ..signing_key(1) };
    assert_eq!(unit.signing_keys().list_for_update().await.unwrap(), [retired, signing_key(2)]);
}

pub(crate) async fn of_tasks_that_each_retire_all_but_one_the_last_leaves_one(harness: &Harness) {
    store(harness, &signing_key(100)).await;
    let tasks: Vec<_> = (1..=10)
        .map(|number| {
            let harness = harness.clone();
            tokio::spawn(async move {
                let mut unit = harness.begin().await;
                let keys = unit.signing_keys().list_for_update().await.unwrap();
                let active: Vec<_> = keys
                    .iter()
                    .filter(|key| key.state == SigningKeyState::Active)
                    .map(|key| key.id)
                    .collect();
                unit.signing_keys().insert(&signing_key(number)).await.unwrap();
                for id in &active {
                    assert!(unit.signing_keys().retire(*id, now()).await.unwrap());
                }
                unit.commit().await.unwrap();
                active.len()
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), 1, "each saw what the one before it left");
    }
    let keys = list(harness).await;
    assert_eq!(keys.iter().filter(|key| key.state == SigningKeyState::Active).count(), 1);
}

pub(crate) async fn keys_that_were_retired_long_ago_are_deleted_up_to_the_limit(harness: &Harness) {
    let retired = |number, at| SigningKey {
        state: SigningKeyState::Retired { at: seconds(at) },
        ..signing_key(number)
    };
    for key in [retired(1, -30), retired(2, -10), retired(3, -20), retired(4, 0), signing_key(5)] {
        store(harness, &key).await;
    }
    let mut unit = harness.begin().await;
    assert_eq!(unit.signing_keys().delete_retired(seconds(0), 2).await.unwrap(), 2);
    assert_eq!(unit.signing_keys().delete_retired(seconds(0), 2).await.unwrap(), 1);
    assert_eq!(unit.signing_keys().delete_retired(seconds(0), 2).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(list(harness).await, [retired(4, 0), signing_key(5)]);
}

pub(crate) async fn an_unknown_key_and_the_last_active_one_are_not_retired(harness: &Harness) {
    let retired = SigningKey { state: SigningKeyState::Retired { at: now() }, ..signing_key(2) };
    for key in [&signing_key(1), &retired] {
        store(harness, key).await;
    }
    let keys = SigningKeys { store: audited(harness), reader: harness.signing_keys.clone() };
    let is_unknown = |error: &RetireSigningKeyError| matches!(error, RetireSigningKeyError::Unknown(id) if *id == key_id(9));
    let retire = async || keys.retire(key_id(9)).await;
    assert_rejected(harness, "retire an unknown key", is_unknown, retire).await;
    let is_last = |error: &RetireSigningKeyError| matches!(error, RetireSigningKeyError::LastActive(id) if *id == key_id(1));
    let retire = async || keys.retire(key_id(1)).await;
    assert_rejected(harness, "retire the last active key", is_last, retire).await;
    assert_eq!(list(harness).await, [signing_key(1), retired]);
}
