//! Loads the signing keys of the store, so that no replica needs a restart (decisions 3).

use super::SigningKeyError;
use crate::ports::storage::SigningKeyReader;
use crate::ports::system::KeyRing;
use domain::signing_key::SigningKey;
use std::sync::{Arc, Mutex, PoisonError};

/// Reloads signing keys; run it about every second.
pub struct ReloadSigningKeys {
    reader: Arc<dyn SigningKeyReader>,
    ring: Arc<dyn KeyRing>,
    loaded: Mutex<Vec<SigningKey>>,
}

impl ReloadSigningKeys {
    /// Creates the use case.
    pub fn new(reader: Arc<dyn SigningKeyReader>, ring: Arc<dyn KeyRing>) -> Self {
        Self { reader, ring, loaded: Mutex::new(Vec::new()) }
    }

    /// Returns whether the keys differ from those of the last call; unchanged keys are not decrypted again.
    ///
    /// Calls must not overlap: the one that read first could load last.
    pub async fn run(&self) -> Result<bool, SigningKeyError> {
        let keys = self.reader.list_signing_keys().await?;
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if *loaded == keys {
            return Ok(false);
        }
        self.ring.load(&keys)?;
        *loaded = keys;
        Ok(true)
    }
}
