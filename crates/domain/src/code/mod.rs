//! Authorization codes: issued once, redeemed once (RFC 6749 section 4.1; decisions 3).

mod pkce;

pub use pkce::{CodeVerifier, InvalidPkce, PkceChallenge};

use crate::id::{ClientId, GrantId, UserId};
use crate::resource::Resource;
use crate::scope::ScopeSet;
use crate::secret::SecretHash;
use chrono::{DateTime, TimeDelta, Utc};

/// Default lifetime of a code in seconds (decisions 3).
pub const DEFAULT_LIFETIME_SECONDS: u32 = 60;
/// Maximum lifetime of a code in seconds.
pub const MAX_LIFETIME_SECONDS: u32 = 600;

/// The lifetime of the code is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a code lives between 1 second and 10 minutes")]
pub struct InvalidCodeLifetime;

/// Lifetime of a code: 1 to [`MAX_LIFETIME_SECONDS`] seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeLifetime(u32);

impl CodeLifetime {
    /// Default lifetime.
    pub const DEFAULT: Self = Self(DEFAULT_LIFETIME_SECONDS);
    /// Maximum lifetime.
    pub const MAX: Self = Self(MAX_LIFETIME_SECONDS);

    /// Checks a number of seconds.
    pub const fn from_seconds(seconds: u32) -> Result<Self, InvalidCodeLifetime> {
        if seconds >= 1 && seconds <= MAX_LIFETIME_SECONDS {
            Ok(Self(seconds))
        } else {
            Err(InvalidCodeLifetime)
        }
    }

    /// Returns the expiry of a code issued at this time.
    pub fn end_from(self, issued_at: DateTime<Utc>) -> DateTime<Utc> {
        issued_at + TimeDelta::seconds(i64::from(self.0))
    }
}

/// Whether a code was redeemed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeState {
    /// Not redeemed; valid until it expires.
    Issued,
    /// Redeemed; another attempt is a replay.
    Redeemed {
        /// The grant it created; a replay revokes it.
        grant_id: GrantId,
        /// Time of the redemption.
        at: DateTime<Utc>,
    },
}

/// An authorization code and its bindings, stored as a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationCode {
    /// Hash of the code.
    pub hash: SecretHash,
    /// Client it was issued to.
    pub client_id: ClientId,
    /// Person who authorized the client.
    pub user_id: UserId,
    /// Redirect URI of the authorization request, which must be repeated exactly.
    pub redirect_uri: String,
    /// Granted scopes.
    pub scopes: ScopeSet,
    /// Audience of the access tokens of its grant (RFC 8707).
    pub resource: Resource,
    /// PKCE challenge, if the client sent one.
    pub challenge: Option<PkceChallenge>,
    /// Time of issue.
    pub issued_at: DateTime<Utc>,
    /// Expiry.
    pub expires_at: DateTime<Utc>,
    /// Whether it was redeemed.
    pub state: CodeState,
}

/// A client's attempt to redeem a code.
#[derive(Debug, Clone, Copy)]
pub struct Redemption<'a> {
    /// The authenticated client.
    pub client_id: ClientId,
    /// Redirect URI in the request.
    pub redirect_uri: &'a str,
    /// PKCE verifier in the request.
    pub verifier: Option<&'a CodeVerifier>,
    /// Whether codes without a challenge are rejected: the client is public.
    pub needs_challenge: bool,
    /// Current time.
    pub now: DateTime<Utc>,
}

/// Why a code is rejected. The client only sees `invalid_grant` (RFC 6749 section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodeRefusal {
    /// The code belongs to another client, for which it stays valid.
    #[error("the code was issued to another client")]
    WrongClient,
    /// The redirect URI differs; the code stays valid for the right one.
    #[error("the redirect URI is not the one of the authorization request")]
    WrongRedirectUri,
    /// The code was redeemed before; its grant must be revoked (RFC 6749 section 4.1.2).
    #[error("the code was used before")]
    Replayed {
        /// Grant of the first redemption.
        grant_id: GrantId,
    },
    /// The code has expired.
    #[error("the code has expired")]
    Expired,
    /// The verifier is missing, wrong, or was sent without a challenge (RFC 9700 section 2.1.1).
    #[error("the code verifier does not match")]
    WrongVerifier,
}

impl AuthorizationCode {
    /// Checks whether the code can be redeemed. Changes nothing, so that a failed attempt does not use up the
    /// code.
    ///
    /// The order of the checks is that of decisions 2: bindings, then use. A conditional statement in the
    /// store ensures that only one of several concurrent redemptions succeeds.
    pub fn check(&self, redemption: &Redemption<'_>) -> Result<(), CodeRefusal> {
        if self.client_id != redemption.client_id {
            return Err(CodeRefusal::WrongClient);
        }
        if self.redirect_uri != redemption.redirect_uri {
            return Err(CodeRefusal::WrongRedirectUri);
        }
        if let CodeState::Redeemed { grant_id, .. } = self.state {
            return Err(CodeRefusal::Replayed { grant_id });
        }
        if redemption.now >= self.expires_at {
            return Err(CodeRefusal::Expired);
        }
        match (&self.challenge, redemption.verifier) {
            (None, None) if !redemption.needs_challenge => Ok(()),
            (Some(challenge), Some(verifier)) if challenge.is_met_by(verifier) => Ok(()),
            _ => Err(CodeRefusal::WrongVerifier),
        }
    }
}

#[cfg(test)]
mod tests;
