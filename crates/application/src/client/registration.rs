//! Registers clients and apps.

use super::app_details::{AppDetails, is_reserved};
use super::{AppError, AppForm, ClientError, Clients, InvalidAppField, lock_person, new_client_secret};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::session::SignedInPerson;
use crate::store::transact;
use domain::audit::{AuditActor, AuditKind};
use domain::client::{
    Client, ClientKind, ClientName, ClientPages, ClientSecret, MAX_OWN_CLIENTS, RedirectUri, Review,
    ServerNames,
};
use domain::id::ClientId;
use domain::scope::ScopeSet;
use domain::secret::Secret;

/// A client to register.
#[derive(Debug, Clone)]
pub struct NewClient {
    /// Name of the client.
    pub name: ClientName,
    /// Kind of the client.
    pub kind: ClientKind,
    /// Allowed redirect URIs.
    pub redirect_uris: Vec<RedirectUri>,
    /// Web pages about it.
    pub pages: ClientPages,
    /// Scopes that it may request.
    pub scopes: ScopeSet,
    /// Whether it may send secrets in the query string.
    pub allow_query_secrets: bool,
    /// Whether it must use PKCE; a public app must in any case.
    pub require_pkce: bool,
}

/// A registered client and its first secret, of which only the hash is stored.
#[derive(Debug)]
pub struct CreatedClient {
    /// The client.
    pub client: Client,
    /// Secret of the client; `None` for a public app.
    pub secret: Option<Secret>,
}

impl Clients {
    fn new_id(&self) -> ClientId {
        ClientId::from_uuid(self.store.entropy().uuid())
    }

    /// Registers an active client, with a first secret unless it is a public app.
    pub async fn create(&self, new: NewClient) -> Result<CreatedClient, ClientError> {
        let NewClient { name, kind, redirect_uris, pages, scopes, allow_query_secrets, require_pkce } = new;
        let now = self.store.now();
        let client = Client {
            kind,
            pages,
            allow_query_secrets,
            require_pkce: require_pkce || kind.is_public(),
            ..Client::new(self.new_id(), name, redirect_uris, scopes, now)
        };
        check(&client)?;
        let new_secret = || new_client_secret(self.store.entropy(), now);
        let (secret, stored) = (!kind.is_public()).then(new_secret).unzip();
        transact!(self.store, |tx| {
            insert(tx, &client, stored.as_ref()).await?;
            let event = self.store.event(AuditActor::Operator, AuditKind::ClientCreated);
            tx.record(event.client(client.id)).await?;
            Ok(CreatedClient { client, secret })
        })
        .await
    }

    /// Registers an app as a draft, with a first secret unless it is public; the sign-in must be fresh.
    /// `server` are the names that it must not imitate. A form that is sent again registers nothing: the name
    /// is taken.
    pub async fn register_app(
        &self,
        person: &SignedInPerson,
        form: AppForm<'_>,
        is_public: bool,
        server: ServerNames<'_>,
    ) -> Result<CreatedClient, AppError> {
        self.check_fresh(person)?;
        let (owner, now) = (person.user_id, self.store.now());
        let is_reserved = is_reserved(form.name, server, owner, self.reader.as_ref()).await?;
        let AppDetails { name, pages, contact, redirect_uris, scopes } =
            AppDetails::read(form, is_reserved).map_err(AppError::Invalid)?;
        let client = Client {
            kind: if is_public { ClientKind::PublicApp } else { ClientKind::App },
            pages,
            contact: Some(contact),
            review: Review::Draft { owner },
            allow_query_secrets: false,
            require_pkce: true,
            ..Client::new(self.new_id(), name, redirect_uris, scopes, now)
        };
        let new_secret = || new_client_secret(self.store.entropy(), now);
        let (secret, stored) = (!is_public).then(new_secret).unzip();
        transact!(self.store, |tx| {
            lock_person(tx, person).await?;
            let names = tx.clients().list_own_names(owner).await?;
            if names.iter().any(|name| name == client.name.as_str()) {
                return Err(AppError::Invalid(vec![InvalidAppField::NameTaken]));
            }
            if names.len() >= MAX_OWN_CLIENTS {
                return Err(AppError::TooManyApps);
            }
            insert(tx, &client, stored.as_ref()).await?;
            tx.record(person.event(&self.store, AuditKind::AppRegistered).client(client.id)).await?;
            Ok(CreatedClient { client, secret })
        })
        .await
    }
}

async fn insert(
    tx: &mut dyn UnitOfWork,
    client: &Client,
    secret: Option<&ClientSecret>,
) -> Result<(), StorageError> {
    tx.clients().insert(client).await?;
    match secret {
        Some(secret) => tx.clients().insert_secret(client.id, secret).await,
        None => Ok(()),
    }
}

/// Validates a client that the operator creates or changes.
pub(super) fn check(client: &Client) -> Result<(), ClientError> {
    if client.kind.is_app() && client.redirect_uris.is_empty() {
        return Err(ClientError::NoRedirectUri);
    }
    if client.kind.is_public() && !client.require_pkce {
        return Err(ClientError::PkceNeeded);
    }
    if client.scopes.is_empty() {
        return Err(ClientError::NoScope);
    }
    let by_consent = client.scopes.is_subset_of(ScopeSet::CONSENTABLE);
    let fits = match client.kind {
        ClientKind::App | ClientKind::PublicApp => by_consent,
        ClientKind::Service => client.scopes.intersection(ScopeSet::CONSENTABLE).is_empty(),
    };
    if fits { Ok(()) } else { Err(ClientError::ScopeNotForThisKind(client.kind)) }
}

/// Describes the scopes allowed for a kind of client.
pub(super) const fn scopes_of(kind: ClientKind) -> &'static str {
    match kind {
        ClientKind::App | ClientKind::PublicApp => {
            "an app may have the scopes profile, sleep and supplements; the others are for service clients"
        }
        ClientKind::Service => {
            "a service client may have the scopes users:write, profile:write, sleep:write, supplements:write and \
             tokens:introspect; the others are for apps and are granted by people"
        }
    }
}
