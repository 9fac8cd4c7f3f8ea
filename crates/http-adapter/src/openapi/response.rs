//! Answers: the good one of an endpoint, and the others out of the table of faults.

use super::example;
use super::schema::reference;
use crate::problem::{Fault, OAuthErrorBody, ProblemBody};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::OperationBuilder;
use utoipa::openapi::schema::{ComponentsBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder, Schema};

/// What every endpoint may answer before it looks at the request, or when the server fails.
const ANYWHERE: [Fault; 4] =
    [Fault::MethodNotAllowed, Fault::UriTooLong, Fault::HeadersTooLarge, Fault::InternalError];

/// Errors that several operations share: defined once, referred to by name.
pub(super) struct Group {
    /// What the names of the definitions begin with; the status follows.
    pub(super) name: &'static str,
    /// What can go wrong here, beside what can go wrong anywhere.
    pub(super) faults: &'static [Fault],
    pub(super) form: ErrorForm,
}

impl Group {
    /// Adds a reference to each answer to an operation.
    pub(super) fn refer(&self, operation: OperationBuilder) -> OperationBuilder {
        self.by_status().into_keys().fold(operation, |operation, status| {
            let reference = Ref::from_response_name(format!("{}{status}", self.name));
            operation.response(status.to_string(), RefOr::<Response>::Ref(reference))
        })
    }

    /// Defines the answers, one a status, which says what may be behind it.
    pub(super) fn define(&self, components: ComponentsBuilder) -> ComponentsBuilder {
        self.by_status().into_iter().fold(components, |components, (status, faults)| {
            components.response(format!("{}{status}", self.name), error(&faults, self.form))
        })
    }

    fn by_status(&self) -> BTreeMap<u16, Vec<Fault>> {
        let mut by_status: BTreeMap<u16, Vec<Fault>> = BTreeMap::new();
        for fault in self.faults.iter().chain(&ANYWHERE) {
            by_status.entry(fault.row().status).or_default().push(*fault);
        }
        by_status
    }
}

/// In which form an endpoint tells what went wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorForm {
    Problem,
    OAuth,
}

/// Starts a good answer with a JSON body.
pub(super) fn json(
    description: &str,
    schema: impl Into<RefOr<Schema>>,
    example: serde_json::Value,
) -> ResponseBuilder {
    let content = ContentBuilder::new().schema(Some(schema)).example(Some(example)).build();
    everywhere(ResponseBuilder::new().description(description).content("application/json", content))
}

/// Makes a good answer without a body.
pub(super) fn empty(description: &str) -> Response {
    everywhere(ResponseBuilder::new().description(description)).build()
}

fn error(faults: &[Fault], form: ErrorForm) -> Response {
    let mut description = String::new();
    for fault in faults {
        let row = fault.row();
        let code = if form == ErrorForm::OAuth { row.oauth } else { row.code };
        let separator = if description.is_empty() { "" } else { " " };
        // Writing into a String cannot fail.
        let _ = write!(description, "{separator}`{code}`: {}.", row.title);
    }
    let first = faults.first().copied().unwrap_or(Fault::InternalError);
    let (kind, schema, example) = match form {
        ErrorForm::Problem => {
            ("application/problem+json", reference::<ProblemBody<'_>>(), example::problem(first))
        }
        ErrorForm::OAuth => ("application/json", reference::<OAuthErrorBody<'_>>(), example::oauth(first)),
    };
    let content = ContentBuilder::new().schema(Some(schema)).example(Some(example)).build();
    let response = ResponseBuilder::new().description(description).content(kind, content);
    headers_of(first, everywhere(response)).build()
}

/// Adds the headers that answers of this fault's status may have.
fn headers_of(fault: Fault, response: ResponseBuilder) -> ResponseBuilder {
    match fault.row().status {
        401 | 403 => response
            .header("WWW-Authenticate", text("The challenge of RFC 6750 section 3, or of HTTP Basic.")),
        405 => response.header("Allow", text("The methods of this path.")),
        429 if fault == Fault::RateLimited => {
            limited(response.header("Retry-After", integer("Seconds until the next 00:00 UTC.")))
        }
        429 | 503 => response.header("Retry-After", integer("Seconds to wait before trying again.")),
        _ => response,
    }
}

/// Adds the headers of the rate limit.
pub(super) fn limited(response: ResponseBuilder) -> ResponseBuilder {
    response
        .header("X-RateLimit-Limit", integer("The allowed total of the UTC day."))
        .header("X-RateLimit-Remaining", integer("What is left of it."))
        .header("X-RateLimit-Reset", integer("The next 00:00 UTC in Unix seconds."))
}

/// Adds what every answer has.
pub(super) fn everywhere(response: ResponseBuilder) -> ResponseBuilder {
    response
        .header("X-Request-Id", text("The id under which the operator finds the request in the log."))
        .header("Cache-Control", text("`no-store` on everything that is somebody's."))
}

fn text(description: &str) -> Header {
    header(description, Type::String)
}

fn integer(description: &str) -> Header {
    header(description, Type::Integer)
}

fn header(description: &str, kind: Type) -> Header {
    let schema = ObjectBuilder::new().schema_type(SchemaType::Type(kind));
    HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build()
}
