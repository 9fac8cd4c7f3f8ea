//! Transactions of services.

use crate::Harness;
use crate::fixture::{grant, user, user_id};
use crate::service::{assert_level, audited};
use application::StorageError;
use domain::grant::Grant;
use scoped_futures::ScopedFutureExt as _;
use std::time::Duration;

pub(crate) async fn a_transaction_of_work_that_succeeds_is_committed(harness: &Harness) {
    let (store, stored) = (audited(harness), user(1));
    let work = store.transact(|tx| {
        let stored = &stored;
        async move {
            tx.users().insert(stored).await?;
            Ok::<_, StorageError>(stored.id)
        }
        .scope_boxed()
    });
    assert_eq!(work.await.unwrap(), stored.id);
    assert_eq!(harness.profiles.find_profile(stored.id).await.unwrap(), Some(stored));
}

pub(crate) async fn a_transaction_of_work_that_fails_stores_nothing_and_opens_no_connection(
    harness: &Harness,
) {
    let store = audited(harness);
    assert_level(harness, "rejected", async || {
        let work = store.transact(|tx| {
            async move {
                tx.users().insert(&user(1)).await?;
                Err::<(), _>(StorageError::Retryable)
            }
            .scope_boxed()
        });
        work.await
    })
    .await;
    assert_level(harness, "failed statement", async || {
        let work = store.transact(|tx| {
            async move {
                tx.users().insert(&user(1)).await?;
                tx.grants().insert(&Grant { user_id: user_id(9), ..grant(1) }).await
            }
            .scope_boxed()
        });
        work.await
    })
    .await;
    assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), None);
    harness.store_user(&user(1)).await;
}

pub(crate) async fn a_cancelled_transaction_stores_nothing_and_lets_the_next_one_write(harness: &Harness) {
    let store = audited(harness);
    for _ in 0..20 {
        let work = store.transact(|tx| {
            async move {
                tx.users().insert(&user(1)).await?;
                std::future::pending::<Result<(), StorageError>>().await
            }
            .scope_boxed()
        });
        assert!(tokio::time::timeout(Duration::from_millis(30), work).await.is_err());
    }
    harness.store_user(&user(2)).await;
    assert_eq!(harness.profiles.find_profile(user_id(1)).await.unwrap(), None);
}
