//! Signing of access tokens.

use super::claims::WrittenClaims;
use super::{ALGORITHM_NAME, TOKEN_TYPE};
use crate::key_ring::{Ed25519KeyRing, LiveKey};
use application::ports::system::{SigningFailed, TokenSigner};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::access_token::AccessClaims;
use serde::Serialize;

#[derive(Serialize)]
struct WrittenHeader {
    alg: &'static str,
    typ: &'static str,
    kid: String,
}

impl TokenSigner for Ed25519KeyRing {
    fn sign(&self, claims: &AccessClaims) -> Result<String, SigningFailed> {
        let keys = self.live_keys();
        let key = keys.youngest().ok_or(SigningFailed(None))?;
        let header = WrittenHeader { alg: ALGORITHM_NAME, typ: TOKEN_TYPE, kid: key.id.to_string() };
        let header = serde_json::to_vec(&header).map_err(failed)?;
        let body = serde_json::to_vec(&WrittenClaims::new(self.parties(), claims)).map_err(failed)?;
        Ok(sign_parts(key, &header, &body))
    }
}

/// Joins header, body and signature (RFC 7515 section 7.1). `jsonwebtoken` parses the key for each signature,
/// which doubles its cost; the parsed key signs directly.
pub(crate) fn sign_parts(key: &LiveKey, header: &[u8], body: &[u8]) -> String {
    let mut text = URL_SAFE_NO_PAD.encode(header);
    text.push('.');
    URL_SAFE_NO_PAD.encode_string(body, &mut text);
    let signature = key.signing.sign(text.as_bytes());
    text.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut text);
    text
}

fn failed(error: serde_json::Error) -> SigningFailed {
    SigningFailed(Some(Box::new(error)))
}
