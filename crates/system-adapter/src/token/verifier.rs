//! Checks access tokens.

use super::verified_tokens::{TokenDigest, VerifiedToken};
use super::{ALGORITHM, TokenParties, claims, header};
use crate::key_ring::{Ed25519KeyRing, LiveKeys};
use application::ports::system::{InvalidToken, TokenVerifier};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use domain::access_token::AccessClaims;
use jsonwebtoken::crypto;

/// What is longer is refused before any work (decisions 3). Our own tokens have about 600 bytes.
const MAX_BYTES: usize = 4096;

impl TokenVerifier for Ed25519KeyRing {
    fn verify(&self, token: &str, now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken> {
        if token.len() > MAX_BYTES {
            return Err(InvalidToken);
        }
        let keys = self.live_keys();
        let digest = TokenDigest::of(token);
        if let Some(known) = digest.and_then(|digest| keys.verified.find(digest, now)) {
            return known.at(now);
        }
        let verified = check(token, &keys, self.parties())?;
        let claims = verified.at(now)?;
        if let Some(digest) = digest {
            keys.verified.insert(digest, verified);
        }
        Ok(claims)
    }
}

/// Checks all but the times: the header picks a key, the key checks the text, then the body may speak.
fn check(token: &str, keys: &LiveKeys, parties: &TokenParties) -> Result<VerifiedToken, InvalidToken> {
    let (message, signature) = token.rsplit_once('.').ok_or(InvalidToken)?;
    let (header, body) = message.split_once('.').ok_or(InvalidToken)?;
    if body.contains('.') {
        return Err(InvalidToken);
    }
    let key = keys.find(header::parse(&decode(header)?)?).ok_or(InvalidToken)?;
    let holds = crypto::verify(signature, message.as_bytes(), &key.verifying, ALGORITHM);
    if !holds.unwrap_or(false) {
        return Err(InvalidToken);
    }
    claims::parse(&decode(body)?, parties)
}

/// Decodes base64url; padding, line ends and stray bits at the end are refused, so that a token has one text.
fn decode(part: &str) -> Result<Vec<u8>, InvalidToken> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| InvalidToken)
}
