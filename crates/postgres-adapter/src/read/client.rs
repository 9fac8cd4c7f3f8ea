//! Clients with their secrets.

use crate::error::unexpected;
use crate::row::{ClientRow, SecretRow};
use crate::schema::{client, client_secret};
use crate::store::PostgresStore;
use application::ports::storage::{ClientReader, ClientWithSecrets, StorageError};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::ClientId;
use futures_util::FutureExt;

#[async_trait]
impl ClientReader for PostgresStore {
    async fn find_with_secrets(&self, id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError> {
        let id = id.as_uuid();
        // A client has two secrets or so, so repeating its own columns beside each is cheaper than asking twice.
        let rows: Vec<(ClientRow, Option<SecretRow>)> = self
            .shared(move |mut connection| {
                let query = client::table
                    .left_join(client_secret::table)
                    .filter(client::id.eq(id))
                    .order((client_secret::created_at.asc(), client_secret::id.asc()))
                    .select((ClientRow::as_select(), Option::<SecretRow>::as_select()));
                async move { query.load(&mut connection).await }.boxed()
            })
            .await?;
        if rows.is_empty() {
            return Ok(None);
        }
        let (clients, secrets): (Vec<ClientRow>, Vec<Option<SecretRow>>) = rows.into_iter().unzip();
        let client = clients.into_iter().next().ok_or_else(|| unexpected("a client without a row"))?;
        let secrets = secrets.into_iter().flatten().map(SecretRow::into_secret).collect::<Result<_, _>>()?;
        Ok(Some(ClientWithSecrets { client: client.into_client()?, secrets }))
    }
}
