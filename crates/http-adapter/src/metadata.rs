//! `/.well-known/oauth-authorization-server`: server metadata for client libraries (RFC 8414).

use crate::HttpState;
use crate::example::PUBLIC_URL;
use crate::problem::ServerErrors;
use crate::route::Endpoint;
use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::scope::Scope;
use serde::Serialize;
use utoipa::ToSchema;

/// Methods of client authentication (RFC 6749 section 2.3.1).
const CLIENT_AUTHENTICATION: [&str; 2] = ["client_secret_basic", "client_secret_post"];

/// The same, with that of public apps (RFC 7591 section 2).
const CLIENT_IDENTIFICATION: [&str; 3] = ["client_secret_basic", "client_secret_post", "none"];

/// Endpoints and capabilities of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MetadataBody {
    /// The issuer of tokens: the public URL, also their `iss`.
    issuer: String,
    /// The endpoint to which an app sends a person for authorization.
    authorization_endpoint: String,
    /// The endpoint that exchanges codes and refresh tokens.
    token_endpoint: String,
    /// The endpoint that revokes tokens (RFC 7009).
    revocation_endpoint: String,
    /// The endpoint that reports whether a token is valid (RFC 7662).
    introspection_endpoint: String,
    /// The public keys of access tokens.
    jwks_uri: String,
    /// Every scope; those with a colon are for service clients only.
    #[schema(value_type = Vec<String>)]
    scopes_supported: Vec<&'static str>,
    /// The values of `response_type`.
    #[schema(value_type = Vec<String>)]
    response_types_supported: [&'static str; 1],
    /// The values of `response_mode`.
    #[schema(value_type = Vec<String>)]
    response_modes_supported: [&'static str; 1],
    /// The values of `grant_type`.
    #[schema(value_type = Vec<String>)]
    grant_types_supported: [&'static str; 3],
    /// The methods of client authentication at the token endpoint; `none` is for public apps.
    #[schema(value_type = Vec<String>)]
    token_endpoint_auth_methods_supported: [&'static str; 3],
    /// The methods of client authentication at the revocation endpoint; `none` is for public apps.
    #[schema(value_type = Vec<String>)]
    revocation_endpoint_auth_methods_supported: [&'static str; 3],
    /// The methods of client authentication at the introspection endpoint.
    #[schema(value_type = Vec<String>)]
    introspection_endpoint_auth_methods_supported: [&'static str; 2],
    /// Whether every authorization response has the parameter `iss` (RFC 9207): always true.
    authorization_response_iss_parameter_supported: bool,
    /// The challenge methods of PKCE (RFC 7636).
    #[schema(value_type = Vec<String>)]
    code_challenge_methods_supported: [&'static str; 1],
    /// Whether `client_id` may be the URL of a metadata document, at least for some hosts.
    client_id_metadata_document_supported: bool,
    /// The reference for developers.
    service_documentation: String,
}

impl MetadataBody {
    /// Describes the server at this public URL; headers of the request have no influence.
    pub(crate) fn new(public_url: &str, accepts_metadata_documents: bool) -> Self {
        let url = |endpoint: Endpoint| format!("{}{}", public_url.trim_end_matches('/'), endpoint.path());
        Self {
            issuer: public_url.to_owned(),
            authorization_endpoint: url(Endpoint::Authorize),
            token_endpoint: url(Endpoint::Token),
            revocation_endpoint: url(Endpoint::Revoke),
            introspection_endpoint: url(Endpoint::Introspect),
            jwks_uri: url(Endpoint::KeySet),
            scopes_supported: Scope::ALL.into_iter().map(Scope::as_str).collect(),
            response_types_supported: ["code"],
            response_modes_supported: ["query"],
            grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
            token_endpoint_auth_methods_supported: CLIENT_IDENTIFICATION,
            revocation_endpoint_auth_methods_supported: CLIENT_IDENTIFICATION,
            introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
            authorization_response_iss_parameter_supported: true,
            code_challenge_methods_supported: ["S256"],
            client_id_metadata_document_supported: accepts_metadata_documents,
            service_documentation: url(Endpoint::Reference),
        }
    }
}

fn example() -> MetadataBody {
    MetadataBody::new(PUBLIC_URL, false)
}

/// Metadata of the authorization server (RFC 8414)
#[utoipa::path(
    get, path = Endpoint::Metadata.path(), tag = "server", operation_id = "readMetadata",
    responses(
        (status = 200, description = "The metadata", body = MetadataBody, example = example),
        ServerErrors,
    ),
)]
pub(crate) async fn show(state: web::Data<HttpState>) -> HttpResponse {
    let settings = &state.settings;
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"))
        .json(MetadataBody::new(&settings.public_url, settings.metadata_policy.accepts_some()))
}
