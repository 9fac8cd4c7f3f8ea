//! The audit trail as other programs see it.

use application::ports::storage::{AuditFilter, AuditReader as _, UnitOfWorkFactory as _};
use chrono::DateTime;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::AuditEventId;
use sqlite_adapter::{SqliteOptions, SqliteStore};
use uuid::Uuid;

#[tokio::test]
async fn events_cannot_be_changed_by_any_statement() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("restwell.db");
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    let store = SqliteStore::open(&path, options).await.unwrap();
    store.migrate().await.unwrap();
    let id = AuditEventId::from_uuid(Uuid::from_u128(1));
    let event = AuditEvent::new(id, DateTime::UNIX_EPOCH, AuditKind::SignedIn, AuditActor::Person);
    let mut unit = store.begin().await.unwrap();
    unit.audit().append(&event).await.unwrap();
    unit.commit().await.unwrap();
    let mut vandal = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    for attempt in [
        "UPDATE audit_event SET kind = 'session.refused'",
        "UPDATE OR REPLACE audit_event SET at = at",
        "INSERT OR REPLACE INTO audit_event (id, at, kind, actor) SELECT id, at, 'session.refused', actor \
         FROM audit_event",
        "INSERT INTO audit_event (id, at, kind, actor) SELECT id, at, kind, actor FROM audit_event WHERE true \
         ON CONFLICT (id) DO UPDATE SET kind = 'session.refused'",
    ] {
        let error = vandal.batch_execute(attempt).unwrap_err();
        assert_eq!(error.to_string(), "the audit trail is never changed", "{attempt}");
    }
    assert_eq!(store.list_events(AuditFilter::default(), None, 9).await.unwrap(), [event]);
}
