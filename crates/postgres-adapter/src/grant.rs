//! Grants.

use crate::statement::{count, returning, stored};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Binary, Timestamptz};
use domain::grant::Grant;
use store_shared::column::Held as _;
use store_shared::schema::refresh_token;
use store_shared::{StoreGrants, store_grant};

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
impl StoreGrants for PgUnitOfWork {
    async fn insert_grant(&mut self, grant: &Grant) -> Result<(), StorageError> {
        let token = grant.refresh_token_hash.cell();
        // The key of this table makes refresh tokens unique; a unique index over all partitions is
        // impossible.
        let query = diesel::insert_into(refresh_token::table)
            .values((
                refresh_token::token_hash.eq(token.clone()),
                refresh_token::user_id.eq(grant.user_id.cell()),
            ))
            .on_conflict_do_nothing();
        let held = self.connection()?.execute(query).await?;
        stored(held, UniqueKey::Grant)?;
        if !store_grant(self, grant).await? {
            // The unit of work continues, so the token must be released.
            let free = refresh_token::table.filter(refresh_token::token_hash.eq(token));
            self.connection()?.execute(diesel::delete(free)).await?;
            return Err(StorageError::Conflict(UniqueKey::Grant));
        }
        Ok(())
    }

    async fn delete_revoked_grants(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
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
}
