//! Clients, their secrets, and the users of clients that the operator has not approved.

use crate::column::{Held, IdCell, TimeCell, UriCell, held};
use crate::metadata_document::{read_document, write_document};
use crate::names::{client_kind_parts, parse_client_kind, parse_review, review_parts};
use crate::row::{Cells, Stored, values};
use crate::schema::{client, client_secret, draft_user};
use crate::statement::{Locked, Raw};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{
    ClientRepository, ClientWithSecrets, DraftUserRepository, StorageError, UniqueKey,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use domain::client::{
    Client, ClientName, ClientPages, ClientSecret, ClientStatus, Contact, RedirectUri, WebPage,
};
use domain::id::{ClientId, ClientSecretId, UserId};
use uuid::Uuid;

/// A row of `client`.
#[derive(Queryable, Insertable, AsChangeset)]
#[diesel(table_name = client, treat_none_as_null = true)]
#[expect(clippy::struct_excessive_bools, reason = "one for each column")]
struct ClientRow {
    id: IdCell,
    name: String,
    kind: String,
    redirect_uris: UriCell,
    scopes: String,
    allow_query_secrets: bool,
    require_pkce: bool,
    disabled_at: Option<TimeCell>,
    created_at: TimeCell,
    is_public: bool,
    home_page: Option<String>,
    privacy_policy: Option<String>,
    owner_id: Option<IdCell>,
    is_draft: bool,
    contact: Option<String>,
    document: Option<String>,
}

held! {
    ClientName as String: |name| name.as_str().to_owned(), |text| Self::from_stored(&text).ok();
    WebPage as String: |page| page.as_str().to_owned(), |text| Self::parse(&text).ok();
    Contact as String: |contact| contact.as_str().to_owned(), |text| Self::parse(&text).ok();
    Vec<RedirectUri> as UriCell: |uris| UriCell(Some(uris.iter().map(|uri| uri.as_str().to_owned()).collect())),
        |cell| RedirectUri::parse_stored(&cell.0?).ok();
    ClientStatus as Option<TimeCell>: |status| match status {
            Self::Active => None,
            Self::Disabled { at } => Some(at.cell()),
        },
        |cell| Held::parse(cell).map(|at: Option<_>| at.map_or(Self::Active, |at| Self::Disabled { at }));
}

impl ClientRow {
    fn from_client(client: &Client) -> Result<Self, StorageError> {
        let Client {
            id,
            name,
            kind,
            redirect_uris,
            pages: ClientPages { home, privacy_policy },
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
            id: id.cell(),
            name: name.cell(),
            kind: kind.to_owned(),
            redirect_uris: redirect_uris.cell(),
            scopes: scopes.cell(),
            allow_query_secrets: *allow_query_secrets,
            require_pkce: *require_pkce,
            disabled_at: status.cell(),
            created_at: created_at.cell(),
            is_public,
            home_page: home.cell(),
            privacy_policy: privacy_policy.cell(),
            owner_id: owner.cell(),
            is_draft,
            contact: contact.cell(),
            document: write_document(document.as_ref())?,
        })
    }
}

impl Stored for ClientRow {
    type Value = Client;

    fn into_value(self) -> Result<Client, StorageError> {
        let cells = Cells("client", &self.id);
        let owner = cells.parse("owner_id", self.owner_id)?;
        Ok(Client {
            id: cells.parse("id", self.id)?,
            name: cells.parse("name", self.name)?,
            kind: cells.present("kind", parse_client_kind(&self.kind, self.is_public))?,
            redirect_uris: cells.parse("redirect_uris", self.redirect_uris)?,
            pages: ClientPages {
                home: cells.parse("home_page", self.home_page)?,
                privacy_policy: cells.parse("privacy_policy", self.privacy_policy)?,
            },
            contact: cells.parse("contact", self.contact)?,
            review: cells.present("is_draft", parse_review(owner, self.is_draft))?,
            scopes: cells.parse("scopes", self.scopes)?,
            allow_query_secrets: self.allow_query_secrets,
            require_pkce: self.require_pkce,
            status: cells.parse("disabled_at", self.disabled_at)?,
            document: cells.present("document", read_document(self.document.as_deref()))?,
            created_at: cells.parse("created_at", self.created_at)?,
        })
    }
}

/// A row of `client_secret`; the caller has the client's id.
#[derive(Queryable, Insertable)]
#[diesel(table_name = client_secret)]
struct SecretRow {
    id: IdCell,
    secret_hash: Vec<u8>,
    created_at: TimeCell,
    expires_at: Option<TimeCell>,
}

const SECRET: (
    client_secret::id,
    client_secret::secret_hash,
    client_secret::created_at,
    client_secret::expires_at,
) = (client_secret::id, client_secret::secret_hash, client_secret::created_at, client_secret::expires_at);

impl Stored for SecretRow {
    type Value = ClientSecret;

    fn into_value(self) -> Result<ClientSecret, StorageError> {
        let cells = Cells("client_secret", &self.id);
        Ok(ClientSecret {
            id: cells.parse("id", self.id)?,
            hash: cells.parse("secret_hash", self.secret_hash)?,
            created_at: cells.parse("created_at", self.created_at)?,
            expires_at: cells.parse("expires_at", self.expires_at)?,
        })
    }
}

/// Finds a client with its secrets. It has about two, so one join that repeats its columns is cheaper than
/// two queries.
pub async fn find_with_secrets(
    store: &impl Store,
    id: ClientId,
) -> Result<Option<ClientWithSecrets>, StorageError> {
    let query = client::table
        .left_join(client_secret::table)
        .filter(client::id.eq(id.cell()))
        .order((client_secret::created_at.asc(), client_secret::id.asc()))
        .select((client::all_columns, SECRET.nullable()));
    let rows: Vec<(ClientRow, Option<SecretRow>)> = store.load_few(query).await?;
    let (clients, secrets): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let Some(client) = clients.into_iter().next() else { return Ok(None) };
    let secrets = values(secrets.into_iter().flatten().collect())?;
    Ok(Some(ClientWithSecrets { client: client.into_value()?, secrets }))
}

/// Lists clients by id.
pub async fn list_clients(
    store: &impl Store,
    after: Option<ClientId>,
    limit: u32,
) -> Result<Vec<Client>, StorageError> {
    let after = after.map_or(Uuid::nil(), |id| id.as_uuid());
    let query = client::table.filter(client::id.gt(after.cell())).order(client::id.asc());
    store.read_all::<ClientRow, _>(query.limit(i64::from(limit))).await
}

/// Lists the clients of a developer, oldest first.
pub async fn list_own_clients(store: &impl Store, owner: UserId) -> Result<Vec<Client>, StorageError> {
    let query = client::table
        .filter(client::owner_id.eq(Some(owner.cell())))
        .order((client::created_at.asc(), client::id.asc()));
    store.read_all::<ClientRow, _>(query).await
}

/// Counts the users of a client that the operator has not approved.
pub async fn count_draft_users(store: &impl Store, id: ClientId) -> Result<u32, StorageError> {
    let query = draft_user::table.filter(draft_user::client_id.eq(id.cell())).count();
    let users: Option<i64> = store.load_row(query).await?;
    Ok(u32::try_from(users.unwrap_or_default()).unwrap_or(u32::MAX))
}

/// Deletions of clients, which each store does in its way.
#[async_trait]
pub trait DeleteClients: Send {
    /// Deletes a client with everything that depends on it; returns whether it existed.
    async fn delete_client(&mut self, id: ClientId) -> Result<bool, StorageError>;

    /// Deletes clients as [`ClientRepository::delete_unused`] describes.
    async fn delete_unused_clients(
        &mut self,
        expired_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}

#[async_trait]
impl<R: Transaction + DeleteClients> ClientRepository for Unit<R> {
    async fn insert(&mut self, client: &Client) -> Result<(), StorageError> {
        let insert = diesel::insert_into(client::table).values(ClientRow::from_client(client)?);
        self.insert_new(insert.on_conflict_do_nothing(), UniqueKey::ClientId).await
    }

    async fn find(&mut self, id: ClientId) -> Result<Option<Client>, StorageError> {
        // The caller may update what it finds.
        self.read::<ClientRow>(Locked(client::table.find(id.cell()))).await
    }

    async fn update(&mut self, client: &Client) -> Result<bool, StorageError> {
        let row = ClientRow::from_client(client)?;
        self.changes(diesel::update(client::table.find(client.id.cell())).set(row)).await
    }

    async fn delete(&mut self, id: ClientId) -> Result<bool, StorageError> {
        self.0.delete_client(id).await
    }

    async fn list_own_names(&mut self, owner: UserId) -> Result<Vec<String>, StorageError> {
        let own = client::table.filter(client::owner_id.eq(Some(owner.cell())));
        self.0.load_rows(own.select(client::name)).await
    }

    async fn delete_unused(
        &mut self,
        expired_before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        self.0.delete_unused_clients(expired_before, limit).await
    }

    async fn list_secrets(&mut self, id: ClientId) -> Result<Vec<ClientSecret>, StorageError> {
        let query = client_secret::table
            .filter(client_secret::client_id.eq(id.cell()))
            .order((client_secret::created_at.asc(), client_secret::id.asc()))
            .select(SECRET);
        self.read_all::<SecretRow>(query).await
    }

    async fn insert_secret(&mut self, id: ClientId, secret: &ClientSecret) -> Result<(), StorageError> {
        let ClientSecret { id: secret_id, hash, created_at, expires_at } = secret;
        let (id, hash) = (client_secret::client_id.eq(id.cell()), hash.cell());
        let row = SecretRow {
            id: secret_id.cell(),
            secret_hash: hash,
            created_at: created_at.cell(),
            expires_at: expires_at.cell(),
        };
        self.0.execute(diesel::insert_into(client_secret::table).values((id, row))).await.map(drop)
    }

    async fn expire_secret(
        &mut self,
        id: ClientId,
        secret: ClientSecretId,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let one = client_secret::table.find((id.cell(), secret.cell()));
        self.changes(diesel::update(one).set(client_secret::expires_at.eq(at.cell()))).await
    }
}

/// The caller has locked the client, so the count includes every concurrent admission.
const ADMIT: &str = "INSERT INTO draft_user (client_id, user_id, admitted_at) SELECT ?, ?, ?
    WHERE (SELECT count(*) FROM draft_user WHERE client_id = ?) < ? ON CONFLICT DO NOTHING";

#[async_trait]
impl<R: Transaction> DraftUserRepository for Unit<R> {
    async fn admit(
        &mut self,
        id: ClientId,
        user_id: UserId,
        limit: u32,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let lock = Locked(client::table.find(id.cell()).select(client::id));
        self.0.load_row::<IdCell, _>(lock).await?;
        let query: Raw = Raw::same(ADMIT)
            .bind(id.cell())
            .bind(user_id.cell())
            .bind(at.cell())
            .bind(id.cell())
            .bind(i64::from(limit));
        if self.changes(query).await? {
            return Ok(true);
        }
        self.is_admitted(id, user_id).await
    }

    async fn is_admitted(&mut self, id: ClientId, user_id: UserId) -> Result<bool, StorageError> {
        let one = draft_user::table.find((id.cell(), user_id.cell()));
        Ok(self.0.load_row(diesel::select(exists(one))).await?.unwrap_or_default())
    }

    async fn clear(&mut self, id: ClientId) -> Result<(), StorageError> {
        let all = draft_user::table.filter(draft_user::client_id.eq(id.cell()));
        self.0.execute(diesel::delete(all)).await.map(drop)
    }
}
