//! Verification of access tokens.

use super::verified_tokens::{TokenDigest, VerifiedToken};
use super::{ALGORITHM, TokenParties, claims, header};
use crate::key_ring::{Ed25519KeyRing, LiveKeys};
use application::ports::system::{InvalidToken, TokenVerifier};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use domain::access_token::AccessClaims;
use domain::id::KeyId;
use jsonwebtoken::crypto;

/// Longer texts are rejected without any work (decisions 3). Our tokens have about 600 bytes.
const MAX_BYTES: usize = 4096;
/// Length of an Ed25519 signature (RFC 8032 section 5.1.6).
const SIGNATURE_BYTES: usize = 64;

impl TokenVerifier for Ed25519KeyRing {
    fn verify(&self, token: &str, now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken> {
        let _span = tracing::info_span!(target: "trace", "token check").entered();
        if token.len() > MAX_BYTES {
            return Err(InvalidToken);
        }
        let keys = self.live_keys();
        let digest = TokenDigest::new(token);
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

/// Result of checking a token without its signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyNeed {
    /// Invalid in form or time, or signed by a retired key: no reload can make it valid.
    Hopeless,
    /// The key was never loaded.
    UnknownKey,
    /// The key is active; only the signature is unchecked.
    Known,
}

impl Ed25519KeyRing {
    /// Checks a token without its signature.
    pub(crate) fn key_need(&self, token: &str, now: DateTime<Utc>) -> KeyNeed {
        let Some(id) = self.plausible_key_id(token, now) else { return KeyNeed::Hopeless };
        let keys = self.live_keys();
        match (keys.find(id), keys.has_loaded(id)) {
            (Some(_), _) => KeyNeed::Known,
            (None, true) => KeyNeed::Hopeless,
            (None, false) => KeyNeed::UnknownKey,
        }
    }

    /// Returns the `kid` of a text that would be a valid token now if its signature held.
    fn plausible_key_id(&self, token: &str, now: DateTime<Utc>) -> Option<KeyId> {
        if token.len() > MAX_BYTES {
            return None;
        }
        let parts = Parts::split(token).ok()?;
        let signature = decode(parts.signature).ok()?;
        let id = header::parse(&decode(parts.header).ok()?).ok()?;
        let claims = claims::parse(&decode(parts.body).ok()?, self.parties()).ok()?;
        (signature.len() == SIGNATURE_BYTES && claims.at(now).is_ok()).then_some(id)
    }
}

/// The parts of a token.
struct Parts<'a> {
    message: &'a str,
    header: &'a str,
    body: &'a str,
    signature: &'a str,
}

impl<'a> Parts<'a> {
    fn split(token: &'a str) -> Result<Self, InvalidToken> {
        let (message, signature) = token.rsplit_once('.').ok_or(InvalidToken)?;
        let (header, body) = message.split_once('.').ok_or(InvalidToken)?;
        if body.contains('.') { Err(InvalidToken) } else { Ok(Self { message, header, body, signature }) }
    }
}

/// Checks everything but the times: the header selects a key, the key verifies the signature, and only then
/// is the body parsed.
fn check(token: &str, keys: &LiveKeys, parties: &TokenParties) -> Result<VerifiedToken, InvalidToken> {
    let parts = Parts::split(token)?;
    let key = keys.find(header::parse(&decode(parts.header)?)?).ok_or(InvalidToken)?;
    let holds = crypto::verify(parts.signature, parts.message.as_bytes(), &key.verifying, ALGORITHM);
    if !holds.unwrap_or(false) {
        return Err(InvalidToken);
    }
    claims::parse(&decode(parts.body)?, parties)
}

/// Decodes base64url; padding, line ends and trailing bits are rejected, so that a token has one text form.
fn decode(part: &str) -> Result<Vec<u8>, InvalidToken> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| InvalidToken)
}
