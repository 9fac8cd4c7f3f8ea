//! A secret that cannot be stored.

use super::clients;
use crate::audit::testing::assert_events;
use crate::client::ClientError;
use crate::ports::storage::StorageError;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::testing::{app, client_id, one};

#[tokio::test]
async fn a_secret_that_cannot_be_stored_is_not_returned() {
    let mut unit = MockUnitOfWork::default();
    unit.clients.expect_find().returning(|_| Ok(Some(app())));
    unit.clients.expect_list_secrets().returning(|_| Ok(Vec::new()));
    unit.clients.expect_insert_secret().returning(|_, _| Err(StorageError::Retryable));
    let (units, endings) = one(unit);
    let events = units.events();
    let outcome = clients(&units).rotate_secret(client_id(1), None).await;
    assert!(matches!(outcome, Err(ClientError::Storage(StorageError::Retryable))));
    assert_eq!(endings.committed(), 0);
    assert_events(&events, &[]);
}
