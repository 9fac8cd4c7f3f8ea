//! Failures of the store. The contract suite shows everything else on each store.

use super::SandboxPeople;
use crate::ports::storage::{MockSandboxReader, StorageError};
use crate::testing::{in_sandbox, noon, one, store, unit_with, user_id};
use chrono::Days;
use domain::sandbox::{SandboxPerson, Story};
use std::sync::Arc;

#[tokio::test]
async fn a_store_that_fails_is_reported() {
    let records_until = noon().date_naive() - Days::new(2);
    let person = SandboxPerson { user_id: user_id(1), story: Story::Gaps, owner: None, records_until };
    let mut reader = MockSandboxReader::new();
    reader.expect_list_sandbox_people().return_once(move |_| Ok(vec![person]));
    let mut unit = unit_with(Some(in_sandbox()));
    unit.sandbox.expect_find().return_once(move |_| Ok(Some(person)));
    unit.sandbox.expect_set_records_until().return_once(|_, _| Err(StorageError::Unavailable));
    let (units, endings) = one(unit);
    let added = SandboxPeople { store: store(&units), reader: Arc::new(reader) }.add_days().await;
    assert!(matches!(added, Err(StorageError::Unavailable)));
    assert_eq!(endings.committed(), 0);
}
