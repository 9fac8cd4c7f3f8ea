//! Failures of the store. The contract suite shows everything else on each store.

use super::Users;
use crate::ports::storage::StorageError;
use crate::testing::{person, profile_reader, store, units, user_id};

#[tokio::test]
async fn nobody_is_shown_to_the_operator_whose_event_cannot_be_stored() {
    let users = Users { store: store(&units([])), reader: profile_reader(|_| Ok(Some(person()))) };
    assert!(matches!(users.show(user_id(1)).await, Err(StorageError::Unavailable)));
}
