//! The audit trail: events are immutable.

use crate::made_up::*;
use application::ports::storage::{AuditFilter, AuditReader};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::AuditEventId;
use postgres_adapter::PostgresStore;
use postgres_adapter::test_support::TestDatabase;
use uuid::Uuid;

fn event(number: u128) -> AuditEvent {
    let id = AuditEventId::from_uuid(Uuid::from_u128(number));
    AuditEvent::new(id, at(i64::try_from(number).unwrap()), AuditKind::SignedIn, AuditActor::Person)
        .user(user_id(1))
}

async fn append(store: &PostgresStore, numbers: impl IntoIterator<Item = u128>) {
    let mut unit = begin(store).await;
    for number in numbers {
        unit.audit().append(&event(number)).await.unwrap();
    }
    unit.commit().await.unwrap();
}

#[tokio::test]
async fn events_cannot_be_changed_by_any_statement() {
    let database = TestDatabase::create().await;
    let (store, vandal) = (database.store(), bystander(&database).await);
    append(&store, [1]).await;
    for attempt in [
        "UPDATE audit_event SET kind = 'session.refused'",
        "UPDATE audit_event SET at = at WHERE false",
        "INSERT INTO audit_event (id, at, kind, actor) SELECT id, at, kind, actor FROM audit_event
            ON CONFLICT (id) DO UPDATE SET kind = 'session.refused'",
        "TRUNCATE audit_event",
    ] {
        let error = vandal.batch_execute(attempt).await.unwrap_err();
        let message = error.as_db_error().unwrap().message();
        assert_eq!(message, "the audit trail is never changed", "{attempt}");
    }
    assert_eq!(store.list_events(AuditFilter::default(), None, 10).await.unwrap(), [event(1)]);
}

#[tokio::test]
async fn expired_events_are_deleted_oldest_first() {
    let database = TestDatabase::create().await;
    let store = database.store();
    append(&store, [3, 1, 2, 4]).await;
    let mut unit = begin(&store).await;
    assert_eq!(unit.audit().delete_before(at(4), 2).await.unwrap(), 2);
    assert_eq!(unit.audit().delete_before(at(4), 2).await.unwrap(), 1);
    unit.commit().await.unwrap();
    assert_eq!(store.list_events(AuditFilter::default(), None, 10).await.unwrap(), [event(4)]);
}

#[tokio::test]
async fn events_outlive_their_person() {
    let database = TestDatabase::create().await;
    let store = database.store();
    populate(&store, [1]).await;
    append(&store, [1]).await;
    let mut unit = begin(&store).await;
    assert!(unit.users().delete(user_id(1)).await.unwrap());
    unit.commit().await.unwrap();
    let filter = AuditFilter { user_id: Some(user_id(1)), ..AuditFilter::default() };
    assert_eq!(store.list_events(filter, None, 10).await.unwrap(), [event(1)]);
}
