//! Claims of an access token (RFC 9068; decisions 3). Signing is behind a port.

use crate::id::{ClientId, GrantId, TokenId, UserId};
use crate::resource::Resource;
use crate::scope::ScopeSet;
use chrono::{DateTime, TimeDelta, Utc};

/// Lifetime of an access token in seconds (contract, Limits).
pub const LIFETIME_SECONDS: u32 = 3600;

/// Subject of an access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenSubject {
    /// A person, under a grant: `sub` is the person, `gid` the grant.
    Person {
        /// `sub`.
        user_id: UserId,
        /// `gid`.
        grant_id: GrantId,
    },
    /// The client itself (`client_credentials`): `sub` is the client; no `gid`.
    Service,
}

/// Claims of an access token.
///
/// The issuer is fixed for the server and belongs to the signing port. Times are whole seconds.
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
    /// `aud`: the only resource that accepts the token.
    pub audience: Resource,
    /// `iat`.
    pub issued_at: DateTime<Utc>,
    /// `exp`.
    pub expires_at: DateTime<Utc>,
}

impl AccessClaims {
    /// Returns the expiry of a token issued at this time.
    pub fn end_from(issued_at: DateTime<Utc>) -> DateTime<Utc> {
        issued_at + TimeDelta::seconds(i64::from(LIFETIME_SECONDS))
    }
}
