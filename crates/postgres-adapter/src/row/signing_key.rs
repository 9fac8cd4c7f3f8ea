//! Signing keys.

use crate::error::corrupt;
use crate::schema::signing_key;
use application::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::KeyId;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use uuid::Uuid;

/// A row of `signing_key`.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = signing_key, check_for_backend(Pg))]
pub(crate) struct SigningKeyRow {
    id: Uuid,
    public_key: Vec<u8>,
    private_key: Vec<u8>,
    created_at: DateTime<Utc>,
    retired_at: Option<DateTime<Utc>>,
}

impl From<&SigningKey> for SigningKeyRow {
    fn from(key: &SigningKey) -> Self {
        let SigningKey { id, public_key, private_key, created_at, state } = key;
        Self {
            id: id.as_uuid(),
            public_key: public_key.to_vec(),
            private_key: private_key.as_bytes().to_vec(),
            created_at: *created_at,
            retired_at: match state {
                SigningKeyState::Active => None,
                SigningKeyState::Retired { at } => Some(*at),
            },
        }
    }
}

impl SigningKeyRow {
    /// Reads the row as a key.
    pub(crate) fn into_key(self) -> Result<SigningKey, StorageError> {
        let Self { id, public_key, private_key, created_at, retired_at } = self;
        Ok(SigningKey {
            id: KeyId::from_uuid(id),
            public_key: public_key.try_into().map_err(corrupt::<Vec<u8>>("signing_key", "public_key", id))?,
            private_key: SealedPrivateKey::new(private_key),
            created_at,
            state: retired_at.map_or(SigningKeyState::Active, |at| SigningKeyState::Retired { at }),
        })
    }
}
