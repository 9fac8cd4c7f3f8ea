//! The grant of a refresh token.

use super::row::GrantRow;
use crate::error::StorageResult as _;
use crate::row::Cells;
use crate::schema::{access_grant, account};
use crate::store::SqliteStore;
use crate::user::user_status;
use application::ports::storage::{GrantReader, GrantWithUser, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use domain::id::UserId;
use domain::secret::SecretHash;

#[async_trait]
impl GrantReader for SqliteStore {
    async fn find_by_refresh_token(
        &self,
        hash: &SecretHash,
        // One file has one index: there is no narrower place to look first.
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
            let user_status = user_status(Cells::of("account", &row.user_id), locked_at)?;
            Ok(Some(GrantWithUser { grant: row.into_grant()?, user_status }))
        })
        .await
    }
}
