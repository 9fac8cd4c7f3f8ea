//! The `OpenAPI` document and the interactive reference.
//!
//! Operations are described beside their handlers, schemas beside their types, and error responses come from
//! the table of faults. This module puts the parts together. A test compares the result with the committed
//! copy.

mod authorize;
mod reference;
mod security;
#[cfg(test)]
mod tests;

use crate::data::DataApi;
use crate::errors::ErrorsApi;
use crate::example::PUBLIC_URL;
use crate::export::ExportApi;
use crate::health::{LivenessErrors, ReadinessErrors};
use crate::ingest::IngestApi;
use crate::problem::{OAuthErrorBody, ProblemBody, ServerErrors, add_common_headers, add_rate_headers};
use crate::route::Endpoint;
use crate::token::TokenApi;
use actix_web::web::{ServiceConfig, get};
use authorize::AuthorizeApi;
use utoipa::OpenApi as _;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApi, RefOr, ServerBuilder};

const DESCRIPTION: &str = "Consented access to people's profile, sleep and supplement data. \
An app exchanges an authorization code for tokens, then reads with the access token. Errors of the token \
endpoints follow RFC 6749, all others are `application/problem+json` (RFC 9457); `code` is stable. Profile, \
sleep and supplements are also served on paths without the segment `v1`, with the same counters; \
pagination links use these paths. AI assistants use the Model Context Protocol at `POST /mcp`, whose \
`tools/list` describes its tools. A request that cannot be parsed (more than 96 headers, a head above \
128 KiB or one that does not arrive in time, raw bytes in the address, an address above 64 KiB) gets a \
431, 408 or 400 without a body.";

/// Server information, tags and security schemes.
#[derive(utoipa::OpenApi)]
#[openapi(
    paths(
        crate::metadata::show,
        crate::resource::show_api,
        crate::resource::show_mcp,
        crate::key_set::show,
        crate::health::live,
        crate::health::ready,
        reference::show_document
    ),
    components(schemas(ProblemBody, OAuthErrorBody)),
    tags(
        (name = "tokens", description = "Authorization, tokens and their revocation"),
        (name = "data", description = "Data that a person granted to an app"),
        (name = "ingest", description = "Writes by first-party backends"),
        (name = "server", description = "The server itself"),
    ),
    modifiers(&ServerErrors, &LivenessErrors, &ReadinessErrors)
)]
struct ServerApi;

/// Creates the document of a server at the public URL of the examples.
pub fn document() -> OpenApi {
    let mut document = ServerApi::openapi();
    document.info = InfoBuilder::new()
        .title("Restwell")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .license(Some(
            LicenseBuilder::new().name("MIT OR Apache-2.0").identifier(Some("MIT OR Apache-2.0")).build(),
        ))
        .build();
    let server = ServerBuilder::new().url(PUBLIC_URL).description(Some("This server")).build();
    document.servers = Some(vec![server]);
    for part in [
        AuthorizeApi::openapi(),
        TokenApi::openapi(),
        DataApi::openapi(),
        ExportApi::openapi(),
        IngestApi::openapi(),
        ErrorsApi::openapi(),
    ] {
        document.merge(part);
    }
    security::add_schemes(&mut document);
    security::add_requirements(&mut document);
    add_headers(&mut document);
    document
}

/// Adds the headers of successful responses; those of errors are added with the errors.
fn add_headers(document: &mut OpenApi) {
    let items = document.paths.paths.values_mut();
    let operations =
        items.flat_map(|item| [&mut item.get, &mut item.post, &mut item.put, &mut item.delete]).flatten();
    for operation in operations {
        let is_counted = is_counted(operation);
        for response in operation.responses.responses.values_mut() {
            let RefOr::T(response) = response else { continue };
            add_common_headers(response);
            if is_counted {
                add_rate_headers(response);
            }
        }
    }
}

/// Returns whether an operation has a rate limit.
fn is_counted(operation: &Operation) -> bool {
    operation.tags.iter().flatten().any(|tag| matches!(tag.as_str(), "data" | "ingest"))
}

/// Renders the document as JSON for people to read and tools to compare: indented, in a fixed order, with a
/// final line end.
pub fn openapi_json() -> String {
    // Only maps with keys other than strings fail, and the document has none.
    document().to_pretty_json().unwrap_or_default() + "\n"
}

/// Registers `/openapi.json` and `/docs`.
pub fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Document.resource().route(get().to(reference::show_document)))
        .service(Endpoint::Reference.resource().route(get().to(reference::show_page)))
        .service(Endpoint::ReferenceFolder.resource().route(get().to(reference::redirect_to_page)))
        .service(Endpoint::ReferenceFile.resource().route(get().to(reference::show_file)));
}
