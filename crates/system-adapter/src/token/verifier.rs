//! Checks access tokens.

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

/// What is longer is refused before any work (decisions 3). Our own tokens have about 600 bytes.
const MAX_BYTES: usize = 4096;
/// The length of an Ed25519 signature (RFC 8032 section 5.1.6).
const SIGNATURE_BYTES: usize = 64;

impl TokenVerifier for Ed25519KeyRing {
    fn verify(&self, token: &str, now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken> {
        let _span = tracing::info_span!(target: "trace", "token check").entered();
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

/// What stands between this process and a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyNeed {
    /// Its form, its times or its retired key: no key could make it valid.
    Hopeless,
    /// Its key, which was never loaded.
    UnknownKey,
    /// Nothing but its signature: its key is in use.
    Known,
}

impl Ed25519KeyRing {
    /// Looks at a token without checking its signature.
    pub(crate) fn key_need(&self, token: &str, now: DateTime<Utc>) -> KeyNeed {
        let Some(id) = self.plausible_key_id(token, now) else { return KeyNeed::Hopeless };
        let keys = self.live_keys();
        match (keys.find(id), keys.has_loaded(id)) {
            (Some(_), _) => KeyNeed::Known,
            (None, true) => KeyNeed::Hopeless,
            (None, false) => KeyNeed::UnknownKey,
        }
    }

    /// Returns the `kid` of a text that is a token of ours at this moment, if only its signature holds.
    fn plausible_key_id(&self, token: &str, now: DateTime<Utc>) -> Option<KeyId> {
        if token.len() > MAX_BYTES {
            return None;
        }
        let parts = Parts::of(token).ok()?;
        let signature = decode(parts.signature).ok()?;
        let id = header::parse(&decode(parts.header).ok()?).ok()?;
        let claims = claims::parse(&decode(parts.body).ok()?, self.parties()).ok()?;
        (signature.len() == SIGNATURE_BYTES && claims.at(now).is_ok()).then_some(id)
    }
}

/// A token, taken apart.
struct Parts<'a> {
    message: &'a str,
    header: &'a str,
    body: &'a str,
    signature: &'a str,
}

impl<'a> Parts<'a> {
    fn of(token: &'a str) -> Result<Self, InvalidToken> {
        let (message, signature) = token.rsplit_once('.').ok_or(InvalidToken)?;
        let (header, body) = message.split_once('.').ok_or(InvalidToken)?;
        if body.contains('.') { Err(InvalidToken) } else { Ok(Self { message, header, body, signature }) }
    }
}

/// Checks all but the times: the header picks a key, the key checks the text, then the body may speak.
fn check(token: &str, keys: &LiveKeys, parties: &TokenParties) -> Result<VerifiedToken, InvalidToken> {
    let parts = Parts::of(token)?;
    let key = keys.find(header::parse(&decode(parts.header)?)?).ok_or(InvalidToken)?;
    let holds = crypto::verify(parts.signature, parts.message.as_bytes(), &key.verifying, ALGORITHM);
    if !holds.unwrap_or(false) {
        return Err(InvalidToken);
    }
    claims::parse(&decode(parts.body)?, parties)
}

/// Decodes base64url; padding, line ends and stray bits at the end are refused, so that a token has one text.
fn decode(part: &str) -> Result<Vec<u8>, InvalidToken> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| InvalidToken)
}
