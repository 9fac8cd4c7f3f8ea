//! `/.well-known/jwks.json`: the public keys of access tokens (RFC 7517, RFC 8037).

use crate::HttpState;
use actix_web::http::header;
use actix_web::{HttpResponse, web};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::KeyId;
use serde::Serialize;

/// One Ed25519 key whose signatures are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    /// Its `kid`.
    pub id: KeyId,
    /// The 32 bytes of RFC 8032.
    pub public_key: [u8; 32],
}

/// Lists the keys that this process checks tokens with.
pub trait KeySetSource: Send + Sync {
    /// Returns every key whose signatures are accepted at this moment.
    fn public_keys(&self) -> Vec<PublicKey>;
}

#[derive(Serialize)]
struct KeySetBody {
    keys: Vec<KeyBody>,
}

#[derive(Serialize)]
struct KeyBody {
    kty: &'static str,
    crv: &'static str,
    alg: &'static str,
    #[serde(rename = "use")]
    usage: &'static str,
    kid: String,
    x: String,
}

impl From<PublicKey> for KeyBody {
    fn from(PublicKey { id, public_key }: PublicKey) -> Self {
        Self {
            kty: "OKP",
            crv: "Ed25519",
            alg: "EdDSA",
            usage: "sig",
            kid: id.to_string(),
            x: URL_SAFE_NO_PAD.encode(public_key),
        }
    }
}

/// Answers with the key set. Cacheable for a minute only, so that a new key is seen soon after it signs.
pub(crate) async fn show(state: web::Data<HttpState>) -> HttpResponse {
    let keys = state.key_set.public_keys().into_iter().map(KeyBody::from).collect();
    HttpResponse::Ok().insert_header((header::CACHE_CONTROL, "public, max-age=60")).json(KeySetBody { keys })
}
