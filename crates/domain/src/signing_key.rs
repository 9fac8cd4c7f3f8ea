//! The keys that sign access tokens, as the store knows them (decisions 3).

use crate::id::KeyId;
use chrono::{DateTime, Utc};
use std::fmt;

/// A private key, encrypted under the operator's key and bound to its `kid`; opaque here.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedPrivateKey(Vec<u8>);

impl SealedPrivateKey {
    /// Wraps sealed bytes.
    pub const fn new(sealed: Vec<u8>) -> Self {
        Self(sealed)
    }

    /// Returns the sealed bytes, to store or to open.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SealedPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedPrivateKey(..)")
    }
}

/// Whether a key still counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SigningKeyState {
    /// Its signatures are accepted; the youngest active key signs.
    Active,
    /// Its signatures are refused from this moment on.
    Retired {
        /// When it was retired.
        at: DateTime<Utc>,
    },
}

/// One Ed25519 key pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The `kid` in token headers and in the key set.
    pub id: KeyId,
    /// The public key: the 32 bytes of RFC 8032.
    pub public_key: [u8; 32],
    /// The private key, sealed.
    pub private_key: SealedPrivateKey,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Whether it still counts.
    pub state: SigningKeyState,
}
