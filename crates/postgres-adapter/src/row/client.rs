//! Clients and their secrets.

use super::{scope_set, secret_hash};
use crate::error::corrupt;
use crate::schema::{client, client_secret};
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::client::{Client, ClientKind, ClientName, ClientSecret, ClientStatus, RedirectUri};
use domain::id::{ClientId, ClientSecretId};
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
            kind: kind_name(*kind).to_owned(),
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
    /// Reads the row as a client.
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
            kind: kind_named(&kind).ok_or(()).map_err(corrupt(TABLE, "kind", id))?,
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

/// Reads a client's name.
pub(crate) fn client_name(text: &str, row: Uuid) -> Result<ClientName, StorageError> {
    ClientName::from_stored(text).map_err(corrupt(TABLE, "name", row))
}

const fn kind_name(kind: ClientKind) -> &'static str {
    match kind {
        ClientKind::App => "app",
        ClientKind::Service => "service",
    }
}

fn kind_named(name: &str) -> Option<ClientKind> {
    [ClientKind::App, ClientKind::Service].into_iter().find(|kind| kind_name(*kind) == name)
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
    /// Makes the row of a client's secret.
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

    /// Reads the row as a secret.
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
