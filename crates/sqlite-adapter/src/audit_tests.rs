//! Plans of the statements of the audit trail.

use crate::testing::{empty_database, plan};
use application::ports::storage::AuditFilter;
use chrono::DateTime;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, ClientId, UserId};
use store_shared::{append_once_statement, list_statement};
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
        for kinds in [None, Some(AuditKind::SignedIn.as_slice()), Some(AuditKind::IN_ACTIVITY)] {
            let steps = plan(&list_statement(AuditFilter { kinds, ..filter }, after, 9), &mut connection);
            assert_eq!(steps, [format!("SEARCH audit_event USING INDEX {index}")]);
        }
    }
}

#[test]
fn the_first_event_of_a_day_is_looked_for_among_those_of_its_person() {
    let (mut connection, _directory) = empty_database();
    let id = AuditEventId::from_uuid(Uuid::nil());
    let event = AuditEvent::new(id, DateTime::UNIX_EPOCH, AuditKind::SleepWritten, AuditActor::Client);
    let (person, client) = (UserId::from_uuid(Uuid::nil()), ClientId::from_uuid(Uuid::nil()));
    let of_person = event.clone().user(person);
    for event in [of_person.clone().client(client), of_person, event.clone().client(client), event] {
        let steps = plan(&append_once_statement(&event, DateTime::UNIX_EPOCH), &mut connection);
        let search = "SEARCH audit_event USING INDEX audit_event_user (user_id=? AND at>?)";
        assert!(steps.iter().any(|step| step == search), "{steps:#?}");
        assert!(steps.iter().all(|step| !step.starts_with("SCAN audit_event")), "{steps:#?}");
    }
}
