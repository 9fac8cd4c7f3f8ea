use super::*;
use crate::ports::storage::PackedSleepRow;
use chrono::{DateTime, TimeDelta};
use domain::id::{SleepSessionId, UserId};
use domain::paging::{PageNumber, PageRequest, PageSize};
use uuid::Uuid;

fn query(number: u64, size: u16, sort: SortDirection) -> SleepPageQuery {
    SleepPageQuery {
        user_id: UserId::from_uuid(Uuid::from_u128(1)),
        range: DateRange::default(),
        page: PageRequest {
            number: PageNumber::parse(&number.to_string()).unwrap(),
            size: PageSize::new(size).unwrap(),
            sort,
        },
        with_stages: false,
        with_metrics: false,
        known: None,
    }
}

fn state(change_number: i64) -> RecordsState {
    RecordsState { change_number, transaction: 3 }
}

/// The session that so many come before.
fn position(skipped: i64) -> SleepPosition {
    (skipped, SleepSessionId::from_uuid(Uuid::from_u128(u128::from(skipped.unsigned_abs()))))
}

fn row((started_at_millis, id): SleepPosition) -> PackedSleepRow {
    PackedSleepRow {
        id,
        started_at_millis,
        ended_at_millis: started_at_millis + 1,
        offset_at_start: None,
        offset_at_end: None,
        source: None,
        is_nap: None,
        updated_at_millis: 0,
        stages: Box::default(),
        metrics: Box::default(),
    }
}

/// The page of a person who has endlessly many.
fn page(query: &SleepPageQuery, change_number: i64) -> SleepPage {
    let offset = query.page.offset();
    SleepPage {
        rows: vec![row(position(offset))],
        has_more: true,
        next: Some(position(offset + i64::from(query.page.size.get()))),
        state: Some(state(change_number)),
    }
}

fn skipped(landmarks: &SleepLandmarks, query: &SleepPageQuery) -> Option<i64> {
    landmarks.nearest(query).map(|landmark| landmark.skipped)
}

const DESC: SortDirection = SortDirection::Descending;

#[test]
fn a_page_tells_where_it_begins_and_where_the_next_one_does() {
    let mut landmarks = SleepLandmarks::default();
    let read = query(5, 30, DESC);
    landmarks.learn(&read, &page(&read, 7));
    let expected = |skipped| Some(SleepLandmark { skipped, position: position(skipped), state: state(7) });
    assert_eq!(landmarks.nearest(&read), expected(120));
    assert_eq!(landmarks.nearest(&query(6, 30, DESC)), expected(150));
    // Whatever the size of the page is, and as far as it may be.
    assert_eq!(landmarks.nearest(&query(13, 10, DESC)), expected(120));
    assert_eq!(landmarks.nearest(&query(999_999, 10_000, DESC)), expected(150));
    assert_eq!(landmarks.nearest(&query(4, 30, DESC)), None);
}

#[test]
fn a_place_counts_for_its_own_range_and_direction_alone() {
    let mut landmarks = SleepLandmarks::default();
    let read = query(5, 30, DESC);
    landmarks.learn(&read, &page(&read, 7));
    assert_eq!(skipped(&landmarks, &query(5, 30, SortDirection::Ascending)), None);
    let end = Some(DateTime::UNIX_EPOCH + TimeDelta::days(1));
    let range = DateRange::new(None, end).unwrap();
    assert_eq!(skipped(&landmarks, &SleepPageQuery { range, ..read }), None);
}

#[test]
fn another_state_ends_everything_that_was_known() {
    let mut landmarks = SleepLandmarks::default();
    let far = query(50, 30, DESC);
    landmarks.learn(&far, &page(&far, 7));
    // A lower one as well: the store may have been put back.
    for number in [8, 6] {
        let read = query(5, 30, DESC);
        landmarks.learn(&read, &page(&read, number));
        assert_eq!(
            landmarks.nearest(&far).map(|known| (known.skipped, known.state)),
            Some((150, state(number)))
        );
    }
}

#[test]
fn the_same_number_of_another_transaction_is_another_state() {
    let mut landmarks = SleepLandmarks::default();
    let far = query(50, 30, DESC);
    landmarks.learn(&far, &page(&far, 7));
    let near = query(5, 30, DESC);
    let other = RecordsState { transaction: 4, ..state(7) };
    landmarks.learn(&near, &SleepPage { state: Some(other), ..page(&near, 7) });
    assert_eq!(landmarks.nearest(&far).map(|known| (known.skipped, known.state)), Some((150, other)));
}

#[test]
fn what_tells_no_state_or_has_no_rows_teaches_nothing() {
    let mut landmarks = SleepLandmarks::default();
    let read = query(5, 30, DESC);
    landmarks.learn(&read, &SleepPage { state: None, ..page(&read, 7) });
    landmarks.learn(&read, &SleepPage { rows: Vec::new(), ..page(&read, 7) });
    assert_eq!(skipped(&landmarks, &read), None);
}

#[test]
fn the_place_that_was_not_seen_for_longest_makes_room() {
    let mut landmarks = SleepLandmarks::default();
    let kept = query(5, 30, DESC);
    for number in 10..1_000 {
        landmarks.learn(&kept, &page(&kept, 7));
        let passing = query(number * 2, 30, DESC);
        landmarks.learn(&passing, &page(&passing, 7));
        assert_eq!(skipped(&landmarks, &passing), Some(passing.page.offset()));
        assert!(landmarks.places.len() <= SleepLandmarks::CAPACITY);
    }
    assert_eq!(skipped(&landmarks, &kept), Some(120));
    assert!(size_of::<Place>() <= 64);
}

#[test]
fn no_start_of_a_session_is_printed() {
    let landmark = SleepLandmark { skipped: 3, position: position(424_242), state: state(7) };
    assert_eq!(
        format!("{landmark:?}"),
        "SleepLandmark { state: RecordsState { change_number: 7, transaction: 3 }, .. }"
    );
}
