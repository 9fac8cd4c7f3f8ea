//! Metadata of the protected resources: which authorization server issues tokens for them (RFC 9728).

use crate::HttpState;
use crate::example::PUBLIC_URL;
use crate::problem::ServerErrors;
use crate::route::Endpoint;
use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::scope::{Scope, ScopeSet};
use serde::Serialize;
use utoipa::ToSchema;

/// A protected resource and its authorization server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResourceBody {
    /// The resource identifier, the value of `resource` in RFC 8707.
    resource: String,
    /// The issuers of tokens for the resource: this server.
    #[schema(value_type = Vec<String>)]
    authorization_servers: [String; 1],
    /// The scopes that a person can grant.
    #[schema(value_type = Vec<String>)]
    scopes_supported: Vec<&'static str>,
    /// Where a request carries its token: in the header only.
    #[schema(value_type = Vec<String>)]
    bearer_methods_supported: [&'static str; 1],
    /// The name of the resource.
    resource_name: &'static str,
    /// The reference for developers.
    resource_documentation: String,
}

impl ResourceBody {
    /// Describes the API, or the endpoint for assistants, of the server at this public URL.
    fn new(public_url: &str, metadata: Endpoint) -> Self {
        let url = |endpoint: Endpoint| format!("{}{}", public_url.trim_end_matches('/'), endpoint.path());
        let is_mcp = metadata == Endpoint::McpResource;
        Self {
            resource: if is_mcp { url(Endpoint::Mcp) } else { public_url.to_owned() },
            authorization_servers: [public_url.to_owned()],
            scopes_supported: ScopeSet::CONSENTABLE.iter().map(Scope::as_str).collect(),
            bearer_methods_supported: ["header"],
            resource_name: if is_mcp { "Restwell for assistants" } else { "Restwell" },
            resource_documentation: url(Endpoint::Reference),
        }
    }
}

fn api_example() -> ResourceBody {
    ResourceBody::new(PUBLIC_URL, Endpoint::ApiResource)
}

fn mcp_example() -> ResourceBody {
    ResourceBody::new(PUBLIC_URL, Endpoint::McpResource)
}

/// Metadata of the API as a protected resource (RFC 9728)
#[utoipa::path(
    get, path = Endpoint::ApiResource.path(), tag = "server", operation_id = "readApiResource",
    responses(
        (status = 200, description = "The metadata", body = ResourceBody, example = api_example),
        ServerErrors,
    ),
)]
pub(crate) async fn show_api(state: web::Data<HttpState>) -> HttpResponse {
    show(&state, Endpoint::ApiResource)
}

/// Metadata of `/mcp` as a protected resource (RFC 9728)
#[utoipa::path(
    get, path = Endpoint::McpResource.path(), tag = "server", operation_id = "readMcpResource",
    responses(
        (status = 200, description = "The metadata", body = ResourceBody, example = mcp_example),
        ServerErrors,
    ),
)]
pub(crate) async fn show_mcp(state: web::Data<HttpState>) -> HttpResponse {
    show(&state, Endpoint::McpResource)
}

fn show(state: &HttpState, metadata: Endpoint) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"))
        .json(ResourceBody::new(&state.settings.public_url, metadata))
}
