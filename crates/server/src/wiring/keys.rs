//! The signing keys.

use super::{KeySource, SharedClock, Store};
use crate::settings::{PublicUrl, Settings};
use application::key::{EnsureSigningKey, ReloadSigningKeys};
use application::ports::system::KeyRing;
use std::sync::Arc;
use system_adapter::{
    DoctorPass, Ed25519KeyRing, EncryptionKey, SharedKeyReload, SystemClock, SystemEntropy, TokenParties,
};

/// The signing keys, and the use cases that create and reload them.
pub(crate) struct KeyParts {
    /// Keys loaded in this process.
    pub(crate) ring: Arc<Ed25519KeyRing>,
    /// Creates the first key.
    pub(crate) ensure: EnsureSigningKey,
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
        let doctor_pass = Arc::new(DoctorPass::new(encryption_key.clone(), clock.clone()));
        let ring = Arc::new(Ed25519KeyRing::new(encryption_key, parties));
        let port: Arc<dyn KeyRing> = ring.clone();
        Self {
            ensure: EnsureSigningKey::new(
                store.units.clone(),
                store.signing_keys.clone(),
                port.clone(),
                Arc::new(SystemEntropy),
                clock,
            ),
            reload: Arc::new(SharedKeyReload::new(
                ring.clone(),
                ReloadSigningKeys::new(store.signing_keys.clone(), port),
            )),
            ring,
            doctor_pass,
        }
    }
}
