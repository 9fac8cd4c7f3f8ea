//! The audit trail.

use crate::error::corrupt;
use crate::row::{lower_bound, scope_set, upper_bound};
use crate::schema::audit_event as event;
use crate::schema::audit_event;
use crate::statement::returning;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use crate::user::keep_account;
use application::ports::storage::{AuditFilter, AuditPosition, AuditReader, AuditRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::device::Device;
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
    device: Option<String>,
}

impl From<&AuditEvent> for EventRow {
    fn from(event: &AuditEvent) -> Self {
        let AuditEvent { id, at, kind, actor, user_id, client_id, subject, count, scopes, address, device } =
            event;
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
            device: device.map(Device::stored),
        }
    }
}

impl EventRow {
    /// Binds every column in table order, except the browser, which only sign-ins have.
    pub(crate) fn bound_to(self, statement: SqlQuery) -> BoxedSqlQuery<'static, Pg, SqlQuery> {
        let Self {
            id,
            at,
            kind,
            actor,
            user_id,
            client_id,
            subject,
            event_count,
            address,
            scopes,
            device: _,
        } = self;
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

    pub(crate) fn into_event(self) -> Result<AuditEvent, StorageError> {
        let Self { id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes, device } =
            self;
        let count = event_count.map(u32::try_from).transpose();
        let device = device.map(|text| Device::parse(&text).ok_or(())).transpose();
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
            device: device.map_err(corrupt(TABLE, "device", id))?,
        })
    }
}

#[async_trait]
impl AuditReader for PostgresStore {
    async fn list_events(
        &self,
        filter: AuditFilter,
        after: Option<AuditPosition>,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        let AuditFilter { user_id, client_id, kinds, since } = filter;
        let mut query = event::table
            .order((event::at.desc(), event::id.desc()))
            .limit(i64::from(limit))
            .select(EventRow::as_select())
            .into_boxed();
        if let Some(user_id) = user_id {
            query = query.filter(event::user_id.eq(user_id.as_uuid()));
        }
        if let Some(client_id) = client_id {
            query = query.filter(event::client_id.eq(client_id.as_uuid()));
        }
        if let Some(kinds) = kinds {
            query = query.filter(event::kind.eq_any(kinds.iter().map(|kind| kind.as_str())));
        }
        if let Some(since) = since {
            query = query.filter(event::at.ge(lower_bound(Some(since))));
        }
        if let Some((at, id)) = after {
            // A row comparison lets the scan enter the index at this position.
            query = query.filter(
                sql::<Bool>("(at, id) < (")
                    .bind::<Timestamptz, _>(upper_bound(Some(at)))
                    .sql(", ")
                    .bind::<SqlUuid, _>(id.as_uuid())
                    .sql(")"),
            );
        }
        self.pooled().await?.load_rows(query).await?.into_iter().map(EventRow::into_event).collect()
    }
}

const APPEND_ONCE_FOR_PERSON: &str = "INSERT INTO audit_event
        (id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
    WHERE NOT EXISTS (SELECT FROM audit_event WHERE user_id = $5 AND at >= $11 AND kind = $3 AND actor = $4
        AND client_id IS NOT DISTINCT FROM $6 AND subject IS NOT DISTINCT FROM $7)";

const APPEND_ONCE_WITHOUT_PERSON: &str = "INSERT INTO audit_event
        (id, at, kind, actor, user_id, client_id, subject, event_count, address, scopes)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
    WHERE NOT EXISTS (SELECT FROM audit_event WHERE user_id IS NULL AND at >= $11 AND kind = $3 AND actor = $4
        AND client_id IS NOT DISTINCT FROM $6 AND subject IS NOT DISTINCT FROM $7)";

#[async_trait]
impl AuditRepository for PgUnitOfWork {
    async fn append(&mut self, event: &AuditEvent) -> Result<(), StorageError> {
        let query = diesel::insert_into(event::table).values(EventRow::from(event));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn append_once(&mut self, event: &AuditEvent, since: DateTime<Utc>) -> Result<(), StorageError> {
        let text = match event.user_id {
            Some(user_id) if !keep_account(self.connection()?, user_id).await? => return Ok(()),
            Some(_) => APPEND_ONCE_FOR_PERSON,
            None => APPEND_ONCE_WITHOUT_PERSON,
        };
        let statement = EventRow::from(event).bound_to(sql_query(text)).bind::<Timestamptz, _>(since);
        self.connection()?.execute(returning::<(), _>(statement)).await.map(drop)
    }

    async fn delete_before(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.connection()?.delete_oldest(("audit_event", "id", "at"), before, limit).await
    }
}
