//! Failures of the store. The contract suite shows everything else on each store.

use super::Users;
use crate::ports::storage::{MockProfileReader, StorageError};
use crate::testing::{person, store, units, user_id};
use std::sync::Arc;

#[tokio::test]
async fn nobody_is_shown_to_the_operator_whose_event_cannot_be_stored() {
    let mut reader = MockProfileReader::new();
    reader.expect_find_profile().return_once(|_| Ok(Some(person())));
    let users = Users { store: store(&units([])), reader: Arc::new(reader) };
    assert!(matches!(users.show(user_id(1)).await, Err(StorageError::Unavailable)));
}
