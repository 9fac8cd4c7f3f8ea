use super::{ReadProfile, ReadSleep, ReadSupplements};
use crate::ports::storage::{
    MockProfileReader, MockSleepReader, MockSupplementReader, SleepPage, SleepPageQuery, StorageError,
    SupplementPage, SupplementPageQuery,
};
use crate::testing::{noon, person, user_id};
use domain::id::SupplementId;
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::time::DateRange;
use std::sync::Arc;
use uuid::Uuid;

fn page() -> PageRequest {
    PageRequest {
        number: PageNumber::parse("3").unwrap(),
        size: PageSize::new(20).unwrap(),
        sort: SortDirection::Ascending,
    }
}

fn sleep_query() -> SleepPageQuery {
    SleepPageQuery {
        user_id: user_id(1),
        range: DateRange::new(Some(noon()), None).unwrap(),
        page: page(),
        with_stages: true,
        with_metrics: false,
    }
}

fn supplement_query() -> SupplementPageQuery {
    SupplementPageQuery {
        user_id: user_id(1),
        start: Some(noon()),
        supplement_id: Some(SupplementId::from_uuid(Uuid::from_u128(4))),
        page: page(),
    }
}

#[tokio::test]
async fn a_profile_is_the_one_of_this_person() {
    let mut reader = MockProfileReader::new();
    reader.expect_find_profile().times(1).withf(|id| *id == user_id(1)).returning(|_| Ok(Some(person())));
    assert_eq!(ReadProfile::new(Arc::new(reader)).run(user_id(1)).await.unwrap(), Some(person()));
}

#[tokio::test]
async fn a_person_who_was_deleted_a_moment_ago_has_no_profile() {
    let mut reader = MockProfileReader::new();
    reader.expect_find_profile().returning(|_| Ok(None));
    assert_eq!(ReadProfile::new(Arc::new(reader)).run(user_id(1)).await.unwrap(), None);
}

#[tokio::test]
async fn a_page_of_sleep_is_asked_for_as_it_was_queried() {
    let mut reader = MockSleepReader::new();
    reader
        .expect_page()
        .times(1)
        .withf(|query| *query == sleep_query())
        .returning(|_| Ok(SleepPage { rows: Vec::new(), has_more: true }));
    assert!(ReadSleep::new(Arc::new(reader)).run(sleep_query()).await.unwrap().has_more);
}

#[tokio::test]
async fn a_page_of_supplements_is_asked_for_as_it_was_queried() {
    let mut reader = MockSupplementReader::new();
    reader
        .expect_page()
        .times(1)
        .withf(|query| *query == supplement_query())
        .returning(|_| Ok(SupplementPage { records: Vec::new(), has_more: true }));
    assert!(ReadSupplements::new(Arc::new(reader)).run(supplement_query()).await.unwrap().has_more);
}

#[tokio::test]
async fn a_store_that_fails_is_no_empty_page() {
    let mut sleep = MockSleepReader::new();
    sleep.expect_page().returning(|_| Err(StorageError::Unavailable));
    let outcome = ReadSleep::new(Arc::new(sleep)).run(sleep_query()).await;
    assert!(matches!(outcome, Err(StorageError::Unavailable)));
    let mut supplements = MockSupplementReader::new();
    supplements.expect_page().returning(|_| Err(StorageError::Unavailable));
    let outcome = ReadSupplements::new(Arc::new(supplements)).run(supplement_query()).await;
    assert!(matches!(outcome, Err(StorageError::Unavailable)));
}
