//! The endpoints that are given a token: revocation and introspection.

use super::response::{ErrorForm, Group, empty, json};
use super::schema::{BASIC, reference};
use super::token::{Field, body_of, secret};
use super::{example, parameter, token};
use crate::problem::Fault;
use crate::route;
use crate::token::IntrospectionBody;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, PathItem};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Required, Response};

pub(super) const REVOCATION_ERRORS: Group = Group {
    name: "Revocation",
    faults: &[
        Fault::InvalidRequest,
        Fault::UnsupportedTokenType,
        Fault::InvalidClient,
        Fault::RequestTimeout,
        Fault::PayloadTooLarge,
        Fault::UnsupportedMediaType,
        Fault::TooManyFailures,
        Fault::StorageUnavailable,
    ],
    form: ErrorForm::OAuth,
};

pub(super) const INTROSPECTION_ERRORS: Group = Group {
    name: "Introspection",
    faults: &[
        Fault::InvalidRequest,
        Fault::InvalidClient,
        Fault::RequestTimeout,
        Fault::PayloadTooLarge,
        Fault::UnsupportedMediaType,
        Fault::TooManyFailures,
        Fault::StorageUnavailable,
    ],
    form: ErrorForm::OAuth,
};

const HOW: &str = "Parameters come in a form or JSON body, each at most once, never in the query string; the \
client's id and secret may come as HTTP Basic instead. Unknown parameters are ignored.";

pub(super) fn paths() -> Vec<(String, PathItem)> {
    vec![
        path(
            route::path::REVOKE,
            ("revokeToken", "Gives a token back (RFC 7009)"),
            "A refresh token or an access token of the client's own takes its grant and everything issued from it \
            with it, everywhere within 2 seconds. What is unknown, over already or another client's has no effect \
            and the same answer.",
            empty("The token does not count (any more), if it ever did"),
            &REVOCATION_ERRORS,
        ),
        path(
            route::path::INTROSPECT,
            ("introspectToken", "Tells whether a token counts (RFC 7662)"),
            "A client may ask about its own tokens, a service client with the scope `tokens:introspect` about all \
            access tokens. What it may not ask about is not active for it. A refresh token is active only for the \
            client that owns it, and only with `token_type_hint=refresh_token`.",
            json("What there is to know", reference::<IntrospectionBody>(), example::introspection()).build(),
            &INTROSPECTION_ERRORS,
        ),
    ]
}

fn path(
    path: &str,
    (name, summary): (&str, &str),
    text: &str,
    good: Response,
    errors: &Group,
) -> (String, PathItem) {
    let basic = SecurityRequirement::new(BASIC, Vec::<String>::new());
    let operation = OperationBuilder::new()
        .operation_id(Some(name))
        .tag(token::TAG)
        .summary(Some(summary))
        .description(Some(format!("{text} {HOW}")))
        .securities(Some([basic, SecurityRequirement::default()]))
        .request_body(Some(body_of("The token, and who asks.", Required::True, fields(), &["token"])))
        .response("200", good);
    (path.to_owned(), PathItem::new(HttpMethod::Post, errors.refer(operation).build()))
}

fn fields() -> Vec<Field> {
    vec![
        ("token", "The token.", secret()),
        (
            "token_type_hint",
            "`refresh_token` when a refresh token is introspected; not needed otherwise, and any other value is \
            ignored.",
            parameter::string().min_length(Some(1)),
        ),
        ("client_id", "The client; required unless HTTP Basic is used.", parameter::uuid()),
        ("client_secret", "The client's secret; required unless HTTP Basic is used.", secret()),
    ]
}
