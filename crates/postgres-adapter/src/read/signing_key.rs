//! Signing keys.

use crate::row::SigningKeyRow;
use crate::schema::signing_key;
use crate::store::PostgresStore;
use application::ports::storage::{SigningKeyReader, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::signing_key::SigningKey;
use futures_util::FutureExt;

#[async_trait]
impl SigningKeyReader for PostgresStore {
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, StorageError> {
        let rows: Vec<SigningKeyRow> = self
            .shared(|mut connection| {
                let query = signing_key::table
                    .order((signing_key::created_at.asc(), signing_key::id.asc()))
                    .select(SigningKeyRow::as_select());
                async move { query.load(&mut connection).await }.boxed()
            })
            .await?;
        rows.into_iter().map(SigningKeyRow::into_key).collect()
    }
}
