//! The signing keys.

use super::{KeySource, Services};
use application::key::{SigningKeyError, SigningKeys};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::KeyId;
use http_adapter::{KeySetSource, PublicKey};
use std::sync::Arc;
use system_adapter::{DoctorPass, Ed25519KeyRing, EncryptionKey, SharedKeyReload, TokenParties};

/// The signing keys: loaded, in the store, and reloaded from there.
pub(crate) struct KeyParts {
    /// Keys loaded in this process.
    pub(crate) ring: Arc<Ed25519KeyRing>,
    /// Keys in the store.
    stored: SigningKeys,
    /// Loads the keys of the store.
    pub(crate) reload: Arc<SharedKeyReload>,
    /// Passes of `restwell doctor` under the encryption key.
    pub(crate) doctor_pass: Arc<DoctorPass>,
}

impl KeyParts {
    /// Ensures that there is an active key, and returns whether this call created it.
    pub(crate) async fn ensure(&self) -> Result<bool, SigningKeyError> {
        self.stored.ensure(&*self.ring).await
    }
}

impl Services {
    /// Reads the encryption key of the settings, or creates its file.
    pub(crate) async fn encryption_key(&self) -> anyhow::Result<EncryptionKey> {
        KeySource::from_settings(&self.settings)?.load(&self.settings, &self.store).await
    }

    /// Wires the signing keys, sealed with the encryption key of the settings.
    pub(crate) async fn keys(&self) -> anyhow::Result<KeyParts> {
        Ok(self.keys_sealed_under(self.encryption_key().await?))
    }

    pub(super) fn keys_sealed_under(&self, encryption_key: EncryptionKey) -> KeyParts {
        let url = self.public_url.to_string();
        let parties = TokenParties { issuer: url.clone(), audience: url };
        let doctor_pass = Arc::new(DoctorPass::new(encryption_key.clone(), self.clock.clone()));
        let ring = Arc::new(Ed25519KeyRing::new(encryption_key, parties));
        let reload = Arc::new(SharedKeyReload::new(ring.clone(), self.store.signing_keys.clone()));
        KeyParts { ring, stored: self.signing_keys(), reload, doctor_pass }
    }

    pub(crate) fn signing_keys(&self) -> SigningKeys {
        SigningKeys { store: self.audited(), reader: self.store.signing_keys.clone() }
    }
}

/// Public keys of the ring.
pub(super) struct PublishedKeys(pub(super) Arc<Ed25519KeyRing>);

impl KeySetSource for PublishedKeys {
    fn public_keys(&self) -> Vec<PublicKey> {
        self.0.public_key_set().keys.iter().filter_map(|key| parsed(&key.kid, &key.x)).collect()
    }
}

/// Parses a key of the published set.
fn parsed(kid: &str, x: &str) -> Option<PublicKey> {
    let id = KeyId::parse(kid).ok()?;
    let public_key = URL_SAFE_NO_PAD.decode(x).ok()?.try_into().ok()?;
    Some(PublicKey { id, public_key })
}
