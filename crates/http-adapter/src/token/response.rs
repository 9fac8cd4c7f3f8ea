//! Response bodies of the token endpoints: the contract's members and those of RFC 6749 section 5.1.

use application::token::{IssuedTokens, RefreshedAccess, ServiceToken};
use domain::access_token::LIFETIME_SECONDS;
use serde::Serialize;
use utoipa::ToSchema;

pub(super) const BEARER: &str = "Bearer";

/// Tokens issued for an authorization code.
#[derive(Serialize, ToSchema)]
pub struct TokenBody {
    /// The access token, a JWT.
    access_token: String,
    /// The refresh token. It never expires; a public app's is replaced on each use.
    refresh_token: String,
    /// Always `Bearer`.
    #[schema(value_type = String)]
    token_type: &'static str,
    /// The access token's lifetime in seconds: 3600.
    expires_in: u32,
    /// The scopes granted, separated by spaces.
    scope: String,
    /// The person who granted them; every later call needs it.
    user_id: String,
}

impl From<IssuedTokens> for TokenBody {
    fn from(IssuedTokens { access_token, refresh_token, scopes, user_id }: IssuedTokens) -> Self {
        Self {
            access_token,
            refresh_token: refresh_token.expose().to_owned(),
            token_type: BEARER,
            expires_in: LIFETIME_SECONDS,
            scope: scopes.to_string(),
            user_id: user_id.to_string(),
        }
    }
}

/// Access token issued for a refresh token.
#[derive(Serialize, ToSchema)]
pub struct RefreshBody {
    /// The new access token, a JWT.
    access_token: String,
    /// The access token's lifetime in seconds: 3600.
    expires_in: u32,
    /// Always `Bearer`.
    #[schema(value_type = String)]
    token_type: &'static str,
    /// The scopes of this access token, separated by spaces.
    scope: String,
    /// The person who granted them.
    user_id: String,
    /// For a public app, the token that replaces the one it sent. Otherwise the same refresh token, present
    /// only if `grant_type=refresh_token` was sent: some clients lose it otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    refresh_token: Option<String>,
}

impl RefreshBody {
    /// Creates the body; `echo` is the refresh token if it is to be repeated.
    pub(super) fn new(refreshed: RefreshedAccess, echo: Option<String>) -> Self {
        let RefreshedAccess { access_token, scopes, user_id, next } = refreshed;
        Self {
            access_token,
            expires_in: LIFETIME_SECONDS,
            token_type: BEARER,
            scope: scopes.to_string(),
            user_id: user_id.to_string(),
            refresh_token: next.map(|next| next.expose().to_owned()).or(echo),
        }
    }
}

/// Access token issued to a service client (`client_credentials`).
#[derive(Serialize, ToSchema)]
pub struct ServiceTokenBody {
    /// The access token, a JWT.
    access_token: String,
    /// Always `Bearer`.
    #[schema(value_type = String)]
    token_type: &'static str,
    /// The access token's lifetime in seconds: 3600.
    expires_in: u32,
    /// The scopes of this access token, separated by spaces.
    scope: String,
}

impl From<ServiceToken> for ServiceTokenBody {
    fn from(ServiceToken { access_token, scopes }: ServiceToken) -> Self {
        Self { access_token, token_type: BEARER, expires_in: LIFETIME_SECONDS, scope: scopes.to_string() }
    }
}
