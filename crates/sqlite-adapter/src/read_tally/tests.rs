use super::*;
use crate::testing::{empty_database, plan};
use chrono::DateTime;
use domain::id::ClientId;
use domain::read_tally::ReadKind;
use store_shared::tallies_statement;
use uuid::Uuid;

#[test]
fn a_persons_sums_are_read_in_the_order_of_the_table() {
    let (mut connection, _directory) = empty_database();
    let user_id = UserId::from_uuid(Uuid::nil());
    let reader = Reader::Client(ClientId::from_uuid(Uuid::nil()));
    let after = TallyKey::at(DateTime::UNIX_EPOCH, user_id, reader, ReadKind::Refresh);
    let key = "user_id=? AND (minute,reader_kind,reader_id,kind)<(?,?,?,?)";
    for (after, key) in [(None, "user_id=?"), (Some(after), key)] {
        let steps = plan(&tallies_statement(user_id, after, 9), &mut connection);
        assert_eq!(steps, [format!("SEARCH read_tally USING PRIMARY KEY ({key})")]);
    }
}
