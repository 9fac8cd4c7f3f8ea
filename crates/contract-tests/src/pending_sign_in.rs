//! Sign-ins that wait for their second step.

use crate::Harness;
use crate::fixture::{hash, pending_sign_in, seconds, user, user_id};
use application::ports::storage::PendingSignInWithEmail;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use tokio::task::JoinHandle;

async fn put(harness: &Harness, pending: &[PendingSignIn]) {
    let mut unit = harness.begin().await;
    for one in pending {
        unit.pending_sign_ins().insert(one).await.unwrap();
    }
    unit.commit().await.unwrap();
}

async fn find(harness: &Harness, number: u64) -> Option<PendingSignInWithEmail> {
    harness.pending_sign_ins.find_pending_sign_in(&hash(number)).await.unwrap()
}

/// Consumes sign-in 1 in a task with a separate unit of work, which commits.
fn consume_in_a_task(harness: &Harness) -> JoinHandle<bool> {
    let harness = harness.clone();
    tokio::spawn(async move {
        let found = commit!(harness, pending_sign_ins().consume(&hash(1)));
        found.is_some()
    })
}

pub(crate) async fn a_pending_sign_in_is_found_by_its_cookie_with_the_address(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let set_up = PendingSignIn { step: SecondStep::SetUp, is_known_browser: true, ..pending_sign_in(2) };
    put(harness, &[pending_sign_in(1), set_up.clone()]).await;
    for (number, pending) in [(1, pending_sign_in(1)), (2, set_up)] {
        let email = user(1).email;
        assert_eq!(find(harness, number).await, Some(PendingSignInWithEmail { pending, email }));
    }
    assert_eq!(find(harness, 3).await, None);
}

pub(crate) async fn exactly_one_of_several_tasks_consumes_a_pending_sign_in(harness: &Harness) {
    harness.store_user(&user(1)).await;
    put(harness, &[pending_sign_in(1), pending_sign_in(2)]).await;
    let mut unit = harness.begin().await;
    let consumed = unit.pending_sign_ins().consume(&hash(2)).await.unwrap();
    assert_eq!(consumed, Some(pending_sign_in(2)));
    assert_eq!(unit.pending_sign_ins().consume(&hash(2)).await.unwrap(), None);
    unit.commit().await.unwrap();
    let tasks: Vec<_> = (0..20).map(|_| consume_in_a_task(harness)).collect();
    let mut won = 0;
    for task in tasks {
        won += u32::from(task.await.unwrap());
    }
    assert_eq!(won, 1);
}

pub(crate) async fn pending_sign_ins_are_deleted_by_person_and_once_expired_up_to_the_limit(
    harness: &Harness,
) {
    harness.store_users([1, 2]).await;
    let other = PendingSignIn { user_id: user_id(2), ..pending_sign_in(9) };
    put(harness, &[pending_sign_in(1), pending_sign_in(2), other]).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.pending_sign_ins().delete_of_user(user_id(1)).await.unwrap(), 2);
    assert_eq!(unit.pending_sign_ins().delete_of_user(user_id(1)).await.unwrap(), 0);
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1).await, None);
    assert!(find(harness, 9).await.is_some());
    let at = |number, second| PendingSignIn { expires_at: seconds(second), ..pending_sign_in(number) };
    put(harness, &[at(1, 1), at(2, 2), at(3, 3), at(4, 4)]).await;
    for (limit, deleted) in [(2, 2), (2, 1), (2, 0)] {
        assert_eq!(commit!(harness, pending_sign_ins().delete_expired(seconds(4), limit)), deleted);
    }
    assert!(find(harness, 4).await.is_some());
}
