//! Authenticator apps and recovery codes.

use crate::Harness;
use crate::fixture::{hash, now, seconds, user, user_id};
use application::ports::storage::SecondFactorState;
use domain::second_factor::{SealedTotpSecret, Totp, TotpStep};
use tokio::task::JoinHandle;

fn totp(number: u8) -> Totp {
    let secret = SealedTotpSecret::new(vec![0, number, 0xff]);
    Totp { secret, last_step: TotpStep::new(50_000_000), set_at: now() }
}

/// Turns on the second factor of people 1 and 2, each with recovery codes 1 to 3.
async fn prepare(harness: &Harness) {
    for number in [1, 2] {
        harness.store_user(&user(u64::from(number))).await;
        let id = user_id(u64::from(number));
        let mut unit = harness.begin().await;
        unit.second_factors().set(id, &totp(number)).await.unwrap();
        unit.second_factors().replace_recovery_codes(id, &[hash(1), hash(2), hash(3)]).await.unwrap();
        unit.commit().await.unwrap();
    }
}

async fn find(harness: &Harness, user: u64) -> Option<Totp> {
    harness.begin().await.second_factors().find(user_id(user)).await.unwrap()
}

async fn state(harness: &Harness, user: u64) -> Option<SecondFactorState> {
    harness.second_factors.find_second_factor(user_id(user)).await.unwrap()
}

fn use_step_in_a_task(harness: &Harness, step: i64) -> JoinHandle<bool> {
    let harness = harness.clone();
    tokio::spawn(async move { commit!(harness, second_factors().use_step(user_id(1), TotpStep::new(step))) })
}

fn use_code_in_a_task(harness: &Harness) -> JoinHandle<bool> {
    let harness = harness.clone();
    tokio::spawn(async move { commit!(harness, second_factors().use_recovery_code(user_id(1), &hash(1))) })
}

async fn winners(tasks: Vec<JoinHandle<bool>>) -> u32 {
    let mut won = 0;
    for task in tasks {
        won += u32::from(task.await.unwrap());
    }
    won
}

pub(crate) async fn a_second_factor_reads_back_until_it_is_deleted(harness: &Harness) {
    prepare(harness).await;
    assert_eq!(find(harness, 1).await, Some(totp(1)));
    let expected = SecondFactorState { set_at: now(), recovery_codes: 3 };
    assert_eq!(state(harness, 1).await, Some(expected));
    let mut unit = harness.begin().await;
    assert!(unit.second_factors().delete(user_id(1)).await.unwrap());
    assert!(!unit.second_factors().delete(user_id(1)).await.unwrap());
    assert_eq!(unit.second_factors().count_recovery_codes(user_id(1)).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!((find(harness, 1).await, state(harness, 1).await), (None, None));
    assert_eq!(state(harness, 2).await, Some(expected));
    // Another app replaces an earlier one.
    let other = Totp { last_step: TotpStep::new(-1), set_at: seconds(7), ..totp(9) };
    commit!(harness, second_factors().set(user_id(2), &other));
    assert_eq!(find(harness, 2).await, Some(other));
}

pub(crate) async fn a_step_is_used_once_and_none_before_it_afterwards(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    for (step, is_first) in [(0, false), (2, true), (2, false), (1, false), (3, true)] {
        let step = TotpStep::new(50_000_000 + step);
        assert_eq!(unit.second_factors().use_step(user_id(1), step).await.unwrap(), is_first, "{step:?}");
    }
    assert!(!unit.second_factors().use_step(user_id(3), TotpStep::new(1)).await.unwrap());
    assert!(unit.second_factors().use_step(user_id(2), TotpStep::new(50_000_001)).await.unwrap());
}

pub(crate) async fn a_recovery_code_is_used_once_by_its_person(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    let codes = unit.second_factors();
    assert!(!codes.use_recovery_code(user_id(1), &hash(4)).await.unwrap());
    assert!(codes.use_recovery_code(user_id(1), &hash(2)).await.unwrap());
    assert!(!codes.use_recovery_code(user_id(1), &hash(2)).await.unwrap());
    assert_eq!(codes.count_recovery_codes(user_id(1)).await.unwrap(), 2);
    assert_eq!(codes.count_recovery_codes(user_id(2)).await.unwrap(), 3);
    assert_eq!(codes.count_recovery_codes(user_id(3)).await.unwrap(), 0);
}

pub(crate) async fn exactly_one_of_several_tasks_uses_a_step_or_a_recovery_code(harness: &Harness) {
    prepare(harness).await;
    let tasks = (0..20).map(|_| use_step_in_a_task(harness, 50_000_001)).collect();
    assert_eq!(winners(tasks).await, 1);
    let tasks = (0..20).map(|_| use_code_in_a_task(harness)).collect();
    assert_eq!(winners(tasks).await, 1);
}

pub(crate) async fn a_new_set_of_recovery_codes_ends_the_old_one(harness: &Harness) {
    prepare(harness).await;
    let mut unit = harness.begin().await;
    unit.second_factors().replace_recovery_codes(user_id(1), &[hash(3), hash(5)]).await.unwrap();
    let codes = unit.second_factors();
    assert_eq!(codes.count_recovery_codes(user_id(1)).await.unwrap(), 2);
    assert!(!codes.use_recovery_code(user_id(1), &hash(1)).await.unwrap());
    assert!(codes.use_recovery_code(user_id(1), &hash(5)).await.unwrap());
    assert!(codes.use_recovery_code(user_id(2), &hash(1)).await.unwrap());
}
