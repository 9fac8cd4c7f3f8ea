//! Lists signing keys and their use.

use crate::ports::storage::{SigningKeyReader, StorageError};
use chrono::{DateTime, Utc};
use derive_more::Constructor;
use domain::id::KeyId;
use domain::signing_key::{SigningKey, SigningKeyState};
use std::sync::Arc;

/// Use of a signing key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SigningKeyUse {
    /// Signs new tokens: the newest active key.
    Signs,
    /// Only verifies: its tokens are valid until they expire; new ones are signed with a newer key.
    Verifies,
    /// Retired: its tokens are rejected.
    Retired {
        /// Time of retirement.
        at: DateTime<Utc>,
    },
}

/// One signing key, without any key material.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SigningKeyEntry {
    /// The `kid` in token headers.
    pub id: KeyId,
    /// Creation time.
    pub created_at: DateTime<Utc>,
    /// Use of the key.
    pub usage: SigningKeyUse,
}

/// Lists signing keys.
#[derive(Constructor)]
pub struct ListSigningKeys {
    reader: Arc<dyn SigningKeyReader>,
}

impl ListSigningKeys {
    /// Returns all keys, active and retired, oldest first, ties by id.
    pub async fn run(&self) -> Result<Vec<SigningKeyEntry>, StorageError> {
        let keys = self.reader.list_signing_keys().await?;
        let signs = keys
            .iter()
            .filter(|key| key.state == SigningKeyState::Active)
            .max_by_key(|key| (key.created_at, key.id))
            .map(|key| key.id);
        let entry = |key: &SigningKey| SigningKeyEntry {
            id: key.id,
            created_at: key.created_at,
            usage: match key.state {
                SigningKeyState::Retired { at } => SigningKeyUse::Retired { at },
                SigningKeyState::Active if signs == Some(key.id) => SigningKeyUse::Signs,
                SigningKeyState::Active => SigningKeyUse::Verifies,
            },
        };
        Ok(keys.iter().map(entry).collect())
    }
}
