//! The audit trail.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{account, audit_event};
use crate::statement::{Statement, delete_oldest, execute};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{AuditFilter, AuditPosition, AuditReader, AuditRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Integer;
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::device::Device;
use domain::id::{AuditEventId, ClientId, UserId};
use domain::scope::ScopeSet;

#[derive(Queryable, Insertable)]
#[diesel(table_name = audit_event)]
pub(crate) struct AuditEventRow {
    id: Vec<u8>,
    at: i64,
    kind: String,
    actor: String,
    user_id: Option<Vec<u8>>,
    client_id: Option<Vec<u8>>,
    subject: Option<Vec<u8>>,
    event_count: Option<i64>,
    address: Option<String>,
    scopes: Option<String>,
    device: Option<String>,
}

impl From<&AuditEvent> for AuditEventRow {
    fn from(event: &AuditEvent) -> Self {
        let AuditEvent { id, at, kind, actor, user_id, client_id, subject, count, scopes, address, device } =
            event;
        Self {
            id: blob(id.as_uuid()),
            at: micros(*at),
            kind: kind.as_str().to_owned(),
            actor: actor.as_str().to_owned(),
            user_id: user_id.map(|id| blob(id.as_uuid())),
            client_id: client_id.map(|id| blob(id.as_uuid())),
            subject: subject.map(blob),
            event_count: count.map(i64::from),
            address: address.map(|address| address.to_string()),
            scopes: scopes.as_ref().map(ScopeSet::to_string),
            device: device.map(Device::stored),
        }
    }
}

impl AuditEventRow {
    fn into_event(self) -> Result<AuditEvent, StorageError> {
        let Self { id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes, device } =
            self;
        let cells = Cells::new("audit_event", &id);
        let uuid = |column, cell: Option<Vec<u8>>| cell.map(|id| cells.uuid(column, &id)).transpose();
        let count = |count| cells.valid("event_count", u32::try_from(count));
        let block = |text: String| cells.valid("address", AddressBlock::parse(&text));
        Ok(AuditEvent {
            id: AuditEventId::from_uuid(cells.uuid("id", &id)?),
            at: cells.instant("at", at)?,
            kind: cells.present("kind", AuditKind::parse(&kind))?,
            actor: cells.present("actor", AuditActor::parse(&actor))?,
            user_id: uuid("user_id", user_id)?.map(UserId::from_uuid),
            client_id: uuid("client_id", client_id)?.map(ClientId::from_uuid),
            subject: uuid("subject", subject)?,
            count: event_count.map(count).transpose()?,
            address: address.map(block).transpose()?,
            scopes: scopes.map(|text| cells.scopes(&text)).transpose()?,
            device: device.map(|text| cells.present("device", Device::parse(&text))).transpose()?,
        })
    }
}

/// Column types of an event, in table order.
type EventColumns = audit_event::SqlType;

/// Returns the list statement. Absent filters are omitted from the text, so that indexes apply.
fn list_statement(filter: AuditFilter, after: Option<AuditPosition>, limit: u32) -> Statement<EventColumns> {
    let AuditFilter { user_id, client_id, kinds, since } = filter;
    let mut statement = Statement::new(
        "SELECT id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes, device \
         FROM audit_event WHERE true",
    );
    if let Some(user_id) = user_id {
        statement = statement.sql(" AND user_id = ?").blob(user_id.as_uuid().as_bytes());
    }
    if let Some(client_id) = client_id {
        statement = statement.sql(" AND client_id = ?").blob(client_id.as_uuid().as_bytes());
    }
    if let Some(kinds) = kinds {
        statement = statement.sql(" AND kind IN (NULL");
        for kind in kinds {
            statement = statement.sql(", ?").text(kind.as_str());
        }
        statement = statement.sql(")");
    }
    if let Some(since) = since {
        statement = statement.sql(" AND at >= ?").integer(micros(since));
    }
    if let Some((at, id)) = after {
        statement = statement.sql(" AND (at, id) < (?, ?)").integer(micros(at)).blob(id.as_uuid().as_bytes());
    }
    statement.sql(" ORDER BY at DESC, id DESC LIMIT ?").integer(i64::from(limit))
}

/// Selects an event with the same kind, actor, person, client and subject from `since` on. Uses the index of
/// people: a client may have many more events of today than a person. The `+` excludes the index of clients.
fn same_statement(row: &AuditEventRow, since: i64) -> Statement<Integer> {
    let statement = Statement::new("SELECT 1 FROM audit_event WHERE at >= ? AND kind = ? AND actor = ?");
    let mut statement = statement.integer(since).text(&row.kind).text(&row.actor);
    for (given, missing, cell) in [
        (" AND user_id = ?", " AND user_id IS NULL", &row.user_id),
        (" AND +client_id = ?", " AND +client_id IS NULL", &row.client_id),
        (" AND subject = ?", " AND subject IS NULL", &row.subject),
    ] {
        statement = match cell {
            Some(id) => statement.sql(given).blob(id),
            None => statement.sql(missing),
        };
    }
    statement.sql(" LIMIT 1")
}

fn append_once(connection: &mut SqliteConnection, row: AuditEventRow, since: i64) -> QueryResult<()> {
    if let Some(id) = &row.user_id {
        let person = account::table.find(id).select(account::id);
        if person.first::<Vec<u8>>(connection).optional()?.is_none() {
            return Ok(());
        }
    }
    let same: Option<i32> = same_statement(&row, since).get_result(connection).optional()?;
    if same.is_none() {
        diesel::insert_into(audit_event::table).values(row).execute(connection)?;
    }
    Ok(())
}

#[async_trait]
impl AuditReader for SqliteStore {
    async fn list_events(
        &self,
        filter: AuditFilter,
        after: Option<AuditPosition>,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        self.read(move |connection| {
            let rows: Vec<AuditEventRow> = list_statement(filter, after, limit).load(connection).storage()?;
            rows.into_iter().map(AuditEventRow::into_event).collect()
        })
        .await
    }
}

#[async_trait]
impl AuditRepository for SqliteUnitOfWork {
    async fn append(&mut self, event: &AuditEvent) -> Result<(), StorageError> {
        let row = AuditEventRow::from(event);
        let query = diesel::insert_into(audit_event::table).values(row);
        self.run(execute(query)).await.map(drop)
    }

    async fn append_once(&mut self, event: &AuditEvent, since: DateTime<Utc>) -> Result<(), StorageError> {
        let (row, since) = (AuditEventRow::from(event), micros(since));
        self.run(move |connection| append_once(connection, row, since).storage()).await
    }

    async fn delete_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("audit_event", "id", "at"), before, limit)).await
    }
}

#[cfg(test)]
mod tests;
