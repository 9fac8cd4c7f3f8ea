use super::*;
use crate::testing::{empty_database, plan};
use store_shared::entries_statement;
use uuid::Uuid;

#[test]
fn notes_are_read_in_the_order_of_an_index_and_their_records_by_key() {
    let (mut connection, _directory) = empty_database();
    let plan = plan(&entries_statement(ImportId::from_uuid(Uuid::nil()), None, 500), &mut connection);
    assert!(plan.iter().all(|step| !step.starts_with("SCAN")), "{plan:#?}");
    assert!(plan[0].contains("import_change_order (import_id=?)"), "{plan:#?}");
    // A record has few notes, so sorting them is cheap.
    let sorted = plan.iter().filter(|step| step.contains("TEMP B-TREE")).count();
    assert_eq!(sorted, 1, "{plan:#?}");
}
