//! Failures of the store. The contract suite shows everything else on each store.

use super::PersonalTokens;
use crate::audit::testing::assert_events;
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{MockPersonalTokenReader, StorageError};
use crate::session::AccountActor;
use crate::testing::{store, units, user_id};
use std::sync::Arc;

#[tokio::test]
async fn what_the_store_cannot_revoke_is_an_error_and_nothing_is_recorded() {
    let mut unit = MockUnitOfWork::default();
    unit.personal_tokens.expect_revoke().returning(|_, _, _| Err(StorageError::Unavailable));
    let units = units([unit]);
    let tokens = PersonalTokens { store: store(&units), reader: Arc::new(MockPersonalTokenReader::new()) };
    let refused = tokens.revoke(AccountActor::Operator(user_id(1)), None).await;
    assert!(matches!(refused, Err(StorageError::Unavailable)));
    assert_eq!((units.endings().committed(), units.endings().rolled_back()), (0, 1));
    assert_events(&units.events(), &[]);
}
