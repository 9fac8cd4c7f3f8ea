//! Response to a problem: status, headers and one of the body formats.

use super::{ErrorPages, ErrorText, Fault, OAuthErrorBody, Problem, ProblemBody};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use domain::rate_limit::RateStatus;
use std::fmt::Write as _;

/// Error format of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `application/problem+json`.
    Problem,
    /// The JSON of RFC 6749 section 5.2.
    OAuth,
    /// A page for people.
    Page,
}

/// Facts about the request that the response needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerContext<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) request_id: &'a str,
    pub(crate) public_url: &'a str,
    pub(crate) error_pages: ErrorPages,
}

/// Writes the response to a problem.
pub(crate) fn answer(problem: &Problem, context: AnswerContext<'_>) -> HttpResponse {
    let mut builder = HttpResponse::build(problem.status_code());
    write_headers(&mut builder, problem);
    match context.dialect {
        Dialect::Problem => problem_answer(builder, problem, context),
        Dialect::OAuth => oauth_answer(builder, problem),
        Dialect::Page => page_answer(builder, problem, context),
    }
}

fn problem_answer(
    mut builder: HttpResponseBuilder,
    problem: &Problem,
    context: AnswerContext<'_>,
) -> HttpResponse {
    let row = problem.fault().row();
    let limit = problem.0.rate;
    builder.insert_header((header::CONTENT_TYPE, "application/problem+json")).json(ProblemBody {
        kind: format!("{}/errors#{}", context.public_url, row.code),
        title: row.title,
        status: row.status,
        detail: &problem.detail_text(),
        code: row.code,
        request_id: context.request_id,
        errors: problem.fields(),
        limit: limit.map(Into::into),
    })
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
    let title = problem.fault().row().title;
    (context.error_pages.problem)(
        builder,
        ErrorText { title, detail: &detail, request_id: context.request_id },
    )
}

/// Restricts a text to the characters of `error_description`: %x20-21, %x23-5B, %x5D-7E.
fn printable(text: &str) -> String {
    text.chars().filter(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\')).collect()
}

fn write_headers(builder: &mut HttpResponseBuilder, problem: &Problem) {
    if let Some(seconds) = problem.0.retry_after {
        builder.insert_header((header::RETRY_AFTER, HeaderValue::from(seconds)));
    }
    if let Some(challenge) = challenge(problem) {
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
