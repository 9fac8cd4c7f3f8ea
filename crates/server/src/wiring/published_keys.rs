//! The public keys of the ring for the HTTP side.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::KeyId;
use http_adapter::{KeySetSource, PublicKey};
use std::sync::Arc;
use system_adapter::Ed25519KeyRing;

/// Public keys of the ring.
pub(super) struct PublishedKeys(pub(super) Arc<Ed25519KeyRing>);

impl KeySetSource for PublishedKeys {
    fn public_keys(&self) -> Vec<PublicKey> {
        self.0.public_key_set().keys.iter().filter_map(|key| parsed(&key.kid, &key.x)).collect()
    }
}

/// Parses a key of the published set.
fn parsed(kid: &str, x: &str) -> Option<PublicKey> {
    let id = KeyId::parse(kid).ok()?;
    let public_key = URL_SAFE_NO_PAD.decode(x).ok()?.try_into().ok()?;
    Some(PublicKey { id, public_key })
}
