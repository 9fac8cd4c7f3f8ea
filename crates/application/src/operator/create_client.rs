//! Registers a client.

use crate::audit;
use crate::ports::storage::StorageError;
use crate::ports::system::Entropy;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::client::{
    Client, ClientKind, ClientName, ClientPages, ClientSecret, ClientStatus, RedirectUri, Review,
};
use domain::id::{ClientId, ClientSecretId};
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretKind};

/// Input of [`CreateClient`].
#[derive(Debug, Clone)]
pub struct CreateClientCommand {
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

/// Why a client is not registered or changed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No client has this id.
    #[error("there is no client with this id")]
    NotFound,
    /// An app needs a redirect URI.
    #[error("an app needs at least one redirect URI")]
    NoRedirectUri,
    /// A client needs a scope.
    #[error("a client needs at least one scope")]
    NoScope,
    /// A scope is not allowed for this kind of client (decisions 3).
    #[error("{}", scopes_of(*.0))]
    ScopeNotForThisKind(ClientKind),
    /// A public app has no secret to rotate.
    #[error("a public app has no secret")]
    NoSecret,
    /// The client's metadata document determines its properties.
    #[error("the client is registered from its metadata document: it can only be enabled and disabled")]
    FromDocument,
    /// A public app must use PKCE.
    #[error("a public app must use PKCE")]
    PkceNeeded,
    /// The developer changed the client after the operator had reviewed it.
    #[error("this is not the client's current revision; review it again with `restwell client show`")]
    ChangedSinceReview,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Registers clients.
    CreateClient
}

impl CreateClient {
    /// Registers an active client, with a first secret unless it is a public app.
    pub async fn run(&self, command: CreateClientCommand) -> Result<CreatedClient, ClientError> {
        let CreateClientCommand {
            name,
            kind,
            redirect_uris,
            pages,
            scopes,
            allow_query_secrets,
            require_pkce,
        } = command;
        let now = self.trail.now();
        let client = Client {
            id: ClientId::from_uuid(self.trail.entropy.uuid()),
            name,
            kind,
            redirect_uris,
            pages,
            contact: None,
            review: Review::BY_OPERATOR,
            scopes,
            allow_query_secrets,
            require_pkce: require_pkce || kind.is_public(),
            status: ClientStatus::Active,
            document: None,
            created_at: now,
        };
        check(&client)?;
        let new_secret = || new_client_secret(self.trail.entropy.as_ref(), now);
        let (secret, stored) = (!kind.is_public()).then(new_secret).unzip();
        let mut unit = self.units.begin().await?;
        unit.clients().insert(&client).await?;
        if let Some(stored) = stored {
            unit.clients().insert_secret(client.id, &stored).await?;
        }
        let event = self.trail.event(AuditActor::Operator, AuditKind::ClientCreated).client(client.id);
        audit::commit(unit, &[event]).await?;
        Ok(CreatedClient { client, secret })
    }
}

/// Validates a new or changed client.
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
const fn scopes_of(kind: ClientKind) -> &'static str {
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

/// Creates a secret, and its stored form.
pub(crate) fn new_client_secret(entropy: &dyn Entropy, now: DateTime<Utc>) -> (Secret, ClientSecret) {
    let secret = Secret::from_bytes(SecretKind::ClientSecret, &entropy.secret_bytes());
    let stored = ClientSecret {
        id: ClientSecretId::from_uuid(entropy.uuid()),
        hash: secret.hash(),
        created_at: now,
        expires_at: None,
    };
    (secret, stored)
}
