//! Personal access tokens, which people create for their own scripts (decisions 3 and 9).

use crate::deceptive_text::{is_display_name, stored_name};
use crate::id::{PersonalTokenId, UserId};
use crate::scope::ScopeSet;
use crate::secret::SecretHash;
use chrono::{DateTime, Utc};

/// Maximum number of valid tokens per person.
pub const MAX_LIVE_TOKENS: usize = 100;

/// The text is not a valid token name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a token's name has 1 to 100 characters, no line breaks, no leading or trailing spaces, and no invisible \
     or direction-changing characters"
)]
pub struct InvalidTokenName;

/// Name of a token, given by its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalTokenName(String);

impl PersonalTokenName {
    /// Parses a name.
    pub fn parse(text: &str) -> Result<Self, InvalidTokenName> {
        if is_display_name(text) { Ok(Self(text.to_owned())) } else { Err(InvalidTokenName) }
    }

    /// Parses a stored name; removes deceptive characters, which earlier versions allowed.
    pub fn from_stored(text: &str) -> Result<Self, InvalidTokenName> {
        Self::parse(&stored_name(text))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A personal access token, stored as a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalToken {
    /// Its id.
    pub id: PersonalTokenId,
    /// Owner, whose data the token gives access to.
    pub user_id: UserId,
    /// Name.
    pub name: PersonalTokenName,
    /// Hash of the token.
    pub token_hash: SecretHash,
    /// Scopes: at least one, all grantable by a person.
    pub scopes: ScopeSet,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Expiry; `None` if the token never expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// Last use, to the minute; `None` if it was never used.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it was revoked; `None` if it was not.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl PersonalToken {
    /// Returns whether the token is valid at this time.
    pub fn is_live(&self, now: DateTime<Utc>) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use uuid::Uuid;

    fn token(expires_at: Option<DateTime<Utc>>, revoked_at: Option<DateTime<Utc>>) -> PersonalToken {
        PersonalToken {
            id: PersonalTokenId::from_uuid(Uuid::nil()),
            user_id: UserId::from_uuid(Uuid::nil()),
            name: PersonalTokenName::parse("Sunday notebook").unwrap(),
            token_hash: SecretHash::from_bytes([0; 32]),
            scopes: ScopeSet::CONSENTABLE,
            created_at: DateTime::UNIX_EPOCH,
            expires_at,
            last_used_at: None,
            revoked_at,
        }
    }

    #[test]
    fn a_token_is_valid_until_it_expires_or_is_revoked() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(1);
        assert!(token(None, None).is_live(now));
        assert!(token(Some(now + TimeDelta::seconds(1)), None).is_live(now));
        assert!(!token(Some(now), None).is_live(now));
        assert!(!token(None, Some(now)).is_live(now));
    }

    #[test]
    fn a_name_is_one_clean_line() {
        for text in ["", " x", "x\n", "a\u{0}b", &"x".repeat(101)] {
            assert_eq!(PersonalTokenName::parse(text), Err(InvalidTokenName));
        }
    }

    #[test]
    fn a_name_that_would_look_like_another_one_is_refused_and_a_stored_one_cleaned() {
        for text in ["mine\u{202e}", "mi\u{200b}ne", "mi\u{ad}ne", "\u{2066}mine"] {
            assert_eq!(PersonalTokenName::parse(text), Err(InvalidTokenName), "{text:?}");
            assert_eq!(PersonalTokenName::from_stored(text).unwrap().as_str(), "mine");
        }
    }
}
