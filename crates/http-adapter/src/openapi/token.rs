//! The token endpoints.

use super::response::{ErrorForm, Group, json};
use super::schema::{BASIC, reference};
use super::{example, parameter};
use crate::problem::Fault;
use crate::route;
use crate::token::{RefreshBody, ServiceTokenBody, TokenBody};
use domain::access_token::LIFETIME_SECONDS;
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, PathItem};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, RefOr, Required, Schema};

pub(super) const TAG: &str = "tokens";

pub(super) const ERRORS: Group = Group {
    name: "Token",
    faults: &[
        Fault::InvalidRequest,
        Fault::InvalidGrant,
        Fault::UnauthorizedClient,
        Fault::UnsupportedGrantType,
        Fault::InvalidScope,
        Fault::InvalidClient,
        Fault::RequestTimeout,
        Fault::PayloadTooLarge,
        Fault::UnsupportedMediaType,
        Fault::TooManyFailures,
        Fault::StorageUnavailable,
    ],
    form: ErrorForm::OAuth,
};

const HOW: &str = "Parameters come in the query string, in a form or JSON body (on GET too), or in both, each \
at most once; the client's id and secret may come as HTTP Basic instead. Unknown parameters are ignored.";

/// One parameter of a token endpoint: name, description, schema.
pub(super) type Field = (&'static str, &'static str, ObjectBuilder);

/// One of the two endpoints.
struct Endpoint {
    path: &'static str,
    name: &'static str,
    summary: &'static str,
    fields: fn() -> Vec<Field>,
    schema: fn() -> RefOr<Schema>,
    example: fn() -> serde_json::Value,
}

pub(super) fn paths() -> Vec<(String, PathItem)> {
    let endpoints = [
        Endpoint {
            path: route::path::TOKEN,
            name: "Token",
            summary: "Exchanges an authorization code for tokens",
            fields: token_fields,
            schema: token_answer,
            example: example::token,
        },
        Endpoint {
            path: route::path::REFRESH,
            name: "Refresh",
            summary: "Exchanges a refresh token for a new access token",
            fields: refresh_fields,
            schema: reference::<RefreshBody>,
            example: example::refresh,
        },
    ];
    endpoints.iter().map(|endpoint| (endpoint.path.to_owned(), path(endpoint))).collect()
}

fn path(endpoint: &Endpoint) -> PathItem {
    let mut item = PathItem::new(HttpMethod::Get, by_get(endpoint));
    item.merge_operations(PathItem::new(HttpMethod::Post, by_post(endpoint)));
    item
}

fn by_get(endpoint: &Endpoint) -> Operation {
    let mut operation = operation(endpoint, "get");
    for (name, description, schema) in (endpoint.fields)() {
        operation = operation.parameter(parameter::query(name, description, schema));
    }
    operation.build()
}

fn by_post(endpoint: &Endpoint) -> Operation {
    operation(endpoint, "post").request_body(Some(body((endpoint.fields)()))).build()
}

fn operation(endpoint: &Endpoint, verb: &str) -> OperationBuilder {
    let anonymous = SecurityRequirement::default();
    let basic = SecurityRequirement::new(BASIC, Vec::<String>::new());
    let operation = OperationBuilder::new()
        .operation_id(Some(format!("{verb}{}", endpoint.name)))
        .tag(TAG)
        .summary(Some(endpoint.summary))
        .description(Some(format!("{HOW} The access token lives {LIFETIME_SECONDS} seconds.")))
        .securities(Some([basic, anonymous]))
        .response("200", json("Tokens", (endpoint.schema)(), (endpoint.example)()).build());
    ERRORS.refer(operation)
}

fn body(fields: Vec<Field>) -> RequestBody {
    body_of("The parameters that the query string does not have.", Required::False, fields, &[])
}

/// Makes a body that is a form or JSON.
pub(super) fn body_of(
    description: &str,
    is_required: Required,
    fields: Vec<Field>,
    required_fields: &[&str],
) -> RequestBody {
    let schema = fields.into_iter().fold(ObjectBuilder::new(), |schema, (name, description, field)| {
        schema.property(name, field.description(Some(description)))
    });
    let schema = required_fields.iter().copied().fold(schema, ObjectBuilder::required);
    let content = ContentBuilder::new().schema(Some(schema)).build();
    RequestBodyBuilder::new()
        .description(Some(description))
        .required(Some(is_required))
        .content("application/x-www-form-urlencoded", content.clone())
        .content("application/json", content)
        .build()
}

fn token_answer() -> RefOr<Schema> {
    let any = AnyOfBuilder::new()
        .item(reference::<TokenBody>())
        .item(reference::<RefreshBody>())
        .item(reference::<ServiceTokenBody>())
        .description(Some("What an authorization code, a refresh token or a service client gets."));
    RefOr::T(Schema::AnyOf(any.build()))
}

fn token_fields() -> Vec<Field> {
    let kinds = ["authorization_code", "refresh_token", "client_credentials"];
    let verifier = parameter::string().pattern(Some("^[A-Za-z0-9._~-]{43,128}$"));
    let mut fields = vec![
        (
            "grant_type",
            "What is exchanged; an authorization code when absent.",
            parameter::string().enum_values(Some(kinds)),
        ),
        ("code", "The authorization code; required with it.", secret()),
        (
            "redirect_uri",
            "The redirect URI that the code was made for; required with a code.",
            parameter::string(),
        ),
        ("code_verifier", "The verifier of PKCE (RFC 7636), when a challenge was sent.", verifier),
        ("refresh_token", "The refresh token; required with `refresh_token`.", secret()),
        ("user_id", "The person of the refresh token; checked when present.", parameter::uuid()),
    ];
    fields.extend(common_fields());
    fields
}

fn refresh_fields() -> Vec<Field> {
    let mut fields = vec![
        (
            "grant_type",
            "May be said; then `user_id` may be left out and the refresh token is repeated in the answer.",
            parameter::string().enum_values(Some(["refresh_token"])),
        ),
        ("refresh_token", "The refresh token; required.", secret()),
        ("user_id", "The person of the refresh token; required without `grant_type`.", parameter::uuid()),
    ];
    fields.extend(common_fields());
    fields
}

fn common_fields() -> [Field; 3] {
    [
        ("scope", "Scopes separated by spaces, to get a narrower access token.", parameter::string()),
        ("client_id", "The client; required unless HTTP Basic is used.", parameter::uuid()),
        ("client_secret", "The client's secret; required unless HTTP Basic is used.", secret()),
    ]
}

/// A text that nobody can make up.
pub(super) fn secret() -> ObjectBuilder {
    parameter::string().min_length(Some(1))
}
