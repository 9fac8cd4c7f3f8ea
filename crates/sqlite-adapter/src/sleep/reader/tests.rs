use super::*;
use crate::testing::empty_database;
use domain::paging::{PageNumber, PageRequest, PageSize};
use domain::time::DateRange;
use uuid::Uuid;

fn query(page: &str, sort: SortDirection) -> SleepPageQuery {
    let number = PageNumber::parse(page).unwrap();
    SleepPageQuery {
        user_id: UserId::from_uuid(Uuid::from_u128(1)),
        range: DateRange::default(),
        page: PageRequest { number, size: PageSize::new(30).unwrap(), sort },
        with_stages: true,
        with_metrics: true,
    }
}

const FIRST: &str = "SEARCH sleep_session USING PRIMARY KEY (user_id=? AND started_at>? AND started_at<?)";
const SKIP: &str = "SEARCH sleep_session USING COVERING INDEX sleep_session_start (user_id=? AND started_at>? AND started_at<?)";

#[test]
fn a_page_is_read_in_the_order_of_the_table_after_a_skip_over_keys_alone() {
    let (mut connection, _directory) = empty_database();
    let cases = [
        (
            SortDirection::Ascending,
            "SEARCH sleep_session USING PRIMARY KEY (user_id=? AND (started_at,id)>(?,?) AND started_at<?)",
        ),
        (
            SortDirection::Descending,
            "SEARCH sleep_session USING PRIMARY KEY (user_id=? AND started_at>? AND (started_at,id)<(?,?))",
        ),
    ];
    for (sort, rows) in cases {
        assert_eq!(page_statement(&query("1", sort)).plan(&mut connection), [FIRST], "{sort:?}");
        let later = page_statement(&query("300", sort)).plan(&mut connection);
        let of_sessions: Vec<_> = later.iter().filter(|step| step.contains("sleep_session")).collect();
        assert_eq!(of_sessions, [rows, SKIP]);
        assert!(later.iter().all(|step| !step.contains("B-TREE")), "{later:#?}");
    }
}
