//! Secrets of webhooks: AES-256-GCM under the operator's key, and HMAC-SHA256 (Standard Webhooks 1.0).

use crate::encryption_key::EncryptionKey;
use crate::seal::{self, Purpose};
use application::ports::system::{WebhookSigner, WebhookSignerError};
use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use derive_more::Constructor;
use domain::id::WebhookEndpointId;
use domain::webhook::{SealedWebhookSecret, WebhookSecret};

/// Seals secrets under the operator's key; a sealed secret opens only for its own endpoint.
#[derive(Constructor)]
pub struct EncryptedWebhookSigner {
    encryption_key: EncryptionKey,
}

impl WebhookSigner for EncryptedWebhookSigner {
    fn seal(
        &self,
        id: WebhookEndpointId,
        secret: &WebhookSecret,
    ) -> Result<SealedWebhookSecret, WebhookSignerError> {
        let sealed =
            seal::seal(&self.encryption_key, (Purpose::WebhookSecret, id.as_uuid()), secret.as_bytes());
        sealed.map(SealedWebhookSecret::new).map_err(|_| WebhookSignerError)
    }

    fn sign(
        &self,
        id: WebhookEndpointId,
        secret: &SealedWebhookSecret,
        text: &str,
    ) -> Result<String, WebhookSignerError> {
        let plain =
            seal::open(&self.encryption_key, (Purpose::WebhookSecret, id.as_uuid()), secret.as_bytes());
        let key = Key::new(HMAC_SHA256, &plain.map_err(|_| WebhookSignerError)?);
        Ok(STANDARD.encode(sign(&key, text.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::secret::SecretBytes;
    use uuid::Uuid;

    fn id(number: u128) -> WebhookEndpointId {
        WebhookEndpointId::from_uuid(Uuid::from_u128(number))
    }

    /// Standard Webhooks, Signature scheme. Computed with OpenSSL:
    /// `printf %s TEXT | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707... -binary | base64`.
    #[test]
    fn a_signature_is_the_hmac_sha256_of_the_text() {
        let signer = EncryptedWebhookSigner::new(EncryptionKey::generate());
        let sealed = signer.seal(id(1), &WebhookSecret::new(SecretBytes::new([7; 32]))).unwrap();
        let signature = signer.sign(id(1), &sealed, "msg_1.1614265330.{\"test\": 2432232314}").unwrap();
        assert_eq!(signature, "4tb+MnkCTqymlrGQQ6f66PPeMjMas7AHx6XI40qL5MA=");
    }

    #[test]
    fn a_secret_opens_only_for_its_endpoint_and_under_its_key() {
        let signer = EncryptedWebhookSigner::new(EncryptionKey::generate());
        let sealed = signer.seal(id(1), &WebhookSecret::new(SecretBytes::new([7; 32]))).unwrap();
        assert_eq!(signer.sign(id(2), &sealed, ""), Err(WebhookSignerError));
        let other = EncryptedWebhookSigner::new(EncryptionKey::generate());
        assert_eq!(other.sign(id(1), &sealed, ""), Err(WebhookSignerError));
        assert!(!sealed.as_bytes().windows(8).any(|window| window == [7; 8]));
    }
}
