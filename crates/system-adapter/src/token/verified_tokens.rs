//! Cache of verified tokens. Verifying takes about 40 microseconds, a lookup a fraction of one.

use application::ports::system::InvalidToken;
use aws_lc_rs::digest::{SHA256, digest};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::{AccessClaims, LIFETIME_SECONDS};
use moka::sync::Cache;
use std::time::Duration;

/// Tolerated difference between the clocks of two replicas (decisions 3).
const LEEWAY: TimeDelta = TimeDelta::seconds(5);
/// Maximum number of cached tokens; about 300 bytes each.
const CAPACITY: u64 = 20_000;

/// Claims of a token with a valid signature and format.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerifiedToken {
    pub(super) claims: AccessClaims,
    /// The later of `iat` and `nbf`.
    pub(super) starts_at: DateTime<Utc>,
}

impl VerifiedToken {
    /// Returns the claims if the token is valid at this time.
    pub(super) fn at(&self, now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken> {
        if self.starts_at - now > LEEWAY || self.is_past(now) { Err(InvalidToken) } else { Ok(self.claims) }
    }

    fn is_past(&self, now: DateTime<Utc>) -> bool {
        now - self.claims.expires_at >= LEEWAY
    }
}

/// SHA-256 of a token's whole text, including the signature.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// Hashes a token; `None` if the library fails, in which case the token is not cached.
    pub(super) fn new(token: &str) -> Option<Self> {
        digest(&SHA256, token.as_bytes()).as_ref().try_into().ok().map(Self)
    }
}

/// Bounded cache of verified tokens, none kept for longer than the lifetime of a token.
///
/// Belongs to one set of keys, one issuer and one audience. The validity period is checked on every use.
pub(crate) struct VerifiedTokens(Cache<TokenDigest, VerifiedToken>);

impl Default for VerifiedTokens {
    fn default() -> Self {
        let life = Duration::from_secs(u64::from(LIFETIME_SECONDS));
        Self(Cache::builder().max_capacity(CAPACITY).time_to_live(life).build())
    }
}

impl VerifiedTokens {
    /// Returns a cached token; an expired one is removed.
    pub(super) fn find(&self, digest: TokenDigest, now: DateTime<Utc>) -> Option<VerifiedToken> {
        let known = self.0.get(&digest)?;
        if known.is_past(now) {
            self.0.invalidate(&digest);
        }
        Some(known)
    }

    pub(super) fn insert(&self, digest: TokenDigest, token: VerifiedToken) {
        self.0.insert(digest, token);
    }

    #[cfg(test)]
    pub(super) fn contains(&self, token: &str) -> bool {
        TokenDigest::new(token).is_some_and(|digest| self.0.contains_key(&digest))
    }
}
