//! Entries of the audit trail.

use super::scope_set;
use crate::error::corrupt;
use crate::schema::audit_event;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{AuditEventId, ClientId, UserId};
use domain::scope::ScopeSet;
use uuid::Uuid;

const TABLE: &str = "audit_event";

/// A row of `audit_event`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = audit_event, check_for_backend(Pg))]
pub(crate) struct EventRow {
    id: Uuid,
    at: DateTime<Utc>,
    kind: String,
    actor: String,
    user_id: Option<Uuid>,
    client_id: Option<Uuid>,
    subject: Option<Uuid>,
    event_count: Option<i64>,
    address: Option<String>,
    scopes: Option<String>,
}

impl From<&AuditEvent> for EventRow {
    fn from(event: &AuditEvent) -> Self {
        let AuditEvent { id, at, kind, actor, user_id, client_id, subject, count, scopes, address } = event;
        Self {
            id: id.as_uuid(),
            at: *at,
            kind: kind.as_str().to_owned(),
            actor: actor.as_str().to_owned(),
            user_id: user_id.map(|id| id.as_uuid()),
            client_id: client_id.map(|id| id.as_uuid()),
            subject: *subject,
            event_count: count.map(i64::from),
            address: address.map(|address| address.to_string()),
            scopes: scopes.as_ref().map(ScopeSet::to_string),
        }
    }
}

impl EventRow {
    /// Binds every column, in the order of the table.
    pub(crate) fn bound_to(self, statement: SqlQuery) -> BoxedSqlQuery<'static, Pg, SqlQuery> {
        let Self { id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes } = self;
        statement
            .into_boxed()
            .bind::<SqlUuid, _>(id)
            .bind::<Timestamptz, _>(at)
            .bind::<Text, _>(kind)
            .bind::<Text, _>(actor)
            .bind::<Nullable<SqlUuid>, _>(user_id)
            .bind::<Nullable<SqlUuid>, _>(client_id)
            .bind::<Nullable<SqlUuid>, _>(subject)
            .bind::<Nullable<BigInt>, _>(event_count)
            .bind::<Nullable<Text>, _>(address)
            .bind::<Nullable<Text>, _>(scopes)
    }

    /// Reads the row as an event.
    pub(crate) fn into_event(self) -> Result<AuditEvent, StorageError> {
        let Self { id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes } = self;
        let count = event_count.map(u32::try_from).transpose();
        let address = address.as_deref().map(AddressBlock::parse).transpose();
        let scopes = scopes.as_deref().map(|text| scope_set(text, TABLE, id)).transpose()?;
        Ok(AuditEvent {
            id: AuditEventId::from_uuid(id),
            at,
            kind: AuditKind::parse(&kind).ok_or(()).map_err(corrupt(TABLE, "kind", id))?,
            actor: AuditActor::parse(&actor).ok_or(()).map_err(corrupt(TABLE, "actor", id))?,
            user_id: user_id.map(UserId::from_uuid),
            client_id: client_id.map(ClientId::from_uuid),
            subject,
            count: count.map_err(corrupt(TABLE, "event_count", id))?,
            address: address.map_err(corrupt(TABLE, "address", id))?,
            scopes,
        })
    }
}
