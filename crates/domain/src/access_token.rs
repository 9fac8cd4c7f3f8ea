//! What an access token says (RFC 9068; decisions 3). How it is signed is for a port.

use crate::id::{ClientId, GrantId, TokenId, UserId};
use crate::scope::ScopeSet;
use chrono::{DateTime, TimeDelta, Utc};

/// How long an access token lives, in seconds (contract, Limits).
pub const LIFETIME_SECONDS: u32 = 3600;

/// For whom an access token acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenSubject {
    /// For a person, under a grant of theirs: `sub` is the person, `gid` the grant.
    Person {
        /// `sub`.
        user_id: UserId,
        /// `gid`.
        grant_id: GrantId,
    },
    /// For the client itself (`client_credentials`): `sub` is the client, there is no `gid`.
    Service,
}

/// What an access token says.
///
/// Issuer and audience are one for the whole server and belong to the signing port. Times have whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessClaims {
    /// `jti`.
    pub id: TokenId,
    /// `sub` and `gid`.
    pub subject: TokenSubject,
    /// `client_id`.
    pub client_id: ClientId,
    /// `scope`.
    pub scopes: ScopeSet,
    /// `iat`.
    pub issued_at: DateTime<Utc>,
    /// `exp`.
    pub expires_at: DateTime<Utc>,
}

impl AccessClaims {
    /// Returns the end of a token's life that begins at this moment.
    pub fn end_from(issued_at: DateTime<Utc>) -> DateTime<Utc> {
        issued_at + TimeDelta::seconds(i64::from(LIFETIME_SECONDS))
    }
}
