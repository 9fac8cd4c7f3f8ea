//! Pages of sleep sessions.

use crate::Harness;
use crate::fixture::{
    microsecond, minute, now_millis, page, session, session_from, session_id, user, user_id,
};
use application::ports::storage::{PackedSleepRow, SleepPage, SleepPageQuery};
use chrono::{DateTime, TimeDelta, Utc};
use domain::paging::SortDirection::{self, Ascending, Descending};
use domain::sleep::SleepSession;
use domain::time::DateRange;

/// One end of a range; `None` if open.
type Bound = Option<DateTime<Utc>>;

fn query(number: u64, size: u16, sort: SortDirection) -> SleepPageQuery {
    SleepPageQuery {
        user_id: user_id(1),
        range: DateRange::default(),
        page: page(number, size, sort),
        with_stages: false,
        with_metrics: false,
    }
}

async fn read(harness: &Harness, query: SleepPageQuery) -> SleepPage {
    harness.sleep.page(query).await.unwrap()
}

/// Lists the numbers of the sessions of a page.
fn numbers(page: &SleepPage) -> Vec<u64> {
    let number = |row: &PackedSleepRow| (1..1000).find(|number| session_id(*number) == row.id).unwrap();
    page.rows.iter().map(number).collect()
}

/// Stores sessions of person 1, some at the same time, and one of person 2; returns their numbers, oldest
/// first.
async fn store_with_ties(harness: &Harness, count: u64) -> Vec<u64> {
    harness.store_users([1, 2]).await;
    // Three at a time start together; they are not stored in time order.
    let start = |number: u64| i64::try_from(number * 37 % count / 3).unwrap() * 600;
    let sessions: Vec<_> = (1..=count).map(|number| session(number, start(number))).collect();
    harness.store_sessions(user_id(1), &sessions).await;
    harness.store_sessions(user_id(2), &[session(999, 600)]).await;
    let mut order: Vec<u64> = (1..=count).collect();
    order.sort_by_key(|number| (start(*number), *number));
    order
}

pub(crate) async fn pages_contain_every_session_once_in_either_direction(harness: &Harness) {
    let mut order = store_with_ties(harness, 50).await;
    for sort in [Ascending, Descending] {
        for size in [1, 7, 10, 49, 50, 51, 10_000] {
            let mut listed = Vec::new();
            for number in 1.. {
                let page = read(harness, query(number, size, sort)).await;
                listed.extend(numbers(&page));
                // Exact: true while a record is left, even if the last page is full.
                assert_eq!(page.has_more, listed.len() < 50, "page {number} of size {size}");
                if !page.has_more {
                    break;
                }
                assert_eq!(page.rows.len(), usize::from(size));
            }
            let expected: Vec<u64> = match sort {
                Ascending => order.clone(),
                Descending => order.iter().rev().copied().collect(),
            };
            assert_eq!(listed, expected, "{sort:?} in pages of {size}");
        }
    }
    order.truncate(3);
    assert_eq!(numbers(&read(harness, query(1, 3, Ascending)).await), order);
}

pub(crate) async fn a_page_past_the_end_is_empty(harness: &Harness) {
    store_with_ties(harness, 6).await;
    for sort in [Ascending, Descending] {
        for number in [2, 3, 1_000_000, 999_999_999_999_999_999] {
            assert_eq!(read(harness, query(number, 6, sort)).await, SleepPage::default());
            assert_eq!(read(harness, query(number, 10_000, sort)).await, SleepPage::default());
        }
    }
    let nobody = SleepPageQuery { user_id: user_id(3), ..query(1, 6, Ascending) };
    assert_eq!(read(harness, nobody).await, SleepPage::default());
}

pub(crate) async fn a_range_holds_both_of_its_ends(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_sessions(user_id(1), &[session(1, 0), session(2, 600), session(3, 1200)]).await;
    let (start, end) = (minute(0), minute(1200));
    let tick = microsecond();
    let nanosecond = TimeDelta::nanoseconds(1);
    let cases: [(Bound, Bound, &[u64]); 10] = [
        (None, None, &[1, 2, 3]),
        (Some(start), Some(end), &[1, 2, 3]),
        (Some(start + tick), Some(end), &[2, 3]),
        (Some(start + nanosecond), Some(end), &[2, 3]),
        (Some(start), Some(end - tick), &[1, 2]),
        (Some(start - tick), Some(end + tick), &[1, 2, 3]),
        (Some(minute(600)), Some(minute(600)), &[2]),
        (Some(minute(601)), None, &[3]),
        (None, Some(minute(599)), &[1]),
        (Some(DateTime::<Utc>::MIN_UTC), Some(DateTime::<Utc>::MAX_UTC), &[1, 2, 3]),
    ];
    for (start, end, expected) in cases {
        let range = DateRange::new(start, end).unwrap();
        let page = read(harness, SleepPageQuery { range, ..query(1, 10, Ascending) }).await;
        assert_eq!(numbers(&page), expected, "{range:?}");
        assert!(!page.has_more);
    }
}

pub(crate) async fn a_later_page_stays_within_the_range(harness: &Harness) {
    let order = store_with_ties(harness, 48).await;
    let range = DateRange::new(Some(minute(1200)), Some(minute(6000))).unwrap();
    let expected = &order[6..33];
    for (sort, number, first) in
        [(Ascending, 2, 10), (Ascending, 3, 20), (Descending, 2, 7), (Descending, 3, 0)]
    {
        let page = read(harness, SleepPageQuery { range, ..query(number, 10, sort) }).await;
        let mut listed = numbers(&page);
        if sort == Descending {
            listed.reverse();
        }
        let last = if sort == Ascending {
            (first + 10).min(27)
        } else {
            27 - (usize::try_from(number).unwrap() - 1) * 10
        };
        assert_eq!(listed, expected[first..last], "{sort:?} {number}");
        assert_eq!(page.has_more, number == 2);
    }
}

pub(crate) async fn a_row_contains_only_the_requested_stored_data(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let night = session(1, 0);
    let mut bare = session_from(2, minute(600), None, "bare");
    bare.updated_at = now_millis() + TimeDelta::milliseconds(1);
    harness.store_sessions(user_id(1), &[night.clone(), bare.clone()]).await;
    for (with_stages, with_metrics) in [(false, false), (true, false), (false, true), (true, true)] {
        let page =
            read(harness, SleepPageQuery { with_stages, with_metrics, ..query(1, 9, Ascending) }).await;
        let expected = [&night, &bare].map(|session| row(session, with_stages, with_metrics));
        assert_eq!(page.rows, expected);
        let second = SleepPageQuery { with_stages, with_metrics, ..query(2, 1, Ascending) };
        assert_eq!(read(harness, second).await.rows, expected[1..]);
    }
}

fn row(session: &SleepSession, with_stages: bool, with_metrics: bool) -> PackedSleepRow {
    let SleepSession { id, record, updated_at } = session;
    let packed = |wanted: bool, bytes: Vec<u8>| if wanted { bytes } else { Vec::new() };
    PackedSleepRow {
        id: *id,
        started_at_millis: record.time_in_bed().start_millis(),
        ended_at_millis: record.time_in_bed().end_millis(),
        offset_at_start: record.time_in_bed().offset_at_start(),
        offset_at_end: record.time_in_bed().offset_at_end(),
        source: record.source().map(|source| source.as_str().into()),
        is_nap: record.is_nap(),
        updated_at_millis: updated_at.timestamp_millis(),
        stages: packed(with_stages, record.packed_stages()).into(),
        metrics: packed(with_metrics, record.packed_metrics()).into(),
    }
}

/// Number of sessions that the person has at any time.
const HELD: u64 = 40;
/// Number of times that a writer replaces the oldest session by a newer one.
const REPLACEMENTS: u64 = 60;

pub(crate) async fn a_page_that_races_a_writer_is_of_one_snapshot(harness: &Harness) {
    let night = |number: u64| session(number, i64::try_from(number).unwrap() * 600);
    harness.store_user(&user(1)).await;
    harness.store_sessions(user_id(1), &(1..=HELD).map(night).collect::<Vec<_>>()).await;
    let writer = {
        let harness = harness.clone();
        tokio::spawn(async move {
            for number in 1..=REPLACEMENTS {
                let mut unit = harness.begin().await;
                assert_eq!(unit.sleep().delete(user_id(1), &[session_id(number)]).await.unwrap(), 1);
                unit.sleep().insert(user_id(1), &[night(HELD + number)]).await.unwrap();
                unit.commit().await.unwrap();
            }
        })
    };
    let mut rounds = 0;
    loop {
        let is_over = writer.is_finished();
        for (number, sort, size) in
            [(3, Descending, 7), (6, Descending, 5), (4, Ascending, 7), (6, Ascending, 5)]
        {
            let found = numbers(&read(harness, query(number, 7, sort)).await);
            let replaced = match sort {
                Ascending => found[0] - 1 - (number - 1) * 7,
                Descending => found[0] - (HELD - (number - 1) * 7),
            };
            let place = |place: u64| if sort == Ascending { found[0] + place } else { found[0] - place };
            assert_eq!(found, (0..size).map(place).collect::<Vec<_>>(), "{sort:?} page {number}");
            assert!(replaced <= REPLACEMENTS, "{sort:?} page {number}: {found:?}");
        }
        rounds += 1;
        if is_over {
            break;
        }
    }
    writer.await.unwrap();
    assert!(rounds > 1);
    let last = numbers(&read(harness, query(6, 7, Descending)).await);
    assert_eq!(last[0], HELD + REPLACEMENTS - 35);
}
