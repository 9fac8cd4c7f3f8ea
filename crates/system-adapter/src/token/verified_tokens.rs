//! Tokens whose signature was checked already. A check costs about 40 microseconds, looking it up a fraction.

use application::ports::system::InvalidToken;
use aws_lc_rs::digest::{SHA256, digest};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::{AccessClaims, LIFETIME_SECONDS};
use moka::sync::Cache;
use std::time::Duration;

/// How far the clocks of two replicas may be apart (decisions 3).
const LEEWAY: TimeDelta = TimeDelta::seconds(5);
/// How many tokens are remembered; some 300 bytes each.
const CAPACITY: u64 = 20_000;

/// What a token says, after its signature and form were found good.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerifiedToken {
    pub(super) claims: AccessClaims,
    /// The later one of `iat` and `nbf`.
    pub(super) starts_at: DateTime<Utc>,
}

impl VerifiedToken {
    /// Returns the claims, if the token counts at this moment.
    pub(super) fn at(&self, now: DateTime<Utc>) -> Result<AccessClaims, InvalidToken> {
        if self.starts_at - now > LEEWAY || self.is_past(now) { Err(InvalidToken) } else { Ok(self.claims) }
    }

    fn is_past(&self, now: DateTime<Utc>) -> bool {
        now - self.claims.expires_at >= LEEWAY
    }
}

/// Names a token by the SHA-256 of its whole text, signature included.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// Digests a token; nothing when the library gives no 32 bytes, which only means that nothing is remembered.
    pub(super) fn of(token: &str) -> Option<Self> {
        digest(&SHA256, token.as_bytes()).as_ref().try_into().ok().map(Self)
    }
}

/// Remembers verified tokens, a bounded number of them, and none for longer than a token can live.
///
/// Belongs to one set of keys, one issuer and one audience. Times are asked again at every use.
pub(crate) struct VerifiedTokens(Cache<TokenDigest, VerifiedToken>);

impl Default for VerifiedTokens {
    fn default() -> Self {
        let life = Duration::from_secs(u64::from(LIFETIME_SECONDS));
        Self(Cache::builder().max_capacity(CAPACITY).time_to_live(life).build())
    }
}

impl VerifiedTokens {
    /// Returns a token that was verified before; one that is past its end is forgotten.
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
        TokenDigest::of(token).is_some_and(|digest| self.0.contains_key(&digest))
    }
}
