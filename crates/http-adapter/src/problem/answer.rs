//! Response to a problem: status, headers and one of the body formats.

use super::{ErrorPages, ErrorText, Fault, OAuthErrorBody, Problem, ProblemBody};
use crate::{Endpoint, HttpSettings};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use domain::rate_limit::RateStatus;
use domain::scope::ScopeSet;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Extension of an error response that the handler has written completely.
#[derive(Debug, Clone, Copy)]
pub struct FinishedBody;

/// Error format of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `application/problem+json`.
    Problem,
    /// The JSON of RFC 6749 section 5.2.
    OAuth,
    /// A JSON-RPC error whose data is the problem.
    JsonRpc,
    /// A page for people.
    Page,
}

/// Facts about the request that the response needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerContext<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) request_id: &'a str,
    pub(crate) public_url: &'a str,
    pub(crate) endpoint: Option<Endpoint>,
    pub(crate) settings: Option<&'a HttpSettings>,
    pub(crate) error_pages: ErrorPages,
    /// Path of the metadata for clients without a valid token.
    pub(crate) resource_metadata: Option<&'static str>,
    pub(crate) json_rpc_id: Option<&'a Value>,
}

/// Writes the response to a problem.
pub(crate) fn answer(problem: &Problem, context: AnswerContext<'_>) -> HttpResponse {
    let mut builder = HttpResponse::build(problem.status_code());
    write_headers(&mut builder, problem, context);
    match context.dialect {
        Dialect::Problem => problem_answer(builder, problem, context),
        Dialect::OAuth => oauth_answer(builder, problem),
        Dialect::JsonRpc => json_rpc_answer(builder, problem, context),
        Dialect::Page => page_answer(builder, problem, context),
    }
}

fn problem_answer(
    mut builder: HttpResponseBuilder,
    problem: &Problem,
    context: AnswerContext<'_>,
) -> HttpResponse {
    builder.insert_header((header::CONTENT_TYPE, "application/problem+json"));
    builder.json(problem_body(problem, &problem.detail_text(), context))
}

fn problem_body<'a>(problem: &'a Problem, detail: &'a str, context: AnswerContext<'a>) -> ProblemBody<'a> {
    let row = problem.fault().row();
    ProblemBody {
        kind: format!("{}/errors#{}", context.public_url, row.code),
        title: row.title,
        status: row.status,
        detail,
        code: row.code,
        request_id: context.request_id,
        errors: problem.fields(),
        limit: problem.0.rate.map(Into::into),
    }
}

/// Writes the status as the error code, because the codes of JSON-RPC and MCP have other meanings.
fn json_rpc_answer(
    mut builder: HttpResponseBuilder,
    problem: &Problem,
    context: AnswerContext<'_>,
) -> HttpResponse {
    let detail = problem.detail_text();
    let error = json!({
        "code": problem.fault().row().status,
        "message": detail,
        "data": problem_body(problem, &detail, context),
    });
    let mut body = json!({ "jsonrpc": "2.0", "error": error });
    if let (Some(id), Some(members)) = (context.json_rpc_id, body.as_object_mut()) {
        members.insert("id".to_owned(), id.clone());
    }
    builder.json(body)
}

fn oauth_answer(mut builder: HttpResponseBuilder, problem: &Problem) -> HttpResponse {
    builder.insert_header((header::CONTENT_TYPE, "application/json")).json(OAuthErrorBody {
        error: problem.fault().row().oauth_error(),
        error_description: &printable(&problem.detail_text()),
    })
}

/// Renders a page with the error and what to do; never repeats input.
fn page_answer(builder: HttpResponseBuilder, problem: &Problem, context: AnswerContext<'_>) -> HttpResponse {
    let detail = problem.detail_text();
    let fault = problem.fault();
    let text = ErrorText {
        fault,
        title: fault.row().title,
        detail: &detail,
        request_id: context.request_id,
        retry_after_seconds: problem.retry_after_seconds(),
        endpoint: context.endpoint,
        settings: context.settings,
    };
    (context.error_pages.problem)(builder, text)
}

/// Restricts a text to the characters of `error_description`: %x20-21, %x23-5B, %x5D-7E.
fn printable(text: &str) -> String {
    text.chars().filter(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\')).collect()
}

fn write_headers(builder: &mut HttpResponseBuilder, problem: &Problem, context: AnswerContext<'_>) {
    if let Some(seconds) = problem.0.retry_after {
        builder.insert_header((header::RETRY_AFTER, HeaderValue::from(seconds)));
    }
    if let Some(mut challenge) = challenge(problem) {
        point_to_metadata(&mut challenge, problem, context);
        builder.insert_header((header::WWW_AUTHENTICATE, challenge));
    }
    if let Some(methods) = &problem.0.allow {
        builder.insert_header((header::ALLOW, methods.as_str()));
    }
    if let Some(rate) = problem.0.rate {
        for (name, value) in rate_limit_headers(rate) {
            builder.insert_header((name, value));
        }
    }
}

/// Returns the three headers of the rate limit, with the numbers of the body (decisions 6).
pub(crate) fn rate_limit_headers(rate: RateStatus) -> [(HeaderName, HeaderValue); 3] {
    [
        (HeaderName::from_static("x-ratelimit-limit"), HeaderValue::from(rate.limit)),
        (HeaderName::from_static("x-ratelimit-remaining"), HeaderValue::from(rate.remaining)),
        (HeaderName::from_static("x-ratelimit-reset"), HeaderValue::from(rate.reset)),
    ]
}

/// Adds the URL of the metadata that describes how to get a token (RFC 9728 section 5.1), and the scopes to
/// request.
fn point_to_metadata(challenge: &mut String, problem: &Problem, context: AnswerContext<'_>) {
    let Some(path) = context.resource_metadata else { return };
    // Writing into a String cannot fail.
    if problem.0.needed_scope.is_none() {
        let _ = write!(challenge, ", scope=\"{}\"", ScopeSet::CONSENTABLE);
    }
    let _ = write!(challenge, ", resource_metadata=\"{}{}\"", context.public_url, path);
}

/// Returns the challenge of RFC 6750 section 3; without an error code if there was no token at all.
fn challenge(problem: &Problem) -> Option<String> {
    match problem.fault() {
        Fault::MissingToken => Some("Bearer realm=\"restwell\"".to_owned()),
        Fault::InvalidToken => Some("Bearer realm=\"restwell\", error=\"invalid_token\"".to_owned()),
        Fault::InsufficientScope => {
            let mut text = "Bearer realm=\"restwell\", error=\"insufficient_scope\"".to_owned();
            if let Some(scopes) = problem.0.needed_scope {
                // Writing into a String cannot fail.
                let _ = write!(text, ", scope=\"{scopes}\"");
            }
            Some(text)
        }
        Fault::InvalidClient if problem.0.basic_challenge => {
            Some("Basic realm=\"restwell\", charset=\"UTF-8\"".to_owned())
        }
        _ => None,
    }
}
