//! Values that the program cannot have written: named by their place, never repeated.

use crate::made_up::*;
use application::ports::storage::{ProfileReader, SleepReader, StorageError};
use postgres_adapter::test_support::TestDatabase;

fn place<T: std::fmt::Debug>(result: Result<T, StorageError>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, StorageError::Corrupt { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("LEAKME"));
    error.to_string()
}

#[tokio::test]
async fn a_corrupt_value_is_named_by_table_column_and_row() {
    let database = TestDatabase::create().await;
    let (store, vandal) = (database.store(), bystander(&database).await);
    populate(&store, [1]).await;
    let mut unit = begin(&store).await;
    unit.sleep().insert(user_id(1), &[session(1)]).await.unwrap();
    unit.commit().await.unwrap();
    vandal.batch_execute("UPDATE account SET home_timezone = 'LEAKME'").await.unwrap();
    let profile = place(store.find_profile(user_id(1)).await);
    assert_eq!(profile, format!("corrupt value in account.home_timezone, row {}", user_id(1)));
    vandal.batch_execute("UPDATE sleep_session SET stages = 'LEAKME'").await.unwrap();
    let walked = place(store.walk(user_id(1), None, 10).await);
    let id = session(1).id;
    assert_eq!(walked, format!("corrupt value in sleep_session.stages or metrics, row {id}"));
}
