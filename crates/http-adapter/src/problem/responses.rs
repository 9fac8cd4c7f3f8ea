//! Error responses of operations, made from the table of faults.

use super::{Fault, OAuthErrorBody, ProblemBody, RateLimitBody};
use crate::example::PUBLIC_URL;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{Components, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Faults that any operation may return.
const COMMON_FAULTS: [Fault; 4] =
    [Fault::MethodNotAllowed, Fault::UriTooLong, Fault::HeadersTooLarge, Fault::InternalError];

/// Format of error bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// RFC 9457.
    Problem,
    /// RFC 6749 section 5.2.
    OAuth,
    /// A page for people.
    Page,
}

/// Faults of a group of operations, in addition to those of any operation.
pub(crate) struct ErrorSet {
    /// Prefix of the component names; the status follows.
    pub(crate) name: &'static str,
    pub(crate) format: ErrorFormat,
    pub(crate) faults: &'static [Fault],
}

/// Declares types for `responses(...)` of operations and `modifiers(...)` of their API: the format, the
/// prefix of the component names, and the faults.
macro_rules! error_responses {
    ($($(#[$doc:meta])* $name:ident = $format:ident $prefix:literal: [$($fault:ident)*];)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl $name {
            const SET: $crate::problem::ErrorSet = $crate::problem::ErrorSet {
                name: $prefix,
                format: $crate::problem::ErrorFormat::$format,
                faults: &[$($crate::problem::Fault::$fault),*],
            };
        }

        impl utoipa::IntoResponses for $name {
            fn responses()
            -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                Self::SET.references()
            }
        }

        impl utoipa::Modify for $name {
            fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
                Self::SET.define(document.components.get_or_insert_default());
            }
        }
    )+};
}
pub(crate) use error_responses;

error_responses! {
    /// Errors of the endpoints about the server itself.
    ServerErrors = Problem "Server": [Overloaded TooManyAtOnce];
}

impl ErrorSet {
    /// Refers to the response of each status.
    pub(crate) fn references(&self) -> BTreeMap<String, RefOr<Response>> {
        let reference = |status| Ref::from_response_name(format!("{}{status}", self.name)).into();
        self.by_status().into_keys().map(|status| (status.to_string(), reference(status))).collect()
    }

    /// Defines the response of each status.
    pub(crate) fn define(&self, components: &mut Components) {
        for (status, faults) in self.by_status() {
            let response = self.response(&faults);
            components.responses.insert(format!("{}{status}", self.name), RefOr::T(response));
        }
    }

    fn by_status(&self) -> BTreeMap<u16, Vec<Fault>> {
        let mut by_status: BTreeMap<u16, Vec<Fault>> = BTreeMap::new();
        for fault in self.faults.iter().chain(&COMMON_FAULTS) {
            by_status.entry(fault.row().status).or_default().push(*fault);
        }
        by_status
    }

    /// Describes all faults of one status; the first one is the example.
    fn response(&self, faults: &[Fault]) -> Response {
        let mut description = String::new();
        for fault in faults {
            let row = fault.row();
            let code = if self.format == ErrorFormat::OAuth { row.oauth } else { row.code };
            let separator = if description.is_empty() { "" } else { " " };
            // Writing into a String cannot fail.
            let _ = write!(description, "{separator}`{code}`: {}.", row.title);
        }
        let first = faults.first().copied().unwrap_or(Fault::InternalError);
        let (kind, schema, example) = match self.format {
            ErrorFormat::Problem => {
                ("application/problem+json", reference::<ProblemBody>(), Some(problem_example(first)))
            }
            ErrorFormat::OAuth => {
                ("application/json", reference::<OAuthErrorBody>(), Some(oauth_example(first)))
            }
            ErrorFormat::Page => ("text/html", String::schema(), None),
        };
        let content = ContentBuilder::new().schema(Some(schema)).example(example).build();
        let mut response = ResponseBuilder::new().description(description).content(kind, content).build();
        add_error_headers(first, &mut response);
        response
    }
}

fn reference<T: ToSchema>() -> RefOr<Schema> {
    Ref::from_schema_name(T::name()).into()
}

/// Returns a fault as `application/problem+json`.
fn problem_example(fault: Fault) -> Value {
    let row = fault.row();
    value(ProblemBody {
        kind: format!("{PUBLIC_URL}/errors#{}", row.code),
        title: row.title,
        status: row.status,
        detail: row.meaning,
        code: row.code,
        request_id: "7d9f0b2c-4e61-4a83-b5c7-d8e9f0a1b2c3",
        errors: &[],
        limit: (fault == Fault::RateLimited).then_some(RateLimitBody {
            limit: 10_000,
            remaining: 0,
            reset: 1_773_100_800,
        }),
    })
}

/// Returns a fault in the format of the token endpoints.
fn oauth_example(fault: Fault) -> Value {
    let row = fault.row();
    value(OAuthErrorBody { error: row.oauth, error_description: row.meaning })
}

fn value(example: impl Serialize) -> Value {
    serde_json::to_value(example).unwrap_or_default()
}

fn add_error_headers(fault: Fault, response: &mut Response) {
    match fault.row().status {
        401 | 403 => {
            let challenge = "The challenge of RFC 6750 section 3, or of HTTP Basic.";
            add(response, "WWW-Authenticate", Type::String, challenge);
        }
        405 => add(response, "Allow", Type::String, "The methods of this path."),
        429 if fault == Fault::RateLimited => {
            add(response, "Retry-After", Type::Integer, "Seconds until the next 00:00 UTC.");
            add_rate_headers(response);
        }
        429 | 503 => {
            add(response, "Retry-After", Type::Integer, "Seconds to wait before trying again.");
        }
        _ => {}
    }
    add_common_headers(response);
}

/// Adds the headers of the rate limit.
pub(crate) fn add_rate_headers(response: &mut Response) {
    add(response, "X-RateLimit-Limit", Type::Integer, "Requests allowed per UTC day.");
    add(response, "X-RateLimit-Remaining", Type::Integer, "Requests left today.");
    add(response, "X-RateLimit-Reset", Type::Integer, "The next 00:00 UTC in Unix seconds.");
}

/// Adds the headers of every response.
pub(crate) fn add_common_headers(response: &mut Response) {
    add(response, "X-Request-Id", Type::String, "The id of the request in the operator's log.");
    add(response, "Cache-Control", Type::String, "`no-store` on personal data.");
}

fn add(response: &mut Response, name: &str, kind: Type, description: &str) {
    let schema = ObjectBuilder::new().schema_type(SchemaType::Type(kind));
    let header: Header = HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build();
    response.headers.insert(name.to_owned(), RefOr::T(header));
}
