//! Authorization codes: issued once, redeemed once (RFC 6749 section 4.1; decisions 3).

mod pkce;

pub use pkce::{CodeVerifier, InvalidPkce, PkceChallenge};

use crate::id::{ClientId, GrantId, UserId};
use crate::scope::ScopeSet;
use crate::secret::SecretHash;
use chrono::{DateTime, TimeDelta, Utc};

/// How long a code lives when nobody says otherwise, in seconds (decisions 3).
pub const DEFAULT_LIFETIME_SECONDS: u32 = 60;
/// The longest life that an operator may give a code, in seconds.
pub const MAX_LIFETIME_SECONDS: u32 = 600;

/// Says that a code may not live that long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a code lives between 1 second and 10 minutes")]
pub struct InvalidCodeLifetime;

/// How long a code lives: 1 to [`MAX_LIFETIME_SECONDS`] seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeLifetime(u32);

impl CodeLifetime {
    /// The life of a code when nobody says otherwise.
    pub const DEFAULT: Self = Self(DEFAULT_LIFETIME_SECONDS);
    /// The longest life of a code.
    pub const MAX: Self = Self(MAX_LIFETIME_SECONDS);

    /// Wraps a number of seconds in range.
    pub const fn from_seconds(seconds: u32) -> Result<Self, InvalidCodeLifetime> {
        if seconds >= 1 && seconds <= MAX_LIFETIME_SECONDS {
            Ok(Self(seconds))
        } else {
            Err(InvalidCodeLifetime)
        }
    }

    /// Returns the end of a life that begins at this moment.
    pub fn end_from(self, issued_at: DateTime<Utc>) -> DateTime<Utc> {
        issued_at + TimeDelta::seconds(i64::from(self.0))
    }
}

/// Whether a code was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeState {
    /// It was not: it may be redeemed until it expires.
    Issued,
    /// It was: whoever presents it again has copied it.
    Redeemed {
        /// What redeeming it made; a replay revokes this.
        grant_id: GrantId,
        /// When.
        at: DateTime<Utc>,
    },
}

/// An authorization code, known by its hash only, with everything it is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationCode {
    /// The hash of its text.
    pub hash: SecretHash,
    /// The client it was issued to.
    pub client_id: ClientId,
    /// The person who authorized the client.
    pub user_id: UserId,
    /// The redirect URI of the authorization request, to be repeated exactly.
    pub redirect_uri: String,
    /// What the person granted.
    pub scopes: ScopeSet,
    /// The PKCE challenge, if the client sent one.
    pub challenge: Option<PkceChallenge>,
    /// When it was issued.
    pub issued_at: DateTime<Utc>,
    /// From when on it counts no more.
    pub expires_at: DateTime<Utc>,
    /// Whether it was used.
    pub state: CodeState,
}

/// What a client presents together with a code.
#[derive(Debug, Clone, Copy)]
pub struct Redemption<'a> {
    /// The client, authenticated.
    pub client_id: ClientId,
    /// The redirect URI it names.
    pub redirect_uri: &'a str,
    /// The PKCE verifier it sends, if any.
    pub verifier: Option<&'a CodeVerifier>,
    /// The moment.
    pub now: DateTime<Utc>,
}

/// Says why a code is not redeemed. The client learns `invalid_grant` and no more (RFC 6749 section 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodeRefusal {
    /// It belongs to another client; it stays good for its own.
    #[error("the code was issued to another client")]
    WrongClient,
    /// The redirect URI differs; the code stays good for the right one.
    #[error("the redirect URI is not the one of the authorization request")]
    WrongRedirectUri,
    /// It was redeemed before: what that made must be revoked (RFC 6749 section 4.1.2).
    #[error("the code was used before")]
    Replayed {
        /// What the first redemption made.
        grant_id: GrantId,
    },
    /// Its life is over.
    #[error("the code has expired")]
    Expired,
    /// The verifier is missing, wrong, or was sent where there is no challenge (RFC 9700 section 2.1.1).
    #[error("the code verifier does not fit")]
    WrongVerifier,
}

impl AuthorizationCode {
    /// Judges whether the code may be redeemed; changes nothing, so that a wrong try burns nothing.
    ///
    /// The checks come in the order of decisions 2: bindings, then use. That exactly one of many racing
    /// redemptions wins is for the store's conditional statement.
    pub fn judge(&self, redemption: &Redemption<'_>) -> Result<(), CodeRefusal> {
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
            (None, None) => Ok(()),
            (Some(challenge), Some(verifier)) if challenge.is_met_by(verifier) => Ok(()),
            _ => Err(CodeRefusal::WrongVerifier),
        }
    }
}

#[cfg(test)]
mod tests;
