//! The audit trail.

use crate::column::{Held, IdCell, TimeCell, held};
use crate::row::row;
use crate::schema::audit_event;
use crate::statement::{Raw, Value};
use crate::store::Store;
use crate::time_range::{lower_bound, upper_bound};
use crate::unit_of_work::{Transaction, Unit};
use crate::user::keep_account;
use application::ports::storage::{AuditFilter, AuditPosition, AuditRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};

row! {
    /// A row of `audit_event`.
    EventRow of audit_event: AuditEvent, row id, {
        id: IdCell;
        at: TimeCell;
        kind: String;
        actor: String;
        user_id: Option<IdCell>;
        client_id: Option<IdCell>;
        subject: Option<IdCell>;
        count: Option<i64>, in event_count;
        address: Option<String>;
        scopes: Option<String>;
        device: Option<String>;
    }
}

held! {
    AuditKind as String: |kind| kind.as_str().to_owned(), |text| Self::parse(&text);
    AuditActor as String: |actor| actor.as_str().to_owned(), |text| Self::parse(&text);
}

/// Returns the values of every column in table order, except the browser, which only sign-ins have.
pub fn event_values(event: &AuditEvent) -> [Value; 10] {
    let EventRow { id, at, kind, actor, user_id, client_id, subject, count, address, scopes, device: _ } =
        EventRow::from(event);
    [
        id.into(),
        at.into(),
        kind.into(),
        actor.into(),
        user_id.into(),
        client_id.into(),
        subject.into(),
        count.into(),
        address.into(),
        scopes.into(),
    ]
}

/// Returns the statement that lists events. Absent filters are omitted from the text, so that indexes apply.
pub fn list_statement(
    filter: AuditFilter,
    after: Option<AuditPosition>,
    limit: u32,
) -> Raw<audit_event::SqlType> {
    let AuditFilter { user_id, client_id, kinds, since } = filter;
    let mut query = Raw::rows(
        "SELECT id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes, device
        FROM audit_event WHERE true",
        EventRow::COLUMNS,
    );
    if let Some(user_id) = user_id {
        query = query.sql(" AND user_id = ?").bind(user_id.cell());
    }
    if let Some(client_id) = client_id {
        query = query.sql(" AND client_id = ?").bind(client_id.cell());
    }
    if let Some(kinds) = kinds {
        query = query.sql(" AND kind IN (NULL");
        for kind in kinds {
            query = query.sql(", ?").text(kind.as_str());
        }
        query = query.sql(")");
    }
    if let Some(since) = since {
        query = query.sql(" AND at >= ?").bind(lower_bound(Some(since)).cell());
    }
    if let Some((at, id)) = after {
        // A row comparison lets the scan enter the index at this position.
        query = query.sql(" AND (at, id) < (?, ?)").bind(upper_bound(Some(at)).cell()).bind(id.cell());
    }
    query.sql(" ORDER BY at DESC, id DESC LIMIT ?").bind(i64::from(limit))
}

/// Lists events, newest first.
pub async fn list_events(
    store: &impl Store,
    filter: AuditFilter,
    after: Option<AuditPosition>,
    limit: u32,
) -> Result<Vec<AuditEvent>, StorageError> {
    store.read_all::<EventRow, _>(list_statement(filter, after, limit)).await
}

/// Appends an event.
pub async fn append_event(unit: &mut impl Transaction, event: &AuditEvent) -> Result<(), StorageError> {
    let query = diesel::insert_into(audit_event::table).values(EventRow::from(event));
    unit.execute(query).await.map(drop)
}

/// Returns the statement that appends an event unless one with the same kind, actor, person, client and
/// subject exists from `since` on. On SQLite, the `+` excludes the index of clients: a client may have many
/// more events of today than a person.
pub fn append_once_statement(event: &AuditEvent, since: DateTime<Utc>) -> Raw {
    let EventRow { kind, actor, user_id, client_id, subject, .. } = EventRow::from(event);
    let query = Raw::same(
        "INSERT INTO audit_event
            (id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes)
        SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM audit_event WHERE at >= ?
            AND kind = ? AND actor = ?",
    );
    let query = query.bind_all(event_values(event)).bind(since.cell()).bind(kind).bind(actor);
    let query = match user_id {
        Some(id) => query.sql(" AND user_id = ?").bind(id),
        None => query.sql(" AND user_id IS NULL"),
    };
    query
        .sql_of([" AND client_id IS NOT DISTINCT FROM ?", " AND +client_id IS ?"])
        .bind(client_id)
        .sql_of([" AND subject IS NOT DISTINCT FROM ?)", " AND subject IS ?)"])
        .bind(subject)
}

#[async_trait]
impl<R: Transaction> AuditRepository for Unit<R> {
    async fn append(&mut self, event: &AuditEvent) -> Result<(), StorageError> {
        append_event(&mut self.0, event).await
    }

    async fn append_once(&mut self, event: &AuditEvent, since: DateTime<Utc>) -> Result<(), StorageError> {
        if let Some(user_id) = event.user_id
            && !keep_account(&mut self.0, user_id).await?
        {
            return Ok(());
        }
        self.0.execute(append_once_statement(event, since)).await.map(drop)
    }

    async fn delete_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.0.delete_oldest(("audit_event", "id", "at"), before, limit).await
    }
}
