//! Authenticates clients, and identifies public ones (RFC 6749 sections 2.3 and 3.2.1).

use crate::attempt_limit::{failure_key, seconds_until_end};
use crate::ports::storage::{ClientReader, ClientWithSecrets, FailureCounter, FailureKey, StorageError};
use crate::store::Store;
use chrono::{DateTime, TimeDelta, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientSecret, MetadataPolicy, PresentedClientId, any_live_secret_matches};
use domain::id::{ClientId, ClientSecretId};
use domain::secret::{Secret, SecretHash, SecretKind};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::Arc;
use uuid::Uuid;

/// Failed authentications allowed before 429 (decisions 2, guessing).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthenticationLimits {
    /// Per `client_id` and network address.
    pub per_client_and_address: u32,
    /// Per network address (IPv6: /64), for any `client_id`.
    pub per_address: u32,
    /// Length of a window in seconds, from its first failure.
    pub window_seconds: u32,
}

impl Default for AuthenticationLimits {
    fn default() -> Self {
        Self { per_client_and_address: 20, per_address: 100, window_seconds: 600 }
    }
}

/// Credentials of a request.
#[derive(Clone, Copy)]
pub struct PresentedCredentials<'a> {
    /// `client_id`, as sent.
    pub client_id: &'a str,
    /// `client_secret`, as sent; `None` for a public app (`token_endpoint_auth_method` `none`).
    pub client_secret: Option<&'a str>,
    /// The caller's IP address.
    pub address: IpAddr,
    /// Secrets found in the query string.
    pub in_query: QuerySecrets,
}

/// Secrets sent in the query string, where other parties' logs may keep them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuerySecrets {
    /// No secrets.
    None,
    /// A code, verifier or token, but not the client secret.
    Others,
    /// The client secret, possibly with others.
    ClientSecret,
}

/// Why a client is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ClientAuthenticationError {
    /// The client is unknown or disabled, the secret is wrong, or a public app sent one; the caller does not
    /// learn which (security.md T44).
    #[error("client authentication failed")]
    InvalidClient(Option<RejectedClient>),
    /// No secret was sent, and the client is unknown or has one.
    #[error("the client secret is missing")]
    SecretMissing(Option<ClientId>),
    /// Authentication failed, and the limit of failures is reached.
    #[error("too many failed authentications")]
    TooManyFailures {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
        /// The client, if it exists.
        rejected: Option<RejectedClient>,
    },
    /// This client may not send secrets in the query string (decisions 2).
    #[error("secrets are not accepted in the query string")]
    SecretInQuery(Option<ClientId>),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// A client that exists, and why it was rejected: for its developer, not for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RejectedClient {
    /// The client.
    pub id: ClientId,
    /// The check that failed.
    pub reason: &'static str,
}

impl ClientAuthenticationError {
    /// Returns the client, if it exists.
    pub fn rejected_client(&self) -> Option<RejectedClient> {
        let (id, reason) = match self {
            Self::InvalidClient(rejected) | Self::TooManyFailures { rejected, .. } => return *rejected,
            Self::SecretMissing(id) => (*id, "no client secret was sent"),
            Self::SecretInQuery(id) => (*id, "a secret, code or token was in the query string"),
            Self::Storage(_) => return None,
        };
        id.map(|id| RejectedClient { id, reason })
    }
}

/// Authentication of clients. Only failures are counted.
pub struct ClientAuthentication {
    /// The store.
    pub store: Store,
    /// Reader of clients and their secrets.
    pub clients: Arc<dyn ClientReader>,
    /// Failure counters.
    pub failures: Arc<dyn FailureCounter>,
    /// Limits on failures.
    pub limits: AuthenticationLimits,
    /// Whether secrets are accepted in the query string of clients that may send them there.
    pub allow_query_secrets: bool,
    /// Which clients with a metadata document are accepted.
    pub metadata_policy: MetadataPolicy,
}

/// An authenticated client, and the id of the matching secret.
struct AuthenticatedClient {
    client: Client,
    secret_id: ClientSecretId,
}

impl ClientAuthentication {
    /// Returns the authenticated client. A correct secret is never rejected because of other callers'
    /// failures.
    ///
    /// A public app has no secret: it is identified by its `client_id`, and rejected if it sends a secret.
    ///
    /// A correct secret in a forbidden query string is recorded in the audit trail, because it should be
    /// rotated. A wrong one is not.
    pub async fn authenticate(
        &self,
        presented: PresentedCredentials<'_>,
    ) -> Result<Client, ClientAuthenticationError> {
        let Some(secret) = presented.client_secret else { return self.identify(&presented).await };
        let in_query = presented.in_query != QuerySecrets::None;
        let now = self.store.now();
        let proven = self.prove(&presented, secret, now).await;
        if in_query && !self.allow_query_secrets {
            // Rejected in any case; only the audit trail needs the result, so a store error is ignored.
            let id = match proven {
                Ok(Ok(proven)) => {
                    self.note_exposure(&proven, &presented).await;
                    Some(proven.client.id)
                }
                Ok(Err(rejected)) => rejected.map(|rejected| rejected.id),
                Err(_) => None,
            };
            return Err(ClientAuthenticationError::SecretInQuery(id));
        }
        match proven? {
            Ok(proven) if in_query && !proven.client.allow_query_secrets => {
                self.note_exposure(&proven, &presented).await;
                Err(ClientAuthenticationError::SecretInQuery(Some(proven.client.id)))
            }
            Ok(proven) => Ok(proven.client),
            Err(rejected) => Err(self.count_failure(&presented, rejected, now).await?),
        }
    }

    /// Returns the id of the client that a malformed request names, if it exists. Authenticates nothing.
    pub async fn find_named(&self, client_id: &str) -> Result<Option<ClientId>, StorageError> {
        Ok(self.find(client_id).await?.map(|found| found.client.id))
    }

    /// Returns the public app of a request without a secret. Its id is not a secret, so nothing is counted.
    async fn identify(
        &self,
        presented: &PresentedCredentials<'_>,
    ) -> Result<Client, ClientAuthenticationError> {
        let found = self.find(presented.client_id).await?.map(|found| found.client);
        // A URL is the id of a public app, which is rejected. Other ids may be those of clients with a
        // secret.
        let is_url = presented.client_id.contains("://");
        let error = if is_url {
            ClientAuthenticationError::InvalidClient(None)
        } else {
            ClientAuthenticationError::SecretMissing(found.as_ref().map(|client| client.id))
        };
        let client = found.filter(|client| client.kind.is_public()).ok_or(error)?;
        let allows_query = self.allow_query_secrets && client.allow_query_secrets;
        if presented.in_query != QuerySecrets::None && !allows_query {
            return Err(ClientAuthenticationError::SecretInQuery(Some(client.id)));
        }
        if client.status.is_active() {
            Ok(client)
        } else {
            let rejected = RejectedClient { id: client.id, reason: rejection_reason(&client) };
            Err(ClientAuthenticationError::InvalidClient(Some(rejected)))
        }
    }

    async fn prove(
        &self,
        presented: &PresentedCredentials<'_>,
        secret: &str,
        now: DateTime<Utc>,
    ) -> Result<Result<AuthenticatedClient, Option<RejectedClient>>, StorageError> {
        let found = self.find(presented.client_id).await?;
        let known = found
            .as_ref()
            .map(|found| RejectedClient { id: found.client.id, reason: rejection_reason(&found.client) });
        Ok(proven_client(found, secret, now).ok_or_else(|| {
            let (client_id, reason) = (known.map(|known| known.id), known.map(|known| known.reason));
            let reason = reason.unwrap_or("the client is unknown");
            tracing::info!(client_id = client_id.map(display), reason, "client authentication failed");
            known
        }))
    }

    /// Finds the client. Malformed ids take the same store request, so timing does not reveal them. A stored
    /// metadata document is enough, even an expired one, if its host is still accepted.
    async fn find(&self, client_id: &str) -> Result<Option<ClientWithSecrets>, StorageError> {
        let presented = PresentedClientId::parse(client_id).ok();
        let id = presented.as_ref().map_or(ClientId::from_uuid(Uuid::nil()), PresentedClientId::id);
        let found = self.clients.find_with_secrets(id).await?;
        let found = found.filter(|found| presented.is_some_and(|id| id.identifies(&found.client)));
        if found.as_ref().is_some_and(|found| !self.metadata_policy.admits(&found.client)) {
            tracing::info!(
                client_id = display(id),
                reason = "documents of its host are not accepted",
                "client authentication failed"
            );
            return Ok(None);
        }
        Ok(found)
    }

    /// Records that the client secret was exposed in a query string (security.md T04).
    async fn note_exposure(&self, proven: &AuthenticatedClient, presented: &PresentedCredentials<'_>) {
        if presented.in_query == QuerySecrets::ClientSecret {
            let event = self.store.event(AuditActor::Client, AuditKind::ClientSecretExposed);
            let event = event.client(proven.client.id).subject(proven.secret_id.as_uuid());
            let event = event.from(presented.address);
            self.store.record_rejection(&event).await;
        }
    }

    async fn count_failure(
        &self,
        presented: &PresentedCredentials<'_>,
        rejected: Option<RejectedClient>,
        now: DateTime<Utc>,
    ) -> Result<ClientAuthenticationError, StorageError> {
        let keys = failure_keys(presented);
        let window = TimeDelta::seconds(i64::from(self.limits.window_seconds));
        let counts = self.failures.record_failure(&keys, now, window).await?;
        let limits = [self.limits.per_client_and_address, self.limits.per_address];
        let beyond = counts.iter().zip(limits).filter(|(count, limit)| count.count > *limit);
        Ok(match beyond.map(|(count, _)| seconds_until_end(*count, now)).max() {
            Some(retry_after_seconds) => {
                ClientAuthenticationError::TooManyFailures { retry_after_seconds, rejected }
            }
            None => ClientAuthenticationError::InvalidClient(rejected),
        })
    }
}

/// Returns the client if it is active and one of its live secrets matches.
fn proven_client(
    found: Option<ClientWithSecrets>,
    secret: &str,
    now: DateTime<Utc>,
) -> Option<AuthenticatedClient> {
    let presented = hash_of(secret);
    let (client, secrets) = match found {
        Some(ClientWithSecrets { client, secrets }) => (Some(client), secrets),
        None => (None, vec![decoy_secret()]),
    };
    let matches = any_live_secret_matches(&secrets, &presented, now);
    let client = client.filter(|client| matches && client.status.is_active())?;
    let right = secrets.iter().find(|secret| secret.hash == presented && secret.is_live(now))?;
    Some(AuthenticatedClient { client, secret_id: right.id })
}

/// Returns why a secret does not authenticate this client; for the log and its developer only.
const fn rejection_reason(client: &Client) -> &'static str {
    match (client.kind.is_public(), client.status.is_active()) {
        (_, false) => "the client is disabled",
        (true, true) => "the client is public and sent a secret",
        (false, true) => "the client secret is wrong or expired",
    }
}

/// Hashes the presented text; a malformed secret gets a hash that no stored secret has.
fn hash_of(secret: &str) -> SecretHash {
    match Secret::parse(SecretKind::ClientSecret, secret) {
        Ok(secret) => secret.hash(),
        Err(_) => SecretHash::from_bytes(Sha256::digest(secret.as_bytes()).into()),
    }
}

fn decoy_secret() -> ClientSecret {
    ClientSecret {
        id: ClientSecretId::from_uuid(Uuid::nil()),
        hash: SecretHash::from_bytes([0; 32]),
        created_at: DateTime::UNIX_EPOCH,
        expires_at: None,
    }
}

/// Returns the counter keys of decisions 2: client and address, and address alone.
fn failure_keys(presented: &PresentedCredentials<'_>) -> [FailureKey; 2] {
    let block = AddressBlock::containing(presented.address).to_string();
    [
        failure_key(&["client-authentication/client", &presented.client_id.to_ascii_lowercase(), &block]),
        failure_key(&["client-authentication/address", "", &block]),
    ]
}
