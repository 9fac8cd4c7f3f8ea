//! A request for a token: its rules, and the token that it becomes.

use super::PersonalTokenError;
use crate::ports::system::Entropy;
use chrono::{DateTime, TimeDelta, Utc};
use domain::id::{FormId, PersonalTokenId, UserId};
use domain::personal_token::{InvalidTokenName, PersonalToken, PersonalTokenName};
use domain::scope::{Scope, ScopeSet, UnknownScope};
use domain::secret::{Secret, SecretKind};

/// Maximum lifetime of a token with an expiry, in days.
pub const MAX_LIFETIME_DAYS: u32 = 366;

/// A request for a token.
#[derive(Debug, Clone, Copy)]
pub struct NewPersonalToken<'a> {
    /// Id of the form, so that sending it twice creates one token.
    pub form: FormId,
    /// Name of the token.
    pub name: &'a str,
    /// Names of its scopes.
    pub scopes: &'a [&'a str],
    /// Lifetime in days; `None` if it never expires.
    pub expires_in_days: Option<u32>,
}

/// A new token; only its hash is stored.
#[derive(Debug)]
pub struct CreatedPersonalToken {
    /// The token's secret.
    pub secret: Secret,
    /// The stored token.
    pub token: PersonalToken,
}

/// A validated request for a token.
pub(super) struct TokenSpec {
    name: PersonalTokenName,
    scopes: ScopeSet,
    expires_at: Option<DateTime<Utc>>,
}

impl TokenSpec {
    pub(super) fn read(new: NewPersonalToken<'_>, now: DateTime<Utc>) -> Result<Self, PersonalTokenError> {
        let scopes: Result<ScopeSet, UnknownScope> =
            new.scopes.iter().map(|name| Scope::parse(name)).collect();
        let scopes = scopes.map_err(|UnknownScope| PersonalTokenError::InvalidScopes)?;
        let name =
            PersonalTokenName::parse(new.name).map_err(|InvalidTokenName| PersonalTokenError::InvalidName)?;
        if scopes.is_empty() || !scopes.is_subset_of(ScopeSet::CONSENTABLE) {
            return Err(PersonalTokenError::InvalidScopes);
        }
        let expires_at = match new.expires_in_days {
            None => None,
            Some(days @ 1..=MAX_LIFETIME_DAYS) => Some(now + TimeDelta::days(i64::from(days))),
            Some(_) => return Err(PersonalTokenError::InvalidLifetime),
        };
        Ok(Self { name, scopes, expires_at })
    }

    /// Generates the secret of a user's token.
    pub(super) fn issue(
        self,
        id: PersonalTokenId,
        user_id: UserId,
        entropy: &dyn Entropy,
        at: DateTime<Utc>,
    ) -> CreatedPersonalToken {
        let Self { name, scopes, expires_at } = self;
        let secret = Secret::from_bytes(SecretKind::PersonalAccessToken, &entropy.secret_bytes());
        let token = PersonalToken {
            id,
            user_id,
            name,
            token_hash: secret.hash(),
            scopes,
            created_at: at,
            expires_at,
            last_used_at: None,
            revoked_at: None,
        };
        CreatedPersonalToken { secret, token }
    }
}
