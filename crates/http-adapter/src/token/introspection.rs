//! Response of introspection (RFC 7662 section 2.2).

use application::token::ActiveToken;
use domain::access_token::{AccessClaims, TokenSubject};
use serde::Serialize;
use utoipa::ToSchema;

/// Claims of a valid token that the client may inspect; otherwise `active` alone.
#[derive(Debug, Serialize, ToSchema)]
pub struct IntrospectionBody {
    /// Whether the token is valid. The other members are present only if it is.
    pub(crate) active: bool,
    /// The scopes, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) scope: Option<String>,
    /// The client that holds the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) client_id: Option<String>,
    /// `Bearer` for an access token. Absent for a refresh token, which grants no access to data endpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, value_type = Option<String>)]
    pub(crate) token_type: Option<&'static str>,
    /// Expiry of an access token in Unix seconds. Refresh tokens do not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) exp: Option<i64>,
    /// Time of issue in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) iat: Option<i64>,
    /// The person who granted access; the client itself for a service client's token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) sub: Option<String>,
    /// The audience of an access token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) aud: Option<String>,
    /// The issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) iss: Option<String>,
    /// The id of an access token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    pub(crate) jti: Option<String>,
}

impl IntrospectionBody {
    const INACTIVE: Self = Self {
        active: false,
        scope: None,
        client_id: None,
        token_type: None,
        exp: None,
        iat: None,
        sub: None,
        aud: None,
        iss: None,
        jti: None,
    };

    /// Creates the body. The issuer of every token is the public URL.
    pub(super) fn new(token: Option<ActiveToken>, public_url: &str) -> Self {
        match token {
            None => Self::INACTIVE,
            Some(ActiveToken::Access(claims)) => Self::from_access_token(claims, public_url),
            Some(ActiveToken::Refresh { client_id, user_id, scopes, issued_at }) => Self {
                active: true,
                scope: Some(scopes.to_string()),
                client_id: Some(client_id.to_string()),
                iat: Some(issued_at.timestamp()),
                sub: Some(user_id.to_string()),
                iss: Some(public_url.to_owned()),
                ..Self::INACTIVE
            },
        }
    }

    fn from_access_token(claims: AccessClaims, public_url: &str) -> Self {
        let AccessClaims { id, subject, client_id, scopes, audience, issued_at, expires_at } = claims;
        Self {
            active: true,
            scope: Some(scopes.to_string()),
            client_id: Some(client_id.to_string()),
            token_type: Some(super::response::BEARER),
            exp: Some(expires_at.timestamp()),
            iat: Some(issued_at.timestamp()),
            sub: Some(match subject {
                TokenSubject::Person { user_id, grant_id: _ } => user_id.to_string(),
                TokenSubject::Service => client_id.to_string(),
            }),
            aud: Some(audience.uri(public_url).into_owned()),
            iss: Some(public_url.to_owned()),
            jti: Some(id.to_string()),
        }
    }
}
