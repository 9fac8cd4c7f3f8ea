//! Pages of supplements with their intake.

use crate::Harness;
use crate::fixture::{
    catalogue_key, log, log_id, microsecond, page, seconds, supplement, supplement_id, user_id,
};
use application::ports::storage::{IntakeLogRow, SupplementPage, SupplementPageQuery};
use chrono::{DateTime, TimeDelta, Utc};
use domain::paging::SortDirection::{self, Ascending, Descending};
use domain::supplement::IntakeLog;

/// Numbers of supplements, each with the numbers of its logs.
type Numbers = Vec<(u64, Vec<u64>)>;

fn query(number: u64, size: u16, sort: SortDirection) -> SupplementPageQuery {
    SupplementPageQuery {
        user_id: user_id(1),
        start: None,
        end: None,
        supplement_id: None,
        page: page(number, size, sort),
    }
}

async fn read(harness: &Harness, query: SupplementPageQuery) -> SupplementPage {
    harness.supplements.page(query).await.unwrap()
}

/// Lists the numbers of the supplements of a page, each with the numbers of its logs.
fn numbers(page: &SupplementPage) -> Numbers {
    let of_log = |row: &IntakeLogRow| (1..10_000).find(|number| log_id(*number) == row.id).unwrap();
    page.records
        .iter()
        .map(|record| {
            let number = (1..100).find(|number| supplement_id(*number) == record.supplement.id).unwrap();
            (number, record.logs.iter().map(of_log).collect())
        })
        .collect()
}

/// Stores people 1 and 2, supplements 1 to `supplements`, logs of person 1 and one of person 2.
async fn prepare(harness: &Harness, supplements: u64, logs: &[IntakeLog]) {
    harness.store_users([1, 2]).await;
    for number in 1..=supplements {
        harness.store_supplement(&catalogue_key(number), &supplement(number)).await;
    }
    harness.store_logs(user_id(1), logs).await;
    harness.store_logs(user_id(2), &[log(9999, 1, seconds(5))]).await;
}

/// Returns logs in which supplement 1 is first and last, 2 and 3 have the same times, and 4 has none.
fn intake() -> Vec<IntakeLog> {
    vec![
        log(1, 1, seconds(0)),
        log(2, 1, seconds(100)),
        log(4, 2, seconds(10)),
        log(3, 2, seconds(90)),
        log(5, 3, seconds(10)),
        log(7, 3, seconds(90)),
        log(6, 3, seconds(90)),
    ]
}

pub(crate) async fn records_sort_by_their_first_log_in_the_direction_then_by_id(harness: &Harness) {
    prepare(harness, 4, &intake()).await;
    let ascending = [(1, vec![1, 2]), (2, vec![4, 3]), (3, vec![5, 6, 7])];
    assert_eq!(numbers(&read(harness, query(1, 10, Ascending)).await), ascending);
    let descending = [(1, vec![2, 1]), (3, vec![7, 6, 5]), (2, vec![3, 4])];
    assert_eq!(numbers(&read(harness, query(1, 10, Descending)).await), descending);
}

pub(crate) async fn the_order_of_the_two_directions_need_not_mirror(harness: &Harness) {
    let logs = [log(1, 1, seconds(0)), log(2, 2, seconds(5)), log(3, 1, seconds(9))];
    prepare(harness, 2, &logs).await;
    let ids = |page: &SupplementPage| numbers(page).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids(&read(harness, query(1, 10, Ascending)).await), [1, 2]);
    assert_eq!(ids(&read(harness, query(1, 10, Descending)).await), [1, 2]);
}

pub(crate) async fn a_record_holds_label_and_logs_as_stored(harness: &Harness) {
    prepare(harness, 1, &[log(1, 1, seconds(0))]).await;
    let page = read(harness, query(1, 10, Descending)).await;
    assert_eq!(page.records.len(), 1);
    assert_eq!(*page.records[0].supplement, supplement(1));
    let row = IntakeLogRow { id: log_id(1), created_at_micros: seconds(0).timestamp_micros(), servings: 1.5 };
    assert_eq!(page.records[0].logs, [row]);
}

pub(crate) async fn a_start_keeps_logs_at_or_after_it_and_supplements_that_have_some(harness: &Harness) {
    prepare(harness, 4, &intake()).await;
    let all = vec![(1, vec![1, 2]), (2, vec![4, 3]), (3, vec![5, 6, 7])];
    let without_first = vec![(2, vec![4, 3]), (3, vec![5, 6, 7]), (1, vec![2])];
    let later = vec![(2, vec![3]), (3, vec![6, 7]), (1, vec![2])];
    let last = vec![(1, vec![2])];
    let nanosecond = TimeDelta::nanoseconds(1);
    let cases: [(DateTime<Utc>, Numbers); 9] = [
        (DateTime::<Utc>::MIN_UTC, all.clone()),
        (seconds(0), all),
        (seconds(0) + microsecond(), without_first.clone()),
        (seconds(0) + nanosecond, without_first.clone()),
        (seconds(10), without_first),
        (seconds(90), later),
        (seconds(100), last),
        (seconds(100) + microsecond(), vec![]),
        (DateTime::<Utc>::MAX_UTC, vec![]),
    ];
    for (start, expected) in cases {
        let page = read(harness, SupplementPageQuery { start: Some(start), ..query(1, 10, Ascending) }).await;
        assert_eq!(numbers(&page), expected, "{start}");
        assert!(!page.has_more);
    }
}

pub(crate) async fn an_end_keeps_logs_at_or_before_it_and_supplements_that_have_some(harness: &Harness) {
    prepare(harness, 4, &intake()).await;
    let all = vec![(1, vec![2, 1]), (3, vec![7, 6, 5]), (2, vec![3, 4])];
    let without_last = vec![(3, vec![7, 6, 5]), (2, vec![3, 4]), (1, vec![1])];
    let earlier = vec![(3, vec![5]), (2, vec![4]), (1, vec![1])];
    let nanosecond = TimeDelta::nanoseconds(1);
    let cases: [(DateTime<Utc>, Numbers); 8] = [
        (DateTime::<Utc>::MAX_UTC, all.clone()),
        (seconds(100) + nanosecond, all.clone()),
        (seconds(100), all),
        (seconds(100) - microsecond(), without_last),
        (seconds(10), earlier),
        (seconds(0), vec![(1, vec![1])]),
        (seconds(0) - nanosecond, vec![]),
        (DateTime::<Utc>::MIN_UTC, vec![]),
    ];
    for (end, expected) in cases {
        let page = read(harness, SupplementPageQuery { end: Some(end), ..query(1, 10, Descending) }).await;
        assert_eq!(numbers(&page), expected, "{end}");
    }
    let between =
        SupplementPageQuery { start: Some(seconds(1)), end: Some(seconds(99)), ..query(1, 1, Descending) };
    let page = read(harness, between).await;
    assert_eq!((numbers(&page), page.has_more), (vec![(3, vec![7, 6, 5])], true));
}

pub(crate) async fn a_supplement_filter_selects_only_that_supplement(harness: &Harness) {
    prepare(harness, 4, &intake()).await;
    let of = |number, start| SupplementPageQuery {
        supplement_id: Some(supplement_id(number)),
        start,
        ..query(1, 10, Descending)
    };
    assert_eq!(numbers(&read(harness, of(3, None)).await), [(3, vec![7, 6, 5])]);
    assert_eq!(numbers(&read(harness, of(3, Some(seconds(11)))).await), [(3, vec![7, 6])]);
    assert_eq!(read(harness, of(3, Some(seconds(91)))).await, SupplementPage::default());
    // Known but without logs, and unknown.
    assert_eq!(read(harness, of(4, None)).await, SupplementPage::default());
    assert_eq!(read(harness, of(50, None)).await, SupplementPage::default());
    let second = SupplementPageQuery { page: page(2, 10, Descending), ..of(3, None) };
    assert_eq!(read(harness, second).await, SupplementPage::default());
}

pub(crate) async fn pages_contain_every_supplement_once_in_either_direction(harness: &Harness) {
    let logs: Vec<_> = (1..=30u64)
        .map(|number| log(number, number % 15 + 1, seconds(i64::try_from(number * 7 % 10).unwrap())))
        .collect();
    prepare(harness, 16, &logs).await;
    for sort in [Ascending, Descending] {
        let whole = read(harness, query(1, 10_000, sort)).await;
        assert_eq!(whole.records.len(), 15);
        for size in [1, 4, 5, 14, 15, 16] {
            let mut records = Vec::new();
            for number in 1.. {
                let page = read(harness, query(number, size, sort)).await;
                records.extend(page.records);
                assert_eq!(page.has_more, records.len() < 15, "page {number} of size {size}");
                if !page.has_more {
                    break;
                }
                assert_eq!(records.len(), usize::try_from(number).unwrap() * usize::from(size));
            }
            assert_eq!(records, whole.records, "{sort:?} in pages of {size}");
        }
    }
}

pub(crate) async fn a_page_past_the_end_is_empty(harness: &Harness) {
    prepare(harness, 4, &intake()).await;
    for sort in [Ascending, Descending] {
        for number in [2, 3, 1_000_000, 999_999_999_999_999_999] {
            assert_eq!(read(harness, query(number, 3, sort)).await, SupplementPage::default());
            assert_eq!(read(harness, query(number, 10_000, sort)).await, SupplementPage::default());
        }
    }
    let nobody = SupplementPageQuery { user_id: user_id(3), ..query(1, 3, Ascending) };
    assert_eq!(read(harness, nobody).await, SupplementPage::default());
}

pub(crate) async fn a_record_carries_all_of_its_logs_whatever_the_page_size(harness: &Harness) {
    let logs: Vec<_> =
        (1..=2500u64).map(|number| log(number, 1, seconds(i64::try_from(number).unwrap()))).collect();
    prepare(harness, 1, &logs).await;
    let page = read(harness, query(1, 1, Descending)).await;
    assert_eq!(numbers(&page), [(1, (1..=2500).rev().collect())]);
    assert!(!page.has_more);
}
