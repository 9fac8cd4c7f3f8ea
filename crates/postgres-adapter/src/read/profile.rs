//! Profiles.

use crate::row::AccountRow;
use crate::schema::account;
use crate::store::PostgresStore;
use application::ports::storage::{ProfileReader, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::UserId;
use domain::user::User;
use futures_util::FutureExt;

#[async_trait]
impl ProfileReader for PostgresStore {
    async fn find_profile(&self, user_id: UserId) -> Result<Option<User>, StorageError> {
        let row: Option<AccountRow> = self
            .shared(move |mut link| {
                let query = account::table.find(user_id.as_uuid()).select(AccountRow::as_select());
                async move { query.first(&mut link).await.optional() }.boxed()
            })
            .await?;
        row.map(AccountRow::into_user).transpose()
    }
}
