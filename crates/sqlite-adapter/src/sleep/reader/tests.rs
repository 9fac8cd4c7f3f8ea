use super::*;
use crate::testing::{empty_database, plan};
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

#[test]
fn a_page_is_read_in_the_order_of_the_table_after_a_skip_over_keys_alone() {
    let (mut connection, _directory) = empty_database();
    let cases = [
        (SortDirection::Ascending, "(user_id=? AND (started_at,id)>(?,?) AND started_at<?)"),
        (SortDirection::Descending, "(user_id=? AND started_at>? AND (started_at,id)<(?,?))"),
    ];
    for (sort, from_key) in cases {
        let rows = format!("SEARCH sleep_session USING PRIMARY KEY {from_key}");
        // The subquery also enters its index by a key: the end of the range.
        let skip = format!("SEARCH sleep_session USING COVERING INDEX sleep_session_start {from_key}");
        assert_eq!(plan(&page_statement(&query("1", sort)), &mut connection), [FIRST], "{sort:?}");
        let later = plan(&page_statement(&query("300", sort)), &mut connection);
        let of_tables: Vec<_> = later.iter().filter(|step| step.starts_with("SEARCH")).collect();
        assert_eq!(of_tables, [rows.as_str(), skip.as_str()], "{later:#?}");
        assert!(later.iter().all(|step| !step.contains("B-TREE")), "{later:#?}");
    }
}
