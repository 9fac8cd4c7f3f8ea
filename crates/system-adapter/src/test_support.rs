//! Test fixtures: clocks under the test's control, and validly signed tokens with arbitrary content.
//!
//! Compiled only with the feature `test-support`.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test that cannot be set up must fail")]

use crate::encryption_key::EncryptionKey;
use crate::entropy::SystemEntropy;
use crate::key_ring::{Ed25519KeyRing, LiveKey};
use crate::token::{TokenParties, WrittenClaims, sign_parts};
use application::ports::system::{Clock, Entropy, KeyRing};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::AccessClaims;
use domain::id::KeyId;
use domain::signing_key::SigningKey;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// A clock with a fixed time.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub DateTime<Utc>);

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// A settable clock; clones share their time.
#[derive(Debug, Clone)]
pub struct SettableClock(Arc<Mutex<DateTime<Utc>>>);

impl SettableClock {
    /// Creates a clock at this time.
    pub fn new(now: DateTime<Utc>) -> Self {
        Self(Arc::new(Mutex::new(now)))
    }

    /// Sets the time.
    pub fn set(&self, now: DateTime<Utc>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Moves the time forward or back.
    pub fn advance(&self, by: TimeDelta) {
        let now = self.now();
        self.set(now + by);
    }
}

impl Clock for SettableClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A ring with one key, and a forge that signs with it.
pub struct TestKeyRing {
    /// The ring.
    pub ring: Arc<Ed25519KeyRing>,
    /// Signs anything with the ring's key.
    pub forge: TokenForge,
    /// The key as stored.
    pub key: SigningKey,
    /// The key under which it is sealed.
    pub encryption_key: EncryptionKey,
}

impl TestKeyRing {
    /// Creates a ring whose key was created at this time.
    pub fn new(parties: TokenParties, at: DateTime<Utc>) -> Self {
        let encryption_key = EncryptionKey::generate();
        let ring = Ed25519KeyRing::new(encryption_key.clone(), parties.clone());
        let key = ring.create_key(KeyId::from_uuid(SystemEntropy.uuid()), at).expect("a key can be created");
        ring.load(std::slice::from_ref(&key)).expect("the new key loads");
        let forge = TokenForge::new(&encryption_key, &key, parties);
        Self { ring: Arc::new(ring), forge, key, encryption_key }
    }
}

/// Signs any header and body with a real key.
pub struct TokenForge {
    key: LiveKey,
    parties: TokenParties,
}

impl TokenForge {
    /// Opens the key to sign with.
    pub fn new(encryption_key: &EncryptionKey, key: &SigningKey, parties: TokenParties) -> Self {
        let key = LiveKey::open(encryption_key, key).expect("the test key opens");
        Self { key, parties }
    }

    /// Returns the header of a valid token.
    pub fn header(&self) -> Value {
        json!({ "alg": "EdDSA", "typ": "at+jwt", "kid": self.key.id.to_string() })
    }

    /// Returns the body of a valid token with these claims.
    pub fn body(&self, claims: &AccessClaims) -> Value {
        serde_json::to_value(WrittenClaims::new(&self.parties, claims)).expect("claims are JSON")
    }

    /// Signs a header and a body.
    pub fn sign(&self, header: &Value, body: &Value) -> String {
        self.sign_text(&header.to_string(), &body.to_string())
    }

    /// Signs a header and a body given as text, which need not be JSON.
    pub fn sign_text(&self, header: &str, body: &str) -> String {
        sign_parts(&self.key, header.as_bytes(), body.as_bytes())
    }
}
