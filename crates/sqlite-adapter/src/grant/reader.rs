//! Grants by refresh token.

use super::row::GrantRow;
use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{access_grant, account};
use crate::store::SqliteStore;
use crate::user::user_status;
use application::ports::storage::{GrantFilter, GrantReader, GrantWithUser, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use domain::grant::Grant;
use domain::id::{ClientId, GrantId, UserId};
use domain::secret::SecretHash;

#[async_trait]
impl GrantReader for SqliteStore {
    async fn find_by_refresh_token(
        &self,
        hash: &SecretHash,
        // Unlike partitioned tables, one file has a single index to search.
        _user_id: Option<UserId>,
    ) -> Result<Option<GrantWithUser>, StorageError> {
        let hash = hash.as_bytes().to_vec();
        self.read(move |connection| {
            let row: Option<(GrantRow, Option<i64>)> = access_grant::table
                .inner_join(account::table.on(account::id.eq(access_grant::user_id)))
                .filter(access_grant::refresh_token_hash.eq(hash))
                .select((GrantRow::as_select(), account::locked_at))
                .first(connection)
                .optional()
                .storage()?;
            let Some((row, locked_at)) = row else {
                return Ok(None);
            };
            let user_status = user_status(Cells::new("account", &row.user_id), locked_at)?;
            Ok(Some(GrantWithUser { grant: row.into_grant()?, user_status }))
        })
        .await
    }

    async fn list_grants(
        &self,
        filter: GrantFilter,
        after: Option<GrantId>,
        limit: u32,
    ) -> Result<Vec<Grant>, StorageError> {
        let GrantFilter { user_id, client_id, id, created_before } = filter;
        self.read(move |connection| {
            let mut query = access_grant::table
                .order(access_grant::id)
                .limit(i64::from(limit))
                .select(GrantRow::as_select())
                .into_boxed::<Sqlite>();
            if let Some(user_id) = user_id {
                query = query.filter(access_grant::user_id.eq(blob(user_id.as_uuid())));
            }
            if let Some(client_id) = client_id {
                query = query.filter(access_grant::client_id.eq(blob(client_id.as_uuid())));
            }
            if let Some(id) = id {
                query = query.filter(access_grant::id.eq(blob(id.as_uuid())));
            }
            if let Some(moment) = created_before {
                query = query.filter(access_grant::created_at.lt(micros(moment)));
            }
            if let Some(after) = after {
                query = query.filter(access_grant::id.gt(blob(after.as_uuid())));
            }
            let rows: Vec<GrantRow> = query.load(connection).storage()?;
            rows.into_iter().map(GrantRow::into_grant).collect()
        })
        .await
    }

    async fn count_live_grants(&self, client_id: ClientId, limit: u32) -> Result<u32, StorageError> {
        self.read(move |connection| {
            let ids: Vec<Vec<u8>> = access_grant::table
                .filter(access_grant::client_id.eq(blob(client_id.as_uuid())))
                .filter(access_grant::revoked_at.is_null())
                .limit(i64::from(limit))
                .select(access_grant::id)
                .load(connection)
                .storage()?;
            Ok(u32::try_from(ids.len()).unwrap_or(u32::MAX))
        })
        .await
    }
}
