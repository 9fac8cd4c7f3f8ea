//! Grants by refresh token.

use super::row::GrantRow;
use crate::schema::{access_grant, account, refresh_token};
use crate::store::PostgresStore;
use crate::user::user_status;
use application::ports::storage::{GrantFilter, GrantReader, GrantWithUser, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::grant::Grant;
use domain::id::{ClientId, GrantId, UserId};
use domain::secret::SecretHash;
use uuid::Uuid;

/// Grant, and the time at which its user's account was locked.
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
        let row = match own {
            Some(row) => Some(row),
            None => self.grant_of_anybody(hash).await?,
        };
        let Some((grant, locked_at)) = row else { return Ok(None) };
        Ok(Some(GrantWithUser { grant: grant.into_grant()?, user_status: user_status(locked_at) }))
    }

    async fn list_grants(
        &self,
        filter: GrantFilter,
        after: Option<GrantId>,
        limit: u32,
    ) -> Result<Vec<Grant>, StorageError> {
        let query = move || {
            let GrantFilter { user_id, client_id, id, created_before } = filter;
            let mut query = access_grant::table
                .order(access_grant::id.asc())
                .limit(i64::from(limit))
                .select(GrantRow::as_select())
                .into_boxed();
            if let Some(user_id) = user_id {
                query = query.filter(access_grant::user_id.eq(user_id.as_uuid()));
            }
            if let Some(client_id) = client_id {
                query = query.filter(access_grant::client_id.eq(client_id.as_uuid()));
            }
            if let Some(id) = id {
                query = query.filter(access_grant::id.eq(id.as_uuid()));
            }
            if let Some(before) = created_before {
                query = query.filter(access_grant::created_at.lt(before));
            }
            if let Some(after) = after {
                query = query.filter(access_grant::id.gt(after.as_uuid()));
            }
            query
        };
        self.read_rows(query).await?.into_iter().map(GrantRow::into_grant).collect()
    }

    async fn count_live_grants(&self, client_id: ClientId, limit: u32) -> Result<u32, StorageError> {
        let query = move || {
            access_grant::table
                .filter(access_grant::client_id.eq(client_id.as_uuid()))
                .filter(access_grant::revoked_at.is_null())
                .limit(i64::from(limit))
                .select(access_grant::id)
        };
        let ids: Vec<Uuid> = self.read_rows(query).await?;
        Ok(u32::try_from(ids.len()).unwrap_or(u32::MAX))
    }
}

impl PostgresStore {
    /// Searches one partition.
    async fn grant_of(&self, hash: &SecretHash, user_id: UserId) -> Result<Option<Row>, StorageError> {
        let (hash, user) = (*hash, user_id.as_uuid());
        self.read_row(move || {
            access_grant::table
                .inner_join(account::table)
                .filter(access_grant::user_id.eq(user))
                .filter(access_grant::refresh_token_hash.eq(hash.as_bytes().to_vec()))
                .select((GrantRow::as_select(), account::locked_at))
        })
        .await
    }

    /// Finds the person first: the partition, or shard, of the grant is theirs.
    async fn grant_of_anybody(&self, hash: &SecretHash) -> Result<Option<Row>, StorageError> {
        let token = *hash;
        let query =
            move || refresh_token::table.find(token.as_bytes().to_vec()).select(refresh_token::user_id);
        match self.read_row::<Uuid, _>(query).await? {
            Some(user_id) => self.grant_of(hash, UserId::from_uuid(user_id)).await,
            None => Ok(None),
        }
    }
}
