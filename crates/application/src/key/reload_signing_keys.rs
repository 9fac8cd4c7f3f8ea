//! Takes the signing keys of the store into use, so that no replica needs a restart (decisions 3).

use super::SigningKeyError;
use crate::ports::storage::SigningKeyReader;
use crate::ports::system::KeyRing;
use domain::signing_key::SigningKey;
use std::sync::{Arc, Mutex, PoisonError};

/// Reloads signing keys; meant to run every second or so.
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

    /// Returns whether the keys differ from those of the last call; if they do not, nothing is opened again.
    ///
    /// Calls have to follow one another: of two at once, the one that read first could load last.
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
