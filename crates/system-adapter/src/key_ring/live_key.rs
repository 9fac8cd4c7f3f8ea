//! Active keys, decrypted and checked.

use super::{PublicKey, PublicKeySet};
use crate::encryption_key::EncryptionKey;
use crate::seal::{self, Purpose};
use crate::token::VerifiedTokens;
use application::ports::system::KeyRingError;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use chrono::{DateTime, Utc};
use domain::id::KeyId;
use domain::signing_key::{SigningKey, SigningKeyState};
use jsonwebtoken::DecodingKey;
use std::collections::HashSet;

/// One active key.
pub(crate) struct LiveKey {
    pub(crate) id: KeyId,
    created_at: DateTime<Utc>,
    public_key: [u8; 32],
    pub(crate) signing: Ed25519KeyPair,
    pub(crate) verifying: DecodingKey,
}

impl LiveKey {
    /// Decrypts the private key and checks that it matches the public one.
    pub(crate) fn open(under: &EncryptionKey, key: &SigningKey) -> Result<Self, KeyRingError> {
        let binding = (Purpose::SigningKey, key.id.as_uuid());
        let document = seal::open(under, binding, key.private_key.as_bytes())
            .map_err(|_| KeyRingError::CannotDecrypt(key.id))?;
        let pair = Ed25519KeyPair::from_pkcs8(&document).map_err(|_| KeyRingError::Damaged(key.id))?;
        if pair.public_key().as_ref() != key.public_key {
            return Err(KeyRingError::Damaged(key.id));
        }
        Ok(Self {
            id: key.id,
            created_at: key.created_at,
            public_key: key.public_key,
            signing: pair,
            verifying: DecodingKey::from_ed_der(&key.public_key),
        })
    }
}

/// All keys loaded at one time, and the tokens verified with them.
#[derive(Default)]
pub(crate) struct LiveKeys {
    /// Loaded keys by id: active and retired.
    loaded: Vec<SigningKey>,
    /// Active keys, youngest first. There are so few that a linear search beats hashing.
    active: Vec<LiveKey>,
    pub(crate) verified: VerifiedTokens,
}

impl LiveKeys {
    /// Decrypts the active keys. Retired keys stay sealed: their encryption key may no longer exist.
    pub(super) fn open(under: &EncryptionKey, keys: &[SigningKey]) -> Result<Self, KeyRingError> {
        let mut seen = HashSet::new();
        if let Some(twice) = keys.iter().find(|key| !seen.insert(key.id)) {
            return Err(KeyRingError::Damaged(twice.id));
        }
        let mut active = keys
            .iter()
            .filter(|key| key.state == SigningKeyState::Active)
            .map(|key| LiveKey::open(under, key))
            .collect::<Result<Vec<_>, _>>()?;
        // Keys created at the same time need the same order on every replica.
        active.sort_unstable_by_key(|key| std::cmp::Reverse((key.created_at, key.id)));
        Ok(Self { loaded: by_id(keys), active, verified: VerifiedTokens::default() })
    }

    /// Returns whether exactly these keys are loaded, in any order.
    pub(super) fn are(&self, keys: &[SigningKey]) -> bool {
        self.loaded.len() == keys.len() && self.loaded == by_id(keys)
    }

    /// Returns the key that signs.
    pub(crate) fn youngest(&self) -> Option<&LiveKey> {
        self.active.first()
    }

    /// Returns the active key with this `kid`.
    pub(crate) fn find(&self, id: KeyId) -> Option<&LiveKey> {
        self.active.iter().find(|key| key.id == id)
    }

    /// Returns whether a key with this `kid` is loaded, active or retired.
    pub(crate) fn has_loaded(&self, id: KeyId) -> bool {
        self.loaded.iter().any(|key| key.id == id)
    }

    pub(super) fn public_key_set(&self) -> PublicKeySet {
        PublicKeySet { keys: self.active.iter().map(|key| PublicKey::new(key.id, &key.public_key)).collect() }
    }
}

fn by_id(keys: &[SigningKey]) -> Vec<SigningKey> {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable_by_key(|key| key.id);
    sorted
}
