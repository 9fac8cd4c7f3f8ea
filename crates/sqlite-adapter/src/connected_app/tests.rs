use super::*;
use crate::testing::{empty_database, plan};

#[test]
fn the_last_read_of_an_app_is_looked_up_in_an_index() {
    let (mut connection, _directory) = empty_database();
    let steps = plan(&list_statement(&[0; 16]), &mut connection);
    let of_reads: Vec<_> = steps.iter().filter(|step| step.contains("read_tally")).collect();
    let index = "SEARCH read_tally USING COVERING INDEX read_tally_reader (user_id=? AND reader_id=?)";
    assert_eq!(of_reads, [index]);
}

#[test]
fn the_last_read_up_to_a_moment_is_looked_up_in_an_index() {
    let (mut connection, _directory) = empty_database();
    let steps = plan(&last_read_statement(&[0; 16], &[1; 16], 7), &mut connection);
    let index =
        "SEARCH read_tally USING COVERING INDEX read_tally_reader (user_id=? AND reader_id=? AND minute<?)";
    assert_eq!(steps, [index]);
}
