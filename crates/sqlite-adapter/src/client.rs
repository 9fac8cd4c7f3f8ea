//! Clients and their secrets.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, micros};
use crate::schema::{client, client_secret, draft_user};
use crate::statement::execute;
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{ClientReader, ClientRepository, ClientWithSecrets, StorageError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::client::{
    Client, ClientName, ClientPages, ClientSecret, ClientStatus, Contact, RedirectUri, WebPage,
};
use domain::id::{ClientId, ClientSecretId, UserId};
use store_shared::Raw;
use store_shared::{
    client_kind_parts, parse_client_kind, parse_review, read_document, review_parts, write_document,
};

const DELETE_UNUSED: &str = "DELETE FROM client WHERE id IN (
    SELECT id FROM client
    WHERE document IS NOT NULL AND disabled_at IS NULL AND json_extract(document, '$.fresh_until') < ?
        AND NOT EXISTS (SELECT 1 FROM access_grant WHERE client_id = client.id)
        AND NOT EXISTS (SELECT 1 FROM authorization_code WHERE client_id = client.id)
        AND NOT EXISTS (SELECT 1 FROM authorization_request WHERE client_id = client.id)
        AND NOT EXISTS (SELECT 1 FROM consent WHERE client_id = client.id)
        AND NOT EXISTS (SELECT 1 FROM webhook_endpoint WHERE client_id = client.id)
    LIMIT ?)";

#[derive(Queryable, Insertable, AsChangeset)]
#[diesel(table_name = client, treat_none_as_null = true)]
#[expect(clippy::struct_excessive_bools, reason = "one for each column")]
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
    is_public: bool,
    home_page: Option<String>,
    privacy_policy: Option<String>,
    owner_id: Option<Vec<u8>>,
    is_draft: bool,
    contact: Option<String>,
    document: Option<String>,
}

impl ClientRow {
    fn from_client(client: &Client) -> Result<Self, StorageError> {
        let Client {
            id,
            name,
            kind,
            redirect_uris,
            pages,
            contact,
            review,
            scopes,
            allow_query_secrets,
            require_pkce,
            status,
            document,
            created_at,
        } = client;
        let (kind, is_public) = client_kind_parts(*kind);
        let (owner, is_draft) = review_parts(*review);
        let uris: Vec<&str> = redirect_uris.iter().map(RedirectUri::as_str).collect();
        Ok(Self {
            id: blob(id.as_uuid()),
            name: name.as_str().to_owned(),
            kind: kind.to_owned(),
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
            is_public,
            home_page: pages.home.as_ref().map(|page| page.as_str().to_owned()),
            privacy_policy: pages.privacy_policy.as_ref().map(|page| page.as_str().to_owned()),
            owner_id: owner.map(|owner| blob(owner.as_uuid())),
            is_draft,
            contact: contact.as_ref().map(|contact| contact.as_str().to_owned()),
            document: write_document(document.as_ref())?,
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
            is_public,
            home_page,
            privacy_policy,
            owner_id,
            is_draft,
            contact,
            document,
        } = self;
        let cells = Cells::new("client", &id);
        let page = |text: Option<String>, column| {
            cells.valid(column, text.map(|text| WebPage::parse(&text)).transpose())
        };
        let owner = owner_id.map(|owner| cells.uuid("owner_id", &owner)).transpose()?;
        let uris: Vec<String> = cells.valid("redirect_uris", serde_json::from_str(&redirect_uris))?;
        Ok(Client {
            id: ClientId::from_uuid(cells.uuid("id", &id)?),
            name: cells.valid("name", ClientName::from_stored(&name))?,
            kind: cells.present("kind", parse_client_kind(&kind, is_public))?,
            redirect_uris: cells.valid("redirect_uris", RedirectUri::parse_stored(&uris))?,
            pages: ClientPages {
                home: page(home_page, "home_page")?,
                privacy_policy: page(privacy_policy, "privacy_policy")?,
            },
            contact: cells.valid("contact", contact.map(|text| Contact::parse(&text)).transpose())?,
            review: cells.present("is_draft", parse_review(owner.map(UserId::from_uuid), is_draft))?,
            scopes: cells.scopes(&scopes)?,
            allow_query_secrets,
            require_pkce,
            status: match cells.optional_instant("disabled_at", disabled_at)? {
                None => ClientStatus::Active,
                Some(at) => ClientStatus::Disabled { at },
            },
            document: cells.present("document", read_document(document.as_deref()))?,
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
    fn from_secret(client_id: ClientId, secret: &ClientSecret) -> Self {
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
        let cells = Cells::new("client_secret", &id);
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

    async fn list_own_clients(&self, owner: UserId) -> Result<Vec<Client>, StorageError> {
        self.read(move |connection| {
            let rows: Vec<ClientRow> = client::table
                .filter(client::owner_id.eq(blob(owner.as_uuid())))
                .order((client::created_at, client::id))
                .load(connection)
                .storage()?;
            rows.into_iter().map(ClientRow::into_client).collect()
        })
        .await
    }

    async fn count_draft_users(&self, id: ClientId) -> Result<u32, StorageError> {
        self.read(move |connection| {
            let query = draft_user::table.filter(draft_user::client_id.eq(blob(id.as_uuid()))).count();
            let users: i64 = query.get_result(connection).storage()?;
            Ok(u32::try_from(users).unwrap_or(u32::MAX))
        })
        .await
    }
}

#[async_trait]
impl ClientRepository for SqliteUnitOfWork {
    async fn insert(&mut self, client: &Client) -> Result<(), StorageError> {
        let query = diesel::insert_into(client::table).values(ClientRow::from_client(client)?);
        self.run(execute(query)).await.map(drop)
    }

    async fn find(&mut self, id: ClientId) -> Result<Option<Client>, StorageError> {
        self.run(move |connection| find(connection, id)).await
    }

    async fn update(&mut self, client: &Client) -> Result<bool, StorageError> {
        let row = ClientRow::from_client(client)?;
        let query = diesel::update(client::table.find(row.id.clone())).set(row);
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn delete(&mut self, id: ClientId) -> Result<bool, StorageError> {
        let query = diesel::delete(client::table.find(blob(id.as_uuid())));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn list_own_names(&mut self, owner: UserId) -> Result<Vec<String>, StorageError> {
        let query = client::table.filter(client::owner_id.eq(blob(owner.as_uuid()))).select(client::name);
        self.run(move |connection| query.load(connection).storage()).await
    }

    async fn delete_unused(
        &mut self,
        expired_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let statement: Raw<()> = Raw::same(DELETE_UNUSED);
        self.run(execute(statement.bind(micros(expired_before)).bind(i64::from(limit)))).await
    }

    async fn list_secrets(&mut self, id: ClientId) -> Result<Vec<ClientSecret>, StorageError> {
        self.run(move |connection| list_secrets(connection, id)).await
    }

    async fn insert_secret(&mut self, id: ClientId, secret: &ClientSecret) -> Result<(), StorageError> {
        let query = diesel::insert_into(client_secret::table).values(SecretRow::from_secret(id, secret));
        self.run(execute(query)).await.map(drop)
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
