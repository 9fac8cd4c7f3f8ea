//! Proves that a caller is the client it says it is (RFC 6749 section 2.3).

use crate::audit::{AuditTrail, append_refusal};
use crate::guessing::{failure_key, seconds_until_end};
use crate::ports::storage::{
    ClientReader, ClientWithSecrets, FailureCounter, FailureKey, StorageError, UnitOfWorkFactory,
};
use crate::ports::system::{Clock, Entropy};
use chrono::{DateTime, TimeDelta, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::client::{Client, ClientSecret, any_live_secret_matches};
use domain::id::{ClientId, ClientSecretId};
use domain::secret::{Secret, SecretHash, SecretKind};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::Arc;
use uuid::Uuid;

/// How many failed authentications are answered before 429 (decisions 2, guessing).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthenticationLimits {
    /// For one `client_id` from one address.
    pub per_client_and_address: u32,
    /// For one address (IPv6: its /64), whatever the `client_id`.
    pub per_address: u32,
    /// How long a window lasts, in seconds, from its first failure.
    pub window_seconds: u32,
}

impl Default for AuthenticationLimits {
    fn default() -> Self {
        Self { per_client_and_address: 20, per_address: 100, window_seconds: 600 }
    }
}

/// What a caller presents.
#[derive(Clone, Copy)]
pub struct PresentedCredentials<'a> {
    /// The `client_id`, as sent.
    pub client_id: &'a str,
    /// The `client_secret`, as sent.
    pub client_secret: &'a str,
    /// The caller's IP address.
    pub address: IpAddr,
    /// Which secrets came in the query string.
    pub in_query: QuerySecrets,
}

/// Which secrets a caller sent in the query string, where logs of others may keep them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuerySecrets {
    /// None.
    None,
    /// A code, a verifier or a token, but not the client's own secret.
    Others,
    /// The client's own secret, perhaps beside others.
    ClientSecret,
}

/// Why a caller is not taken for a client.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticateClientError {
    /// No such client, a wrong secret, or a disabled client; which of them is not told (security.md T44).
    #[error("client authentication failed")]
    InvalidClient,
    /// As before, and too many of this kind came from here.
    #[error("too many failed authentications")]
    TooManyFailures {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The operator does not let this client send secrets in a query string (decisions 2).
    #[error("secrets are not accepted in the query string")]
    SecretInQuery,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// The ports that authentication stands on.
#[derive(Clone)]
pub struct AuthenticationPorts {
    /// Knows clients and their secrets.
    pub clients: Arc<dyn ClientReader>,
    /// Counts what fails.
    pub failures: Arc<dyn FailureCounter>,
    /// Takes events of the audit trail.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Draws their ids.
    pub entropy: Arc<dyn Entropy>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// Authenticates clients; counts what fails, never what succeeds.
pub struct AuthenticateClient {
    ports: AuthenticationPorts,
    limits: AuthenticationLimits,
    allow_query_secrets: bool,
    trail: AuditTrail,
}

/// A client that proved who it is, and the secret with which it did.
struct Proven {
    client: Client,
    secret_id: ClientSecretId,
}

impl AuthenticateClient {
    /// Takes the ports, the limits, and whether any client at all may send secrets in a query string.
    pub fn new(ports: AuthenticationPorts, limits: AuthenticationLimits, allow_query_secrets: bool) -> Self {
        let trail = AuditTrail::new(ports.entropy.clone(), ports.clock.clone());
        Self { ports, limits, allow_query_secrets, trail }
    }

    /// Returns the client, or why not. The correct secret is never refused for the failures of others.
    ///
    /// A right secret that came in a query string where it may not is written into the audit trail: somebody should
    /// rotate it. A wrong one is nobody's and is not.
    pub async fn run(&self, presented: PresentedCredentials<'_>) -> Result<Client, AuthenticateClientError> {
        let in_query = presented.in_query != QuerySecrets::None;
        let now = self.ports.clock.now();
        let proven = self.prove(&presented, now).await;
        if in_query && !self.allow_query_secrets {
            // Refused whoever it is. Only the audit trail asks, and a store that does not tell changes nothing.
            if let Ok(Some(proven)) = proven {
                self.note_exposure(&proven, &presented).await;
            }
            return Err(AuthenticateClientError::SecretInQuery);
        }
        match proven? {
            Some(proven) if in_query && !proven.client.allow_query_secrets => {
                self.note_exposure(&proven, &presented).await;
                Err(AuthenticateClientError::SecretInQuery)
            }
            Some(proven) => Ok(proven.client),
            None => Err(self.count_failure(&presented, now).await?),
        }
    }

    async fn prove(
        &self,
        presented: &PresentedCredentials<'_>,
        now: DateTime<Utc>,
    ) -> Result<Option<Proven>, StorageError> {
        // An unknown id asks the store as well and is compared as well, so that time does not tell it apart.
        let id = ClientId::parse(presented.client_id).unwrap_or(ClientId::from_uuid(Uuid::nil()));
        let found = self.ports.clients.find_with_secrets(id).await?;
        Ok(proven_client(found, presented.client_secret, now))
    }

    /// Writes down that the client's own secret stands in a query string now (security.md T04).
    async fn note_exposure(&self, proven: &Proven, presented: &PresentedCredentials<'_>) {
        if presented.in_query == QuerySecrets::ClientSecret {
            let event = self.trail.event(AuditActor::Client, AuditKind::ClientSecretExposed);
            let event = event.client(proven.client.id).subject(proven.secret_id.as_uuid());
            let event = event.from(AddressBlock::containing(presented.address));
            append_refusal(self.ports.units.as_ref(), &event).await;
        }
    }

    async fn count_failure(
        &self,
        presented: &PresentedCredentials<'_>,
        now: DateTime<Utc>,
    ) -> Result<AuthenticateClientError, StorageError> {
        let keys = failure_keys(presented);
        let window = TimeDelta::seconds(i64::from(self.limits.window_seconds));
        let counts = self.ports.failures.record_failure(&keys, now, window).await?;
        let limits = [self.limits.per_client_and_address, self.limits.per_address];
        let beyond = counts.iter().zip(limits).filter(|(count, limit)| count.count > *limit);
        Ok(match beyond.map(|(count, _)| seconds_until_end(*count, now)).max() {
            Some(retry_after_seconds) => AuthenticateClientError::TooManyFailures { retry_after_seconds },
            None => AuthenticateClientError::InvalidClient,
        })
    }
}

/// Returns the client if it is active and one of its live secrets is the presented one.
fn proven_client(found: Option<ClientWithSecrets>, secret: &str, now: DateTime<Utc>) -> Option<Proven> {
    let presented = hash_of(secret);
    let (client, secrets) = match found {
        Some(ClientWithSecrets { client, secrets }) => (Some(client), secrets),
        None => (None, vec![decoy_secret()]),
    };
    let matches = any_live_secret_matches(&secrets, &presented, now);
    let client = client.filter(|client| matches && client.status.is_active())?;
    let right = secrets.iter().find(|secret| secret.hash == presented && secret.is_live(now))?;
    Some(Proven { client, secret_id: right.id })
}

/// Hashes what was presented; a text that is no secret at all gets a hash that no stored one has.
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

/// Makes the keys of decisions 2: the client from this address, and the address.
fn failure_keys(presented: &PresentedCredentials<'_>) -> [FailureKey; 2] {
    let block = AddressBlock::containing(presented.address).to_string();
    [
        failure_key(&["client-authentication/client", &presented.client_id.to_ascii_lowercase(), &block]),
        failure_key(&["client-authentication/address", "", &block]),
    ]
}
