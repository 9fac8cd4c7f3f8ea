//! Endpoints of clients.

use crate::id::{ClientId, WebhookEndpointId, WebhookSecretId};
use crate::outbound::OutboundUrl;
use crate::secret::hide_in_debug;
use crate::user::Email;
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Maximum number of endpoints of a client.
pub const MAX_ENDPOINTS: usize = 10;

/// Time for which the previous secret also signs after a rotation.
const OVERLAP: TimeDelta = TimeDelta::hours(24);

crate::named_enum! {
    /// Why an endpoint was disabled.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DisableReason {
        /// It responded with 410.
        Gone = "gone",
        /// Every attempt to deliver an event failed.
        Failing = "failing",
    }
}

/// Whether an endpoint is sent events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointStatus {
    /// It has not yet returned a challenge, and is sent nothing else.
    Unconfirmed,
    /// It is sent events.
    Active,
    /// It receives only challenges, on request.
    Disabled {
        /// Time of disabling.
        at: DateTime<Utc>,
        /// Reason.
        reason: DisableReason,
    },
}

/// A secret, encrypted under the operator's key and bound to its endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedWebhookSecret(Vec<u8>);

impl SealedWebhookSecret {
    /// Wraps sealed bytes.
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Returns the sealed bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns an id, part of a hash of the sealed bytes. Sealing a secret again changes it.
    pub fn id(&self) -> WebhookSecretId {
        let digest: [u8; 32] = Sha256::digest(&self.0).into();
        WebhookSecretId::from_uuid(Uuid::from_bytes(digest.first_chunk().copied().unwrap_or_default()))
    }
}

hide_in_debug!(SealedWebhookSecret);

/// A secret that signs until it expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointSecret {
    /// The secret.
    pub sealed: SealedWebhookSecret,
    /// When it stops signing.
    pub expires_at: DateTime<Utc>,
}

/// Receiver of a client's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookEndpoint {
    /// Its id.
    pub id: WebhookEndpointId,
    /// The client that the endpoint belongs to.
    pub client_id: ClientId,
    /// URL that events are posted to.
    pub url: OutboundUrl,
    /// Email address that is notified if the endpoint is disabled.
    pub contact: Option<Email>,
    /// Whether it is sent events.
    pub status: EndpointStatus,
    /// Whether the operator created or approved it. Any other receiver must have a public address, and its
    /// developer does not learn why a connection failed.
    pub is_reviewed: bool,
    /// The secret that signs.
    pub secret: SealedWebhookSecret,
    /// The previous secret, which also signs for a day.
    pub previous_secret: Option<EndpointSecret>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

impl WebhookEndpoint {
    /// Replaces the secret. The replaced one still signs for 24 hours; an even older one stops at once.
    pub fn rotate(&mut self, secret: SealedWebhookSecret, now: DateTime<Utc>) {
        let sealed = std::mem::replace(&mut self.secret, secret);
        self.previous_secret = Some(EndpointSecret { sealed, expires_at: now + OVERLAP });
    }

    /// Lists the secrets that sign at this time, the newest first.
    pub fn signing_secrets(&self, now: DateTime<Utc>) -> Vec<&SealedWebhookSecret> {
        let previous = self.previous_secret.iter().filter(|previous| now < previous.expires_at);
        std::iter::once(&self.secret).chain(previous.map(|previous| &previous.sealed)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Standard Webhooks, Webhook Headers.
    #[test]
    fn the_previous_secret_signs_for_a_day_beside_the_new_one_and_at_most_two_sign() {
        let now = DateTime::UNIX_EPOCH;
        let sealed = |byte| SealedWebhookSecret::new(vec![byte]);
        let mut endpoint = WebhookEndpoint {
            id: WebhookEndpointId::from_uuid(Uuid::nil()),
            client_id: ClientId::from_uuid(Uuid::nil()),
            url: OutboundUrl::parse("https://hooks.example/").unwrap(),
            contact: None,
            status: EndpointStatus::Active,
            is_reviewed: false,
            secret: sealed(1),
            previous_secret: None,
            created_at: now,
        };
        assert_eq!(endpoint.signing_secrets(now), [&sealed(1)]);
        endpoint.rotate(sealed(2), now);
        assert_eq!(endpoint.signing_secrets(now), [&sealed(2), &sealed(1)]);
        assert_eq!(endpoint.signing_secrets(now + OVERLAP), [&sealed(2)]);
        endpoint.rotate(sealed(3), now);
        assert_eq!(endpoint.signing_secrets(now), [&sealed(3), &sealed(2)]);
    }

    #[test]
    fn each_sealed_secret_has_an_id_that_is_stable() {
        let id = |byte| SealedWebhookSecret::new(vec![byte]).id();
        assert_eq!(id(1), id(1));
        assert_ne!(id(1), id(2));
        // printf '\001' | sha256sum
        assert_eq!(id(1).to_string(), "4bf5122f-3445-54c5-3bde-2ebb8cd2b7e3");
    }
}
