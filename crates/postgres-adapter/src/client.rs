//! Clients and their secrets.

use crate::connection::Pooled;
use crate::error::{corrupt, unexpected};
use crate::row::{scope_set, secret_hash};
use crate::schema::{
    access_grant, authorization_code, client, client_secret, draft_user, refresh_token, webhook_endpoint,
};
use crate::statement::{returning, stored};
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{
    ClientReader, ClientRepository, ClientWithSecrets, StorageError, UniqueKey,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{self, Timestamptz};
use diesel_async::RunQueryDsl;
use domain::client::{
    Client, ClientName, ClientPages, ClientSecret, ClientStatus, Contact, RedirectUri, WebPage,
};
use domain::id::{ClientId, ClientSecretId, UserId};
use futures_util::FutureExt;
use store_shared::column::{Held, IdCell};
use store_shared::schema::{authorization_request, consent};
use store_shared::{
    client_kind_parts, parse_client_kind, parse_review, read_document, review_parts, write_document,
};
use uuid::Uuid;

const TABLE: &str = "client";

/// Active clients whose document expired before `$1`, after the id `$2`; locked, so that none of them comes
/// into use.
const EXPIRED: &str = "SELECT id FROM client
    WHERE document IS NOT NULL AND disabled_at IS NULL AND id > $2
        AND to_timestamp((document::json->>'fresh_until')::bigint / 1e6) < $1
    ORDER BY id LIMIT 100 FOR UPDATE";

/// A row of `client`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = client, check_for_backend(Pg), treat_none_as_null = true)]
#[expect(clippy::struct_excessive_bools, reason = "one for each column")]
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
    is_public: bool,
    home_page: Option<String>,
    privacy_policy: Option<String>,
    owner_id: Option<Uuid>,
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
        Ok(Self {
            id: id.as_uuid(),
            name: name.as_str().to_owned(),
            kind: kind.to_owned(),
            redirect_uris: redirect_uris.iter().map(|uri| uri.as_str().to_owned()).collect(),
            scopes: scopes.to_string(),
            allow_query_secrets: *allow_query_secrets,
            require_pkce: *require_pkce,
            disabled_at: match status {
                ClientStatus::Active => None,
                ClientStatus::Disabled { at } => Some(*at),
            },
            created_at: *created_at,
            is_public,
            home_page: pages.home.as_ref().map(|page| page.as_str().to_owned()),
            privacy_policy: pages.privacy_policy.as_ref().map(|page| page.as_str().to_owned()),
            owner_id: owner.map(|owner| owner.as_uuid()),
            is_draft,
            contact: contact.as_ref().map(|contact| contact.as_str().to_owned()),
            document: write_document(document.as_ref())?,
        })
    }
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
            is_public,
            home_page,
            privacy_policy,
            owner_id,
            is_draft,
            contact,
            document,
        } = self;
        let page = |text: Option<String>, column| {
            text.map(|text| WebPage::parse(&text)).transpose().map_err(corrupt(TABLE, column, id))
        };
        Ok(Client {
            id: ClientId::from_uuid(id),
            name: client_name(&name, id)?,
            kind: parse_client_kind(&kind, is_public).ok_or(()).map_err(corrupt(TABLE, "kind", id))?,
            redirect_uris: RedirectUri::parse_stored(&redirect_uris).map_err(corrupt(
                TABLE,
                "redirect_uris",
                id,
            ))?,
            pages: ClientPages {
                home: page(home_page, "home_page")?,
                privacy_policy: page(privacy_policy, "privacy_policy")?,
            },
            contact: contact
                .map(|text| Contact::parse(&text))
                .transpose()
                .map_err(corrupt(TABLE, "contact", id))?,
            review: parse_review(owner_id.map(UserId::from_uuid), is_draft)
                .ok_or(())
                .map_err(corrupt(TABLE, "is_draft", id))?,
            scopes: scope_set(&scopes, TABLE, id)?,
            allow_query_secrets,
            require_pkce,
            status: disabled_at.map_or(ClientStatus::Active, |at| ClientStatus::Disabled { at }),
            document: read_document(document.as_deref()).ok_or(()).map_err(corrupt(TABLE, "document", id))?,
            created_at,
        })
    }
}

pub(crate) fn client_name(text: &str, row: Uuid) -> Result<ClientName, StorageError> {
    ClientName::from_stored(text).map_err(corrupt(TABLE, "name", row))
}

/// Deletes a client with everything that `ON DELETE CASCADE` ties to it, and the hashes of its refresh
/// tokens, which have no foreign key.
pub(crate) async fn delete_client(connection: &mut Pooled, id: Uuid) -> Result<bool, StorageError> {
    // Otherwise Citus rejects changes of a reference table after a query over all shards. Other servers
    // ignore the parameter.
    connection.execute(sql_query("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")).await?;
    // No grant is added meanwhile.
    connection.execute(client::table.find(id).select(client::id).for_update()).await?;
    let hashes =
        access_grant::table.filter(access_grant::client_id.eq(id)).select(access_grant::refresh_token_hash);
    let hashes: Vec<Vec<u8>> = connection.load_rows(hashes).await?;
    let tokens = refresh_token::table.filter(refresh_token::token_hash.eq_any(hashes));
    connection.execute(diesel::delete(tokens)).await?;
    Ok(connection.execute(diesel::delete(client::table.find(id))).await? > 0)
}

/// Deletes clients as [`ClientRepository::delete_unused`] describes, page by page; those in use remain.
async fn delete_unused_clients(
    connection: &mut Pooled,
    expired_before: DateTime<Utc>,
    limit: u32,
) -> Result<u64, StorageError> {
    // As in `delete_client`, before the first query over all shards.
    connection.execute(sql_query("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")).await?;
    let (mut deleted, mut after) = (0, Uuid::nil());
    while deleted < u64::from(limit) {
        let expired =
            sql_query(EXPIRED).bind::<Timestamptz, _>(expired_before).bind::<sql_types::Uuid, _>(after);
        let ids: Vec<Uuid> = connection.load_rows(returning::<sql_types::Uuid, _>(expired)).await?;
        let Some(last) = ids.last() else { break };
        after = *last;
        let used = used_clients(connection, &ids).await?;
        for id in ids.into_iter().filter(|id| !used.contains(id)) {
            if deleted == u64::from(limit) {
                break;
            }
            deleted += u64::from(delete_client(connection, id).await?);
        }
    }
    Ok(deleted)
}

/// Returns those of these clients that something refers to. Without a join: on Citus, clients and grants are
/// stored in different places.
async fn used_clients(connection: &mut Pooled, ids: &[Uuid]) -> Result<Vec<Uuid>, StorageError> {
    let mut used = Vec::new();
    macro_rules! add {
        ($($table:ident in $ids:expr;)+) => {$({
            let of = $table::table.filter($table::client_id.eq_any($ids)).select($table::client_id).distinct();
            used.extend(connection.load_rows::<Uuid, _>(of).await?);
        })+};
    }
    let cells: Vec<IdCell> = ids.iter().map(Held::cell).collect();
    add!(access_grant in ids; authorization_code in ids; authorization_request in cells.clone(); consent in cells; webhook_endpoint in ids;);
    Ok(used)
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
    pub(crate) fn from_secret(client_id: ClientId, secret: &ClientSecret) -> Self {
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

    async fn list_own_clients(&self, owner: UserId) -> Result<Vec<Client>, StorageError> {
        let query = move || {
            client::table
                .filter(client::owner_id.eq(owner.as_uuid()))
                .order((client::created_at.asc(), client::id.asc()))
                .select(ClientRow::as_select())
        };
        self.read_rows(query).await?.into_iter().map(ClientRow::into_client).collect()
    }

    async fn count_draft_users(&self, id: ClientId) -> Result<u32, StorageError> {
        let query = move || {
            draft_user::table.filter(draft_user::client_id.eq(id.as_uuid())).select(draft_user::user_id)
        };
        let users: Vec<Uuid> = self.read_rows(query).await?;
        Ok(u32::try_from(users.len()).unwrap_or(u32::MAX))
    }
}

#[async_trait]
impl ClientRepository for PgUnitOfWork {
    async fn insert(&mut self, client: &Client) -> Result<(), StorageError> {
        let connection = self.connection()?;
        let query = diesel::insert_into(client::table)
            .values(ClientRow::from_client(client)?)
            .on_conflict_do_nothing();
        let inserted = connection.execute(query).await?;
        stored(inserted, UniqueKey::ClientId)
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
            .set(ClientRow::from_client(client)?);
        Ok(self.connection()?.execute(query).await? > 0)
    }

    async fn delete(&mut self, id: ClientId) -> Result<bool, StorageError> {
        delete_client(self.connection()?, id.as_uuid()).await
    }

    async fn list_own_names(&mut self, owner: UserId) -> Result<Vec<String>, StorageError> {
        let query = client::table.filter(client::owner_id.eq(owner.as_uuid())).select(client::name);
        self.connection()?.load_rows(query).await
    }

    async fn delete_unused(
        &mut self,
        expired_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        delete_unused_clients(self.connection()?, expired_before, limit).await
    }

    async fn list_secrets(&mut self, id: ClientId) -> Result<Vec<ClientSecret>, StorageError> {
        let query = client_secret::table
            .filter(client_secret::client_id.eq(id.as_uuid()))
            .order((client_secret::created_at.asc(), client_secret::id.asc()))
            .select(SecretRow::as_select());
        self.connection()?.load_rows(query).await?.into_iter().map(SecretRow::into_secret).collect()
    }

    async fn insert_secret(&mut self, id: ClientId, secret: &ClientSecret) -> Result<(), StorageError> {
        let query = diesel::insert_into(client_secret::table).values(SecretRow::from_secret(id, secret));
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
