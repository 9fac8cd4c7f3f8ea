//! Authorization codes.

use super::{count, stored};
use crate::error::storage_error;
use crate::row::CodeRow;
use crate::schema::authorization_code as code;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{CodeRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::code::AuthorizationCode;
use domain::id::{GrantId, UserId};
use domain::secret::SecretHash;

/// Skips codes that somebody else holds at the moment: they are deleted next time.
const DELETE_EXPIRED: &str = "DELETE FROM authorization_code WHERE code_hash IN (
    SELECT code_hash FROM authorization_code WHERE expires_at < $1
    ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)";

#[async_trait]
impl CodeRepository for PgUnitOfWork {
    async fn insert(&mut self, code: &AuthorizationCode) -> Result<(), StorageError> {
        let inserted = diesel::insert_into(code::table)
            .values(CodeRow::from(code))
            .on_conflict_do_nothing()
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        stored(inserted, UniqueKey::Code)
    }

    async fn find(&mut self, hash: &SecretHash) -> Result<Option<AuthorizationCode>, StorageError> {
        let row: Option<CodeRow> = code::table
            .filter(code::code_hash.eq(hash.as_bytes().as_slice()))
            .select(CodeRow::as_select())
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(CodeRow::into_code).transpose()
    }

    async fn consume(
        &mut self,
        hash: &SecretHash,
        grant_id: GrantId,
        now: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        // A second redemption waits here for the first one's row lock, then finds the condition false.
        let redeemable = code::table
            .filter(code::code_hash.eq(hash.as_bytes().as_slice()))
            .filter(code::redeemed_at.is_null())
            .filter(code::expires_at.gt(now));
        let redeemed = diesel::update(redeemable)
            .set((code::redeemed_at.eq(now), code::redeemed_grant_id.eq(grant_id.as_uuid())))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(redeemed > 0)
    }

    async fn discard_unredeemed(
        &mut self,
        user_id: Option<UserId>,
        issued_before: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        // Whoever redeems one at this moment is waited for, and keeps it.
        let unredeemed = code::table.filter(code::redeemed_at.is_null());
        let mut discarding =
            diesel::delete(unredeemed.filter(code::issued_at.lt(issued_before))).into_boxed();
        if let Some(user_id) = user_id {
            discarding = discarding.filter(code::user_id.eq(user_id.as_uuid()));
        }
        discarding.execute(self.connection()?).await.map(count).map_err(storage_error)
    }

    async fn delete_expired(&mut self, before: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        sql_query(DELETE_EXPIRED)
            .bind::<Timestamptz, _>(before)
            .bind::<BigInt, _>(i64::from(limit))
            .execute(self.connection()?)
            .await
            .map(count)
            .map_err(storage_error)
    }
}
