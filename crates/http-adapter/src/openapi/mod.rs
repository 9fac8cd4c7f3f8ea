//! The `OpenAPI` document and the interactive reference.
//!
//! The document is made of the code: schemas of the types that are sent, answers of the table of faults,
//! limits and defaults of the domain. The committed copy is compared with it.

mod change;
mod component;
mod data;
mod example;
mod export;
mod given_token;
mod ingest;
mod ingest_item;
mod parameter;
mod reference;
mod response;
mod schema;
mod service;
#[cfg(test)]
mod tests;
mod token;

use crate::route::Endpoint;
use actix_web::web::{ServiceConfig, get};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, PathsBuilder};

const DESCRIPTION: &str = "Consented access to people's profile, sleep and supplement data. \
An app exchanges an authorization code for tokens, then reads with the access token. Errors of the token \
endpoints follow RFC 6749, all others are `application/problem+json` (RFC 9457); `code` is stable. What cannot \
be read as HTTP (more than 96 headers, a head above 128 KiB or one that does not arrive, raw bytes in the \
address, an address above 64 KiB) gets a bare 431, 408 or 400 without a body.";

/// Makes the document: every endpoint, every answer, every parameter.
pub fn document() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Restwell")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .license(Some(
            LicenseBuilder::new().name("MIT OR Apache-2.0").identifier(Some("MIT OR Apache-2.0")).build(),
        ))
        .build();
    let mut paths = PathsBuilder::new();
    let groups = [
        token::paths(),
        given_token::paths(),
        data::paths(),
        change::paths(),
        export::paths(),
        ingest::paths(),
        service::paths(),
    ];
    for (path, item) in groups.into_iter().flatten() {
        paths = paths.path(path, item);
    }
    let tag = |name: &str, text: &str| TagBuilder::new().name(name).description(Some(text)).build();
    OpenApiBuilder::new()
        .info(info)
        .paths(paths.build())
        .components(Some(component::components()))
        .tags(Some([
            tag(token::TAG, "From an authorization code to tokens, and their end"),
            tag(data::TAG, "What a person granted to an app"),
            tag(ingest::TAG, "What first-party backends write"),
            tag(service::TAG, "The server itself"),
        ]))
        .build()
}

/// Renders the document as JSON for people to read and tools to compare: pretty, in one order, with a line
/// end.
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
