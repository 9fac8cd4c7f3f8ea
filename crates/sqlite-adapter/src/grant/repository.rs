//! Grants in a unit of work.

use super::row::GrantRow;
use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::access_grant;
use crate::statement::{delete_oldest, execute, load_row};
use crate::unit_of_work::SqliteUnitOfWork;
use crate::webhook::announce_revocations;
use application::ports::storage::{GrantFilter, GrantRepository, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Nullable};
use domain::grant::{Grant, RevocationReason, UsedFrom};
use domain::id::{ClientId, GrantId, UserId};
use domain::refresh_token::{Rotation, RotationOutcome};
use std::ops::RangeInclusive;
use store_shared::{Raw, rotation_outcome, used_from_parts};

/// Replaces the presented token if it is the newest, or revokes the grant unless the newest replaced it
/// within the window.
const ROTATE: &str = "UPDATE access_grant SET \
     newest_token_hash = CASE WHEN newest_token_hash = ? THEN ? ELSE newest_token_hash END, \
     replaced_token_hash = CASE WHEN newest_token_hash = ? THEN ? ELSE replaced_token_hash END, \
     sealed_token = CASE WHEN newest_token_hash = ? THEN ? ELSE sealed_token END, \
     rotated_at = CASE WHEN newest_token_hash = ? THEN ? ELSE rotated_at END, \
     revoked_at = CASE WHEN newest_token_hash = ? OR (replaced_token_hash = ? AND rotated_at >= ?) \
     THEN NULL ELSE ? END, \
     revocation_reason = CASE WHEN newest_token_hash = ? OR (replaced_token_hash = ? AND rotated_at >= ?) \
     THEN NULL ELSE ? END \
     WHERE user_id = ? AND id = ? AND revoked_at IS NULL AND newest_token_hash IS NOT NULL \
     RETURNING newest_token_hash = ?, revoked_at IS NOT NULL, sealed_token";

/// Appends the filter's conditions. Absent filters are omitted from the text, so that indexes apply.
fn narrowed<R>(statement: Raw<R>, filter: GrantFilter) -> Raw<R> {
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
        Some(moment) => statement.sql(" AND created_at < ?").bind(micros(moment)),
        None => statement,
    }
}

/// Person and client of each revoked grant.
const RETURNING: &str = " RETURNING user_id, client_id";

impl SqliteUnitOfWork {
    /// Runs a statement that revokes grants and returns their people and clients; returns the number of
    /// grants.
    async fn revoke_by(
        &mut self,
        statement: Raw<(Binary, Binary)>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        self.run(move |connection| {
            let revoked: Vec<(Vec<u8>, Vec<u8>)> = statement.load(connection).storage()?;
            let number = u64::try_from(revoked.len()).unwrap_or(u64::MAX);
            announce_revocations(connection, revoked, at).storage()?;
            Ok(number)
        })
        .await
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

    async fn rotate(&mut self, rotation: &Rotation) -> Result<RotationOutcome, StorageError> {
        let Rotation { user_id, grant_id, presented, next, sealed_next, at } = rotation;
        let (presented, next) = (presented.as_bytes(), next.as_bytes());
        let (at, start) = (micros(*at), micros(rotation.window_start()));
        let statement: Raw<(Bool, Bool, Nullable<Binary>)> = Raw::same(ROTATE)
            .blob(presented)
            .blob(next)
            .blob(presented)
            .blob(presented)
            .blob(presented)
            .blob(sealed_next.as_bytes())
            .blob(presented)
            .bind(at)
            .blob(presented)
            .blob(presented)
            .bind(start)
            .bind(at)
            .blob(presented)
            .blob(presented)
            .bind(start)
            .text(RevocationReason::TokenReused.as_str())
            .blob(user_id.as_uuid().as_bytes())
            .blob(grant_id.as_uuid().as_bytes())
            .blob(next);
        let outcome = rotation_outcome(self.run(load_row(statement)).await?);
        let outcome = outcome.ok_or_else(|| {
            Cells::new("access_grant", grant_id.as_uuid().as_bytes()).corrupt("sealed_token")
        })?;
        if outcome == RotationOutcome::Reused {
            let (key, at) = ((blob(user_id.as_uuid()), blob(grant_id.as_uuid())), rotation.at);
            self.run(move |connection| {
                let revoked =
                    access_grant::table.find(key).select((access_grant::user_id, access_grant::client_id));
                let revoked = revoked.load(connection).storage()?;
                announce_revocations(connection, revoked, at).storage()
            })
            .await?;
        }
        Ok(outcome)
    }

    async fn revoke(
        &mut self,
        filter: GrantFilter,
        at: DateTime<Utc>,
        reason: RevocationReason,
    ) -> Result<u64, StorageError> {
        let statement = Raw::same("UPDATE access_grant SET revoked_at = ?, revocation_reason = ?")
            .bind(micros(at))
            .text(reason.as_str())
            .sql(" WHERE revoked_at IS NULL");
        self.revoke_by(narrowed(statement, filter).sql(RETURNING), at).await
    }

    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let statement = Raw::same(
            "UPDATE access_grant SET revoked_at = ?, revocation_reason = ? \
             WHERE revoked_at IS NULL AND created_at < ? AND user_id BETWEEN ? AND ?",
        )
        .bind(micros(at))
        .text(RevocationReason::Operator.as_str())
        .bind(micros(before))
        .blob(people.start().as_uuid().as_bytes())
        .blob(people.end().as_uuid().as_bytes());
        self.revoke_by(statement.sql(RETURNING), at).await
    }

    async fn delete_revoked(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.run(delete_oldest(("access_grant", "user_id, id", "revoked_at"), before, limit)).await
    }

    async fn revoke_excess(
        &mut self,
        client_id: ClientId,
        user_id: UserId,
        keep: usize,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let statement: Raw<()> = Raw::same(
            "UPDATE access_grant SET revoked_at = ?, revocation_reason = ? WHERE user_id = ? AND id IN \
             (SELECT id FROM access_grant WHERE user_id = ? AND client_id = ? AND revoked_at IS NULL \
             ORDER BY coalesce(last_used_at, created_at) DESC, id DESC LIMIT -1 OFFSET ?)",
        )
        .bind(micros(at))
        .text(RevocationReason::TooManyGrants.as_str())
        .blob(user_id.as_uuid().as_bytes())
        .blob(user_id.as_uuid().as_bytes())
        .blob(client_id.as_uuid().as_bytes())
        .bind(i64::try_from(keep).unwrap_or(i64::MAX));
        self.run(execute(statement)).await
    }
}
