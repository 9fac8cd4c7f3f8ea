//! Clients and their secrets.

use super::stored;
use crate::error::storage_error;
use crate::row::{ClientRow, SecretRow};
use crate::schema::{client, client_secret};
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{ClientRepository, StorageError, UniqueKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::client::{Client, ClientSecret};
use domain::id::{ClientId, ClientSecretId};

#[async_trait]
impl ClientRepository for PgUnitOfWork {
    async fn insert(&mut self, client: &Client, secret: &ClientSecret) -> Result<(), StorageError> {
        let connection = self.connection()?;
        let inserted = diesel::insert_into(client::table)
            .values(ClientRow::from(client))
            .on_conflict_do_nothing()
            .execute(connection)
            .await
            .map_err(storage_error)?;
        stored(inserted, UniqueKey::ClientId)?;
        ClientRepository::insert_secret(self, client.id, secret).await
    }

    async fn find(&mut self, id: ClientId) -> Result<Option<Client>, StorageError> {
        // Whoever finds may update, with all that was found: nobody else may in between. Rows that refer to this
        // one by a foreign key are still inserted meanwhile.
        let row: Option<ClientRow> = client::table
            .filter(client::id.eq(id.as_uuid()))
            .select(ClientRow::as_select())
            .for_no_key_update()
            .first(self.connection()?)
            .await
            .optional()
            .map_err(storage_error)?;
        row.map(ClientRow::into_client).transpose()
    }

    async fn list(&mut self, after: Option<ClientId>, limit: u32) -> Result<Vec<Client>, StorageError> {
        let mut query = client::table
            .order(client::id.asc())
            .limit(i64::from(limit))
            .select(ClientRow::as_select())
            .into_boxed();
        if let Some(after) = after {
            query = query.filter(client::id.gt(after.as_uuid()));
        }
        let rows: Vec<ClientRow> = query.load(self.connection()?).await.map_err(storage_error)?;
        rows.into_iter().map(ClientRow::into_client).collect()
    }

    async fn update(&mut self, client: &Client) -> Result<bool, StorageError> {
        let updated = diesel::update(client::table.filter(client::id.eq(client.id.as_uuid())))
            .set(ClientRow::from(client))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(updated > 0)
    }

    async fn list_secrets(&mut self, id: ClientId) -> Result<Vec<ClientSecret>, StorageError> {
        let rows: Vec<SecretRow> = client_secret::table
            .filter(client_secret::client_id.eq(id.as_uuid()))
            .order((client_secret::created_at.asc(), client_secret::id.asc()))
            .select(SecretRow::as_select())
            .load(self.connection()?)
            .await
            .map_err(storage_error)?;
        rows.into_iter().map(SecretRow::into_secret).collect()
    }

    async fn insert_secret(&mut self, id: ClientId, secret: &ClientSecret) -> Result<(), StorageError> {
        diesel::insert_into(client_secret::table)
            .values(SecretRow::of(id, secret))
            .execute(self.connection()?)
            .await
            .map(|_| ())
            .map_err(storage_error)
    }

    async fn expire_secret(
        &mut self,
        id: ClientId,
        secret: ClientSecretId,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let key = client_secret::table.find((id.as_uuid(), secret.as_uuid()));
        let updated = diesel::update(key)
            .set(client_secret::expires_at.eq(at))
            .execute(self.connection()?)
            .await
            .map_err(storage_error)?;
        Ok(updated > 0)
    }
}
