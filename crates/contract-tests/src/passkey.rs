//! Passkeys and pending passkey ceremonies.

use crate::Harness;
use crate::fixture::{ceremony, conflict, credential_id, hash, passkey, passkey_id, seconds, user_id};
use application::ports::storage::{PasskeyUse, UniqueKey};
use domain::passkey::{CeremonyPurpose, CredentialId, Passkey, PasskeyCeremony, PasskeyName, Transports};

/// Stores people 1 and 2 and passkeys.
async fn prepare(harness: &Harness, passkeys: &[Passkey]) {
    harness.store_users([1, 2]).await;
    let mut unit = harness.begin().await;
    for passkey in passkeys {
        unit.passkeys().insert(passkey).await.unwrap();
    }
    unit.commit().await.unwrap();
}

fn passkey_of(number: u64, user: u64) -> Passkey {
    Passkey { user_id: user_id(user), ..passkey(number) }
}

async fn list(harness: &Harness, user: u64) -> Vec<Passkey> {
    harness.passkeys.list_passkeys(user_id(user)).await.unwrap()
}

fn used(sign_count: u32, second: i64) -> PasskeyUse {
    PasskeyUse { sign_count, is_backed_up: true, at: seconds(second) }
}

pub(crate) async fn a_passkey_reads_back_as_stored_and_is_found_by_its_credential(harness: &Harness) {
    let full = Passkey {
        credential_id: CredentialId::new(vec![7; CredentialId::MAX_BYTES]).unwrap(),
        sign_count: u32::MAX,
        is_backup_eligible: false,
        is_backed_up: true,
        transports: Transports::default(),
        last_used_at: Some(seconds(1)),
        ..passkey_of(2, 2)
    };
    prepare(harness, &[passkey(1), full.clone()]).await;
    for passkey in [passkey(1), full] {
        let found = harness.passkeys.find_passkey(&passkey.credential_id).await.unwrap();
        assert_eq!(found, Some(passkey));
    }
    assert_eq!(harness.passkeys.find_passkey(&credential_id(3)).await.unwrap(), None);
}

pub(crate) async fn a_taken_id_or_credential_of_anybody_is_a_conflict(harness: &Harness) {
    prepare(harness, &[passkey(1)]).await;
    let mut unit = harness.begin().await;
    let same_id = Passkey { credential_id: credential_id(2), ..passkey(1) };
    let same_credential = Passkey { credential_id: credential_id(1), ..passkey_of(2, 2) };
    for taken in [same_id, same_credential] {
        assert_eq!(conflict(unit.passkeys().insert(&taken).await), UniqueKey::Passkey);
    }
    unit.passkeys().insert(&passkey_of(3, 2)).await.unwrap();
    assert_eq!(unit.passkeys().list(user_id(2)).await.unwrap(), [passkey_of(3, 2)]);
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 2).await, [passkey_of(3, 2)]);
}

pub(crate) async fn a_persons_passkeys_are_listed_oldest_first(harness: &Harness) {
    let at = |number, second| Passkey { created_at: seconds(second), ..passkey(number) };
    prepare(harness, &[at(4, 5), at(1, 9), at(3, 5), passkey_of(5, 2)]).await;
    assert_eq!(list(harness, 1).await, [at(3, 5), at(4, 5), at(1, 9)]);
    assert_eq!(list(harness, 3).await, []);
}

pub(crate) async fn a_use_is_recorded_if_the_counter_grew_or_there_is_none(harness: &Harness) {
    let counting = Passkey { sign_count: 7, ..passkey(2) };
    prepare(harness, &[passkey(1), counting.clone()]).await;
    let steps = [
        // Without a counter.
        (1, 1, used(0, 1), true),
        (1, 1, used(0, 2), true),
        (1, 1, used(3, 3), true),
        (1, 1, used(0, 4), false),
        // The same, an earlier, another person's and no passkey.
        (1, 2, used(7, 5), false),
        (1, 2, used(6, 6), false),
        (2, 2, used(9, 7), false),
        (1, 3, used(9, 8), false),
        (1, 2, used(0, 9), false),
        (1, 2, used(u32::MAX, 9), true),
    ];
    for (user, number, used, expected) in steps {
        let mut unit = harness.begin().await;
        let recorded = unit.passkeys().record_use(user_id(user), passkey_id(number), used).await.unwrap();
        assert_eq!(recorded, expected, "{user} {number} {used:?}");
        unit.commit().await.unwrap();
    }
    let after = |sign_count, second, passkey| Passkey {
        sign_count,
        is_backed_up: true,
        last_used_at: Some(seconds(second)),
        ..passkey
    };
    assert_eq!(list(harness, 1).await, [after(3, 3, passkey(1)), after(u32::MAX, 9, counting)]);
}

pub(crate) async fn only_one_of_several_uses_of_a_counter_value_is_recorded(harness: &Harness) {
    prepare(harness, &[passkey(1)]).await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let harness = harness.clone();
            tokio::spawn(async move {
                let mut unit = harness.begin().await;
                let recorded =
                    unit.passkeys().record_use(user_id(1), passkey_id(1), used(5, 1)).await.unwrap();
                unit.commit().await.unwrap();
                u32::from(recorded)
            })
        })
        .collect();
    let mut recorded = 0;
    for task in tasks {
        recorded += task.await.unwrap();
    }
    assert_eq!(recorded, 1);
}

pub(crate) async fn only_the_persons_own_passkey_is_renamed_or_deleted(harness: &Harness) {
    prepare(harness, &[passkey(1), passkey(2), passkey_of(3, 2)]).await;
    let name = PasskeyName::parse("Blue key \u{1f511}").unwrap();
    let mut unit = harness.begin().await;
    for (user, number, expected) in [(2, 1, false), (1, 9, false), (1, 1, true)] {
        let (user, id) = (user_id(user), passkey_id(number));
        assert_eq!(unit.passkeys().rename(user, id, &name).await.unwrap(), expected, "{number}");
    }
    for (user, number, expected) in [(2, 2, false), (1, 3, false), (1, 2, true), (1, 2, false)] {
        let (user, id) = (user_id(user), passkey_id(number));
        assert_eq!(unit.passkeys().delete(user, id).await.unwrap(), expected, "{number}");
    }
    unit.commit().await.unwrap();
    assert_eq!(list(harness, 1).await, [Passkey { name, ..passkey(1) }]);
    assert_eq!(list(harness, 2).await, [passkey_of(3, 2)]);
}

pub(crate) async fn a_ceremony_can_be_used_once(harness: &Harness) {
    let registration = PasskeyCeremony { purpose: CeremonyPurpose::Registration, ..ceremony(2) };
    let mut unit = harness.begin().await;
    for ceremony in [ceremony(1), registration.clone()] {
        unit.passkey_ceremonies().insert(&ceremony).await.unwrap();
    }
    unit.commit().await.unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let harness = harness.clone();
            tokio::spawn(async move { commit!(harness, passkey_ceremonies().take(&hash(1))) })
        })
        .collect();
    let mut taken = Vec::new();
    for task in tasks {
        taken.extend(task.await.unwrap());
    }
    assert_eq!(taken, [ceremony(1)]);
    let mut unit = harness.begin().await;
    assert_eq!(unit.passkey_ceremonies().take(&hash(9)).await.unwrap(), None);
    assert_eq!(unit.passkey_ceremonies().take(&hash(2)).await.unwrap(), Some(registration));
}

pub(crate) async fn expired_ceremonies_are_deleted_up_to_the_limit(harness: &Harness) {
    let until = |number, second| PasskeyCeremony { expires_at: seconds(second), ..ceremony(number) };
    let mut unit = harness.begin().await;
    for ceremony in [until(1, 1), until(2, 2), until(3, 3), until(4, 10)] {
        unit.passkey_ceremonies().insert(&ceremony).await.unwrap();
    }
    for expected in [2, 1, 0] {
        let deleted = unit.passkey_ceremonies().delete_expired(seconds(10), 2).await.unwrap();
        assert_eq!(deleted, expected);
    }
    assert_eq!(unit.passkey_ceremonies().take(&hash(4)).await.unwrap(), Some(until(4, 10)));
}
