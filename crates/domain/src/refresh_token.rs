//! Refresh tokens: fixed for confidential clients, rotating for public apps (decisions 3; RFC 9700 section
//! 4.14).
//!
//! A rotating token consists of a family part, which all tokens of a grant share, and its own part. The
//! family part identifies the grant of every token it ever had, so no list of used tokens is needed.

use crate::id::{GrantId, UserId};
use crate::secret::{MalformedSecret, Secret, SecretBytes, SecretHash, SecretKind, hide_in_debug};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

/// How long a replaced token is accepted again, in seconds, if the response with the new one was lost.
pub const REUSE_WINDOW_SECONDS: i64 = 30;

/// Characters of the family part: 125 random bits.
const FAMILY_CHARACTERS: usize = 21;
/// Characters of a token's own part: 131 random bits (RFC 6749 section 10.10).
const OWN_CHARACTERS: usize = 22;

/// A refresh token in its text form.
#[derive(Debug, Clone)]
pub enum RefreshToken {
    /// Of a confidential client: never expires and never changes (contract, Authentication).
    Fixed(Secret),
    /// Of a public app: each use replaces it.
    Rotating(RotatingToken),
}

impl RefreshToken {
    /// Parses a token. Its prefix determines the kind.
    pub fn parse(text: &str) -> Result<Self, MalformedSecret> {
        let fixed = Secret::parse(SecretKind::RefreshToken, text).map(Self::Fixed);
        fixed.or_else(|_| RotatingToken::parse(text).map(Self::Rotating))
    }

    /// Returns the hash by which the store finds the grant.
    pub fn lookup_hash(&self) -> SecretHash {
        match self {
            Self::Fixed(secret) => secret.hash(),
            Self::Rotating(token) => token.family_hash(),
        }
    }

    /// Returns the text, for the only response that contains it.
    pub fn expose(&self) -> &str {
        match self {
            Self::Fixed(secret) => secret.expose(),
            Self::Rotating(token) => token.expose(),
        }
    }
}

/// A refresh token of a public app.
#[derive(Debug, Clone)]
pub struct RotatingToken(Secret);

impl RotatingToken {
    /// Creates the first token of a family.
    pub fn first(bytes: &SecretBytes) -> Self {
        Self(Secret::from_bytes(SecretKind::RotatingRefreshToken, bytes))
    }

    /// Creates another token of the same family.
    #[must_use]
    pub fn next(&self, bytes: &SecretBytes) -> Self {
        let fresh = Self::first(bytes);
        self.with_own_part(fresh.parts().1)
    }

    /// Parses a token. Does not check whether it was ever issued.
    pub fn parse(text: &str) -> Result<Self, MalformedSecret> {
        Secret::parse(SecretKind::RotatingRefreshToken, text).map(Self)
    }

    /// Returns the hash of the family part.
    pub fn family_hash(&self) -> SecretHash {
        let hash = Sha256::new().chain_update(b"refresh-family:").chain_update(self.parts().0);
        SecretHash::from_bytes(hash.finalize().into())
    }

    /// Returns the hash of the whole token.
    pub fn hash(&self) -> SecretHash {
        self.0.hash()
    }

    /// Encrypts the token that replaces this one. Only the holder of this one can decrypt it.
    pub fn seal(&self, next: &Self) -> SealedToken {
        let mut sealed = self.pad();
        for (byte, own) in sealed.iter_mut().zip(next.parts().1.bytes()) {
            *byte ^= own;
        }
        SealedToken(sealed)
    }

    /// Decrypts the token that replaced this one; `None` if it was sealed for another token.
    pub fn unseal(&self, sealed: &SealedToken) -> Option<Self> {
        let own: Vec<u8> = self.pad().iter().zip(sealed.0).map(|(pad, byte)| pad ^ byte).collect();
        let own =
            String::from_utf8(own).ok().filter(|own| own.bytes().all(|byte| byte.is_ascii_alphanumeric()))?;
        Some(self.with_own_part(&own))
    }

    /// Returns the text, for the only response that contains it.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// Key stream for exactly one text: a token is replaced at most once.
    fn pad(&self) -> [u8; OWN_CHARACTERS] {
        let hash = Sha256::new().chain_update(b"refresh-successor:").chain_update(self.0.expose()).finalize();
        std::array::from_fn(|at| hash.get(at).copied().unwrap_or_default())
    }

    /// Splits the random characters into the family part and the token's own part.
    fn parts(&self) -> (&str, &str) {
        self.0.random_part().split_at_checked(FAMILY_CHARACTERS).unwrap_or_default()
    }

    fn with_own_part(&self, own: &str) -> Self {
        let random = zeroize::Zeroizing::new(format!("{}{own}", self.parts().0));
        Self(Secret::from_random_part(SecretKind::RotatingRefreshToken, &random))
    }
}

/// A token, encrypted under the one that it replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SealedToken([u8; OWN_CHARACTERS]);

impl SealedToken {
    /// Wraps bytes from the store; `None` if their number is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the bytes to store.
    pub const fn as_bytes(&self) -> &[u8; OWN_CHARACTERS] {
        &self.0
    }
}

hide_in_debug!(SealedToken);

/// A use of a rotating token, which is to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// Person of the grant.
    pub user_id: UserId,
    /// The grant.
    pub grant_id: GrantId,
    /// Hash of the presented token.
    pub presented: SecretHash,
    /// Hash of the token that replaces it.
    pub next: SecretHash,
    /// The token that replaces it, encrypted under the presented one.
    pub sealed_next: SealedToken,
    /// Time of the use.
    pub at: DateTime<Utc>,
}

impl Rotation {
    /// Returns the time since which the presented token may have been replaced and is still accepted.
    pub fn window_start(&self) -> DateTime<Utc> {
        self.at - TimeDelta::seconds(REUSE_WINDOW_SECONDS)
    }
}

/// Decision of the store about a use of a rotating token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotationOutcome {
    /// It was the newest token and has been replaced.
    Replaced,
    /// It was replaced within [`REUSE_WINDOW_SECONDS`], and the new token, which is returned encrypted, has
    /// not been used: the response was lost.
    Repeated(SealedToken),
    /// It had been replaced before, so two parties have tokens of the family. The grant is revoked.
    Reused,
    /// The grant does not exist, is revoked, or has a token that does not rotate.
    NotLive,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(byte: u8) -> SecretBytes {
        SecretBytes::new(std::array::from_fn(|at| {
            byte.wrapping_mul(31).wrapping_add(u8::try_from(at).unwrap())
        }))
    }

    #[test]
    fn the_prefix_distinguishes_fixed_tokens_from_rotating_ones() {
        let fixed = Secret::from_bytes(SecretKind::RefreshToken, &bytes(1));
        let rotating = RotatingToken::first(&bytes(1));
        assert!(matches!(RefreshToken::parse(fixed.expose()), Ok(RefreshToken::Fixed(_))));
        assert!(matches!(RefreshToken::parse(rotating.expose()), Ok(RefreshToken::Rotating(_))));
        assert_eq!(RefreshToken::Fixed(fixed.clone()).lookup_hash(), fixed.hash());
        assert_eq!(RefreshToken::Rotating(rotating.clone()).lookup_hash(), rotating.family_hash());
        for text in ["", "rwr_", "rwt_x", &rotating.expose().replace("rwt_", "rwr_")] {
            assert!(RefreshToken::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn debug_output_never_shows_a_token() {
        let token = RotatingToken::first(&bytes(1));
        let next = token.next(&bytes(2));
        let shown = format!("{token:?} {:?} {:?}", token.seal(&next), RefreshToken::Rotating(next));
        assert_eq!(
            shown,
            "RotatingToken(Secret(rwt_..)) SealedToken(..) Rotating(RotatingToken(Secret(rwt_..)))"
        );
    }

    proptest! {
        #[test]
        fn all_tokens_of_a_family_have_its_hash_and_differ_otherwise(first: [u8; 32], second: [u8; 32]) {
            prop_assume!(first[16..] != second[16..]);
            let token = RotatingToken::first(&SecretBytes::new(first));
            let next = token.next(&SecretBytes::new(second));
            prop_assert_eq!(next.family_hash(), token.family_hash());
            prop_assert_ne!(next.hash(), token.hash());
            prop_assert_ne!(token.family_hash(), token.hash());
            let read_back = RotatingToken::parse(next.expose()).unwrap();
            prop_assert_eq!(read_back.hash(), next.hash());
            let other = RotatingToken::first(&SecretBytes::new(second));
            prop_assert!(first == second || other.family_hash() != token.family_hash());
        }

        #[test]
        fn only_the_replaced_token_opens_the_sealed_one(first: [u8; 32], second: [u8; 32], third: [u8; 32]) {
            let token = RotatingToken::first(&SecretBytes::new(first));
            let next = token.next(&SecretBytes::new(second));
            let sealed = SealedToken::from_bytes(token.seal(&next).as_bytes()).unwrap();
            prop_assert_eq!(token.unseal(&sealed).map(|token| token.hash()), Some(next.hash()));
            let stranger = RotatingToken::first(&SecretBytes::new(third));
            prop_assume!(stranger.hash() != token.hash());
            prop_assert_ne!(stranger.unseal(&sealed).map(|token| token.hash()), Some(next.hash()));
        }
    }

    #[test]
    fn a_sealed_token_has_22_bytes() {
        assert!(SealedToken::from_bytes(&[0; 22]).is_some());
        assert!(SealedToken::from_bytes(&[0; 21]).is_none());
        assert!(SealedToken::from_bytes(&[0; 23]).is_none());
    }
}
