//! The grant of a refresh token.

use super::row::GrantRow;
use crate::schema::{access_grant, account};
use crate::store::PostgresStore;
use crate::user::user_status;
use application::ports::storage::{GrantReader, GrantWithUser, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::secret::SecretHash;
use futures_util::FutureExt;

/// A grant, and since when its person's account is locked.
type Row = (GrantRow, Option<DateTime<Utc>>);

#[async_trait]
impl GrantReader for PostgresStore {
    async fn find_by_refresh_token(
        &self,
        hash: &SecretHash,
        user_id: Option<UserId>,
    ) -> Result<Option<GrantWithUser>, StorageError> {
        let own = match user_id {
            Some(user_id) => self.grant_of(hash, user_id).await?,
            None => None,
        };
        // Only a wrong user_id, or none, asks every partition.
        let row = match own {
            Some(row) => Some(row),
            None => self.grant_of_anybody(hash).await?,
        };
        let Some((grant, locked_at)) = row else { return Ok(None) };
        Ok(Some(GrantWithUser { grant: grant.into_grant()?, user_status: user_status(locked_at) }))
    }
}

impl PostgresStore {
    /// Looks in one partition.
    async fn grant_of(&self, hash: &SecretHash, user_id: UserId) -> Result<Option<Row>, StorageError> {
        let (hash, user) = (*hash, user_id.as_uuid());
        self.shared(move |mut connection| {
            let query = access_grant::table
                .inner_join(account::table)
                .filter(access_grant::user_id.eq(user))
                .filter(access_grant::refresh_token_hash.eq(hash.as_bytes().to_vec()))
                .select((GrantRow::as_select(), account::locked_at));
            async move { query.first(&mut connection).await.optional() }.boxed()
        })
        .await
    }

    /// Looks in every partition, one index look-up each.
    async fn grant_of_anybody(&self, hash: &SecretHash) -> Result<Option<Row>, StorageError> {
        let hash = *hash;
        self.shared(move |mut connection| {
            let query = access_grant::table
                .inner_join(account::table)
                .filter(access_grant::refresh_token_hash.eq(hash.as_bytes().to_vec()))
                .select((GrantRow::as_select(), account::locked_at));
            async move { query.first(&mut connection).await.optional() }.boxed()
        })
        .await
    }
}
