mod changes;

use super::{ReadIntake, ReadRecords};
use crate::access::GrantedAccess;
use crate::audit::testing::RecordedReads;
use crate::intake::{IntakeRange, Intakes};
use crate::ports::storage::{
    MockSupplementReader, PackedSleepRow, SleepPage, SleepPageQuery, StorageError, SupplementPage,
    SupplementPageQuery,
};
use crate::record::RecordReaders;
use crate::testing::{
    client_id, noon, person, profile_reader, scopes, seconds, sleep_pages, store, supplement_pages, units,
    user_id,
};
use domain::data_kind::DataKind;
use domain::id::{PersonalTokenId, SleepSessionId, SupplementId, UserId};
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::rate_limit::{RateStatus, RateWindow};
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};
use domain::time::{DateRange, TimeZone};
use domain::user::User;
use std::sync::Arc;
use uuid::Uuid;

fn access() -> GrantedAccess {
    GrantedAccess {
        user_id: user_id(1),
        reader: Reader::Client(client_id(1)),
        scopes: scopes("profile sleep supplements"),
        usable: scopes("profile sleep supplements"),
        home_timezone: TimeZone::UTC,
        rate: RateStatus::after(0, 10, RateWindow::at(noon())),
    }
}

/// The expected tally of reads at noon.
fn counted(endpoint: DataKind, items: u64, range: RequestedRange) -> [ReadTally; 1] {
    let key = TallyKey::at(noon(), user_id(1), access().reader, ReadKind::Data(endpoint));
    [ReadTally { key, requests: 1, items, range }]
}

/// Returns the use case with these readers; its reads are recorded here.
fn read_records(readers: RecordReaders, reads: &Arc<RecordedReads>) -> ReadRecords {
    ReadRecords { readers, recorder: reads.recorder() }
}

fn read_profiles(
    find: impl Fn(UserId) -> Result<Option<User>, StorageError> + Send + 'static,
    reads: &Arc<RecordedReads>,
) -> ReadRecords {
    read_records(RecordReaders { profiles: profile_reader(find), ..RecordReaders::unused() }, reads)
}

fn read_sleep(
    page: impl Fn(SleepPageQuery) -> Result<SleepPage, StorageError> + Send + 'static,
    reads: &Arc<RecordedReads>,
) -> ReadRecords {
    read_records(RecordReaders { sleep: Arc::new(sleep_pages(page)), ..RecordReaders::unused() }, reads)
}

fn read_supplements(
    page: impl Fn(SupplementPageQuery) -> Result<SupplementPage, StorageError> + Send + 'static,
    reads: &Arc<RecordedReads>,
) -> ReadRecords {
    let supplements = Arc::new(supplement_pages(page));
    read_records(RecordReaders { supplements, ..RecordReaders::unused() }, reads)
}

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
        range: DateRange::new(Some(noon() - seconds(60)), Some(noon())).unwrap(),
        page: page(),
        with_stages: true,
        with_metrics: false,
    }
}

fn supplement_query() -> SupplementPageQuery {
    SupplementPageQuery {
        user_id: user_id(1),
        start: Some(noon()),
        end: None,
        supplement_id: Some(SupplementId::from_uuid(Uuid::from_u128(4))),
        page: page(),
    }
}

fn row() -> PackedSleepRow {
    PackedSleepRow {
        id: SleepSessionId::from_uuid(Uuid::from_u128(5)),
        started_at_millis: 0,
        ended_at_millis: 1,
        offset_at_start: None,
        offset_at_end: None,
        source: None,
        is_nap: None,
        updated_at_millis: 2,
        stages: Box::default(),
        metrics: Box::default(),
    }
}

#[tokio::test]
async fn the_profile_of_the_authorized_person_is_returned_and_counted() {
    let reads = Arc::<RecordedReads>::default();
    let read = read_profiles(|id| Ok((id == user_id(1)).then(person)), &reads);
    assert_eq!(read.profile(&access()).await.unwrap(), Some(person()));
    assert_eq!(reads.all(), counted(DataKind::Profile, 1, RequestedRange::default()));
}

#[tokio::test]
async fn a_person_deleted_just_before_has_no_profile_and_no_read_is_recorded() {
    let reads = Arc::<RecordedReads>::default();
    let read = read_profiles(|_| Ok(None), &reads);
    assert_eq!(read.profile(&access()).await.unwrap(), None);
    assert_eq!(reads.all(), []);
}

#[tokio::test]
async fn a_page_of_sleep_is_queried_as_requested_and_counted_with_its_range() {
    let reads = Arc::<RecordedReads>::default();
    let page = |query: SleepPageQuery| {
        assert_eq!(query, sleep_query());
        Ok(SleepPage { rows: vec![row(), row()], has_more: true })
    };
    let read = read_sleep(page, &reads);
    assert!(read.sleep(&access(), sleep_query()).await.unwrap().has_more);
    let range = RequestedRange { from: Some(noon() - seconds(60)), to: Some(noon()) };
    assert_eq!(reads.all(), counted(DataKind::Sleep, 2, range));
}

#[tokio::test]
async fn a_page_of_supplements_is_queried_as_requested_and_counted_with_its_range() {
    let reads = Arc::<RecordedReads>::default();
    let page = |query: SupplementPageQuery| {
        assert_eq!(query, supplement_query());
        Ok(SupplementPage { records: Vec::new(), has_more: true })
    };
    let read = read_supplements(page, &reads);
    assert!(read.supplements(&access(), supplement_query()).await.unwrap().has_more);
    let range = RequestedRange { from: Some(noon()), to: None };
    assert_eq!(reads.all(), counted(DataKind::Supplements, 0, range));
}

#[tokio::test]
async fn only_the_authorized_person_is_read() {
    let reads = Arc::<RecordedReads>::default();
    let sleep = |query: SleepPageQuery| {
        assert_eq!(query, sleep_query());
        Ok(SleepPage::default())
    };
    let read = read_sleep(sleep, &reads);
    read.sleep(&access(), SleepPageQuery { user_id: user_id(2), ..sleep_query() }).await.unwrap();
    let supplements = |query: SupplementPageQuery| {
        assert_eq!(query, supplement_query());
        Ok(SupplementPage::default())
    };
    let query = SupplementPageQuery { user_id: user_id(2), ..supplement_query() };
    read_supplements(supplements, &reads).supplements(&access(), query).await.unwrap();
}

#[tokio::test]
async fn a_personal_token_is_counted_as_itself() {
    let reads = Arc::<RecordedReads>::default();
    let reader = Reader::PersonalToken(PersonalTokenId::from_uuid(Uuid::from_u128(6)));
    let read = read_profiles(|_| Ok(Some(person())), &reads);
    read.profile(&GrantedAccess { reader, ..access() }).await.unwrap();
    assert_eq!(reads.all()[0].key.reader, reader);
}

#[tokio::test]
async fn a_failing_store_is_an_error_and_no_read_is_recorded() {
    let reads = Arc::<RecordedReads>::default();
    let read = read_profiles(|_| Err(StorageError::Unavailable), &reads);
    let outcome = read.profile(&access()).await;
    assert!(matches!(outcome, Err(StorageError::Unavailable)));
    let read = read_sleep(|_| Err(StorageError::Unavailable), &reads);
    let outcome = read.sleep(&access(), sleep_query()).await;
    assert!(matches!(outcome, Err(StorageError::Unavailable)));
    let read = read_supplements(|_| Err(StorageError::Unavailable), &reads);
    let outcome = read.supplements(&access(), supplement_query()).await;
    assert!(matches!(outcome, Err(StorageError::Unavailable)));
    assert_eq!(reads.all(), []);
}

#[tokio::test]
async fn a_read_of_days_is_counted_with_its_range_even_if_there_is_no_intake() {
    let mut reader = MockSupplementReader::new();
    reader.expect_walk_logs().returning(|_, _, _| Ok(Vec::new()));
    reader.expect_list_own().returning(|_| Ok(Vec::new()));
    let reads = Arc::<RecordedReads>::default();
    let intakes = Intakes { store: store(&units([])), reader: Arc::new(reader) };
    let read = ReadIntake::new(intakes, reads.recorder());
    let date = noon().date_naive();
    let range = IntakeRange { first: date, last: date, zone: TimeZone::UTC };
    assert_eq!(read.run(&access(), range).await.unwrap().days.len(), 0);
    let asked = RequestedRange {
        from: Some(TimeZone::UTC.first_instant_of(date)),
        to: Some(TimeZone::UTC.last_instant_of(date)),
    };
    assert_eq!(reads.all(), counted(DataKind::Supplements, 0, asked));
    assert_eq!(read.earliest(&access()).await.unwrap(), None);
    assert_eq!(reads.all().len(), 1);
}
