//! Grants in a unit of work.

use super::row::GrantRow;
use crate::row::{blob, micros};
use crate::schema::access_grant;
use crate::statement::{Statement, delete_before, execute};
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{GrantFilter, GrantRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::grant::{Grant, RevocationReason, UsedFrom};
use domain::id::{ClientId, GrantId, UserId};
use std::ops::RangeInclusive;
use store_shared::used_from_parts;

/// Appends the filter's conditions. Absent filters are omitted from the text, so that indexes apply.
fn narrowed<R>(statement: Statement<R>, filter: GrantFilter) -> Statement<R> {
    let GrantFilter { user_id, client_id, id, created_before } = filter;
    let parts = [
        (" AND user_id = ?", user_id.map(|id| id.as_uuid())),
        (" AND client_id = ?", client_id.map(|id| id.as_uuid())),
        (" AND id = ?", id.map(|id| id.as_uuid())),
    ];
    let statement = parts.into_iter().fold(statement, |statement, (sql, id)| match id {
        Some(id) => statement.sql(sql).blob(id.as_bytes()),
        None => statement,
    });
    match created_before {
        Some(moment) => statement.sql(" AND created_at < ?").integer(micros(moment)),
        None => statement,
    }
}

#[async_trait]
impl GrantRepository for SqliteUnitOfWork {
    async fn insert(&mut self, grant: &Grant) -> Result<(), StorageError> {
        let row = GrantRow::from(grant);
        let query = diesel::insert_into(access_grant::table).values(row);
        self.run(execute(query)).await.map(drop)
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: GrantId,
        at: DateTime<Utc>,
        from: &UsedFrom,
    ) -> Result<(), StorageError> {
        use access_grant::dsl;
        let key = (blob(user_id.as_uuid()), blob(id.as_uuid()));
        let (address, agent) = used_from_parts(from);
        let earlier = dsl::access_grant
            .find(key)
            .filter(dsl::last_used_at.is_null().or(dsl::last_used_at.lt(micros(at))));
        let query = diesel::update(earlier).set((
            dsl::last_used_at.eq(micros(at)),
            dsl::last_used_address.eq(address),
            dsl::last_used_agent.eq(agent),
        ));
        self.run(execute(query)).await.map(drop)
    }

    async fn revoke(
        &mut self,
        filter: GrantFilter,
        at: DateTime<Utc>,
        reason: RevocationReason,
    ) -> Result<u64, StorageError> {
        let statement: Statement<()> =
            Statement::new("UPDATE access_grant SET revoked_at = ?, revocation_reason = ?")
                .integer(micros(at))
                .text(reason.as_str())
                .sql(" WHERE revoked_at IS NULL");
        self.run(execute(narrowed(statement, filter))).await
    }

    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let statement: Statement<()> = Statement::new(
            "UPDATE access_grant SET revoked_at = ?, revocation_reason = ? \
             WHERE revoked_at IS NULL AND created_at < ? AND user_id BETWEEN ? AND ?",
        )
        .integer(micros(at))
        .text(RevocationReason::Operator.as_str())
        .integer(micros(before))
        .blob(people.start().as_uuid().as_bytes())
        .blob(people.end().as_uuid().as_bytes());
        self.run(execute(statement)).await
    }

    async fn delete_revoked(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let sql = "DELETE FROM access_grant WHERE (user_id, id) IN (SELECT user_id, id FROM access_grant \
             WHERE revoked_at < ? ORDER BY revoked_at LIMIT ?)";
        self.run(delete_before(sql, before, limit)).await
    }

    async fn revoke_excess(
        &mut self,
        client_id: ClientId,
        user_id: UserId,
        keep: usize,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let statement: Statement<()> = Statement::new(
            "UPDATE access_grant SET revoked_at = ?, revocation_reason = ? WHERE user_id = ? AND id IN \
             (SELECT id FROM access_grant WHERE user_id = ? AND client_id = ? AND revoked_at IS NULL \
             ORDER BY coalesce(last_used_at, created_at) DESC, id DESC LIMIT -1 OFFSET ?)",
        )
        .integer(micros(at))
        .text(RevocationReason::TooManyGrants.as_str())
        .blob(user_id.as_uuid().as_bytes())
        .blob(user_id.as_uuid().as_bytes())
        .blob(client_id.as_uuid().as_bytes())
        .integer(i64::try_from(keep).unwrap_or(i64::MAX));
        self.run(execute(statement)).await
    }
}
