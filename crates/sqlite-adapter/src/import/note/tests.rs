use super::*;
use crate::testing::empty_database;

#[test]
fn notes_are_read_in_the_order_of_an_index_and_their_records_by_key() {
    let (mut connection, _directory) = empty_database();
    let plan = noted_statement(ImportId::from_uuid(Uuid::nil()), 500).plan(&mut connection);
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE") && !step.starts_with("SCAN")), "{plan:#?}");
}
