//! Clients and their secrets.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{client, client_secret};
use crate::statement::execute;
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{ClientReader, ClientRepository, ClientWithSecrets, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::client::{Client, ClientName, ClientSecret, ClientStatus, RedirectUri};
use domain::id::{ClientId, ClientSecretId};
use store_shared::{client_kind_name, parse_client_kind};

#[derive(Queryable, Insertable, AsChangeset)]
#[diesel(table_name = client, treat_none_as_null = true)]
struct ClientRow {
    id: Vec<u8>,
    name: String,
    kind: String,
    redirect_uris: String,
    scopes: String,
    allow_query_secrets: bool,
    require_pkce: bool,
    disabled_at: Option<i64>,
    created_at: i64,
}

impl ClientRow {
    fn of(client: &Client) -> Result<Self, StorageError> {
        let Client {
            id,
            name,
            kind,
            redirect_uris,
            scopes,
            allow_query_secrets,
            require_pkce,
            status,
            created_at,
        } = client;
        let uris: Vec<&str> = redirect_uris.iter().map(RedirectUri::as_str).collect();
        Ok(Self {
            id: blob(id.as_uuid()),
            name: name.as_str().to_owned(),
            kind: client_kind_name(*kind).to_owned(),
            redirect_uris: serde_json::to_string(&uris)
                .map_err(|error| StorageError::Internal(Box::new(error)))?,
            scopes: scopes.to_string(),
            allow_query_secrets: *allow_query_secrets,
            require_pkce: *require_pkce,
            disabled_at: match *status {
                ClientStatus::Active => None,
                ClientStatus::Disabled { at } => Some(micros(at)),
            },
            created_at: micros(*created_at),
        })
    }

    fn into_client(self) -> Result<Client, StorageError> {
        let Self {
            id,
            name,
            kind,
            redirect_uris,
            scopes,
            allow_query_secrets,
            require_pkce,
            disabled_at,
            created_at,
        } = self;
        let cells = Cells::of("client", &id);
        let uris: Vec<String> = cells.sound("redirect_uris", serde_json::from_str(&redirect_uris))?;
        Ok(Client {
            id: ClientId::from_uuid(cells.uuid("id", &id)?),
            name: cells.sound("name", ClientName::from_stored(&name))?,
            kind: cells.present("kind", parse_client_kind(&kind))?,
            redirect_uris: cells.sound("redirect_uris", RedirectUri::parse_stored(&uris))?,
            scopes: cells.scopes(&scopes)?,
            allow_query_secrets,
            require_pkce,
            status: match cells.optional_instant("disabled_at", disabled_at)? {
                None => ClientStatus::Active,
                Some(at) => ClientStatus::Disabled { at },
            },
            created_at: cells.instant("created_at", created_at)?,
        })
    }
}

#[derive(Queryable, Insertable)]
#[diesel(table_name = client_secret)]
struct SecretRow {
    client_id: Vec<u8>,
    id: Vec<u8>,
    secret_hash: Vec<u8>,
    created_at: i64,
    expires_at: Option<i64>,
}

impl SecretRow {
    fn of(client_id: ClientId, secret: &ClientSecret) -> Self {
        let ClientSecret { id, hash, created_at, expires_at } = secret;
        Self {
            client_id: blob(client_id.as_uuid()),
            id: blob(id.as_uuid()),
            secret_hash: hash.as_bytes().to_vec(),
            created_at: micros(*created_at),
            expires_at: expires_at.map(micros),
        }
    }

    fn into_secret(self) -> Result<ClientSecret, StorageError> {
        // The caller has the client's id.
        let Self { client_id: _, id, secret_hash, created_at, expires_at } = self;
        let cells = Cells::of("client_secret", &id);
        Ok(ClientSecret {
            id: ClientSecretId::from_uuid(cells.uuid("id", &id)?),
            hash: cells.hash("secret_hash", &secret_hash)?,
            created_at: cells.instant("created_at", created_at)?,
            expires_at: cells.optional_instant("expires_at", expires_at)?,
        })
    }
}

fn find(connection: &mut SqliteConnection, id: ClientId) -> Result<Option<Client>, StorageError> {
    let row: Option<ClientRow> =
        client::table.find(blob(id.as_uuid())).first(connection).optional().storage()?;
    row.map(ClientRow::into_client).transpose()
}

fn list_secrets(connection: &mut SqliteConnection, id: ClientId) -> Result<Vec<ClientSecret>, StorageError> {
    let rows: Vec<SecretRow> = client_secret::table
        .filter(client_secret::client_id.eq(blob(id.as_uuid())))
        .order((client_secret::created_at, client_secret::id))
        .load(connection)
        .storage()?;
    rows.into_iter().map(SecretRow::into_secret).collect()
}

fn insert_secret(connection: &mut SqliteConnection, row: SecretRow) -> QueryResult<usize> {
    diesel::insert_into(client_secret::table).values(row).execute(connection)
}

#[async_trait]
impl ClientReader for SqliteStore {
    async fn find_with_secrets(&self, id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError> {
        self.read(move |connection| {
            let Some(client) = find(connection, id)? else {
                return Ok(None);
            };
            Ok(Some(ClientWithSecrets { client, secrets: list_secrets(connection, id)? }))
        })
        .await
    }

    async fn list_clients(&self, after: Option<ClientId>, limit: u32) -> Result<Vec<Client>, StorageError> {
        // An empty blob sorts first.
        let after = after.map(|id| blob(id.as_uuid())).unwrap_or_default();
        self.read(move |connection| {
            let rows: Vec<ClientRow> = client::table
                .filter(client::id.gt(after))
                .order(client::id)
                .limit(i64::from(limit))
                .load(connection)
                .storage()?;
            rows.into_iter().map(ClientRow::into_client).collect()
        })
        .await
    }
}

#[async_trait]
impl ClientRepository for SqliteUnitOfWork {
    async fn insert(&mut self, client: &Client, secret: &ClientSecret) -> Result<(), StorageError> {
        let secret = SecretRow::of(client.id, secret);
        let row = ClientRow::of(client)?;
        self.run(move |connection| {
            let both = connection.transaction(|connection| {
                diesel::insert_into(client::table).values(row).execute(connection)?;
                insert_secret(connection, secret)
            });
            both.storage().map(drop)
        })
        .await
    }

    async fn find(&mut self, id: ClientId) -> Result<Option<Client>, StorageError> {
        self.run(move |connection| find(connection, id)).await
    }

    async fn update(&mut self, client: &Client) -> Result<bool, StorageError> {
        let row = ClientRow::of(client)?;
        let query = diesel::update(client::table.find(row.id.clone())).set(row);
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn list_secrets(&mut self, id: ClientId) -> Result<Vec<ClientSecret>, StorageError> {
        self.run(move |connection| list_secrets(connection, id)).await
    }

    async fn insert_secret(&mut self, id: ClientId, secret: &ClientSecret) -> Result<(), StorageError> {
        let row = SecretRow::of(id, secret);
        self.run(move |connection| insert_secret(connection, row).storage().map(drop)).await
    }

    async fn expire_secret(
        &mut self,
        id: ClientId,
        secret: ClientSecretId,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let row = client_secret::table.find((blob(id.as_uuid()), blob(secret.as_uuid())));
        let query = diesel::update(row).set(client_secret::expires_at.eq(micros(at)));
        Ok(self.run(execute(query)).await? > 0)
    }
}
