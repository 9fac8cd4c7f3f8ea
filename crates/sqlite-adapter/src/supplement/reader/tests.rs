use super::*;
use crate::testing::{empty_database, plan};
use domain::id::SupplementId;
use domain::paging::{PageNumber, PageRequest, PageSize};
use uuid::Uuid;

fn query(supplement_id: Option<SupplementId>, sort: SortDirection) -> SupplementPageQuery {
    let user_id = UserId::from_uuid(Uuid::from_u128(1));
    let page = PageRequest { number: PageNumber::FIRST, size: PageSize::SUPPLEMENTS_DEFAULT, sort };
    SupplementPageQuery { user_id, start: None, end: None, supplement_id, page }
}

#[test]
fn supplements_are_found_by_index_look_ups_without_scanning_logs() {
    let (mut connection, _directory) = empty_database();
    let one = SupplementId::from_uuid(Uuid::from_u128(2));
    for sort in [SortDirection::Ascending, SortDirection::Descending] {
        for supplement_id in [None, Some(one)] {
            let plan = plan(&page_statement(&query(supplement_id, sort)), &mut connection);
            let of_logs: Vec<_> = plan.iter().filter(|step| step.contains("intake_log")).collect();
            assert!(!of_logs.is_empty());
            assert!(of_logs.iter().all(|step| step.starts_with("SEARCH")), "{plan:#?}");
            let columns = ["user_id=?", "supplement_id=?", "created_at>?"];
            let first_log = |step: &&&String| columns.iter().all(|column| step.contains(column));
            assert_eq!(of_logs.iter().filter(first_log).count(), 1, "{plan:#?}");
        }
    }
}
