//! Signing keys of this process, replaceable while it runs.

mod live_key;
mod public_key_set;

pub(crate) use live_key::{LiveKey, LiveKeys};
pub use public_key_set::{PublicKey, PublicKeySet};

use crate::encryption_key::EncryptionKey;
use crate::seal::{self, Purpose};
use crate::token::TokenParties;
use application::ports::system::{KeyRing, KeyRingError};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use chrono::{DateTime, Utc};
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use jsonwebtoken::crypto::aws_lc;
use std::sync::{Arc, PoisonError, RwLock};

/// Holds Ed25519 keys: the youngest active key signs, every active key verifies, retired keys do neither.
///
/// Verified tokens are cached together with the keys that verified them. When the keys change the cache is
/// dropped, and a verification in progress cannot add to the new one.
pub struct Ed25519KeyRing {
    encryption_key: EncryptionKey,
    parties: TokenParties,
    keys: RwLock<Arc<LiveKeys>>,
}

impl Ed25519KeyRing {
    /// Creates an empty ring for tokens of this issuer and audience.
    pub fn new(encryption_key: EncryptionKey, parties: TokenParties) -> Self {
        // Without an explicit provider, a second one enabled by a dependency would make every verification
        // panic. An error means that it is installed already.
        let _ = aws_lc::DEFAULT_PROVIDER.install_default();
        Self { encryption_key, parties, keys: RwLock::new(Arc::default()) }
    }

    /// Returns the public keys whose signatures are accepted, youngest first (RFC 7517 section 5).
    pub fn public_key_set(&self) -> PublicKeySet {
        self.live_keys().public_key_set()
    }

    pub(crate) fn live_keys(&self) -> Arc<LiveKeys> {
        // The lock guards one pointer, which a panic cannot leave half written.
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn parties(&self) -> &TokenParties {
        &self.parties
    }
}

impl KeyRing for Ed25519KeyRing {
    fn create_key(&self, id: KeyId, at: DateTime<Utc>) -> Result<SigningKey, KeyRingError> {
        let pair = Ed25519KeyPair::generate().map_err(|_| KeyRingError::CannotCreate)?;
        let document = pair.to_pkcs8().map_err(|_| KeyRingError::CannotCreate)?;
        let binding = (Purpose::SigningKey, id.as_uuid());
        let sealed = seal::seal(&self.encryption_key, binding, document.as_ref())
            .map_err(|_| KeyRingError::CannotCreate)?;
        let private_key = SealedPrivateKey::new(sealed);
        let public_key = pair.public_key().as_ref().try_into().map_err(|_| KeyRingError::CannotCreate)?;
        Ok(SigningKey { id, public_key, private_key, created_at: at, state: SigningKeyState::Active })
    }

    /// Unchanged keys are left alone with their cache, so a periodic reload costs nothing.
    fn load(&self, keys: &[SigningKey]) -> Result<(), KeyRingError> {
        if self.live_keys().are(keys) {
            return Ok(());
        }
        let next = Arc::new(LiveKeys::open(&self.encryption_key, keys)?);
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
