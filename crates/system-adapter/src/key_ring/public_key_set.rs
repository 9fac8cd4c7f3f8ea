//! The key set at `/.well-known/jwks.json` (RFC 7517, RFC 8037).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::KeyId;
use serde::Serialize;

/// A JWK set (RFC 7517 section 5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PublicKeySet {
    /// Keys, youngest first.
    pub keys: Vec<PublicKey>,
}

/// A public Ed25519 key as a JWK (RFC 8037 section 2), without a private part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PublicKey {
    /// `OKP`.
    pub kty: &'static str,
    /// `Ed25519`.
    pub crv: &'static str,
    /// `sig`.
    #[serde(rename = "use")]
    pub usage: &'static str,
    /// `EdDSA`.
    pub alg: &'static str,
    /// The `kid` in token headers.
    pub kid: String,
    /// The 32 bytes of the key in base64url.
    pub x: String,
}

impl PublicKey {
    pub(super) fn new(id: KeyId, public_key: &[u8; 32]) -> Self {
        Self {
            kty: "OKP",
            crv: "Ed25519",
            usage: "sig",
            alg: "EdDSA",
            kid: id.to_string(),
            x: URL_SAFE_NO_PAD.encode(public_key),
        }
    }
}
