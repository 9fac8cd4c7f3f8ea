use super::{Nights, NightsQuery};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{MockImportReader, MockSleepReader, PackedSleepRow, SleepPage, StorageError};
use crate::testing::{client_id, person, sleep_pages, store, unit_with, units, user_id};
use chrono::{DateTime, NaiveDate};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ImportId, SleepSessionId};
use domain::paging::{PageSize, SortDirection};
use domain::sleep::{MetricKind, MetricValue, SleepMetrics, TimeInBed, packed};
use domain::time::{DateRange, TimeZone, UtcOffset};
use std::sync::Arc;
use uuid::Uuid;

fn id(number: u128) -> SleepSessionId {
    SleepSessionId::from_uuid(Uuid::from_u128(number))
}

/// A session of which at most 7 hours, half a millisecond less than a whole one, were slept.
fn row(number: u128, start: &str, end: &str) -> PackedSleepRow {
    let [start, end] = [start, end].map(|text| DateTime::parse_from_rfc3339(text).unwrap().to_utc());
    let frame = TimeInBed::new(start, end, None, None).unwrap();
    let longest = (end - start).as_seconds_f64() - 0.000_4;
    let asleep = MetricValue::from_f64(longest.min(25_199.999_6)).unwrap();
    let metrics = SleepMetrics::from_reported(&frame, vec![(MetricKind::TimeNightAsleep, asleep)]).unwrap();
    PackedSleepRow {
        id: id(number),
        started_at_millis: start.timestamp_millis(),
        ended_at_millis: end.timestamp_millis(),
        offset_at_start: None,
        offset_at_end: None,
        source: None,
        is_nap: None,
        updated_at_millis: 0,
        stages: Box::default(),
        metrics: packed::encode_metrics(&metrics).into(),
    }
}

fn query() -> NightsQuery {
    NightsQuery {
        user_id: user_id(1),
        first: NaiveDate::from_ymd_opt(2026, 3, 2).unwrap(),
        last: NaiveDate::from_ymd_opt(2026, 3, 3).unwrap(),
        zone: TimeZone::parse("Europe/Berlin").unwrap(),
        with_states: true,
        limit: PageSize::new(3).unwrap(),
    }
}

fn nights(reader: MockSleepReader) -> Nights {
    Nights { store: store(&units([])), reader: Arc::new(reader), imports: Arc::new(MockImportReader::new()) }
}

fn reader(rows: Vec<PackedSleepRow>, has_more: bool) -> MockSleepReader {
    sleep_pages(move |query| {
        assert_eq!(query.user_id, user_id(1));
        assert_eq!(query.range.start().unwrap().to_rfc3339(), "2026-02-22T06:00:00+00:00");
        assert!(query.range.end().unwrap().to_rfc3339().starts_with("2026-03-04T17:59:59.999999"));
        Ok(SleepPage { rows: rows.clone(), has_more })
    })
}

#[tokio::test]
async fn sessions_are_listed_whose_dates_of_waking_up_are_in_the_range() {
    let rows = vec![
        row(3, "2026-03-03T21:00:00Z", "2026-03-04T05:00:00Z"),
        row(2, "2026-03-02T22:00:00Z", "2026-03-03T06:00:00Z"),
        row(1, "2026-03-01T12:00:00Z", "2026-03-01T22:00:00Z"),
    ];
    let list = nights(reader(rows, true)).list(query()).await.unwrap();
    let [only] = list.recordings.as_slice() else { panic!("{list:?}") };
    assert_eq!((only.span.id, only.span.asleep_millis), (id(2), Some(25_200_000)));
    // The sessions that are left out lie before the range.
    assert!(!list.is_cut);
}

#[tokio::test]
async fn a_night_is_listed_under_the_day_of_waking_up_in_its_own_zone() {
    // In Honolulu: waking up at 06:00 on 3 March, 17:00 in Berlin; and at 23:00, the next day in Berlin.
    let there = |row| PackedSleepRow { offset_at_end: UtcOffset::parse("-10:00").ok(), ..row };
    let rows = vec![
        there(row(4, "2026-03-04T05:00:00Z", "2026-03-04T09:00:00Z")),
        row(3, "2026-03-03T20:00:00Z", "2026-03-03T23:30:00Z"),
        row(2, "2026-03-02T22:00:00Z", "2026-03-03T06:00:00Z"),
        there(row(1, "2026-03-02T01:00:00Z", "2026-03-02T09:00:00Z")),
    ];
    let list = nights(reader(rows, false)).list(query()).await.unwrap();
    let ids: Vec<_> = list.recordings.iter().map(|found| found.span.id).collect();
    assert_eq!(ids, [id(4), id(2)]);
    let sorted = |zone| list.recordings.iter().map(move |found| found.span.date(zone));
    assert!(sorted(query().zone).is_sorted_by(|one, next| one >= next));
}

#[tokio::test]
async fn a_short_session_of_unknown_kind_is_listed_as_a_nap() {
    let rows = vec![
        row(2, "2026-03-03T13:00:00Z", "2026-03-03T13:30:00Z"),
        row(1, "2026-03-02T22:00:00Z", "2026-03-03T06:00:00Z"),
    ];
    let list = nights(reader(rows, false)).list(query()).await.unwrap();
    let naps: Vec<_> = list.recordings.iter().map(|found| (found.span.id, found.span.is_nap)).collect();
    assert_eq!(naps, [(id(2), Some(true)), (id(1), None)]);
}

#[tokio::test]
async fn a_list_at_its_limit_is_marked_as_cut() {
    let rows = vec![row(2, "2026-03-02T22:00:00Z", "2026-03-03T06:00:00Z")];
    let list = nights(reader(rows, true)).list(query()).await.unwrap();
    assert!(list.is_cut);
}

#[tokio::test]
async fn packed_parts_that_cannot_be_read_are_corrupt() {
    let night = row(2, "2026-03-02T22:00:00Z", "2026-03-03T06:00:00Z");
    let bad_stages = PackedSleepRow { stages: Box::new([0xff]), ..night.clone() };
    let bad_metrics = PackedSleepRow { metrics: Box::default(), ..night };
    for (row, expected) in [(bad_stages, "stages"), (bad_metrics, "metrics")] {
        let error = nights(reader(vec![row], false)).list(query()).await.unwrap_err();
        assert!(matches!(error, StorageError::Corrupt { column, .. } if column == expected), "{error:?}");
    }
}

/// A unit of work that deletes this many sessions.
fn deleting(number: u64) -> MockUnitOfWork {
    let mut unit = unit_with(Some(person()));
    let expected = |user: &_, ids: &[SleepSessionId]| *user == user_id(1) && ids == [id(7)];
    unit.sleep.expect_delete().withf(expected).returning(move |_, _| Ok(number));
    unit
}

#[tokio::test]
async fn a_deletion_is_recorded_as_done_by_the_person_or_the_client() {
    for (client, actor) in [(None, AuditActor::Person), (Some(client_id(1)), AuditActor::Client)] {
        let units = units([deleting(1)]);
        let nights = Nights { store: store(&units), ..nights(MockSleepReader::new()) };
        let deleted = nights.delete(client, user_id(1), id(7)).await.unwrap();
        assert!(deleted && units.endings().committed() == 1);
        let [event] = units.events().all().try_into().unwrap();
        assert_eq!((event.kind, event.actor, event.client_id), (AuditKind::SleepDeleted, actor, client));
        assert_eq!((event.user_id, event.subject), (Some(user_id(1)), Some(id(7).as_uuid())));
    }
}

#[tokio::test]
async fn deleting_an_unknown_session_changes_and_records_nothing() {
    let units = units([deleting(0)]);
    let nights = Nights { store: store(&units), ..nights(MockSleepReader::new()) };
    assert!(!nights.delete(None, user_id(1), id(7)).await.unwrap());
    assert!(units.events().all().is_empty());
    assert_eq!((units.endings().committed(), units.endings().rolled_back()), (0, 1));
}

#[tokio::test]
async fn a_session_without_notes_has_no_import() {
    let mut imports = MockImportReader::new();
    imports
        .expect_find_import_of_session()
        .returning(|_, session| Ok((session == id(8)).then_some(ImportId::from_uuid(Uuid::nil()))));
    // Deleted in the meantime.
    imports.expect_find_import().returning(|_| Ok(None));
    let nights = Nights { imports: Arc::new(imports), ..nights(MockSleepReader::new()) };
    for number in [7, 8] {
        assert_eq!(nights.find_import(user_id(1), id(number)).await.unwrap(), None);
    }
}

#[tokio::test]
async fn the_ends_of_the_record_are_the_first_and_the_last_session() {
    let sleep = sleep_pages(|query| {
        assert_eq!((query.page.size.get(), query.range), (1, DateRange::default()));
        let rows = match query.page.sort {
            SortDirection::Ascending => vec![row(1, "2020-03-01T22:30:00Z", "2020-03-02T06:00:00Z")],
            SortDirection::Descending => vec![row(2, "2026-03-02T15:30:00Z", "2026-03-02T23:30:00Z")],
        };
        Ok(SleepPage { rows, has_more: true })
    });
    let list = nights(sleep);
    let zone = TimeZone::parse("Europe/Berlin").unwrap();
    assert_eq!(list.earliest(user_id(1), zone).await.unwrap(), NaiveDate::from_ymd_opt(2020, 3, 2));
    assert_eq!(list.latest(user_id(1), zone).await.unwrap(), NaiveDate::from_ymd_opt(2026, 3, 3));
    let sleep = sleep_pages(|_| Ok(SleepPage::default()));
    assert_eq!(nights(sleep).earliest(user_id(1), zone).await.unwrap(), None);
}
