//! Clients and their secrets.

use crate::error::{corrupt, unexpected};
use crate::row::{scope_set, secret_hash};
use crate::schema::{client, client_secret};
use crate::statement::stored;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{
    ClientReader, ClientRepository, ClientWithSecrets, StorageError, UniqueKey,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::client::{Client, ClientName, ClientSecret, ClientStatus, RedirectUri};
use domain::id::{ClientId, ClientSecretId};
use futures_util::FutureExt;
use store_shared::{client_kind_name, parse_client_kind};
use uuid::Uuid;

const TABLE: &str = "client";

/// A row of `client`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = client, check_for_backend(Pg), treat_none_as_null = true)]
pub(crate) struct ClientRow {
    id: Uuid,
    name: String,
    kind: String,
    redirect_uris: Vec<String>,
    scopes: String,
    allow_query_secrets: bool,
    require_pkce: bool,
    disabled_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

impl From<&Client> for ClientRow {
    fn from(client: &Client) -> Self {
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
        Self {
            id: id.as_uuid(),
            name: name.as_str().to_owned(),
            kind: client_kind_name(*kind).to_owned(),
            redirect_uris: redirect_uris.iter().map(|uri| uri.as_str().to_owned()).collect(),
            scopes: scopes.to_string(),
            allow_query_secrets: *allow_query_secrets,
            require_pkce: *require_pkce,
            disabled_at: match status {
                ClientStatus::Active => None,
                ClientStatus::Disabled { at } => Some(*at),
            },
            created_at: *created_at,
        }
    }
}

impl ClientRow {
    pub(crate) fn into_client(self) -> Result<Client, StorageError> {
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
        Ok(Client {
            id: ClientId::from_uuid(id),
            name: client_name(&name, id)?,
            kind: parse_client_kind(&kind).ok_or(()).map_err(corrupt(TABLE, "kind", id))?,
            redirect_uris: RedirectUri::parse_stored(&redirect_uris).map_err(corrupt(
                TABLE,
                "redirect_uris",
                id,
            ))?,
            scopes: scope_set(&scopes, TABLE, id)?,
            allow_query_secrets,
            require_pkce,
            status: disabled_at.map_or(ClientStatus::Active, |at| ClientStatus::Disabled { at }),
            created_at,
        })
    }
}

pub(crate) fn client_name(text: &str, row: Uuid) -> Result<ClientName, StorageError> {
    ClientName::from_stored(text).map_err(corrupt(TABLE, "name", row))
}

/// A row of `client_secret`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = client_secret, check_for_backend(Pg))]
pub(crate) struct SecretRow {
    client_id: Uuid,
    id: Uuid,
    secret_hash: Vec<u8>,
    created_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
}

impl SecretRow {
    pub(crate) fn of(client_id: ClientId, secret: &ClientSecret) -> Self {
        let ClientSecret { id, hash, created_at, expires_at } = secret;
        Self {
            client_id: client_id.as_uuid(),
            id: id.as_uuid(),
            secret_hash: hash.as_bytes().to_vec(),
            created_at: *created_at,
            expires_at: *expires_at,
        }
    }

    pub(crate) fn into_secret(self) -> Result<ClientSecret, StorageError> {
        let Self { client_id: _, id, secret_hash: hash, created_at, expires_at } = self;
        Ok(ClientSecret {
            id: ClientSecretId::from_uuid(id),
            hash: secret_hash(&hash, "client_secret", "secret_hash", id)?,
            created_at,
            expires_at,
        })
    }
}

#[async_trait]
impl ClientReader for PostgresStore {
    async fn find_with_secrets(&self, id: ClientId) -> Result<Option<ClientWithSecrets>, StorageError> {
        let id = id.as_uuid();
        // A client has about two secrets, so one join that repeats its columns is cheaper than two queries.
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

    async fn list_clients(&self, after: Option<ClientId>, limit: u32) -> Result<Vec<Client>, StorageError> {
        let query = move || {
            let mut query = client::table
                .order(client::id.asc())
                .limit(i64::from(limit))
                .select(ClientRow::as_select())
                .into_boxed();
            if let Some(after) = after {
                query = query.filter(client::id.gt(after.as_uuid()));
            }
            query
        };
        self.read_rows(query).await?.into_iter().map(ClientRow::into_client).collect()
    }
}

#[async_trait]
impl ClientRepository for PgUnitOfWork {
    async fn insert(&mut self, client: &Client, secret: &ClientSecret) -> Result<(), StorageError> {
        let connection = self.connection()?;
        let query =
            diesel::insert_into(client::table).values(ClientRow::from(client)).on_conflict_do_nothing();
        let inserted = connection.execute(query).await?;
        stored(inserted, UniqueKey::ClientId)?;
        ClientRepository::insert_secret(self, client.id, secret).await
    }

    async fn find(&mut self, id: ClientId) -> Result<Option<Client>, StorageError> {
        // The caller may update what it finds, so the row is locked. Inserts that reference it by foreign key
        // still run.
        let query = client::table
            .filter(client::id.eq(id.as_uuid()))
            .select(ClientRow::as_select())
            .for_no_key_update();
        self.connection()?.load_row(query).await?.map(ClientRow::into_client).transpose()
    }

    async fn update(&mut self, client: &Client) -> Result<bool, StorageError> {
        let query = diesel::update(client::table.filter(client::id.eq(client.id.as_uuid())))
            .set(ClientRow::from(client));
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn list_secrets(&mut self, id: ClientId) -> Result<Vec<ClientSecret>, StorageError> {
        let query = client_secret::table
            .filter(client_secret::client_id.eq(id.as_uuid()))
            .order((client_secret::created_at.asc(), client_secret::id.asc()))
            .select(SecretRow::as_select());
        self.connection()?.load_rows(query).await?.into_iter().map(SecretRow::into_secret).collect()
    }

    async fn insert_secret(&mut self, id: ClientId, secret: &ClientSecret) -> Result<(), StorageError> {
        let query = diesel::insert_into(client_secret::table).values(SecretRow::of(id, secret));
        self.connection()?.execute(query).await.map(drop)
    }

    async fn expire_secret(
        &mut self,
        id: ClientId,
        secret: ClientSecretId,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let key = client_secret::table.find((id.as_uuid(), secret.as_uuid()));
        let query = diesel::update(key).set(client_secret::expires_at.eq(at));
        Ok(self.connection()?.execute(query).await? > 0)
    }
}
