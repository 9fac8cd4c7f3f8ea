//! Grants in a unit of work.

use super::row::GrantRow;
use crate::error::corrupt;
use crate::schema::access_grant as grant;
use crate::schema::refresh_token;
use crate::statement::{count, returning, stored};
use crate::unit_of_work::PgUnitOfWork;
use crate::user::lock_account;
use application::ports::storage::{GrantFilter, GrantRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text, Timestamptz};
use domain::grant::{Grant, RevocationReason, UsedFrom};
use domain::id::{ClientId, GrantId, UserId};
use domain::refresh_token::{Rotation, RotationOutcome};
use std::ops::RangeInclusive;
use store_shared::{rotation_outcome, used_from_parts};

/// Stores a grant unless the person has one with its id.
const INSERT: &str =
    "INSERT INTO access_grant (user_id, id, client_id, scopes, refresh_token_hash, created_at,
        last_used_at, revoked_at, revocation_reason, last_used_address, last_used_agent, newest_token_hash, resource)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    ON CONFLICT DO NOTHING";

/// Replaces the presented token ($3) if it is the newest, or revokes the grant unless the newest replaced it
/// within the window. A concurrent use waits for the lock on the row, then sees what the first one stored.
const ROTATE: &str = "UPDATE access_grant SET
        newest_token_hash = CASE WHEN newest_token_hash = $3 THEN $4 ELSE newest_token_hash END,
        replaced_token_hash = CASE WHEN newest_token_hash = $3 THEN $3 ELSE replaced_token_hash END,
        sealed_token = CASE WHEN newest_token_hash = $3 THEN $5 ELSE sealed_token END,
        rotated_at = CASE WHEN newest_token_hash = $3 THEN $6 ELSE rotated_at END,
        revoked_at = CASE WHEN newest_token_hash = $3 OR (replaced_token_hash = $3 AND rotated_at >= $7)
            THEN NULL ELSE $6 END,
        revocation_reason = CASE WHEN newest_token_hash = $3 OR (replaced_token_hash = $3 AND rotated_at >= $7)
            THEN NULL ELSE $8 END
    WHERE user_id = $1 AND id = $2 AND revoked_at IS NULL AND newest_token_hash IS NOT NULL
    RETURNING newest_token_hash = $4, revoked_at IS NOT NULL, sealed_token";

const REVOKE_EXCESS: &str = "UPDATE access_grant SET revoked_at = $4, revocation_reason = $5
    WHERE user_id = $1 AND revoked_at IS NULL AND id IN (
        SELECT id FROM access_grant WHERE user_id = $1 AND client_id = $2 AND revoked_at IS NULL
        ORDER BY coalesce(last_used_at, created_at) DESC, id DESC OFFSET $3)";

/// Skips locked grants; a later run deletes them. The second form waits for them.
const DELETE_REVOKED: [&str; 2] = [
    "DELETE FROM access_grant WHERE (user_id, id) IN (
        SELECT user_id, id FROM access_grant WHERE revoked_at < $1
        ORDER BY revoked_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    RETURNING refresh_token_hash",
    "WITH old AS MATERIALIZED (
        SELECT user_id, id FROM access_grant WHERE revoked_at < $1 ORDER BY revoked_at LIMIT $2
    )
    DELETE FROM access_grant g USING old WHERE g.user_id = old.user_id AND g.id = old.id
    RETURNING g.refresh_token_hash",
];

#[async_trait]
impl GrantRepository for PgUnitOfWork {
    async fn insert(&mut self, grant: &Grant) -> Result<(), StorageError> {
        let (token, user_id) = (grant.refresh_token_hash.as_bytes().as_slice(), grant.user_id.as_uuid());
        // The key of this table makes refresh tokens unique; a unique index over all partitions is
        // impossible.
        let query = diesel::insert_into(refresh_token::table)
            .values((refresh_token::token_hash.eq(token), refresh_token::user_id.eq(user_id)))
            .on_conflict_do_nothing();
        let held = self.connection()?.execute(query).await?;
        stored(held, UniqueKey::Grant)?;
        let insert = GrantRow::from(grant).bound_to(sql_query(INSERT));
        let inserted = self.connection()?.execute(returning::<(), _>(insert)).await?;
        if inserted == 0 {
            // The unit of work continues, so the token must be released.
            let free = refresh_token::table.filter(refresh_token::token_hash.eq(token));
            self.connection()?.execute(diesel::delete(free)).await?;
        }
        stored(inserted, UniqueKey::Grant)
    }

    async fn record_use(
        &mut self,
        user_id: UserId,
        id: GrantId,
        at: DateTime<Utc>,
        from: &UsedFrom,
    ) -> Result<(), StorageError> {
        let older = grant::table
            .filter(grant::user_id.eq(user_id.as_uuid()))
            .filter(grant::id.eq(id.as_uuid()))
            .filter(grant::last_used_at.is_null().or(grant::last_used_at.lt(at)));
        let (address, agent) = used_from_parts(from);
        let updating = diesel::update(older).set((
            grant::last_used_at.eq(at),
            grant::last_used_address.eq(address),
            grant::last_used_agent.eq(agent),
        ));
        self.connection()?.execute(updating).await.map(drop)
    }

    async fn rotate(&mut self, rotation: &Rotation) -> Result<RotationOutcome, StorageError> {
        let Rotation { user_id, grant_id, presented, next, sealed_next, at } = rotation;
        let query = sql_query(ROTATE)
            .bind::<SqlUuid, _>(user_id.as_uuid())
            .bind::<SqlUuid, _>(grant_id.as_uuid())
            .bind::<Binary, _>(presented.as_bytes().to_vec())
            .bind::<Binary, _>(next.as_bytes().to_vec())
            .bind::<Binary, _>(sealed_next.as_bytes().to_vec())
            .bind::<Timestamptz, _>(*at)
            .bind::<Timestamptz, _>(rotation.window_start())
            .bind::<Text, _>(RevocationReason::TokenReused.as_str());
        let query = returning::<(Bool, Bool, Nullable<Binary>), _>(query);
        let outcome = rotation_outcome(self.connection()?.load_row(query).await?);
        let outcome = outcome.ok_or(()).map_err(corrupt("access_grant", "sealed_token", grant_id))?;
        if outcome == RotationOutcome::Reused {
            let key = (user_id.as_uuid(), grant_id.as_uuid());
            let revoked = grant::table.find(key).select((grant::user_id, grant::client_id));
            let revoked = self.connection()?.load_rows(revoked).await?;
            self.announce_revocations(revoked, *at).await?;
        }
        Ok(outcome)
    }

    async fn revoke(
        &mut self,
        filter: GrantFilter,
        at: DateTime<Utc>,
        reason: RevocationReason,
    ) -> Result<u64, StorageError> {
        let GrantFilter { user_id, client_id, id, created_before } = filter;
        let mut update = diesel::update(grant::table.filter(grant::revoked_at.is_null()))
            .set((grant::revoked_at.eq(at), grant::revocation_reason.eq(reason.as_str())))
            .into_boxed();
        if let Some(user_id) = user_id {
            update = update.filter(grant::user_id.eq(user_id.as_uuid()));
        }
        if let Some(client_id) = client_id {
            update = update.filter(grant::client_id.eq(client_id.as_uuid()));
        }
        if let Some(id) = id {
            update = update.filter(grant::id.eq(id.as_uuid()));
        }
        if let Some(before) = created_before {
            update = update.filter(grant::created_at.lt(before));
        }
        let update = update.returning((grant::user_id, grant::client_id));
        let revoked = self.connection()?.load_rows(update).await?;
        self.announce_revocations(revoked, at).await
    }

    async fn revoke_created_before(
        &mut self,
        people: RangeInclusive<UserId>,
        before: DateTime<Utc>,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let (first, last) = (people.start().as_uuid(), people.end().as_uuid());
        let older = grant::table
            .filter(grant::user_id.between(first, last))
            .filter(grant::created_at.lt(before))
            .filter(grant::revoked_at.is_null());
        let reason = RevocationReason::Operator.as_str();
        let query =
            diesel::update(older).set((grant::revoked_at.eq(at), grant::revocation_reason.eq(reason)));
        let query = query.returning((grant::user_id, grant::client_id));
        let revoked = self.connection()?.load_rows(query).await?;
        self.announce_revocations(revoked, at).await
    }

    async fn delete_revoked(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        let connection = self.connection()?;
        let query = sql_query(connection.form(DELETE_REVOKED))
            .bind::<Timestamptz, _>(before)
            .bind::<BigInt, _>(i64::from(limit));
        let gone: Vec<Vec<u8>> = connection.load_rows(returning::<Binary, _>(query)).await?;
        let deleted = count(gone.len());
        let forgotten = refresh_token::table.filter(refresh_token::token_hash.eq_any(gone));
        self.connection()?.execute(diesel::delete(forgotten)).await?;
        Ok(deleted)
    }

    async fn revoke_excess(
        &mut self,
        client_id: ClientId,
        user_id: UserId,
        keep: usize,
        at: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        // Two concurrent redemptions would not see each other's new grant and could both pass the limit.
        if !self.holds(user_id) {
            lock_account(self.connection()?, user_id).await?;
        }
        let query = sql_query(REVOKE_EXCESS)
            .bind::<SqlUuid, _>(user_id.as_uuid())
            .bind::<SqlUuid, _>(client_id.as_uuid())
            .bind::<BigInt, _>(i64::try_from(keep).unwrap_or(i64::MAX))
            .bind::<Timestamptz, _>(at)
            .bind::<Text, _>(RevocationReason::TooManyGrants.as_str());
        self.connection()?.execute(returning::<(), _>(query)).await
    }
}
