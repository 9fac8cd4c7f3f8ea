//! Parameters of the token endpoints for the `OpenAPI` document; `token::parameters` parses them.

use utoipa::{IntoParams, ToSchema};

/// Grant type of a token request.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum GrantType {
    /// An authorization code.
    AuthorizationCode,
    /// A refresh token.
    RefreshToken,
    /// The client's own secret; for service clients.
    ClientCredentials,
}

/// Grant type of a refresh request.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum RefreshGrantType {
    /// A refresh token.
    RefreshToken,
}

/// Parameters of `/api/token`.
#[derive(ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TokenForm {
    /// The grant type; `authorization_code` if absent.
    #[schema(inline, nullable = false)]
    #[param(inline)]
    pub grant_type: Option<GrantType>,
    /// The authorization code; required for `authorization_code`.
    #[schema(nullable = false, min_length = 1)]
    #[param(min_length = 1)]
    pub code: Option<String>,
    /// The redirect URI of the authorization request; required for `authorization_code`.
    #[schema(nullable = false)]
    pub redirect_uri: Option<String>,
    /// The verifier of PKCE (RFC 7636), if a challenge was sent; a public app always sends one.
    #[schema(nullable = false, pattern = "^[A-Za-z0-9._~-]{43,128}$")]
    #[param(pattern = "^[A-Za-z0-9._~-]{43,128}$")]
    pub code_verifier: Option<String>,
    /// The refresh token; required for `refresh_token`.
    #[schema(nullable = false, min_length = 1)]
    #[param(min_length = 1)]
    pub refresh_token: Option<String>,
    /// The person of the refresh token; checked if present.
    #[schema(nullable = false)]
    pub user_id: Option<uuid::Uuid>,
    /// Scopes separated by spaces, to get a narrower access token.
    #[schema(nullable = false)]
    pub scope: Option<String>,
    /// The resource of the authorization request (RFC 8707), which cannot be changed.
    #[schema(nullable = false)]
    pub resource: Option<String>,
    /// The client; required unless HTTP Basic is used.
    #[schema(nullable = false)]
    pub client_id: Option<uuid::Uuid>,
    /// The client's secret; required unless HTTP Basic is used. A public app has none.
    #[schema(nullable = false, min_length = 1)]
    #[param(min_length = 1)]
    pub client_secret: Option<String>,
}

/// Parameters of `/api/refresh`.
#[derive(ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RefreshForm {
    /// Optional. If present, `user_id` may be omitted and the response repeats the refresh token.
    #[schema(inline, nullable = false)]
    #[param(inline)]
    pub grant_type: Option<RefreshGrantType>,
    /// The refresh token; required.
    #[schema(nullable = false, min_length = 1)]
    #[param(min_length = 1)]
    pub refresh_token: Option<String>,
    /// The person of the refresh token; required without `grant_type`.
    #[schema(nullable = false)]
    pub user_id: Option<uuid::Uuid>,
    /// Scopes separated by spaces, to get a narrower access token.
    #[schema(nullable = false)]
    pub scope: Option<String>,
    /// The resource of the authorization request (RFC 8707), which cannot be changed.
    #[schema(nullable = false)]
    pub resource: Option<String>,
    /// The client; required unless HTTP Basic is used.
    #[schema(nullable = false)]
    pub client_id: Option<uuid::Uuid>,
    /// The client's secret; required unless HTTP Basic is used. A public app has none.
    #[schema(nullable = false, min_length = 1)]
    #[param(min_length = 1)]
    pub client_secret: Option<String>,
}

/// Parameters of revocation and introspection.
#[derive(ToSchema)]
pub struct GivenTokenForm {
    /// The token.
    #[schema(min_length = 1)]
    pub token: String,
    /// `refresh_token` to introspect a refresh token; not needed otherwise, and any other value is ignored.
    #[schema(nullable = false, min_length = 1)]
    pub token_type_hint: Option<String>,
    /// The client; required unless HTTP Basic is used.
    #[schema(nullable = false)]
    pub client_id: Option<uuid::Uuid>,
    /// The client's secret; required unless HTTP Basic is used. A public app has none.
    #[schema(nullable = false, min_length = 1)]
    pub client_secret: Option<String>,
}
