use super::*;
use crate::testing::empty_database;
use chrono::DateTime;
use uuid::Uuid;

#[test]
fn events_are_walked_in_the_order_of_an_index() {
    let (mut connection, _directory) = empty_database();
    let none = AuditFilter::default();
    let of_user = AuditFilter { user_id: Some(UserId::from_uuid(Uuid::nil())), ..none };
    let of_client = AuditFilter { client_id: Some(ClientId::from_uuid(Uuid::nil())), ..none };
    let after = Some((DateTime::UNIX_EPOCH, AuditEventId::from_uuid(Uuid::nil())));
    let cases = [
        (none, "audit_event_time ((at,id)<(?,?))"),
        (of_user, "audit_event_user (user_id=? AND (at,id)<(?,?))"),
        (of_client, "audit_event_client (client_id=? AND (at,id)<(?,?))"),
    ];
    for (filter, index) in cases {
        for kind in [None, Some(AuditKind::SignedIn)] {
            let steps = list_statement(AuditFilter { kind, ..filter }, after, 9).plan(&mut connection);
            assert_eq!(steps, [format!("SEARCH audit_event USING INDEX {index}")]);
        }
    }
}
