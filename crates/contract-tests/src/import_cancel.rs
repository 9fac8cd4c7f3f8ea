//! Cancelled imports, and uploads that are read again.

use crate::Harness;
use crate::fixture::{find_import, import, import_id, now, seconds, store_import, upload, user};
use application::ports::storage::Import;
use domain::import::{Canceller, ImportState};

async fn cancel(harness: Harness, number: u64) -> Option<ImportState> {
    commit!(harness, imports().cancel(import_id(number), Canceller::Operator, seconds(5)))
}

/// Ends a running import like its reader; returns whether it was still running.
async fn end(harness: Harness, number: u64) -> bool {
    let mut unit = harness.begin().await;
    let found = unit.imports().find(import_id(number)).await.unwrap().unwrap();
    let is_running = found.state == ImportState::Running;
    if is_running {
        let done = Import { state: ImportState::Done, ended_at: Some(now()), ..found };
        assert!(unit.imports().update(&done).await.unwrap());
    }
    unit.commit().await.unwrap();
    is_running
}

pub(crate) async fn unfinished_imports_are_cancelled_and_finished_ones_stay(harness: &Harness) {
    harness.store_user(&user(1)).await;
    for (number, state) in (1..).zip(ImportState::ALL) {
        let expected = match state {
            ImportState::Receiving | ImportState::Waiting => Some(ImportState::Rejected),
            ImportState::Running => Some(ImportState::Undoing),
            ImportState::Done | ImportState::Rejected | ImportState::Undoing | ImportState::Undone => None,
        };
        store_import(harness, &Import { state, ..upload(number, 0) }).await;
        let before = find_import(harness, number).await.unwrap();
        assert_eq!(cancel(harness.clone(), number).await, expected, "{state:?}");
        let cancelled_by = Some(Canceller::Operator);
        let ended_at = Some(seconds(5));
        let after = expected.map(|state| Import { state, cancelled_by, ended_at, ..before.clone() });
        assert_eq!(find_import(harness, number).await.unwrap(), after.unwrap_or(before), "{state:?}");
        assert_eq!(cancel(harness.clone(), number).await, None, "once");
    }
    assert_eq!(cancel(harness.clone(), 99).await, None);
}

pub(crate) async fn either_cancelling_or_finishing_wins_and_the_other_notices(harness: &Harness) {
    for number in 1..=8 {
        store_import(harness, &import(number)).await;
        let ending = tokio::spawn(end(harness.clone(), number));
        let cancelling = tokio::spawn(cancel(harness.clone(), number));
        let (is_ended, became) = (ending.await.unwrap(), cancelling.await.unwrap());
        let expected = if is_ended { None } else { Some(ImportState::Undoing) };
        assert_eq!(became, expected);
        assert_eq!(find_import(harness, number).await.unwrap().state, expected.unwrap_or(ImportState::Done));
    }
}

pub(crate) async fn an_upload_that_is_read_again_starts_at_the_first_byte(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let interrupted =
        Import { state: ImportState::Running, bytes_checked: 70, bytes_done: 30, ..upload(1, 0) };
    store_import(harness, &interrupted).await;
    let leased = commit!(harness, uploads().lease(now(), seconds(60))).unwrap();
    assert_eq!((leased.bytes_checked, leased.bytes_done, leased.tries), (0, 0, 1));
    assert_eq!(find_import(harness, 1).await.unwrap(), leased);
}
