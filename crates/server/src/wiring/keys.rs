//! The signing keys.

use super::{KeySource, SharedClock, Store};
use crate::settings::{PublicUrl, Settings};
use application::key::{SigningKeyError, SigningKeys};
use std::sync::Arc;
use system_adapter::{DoctorPass, Ed25519KeyRing, EncryptionKey, SharedKeyReload, SystemClock, TokenParties};

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
    /// Wires the keys of a store, sealed with the encryption key of the settings.
    pub(crate) async fn new(
        store: &Store,
        settings: &Settings,
        public_url: &PublicUrl,
    ) -> anyhow::Result<Self> {
        let encryption_key = KeySource::from_settings(settings, public_url)?.load(settings, store).await?;
        Ok(Self::sealed_under(encryption_key, store, public_url, Arc::new(SystemClock)))
    }

    pub(super) fn sealed_under(
        encryption_key: EncryptionKey,
        store: &Store,
        public_url: &PublicUrl,
        clock: SharedClock,
    ) -> Self {
        let parties = TokenParties { issuer: public_url.to_string(), audience: public_url.to_string() };
        let stored = signing_keys(store, store.audited(&clock));
        let doctor_pass = Arc::new(DoctorPass::new(encryption_key.clone(), clock));
        let ring = Arc::new(Ed25519KeyRing::new(encryption_key, parties));
        Self {
            stored,
            reload: Arc::new(SharedKeyReload::new(ring.clone(), store.signing_keys.clone())),
            ring,
            doctor_pass,
        }
    }

    /// Ensures that there is an active key, and returns whether this call created it.
    pub(crate) async fn ensure(&self) -> Result<bool, SigningKeyError> {
        self.stored.ensure(&*self.ring).await
    }
}

/// Wires the keys in the store.
pub(crate) fn signing_keys(store: &Store, audited: application::store::Store) -> SigningKeys {
    SigningKeys { store: audited, reader: store.signing_keys.clone() }
}
