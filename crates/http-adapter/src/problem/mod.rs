//! Errors in responses: `application/problem+json` (RFC 9457) at the data endpoints, the JSON of RFC 6749
//! section 5.2 at the token endpoints, both from one table.
//!
//! A handler returns `Result<HttpResponse, Problem>`. The outermost middleware writes the response: it has
//! the path's error format, the request id and the public URL.

mod answer;
mod body;
mod fault;
mod pages;
mod reference;
mod responses;
#[cfg(test)]
mod tests;
mod use_case;

pub use answer::FinishedBody;
pub(crate) use answer::{AnswerContext, Dialect, answer, rate_limit_headers};
pub use body::{OAuthErrorBody, ProblemBody, RateLimitBody};
pub use fault::{Fault, FaultRow, LogLevel};
pub use pages::{ErrorPages, ErrorText};
pub(crate) use reference::ErrorList;
pub use reference::{ErrorEntry, error_reference};
pub(crate) use responses::{
    ErrorFormat, ErrorSet, ServerErrors, add_common_headers, add_rate_headers, error_responses,
};

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, ResponseError};
use application::StorageError;
use domain::rate_limit::RateStatus;
use domain::scope::ScopeSet;
use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// The error of one parameter; never repeats its value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// The parameter's name.
    pub field: &'static str,
    /// The error.
    #[schema(value_type = String)]
    pub message: Cow<'static, str>,
}

impl FieldError {
    /// Creates the error of a parameter.
    pub fn new(field: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { field, message: message.into() }
    }
}

/// Occurrence of a [`Fault`] with its details.
#[derive(Debug)]
pub struct Problem(Box<Occurrence>);

#[derive(Debug)]
struct Occurrence {
    fault: Fault,
    detail: Option<Cow<'static, str>>,
    fields: Vec<FieldError>,
    rate: Option<RateStatus>,
    retry_after: Option<u32>,
    needed_scope: Option<ScopeSet>,
    basic_challenge: bool,
    allow: Option<String>,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl Problem {
    /// Creates a problem with the texts of the table.
    pub fn new(fault: Fault) -> Self {
        Self(Box::new(Occurrence {
            fault,
            detail: None,
            fields: Vec::new(),
            rate: None,
            retry_after: fault.default_retry_after(),
            needed_scope: None,
            basic_challenge: false,
            allow: None,
            cause: None,
        }))
    }

    /// Creates a 400 that lists the error of each parameter.
    pub fn invalid_parameters(fields: Vec<FieldError>) -> Self {
        let mut problem = Self::new(Fault::InvalidParameter);
        problem.0.fields = fields;
        problem
    }

    /// Creates a 400 about one parameter.
    pub fn invalid_parameter(field: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::invalid_parameters(vec![FieldError::new(field, message)])
    }

    /// Creates a 403 that names the required scopes, none of which the token has, and who can grant them.
    pub fn insufficient_scope(needed: ScopeSet) -> Self {
        let mut problem = Self::new(Fault::InsufficientScope);
        problem.0.needed_scope = Some(needed);
        if needed.is_subset_of(ScopeSet::CONSENTABLE) {
            return problem;
        }
        problem.detail(format!(
            "Only a service client with the scope {needed} may do this; users cannot grant it."
        ))
    }

    /// Creates a 429 with the counter of the limit.
    pub fn rate_limited(rate: RateStatus, retry_after_seconds: u32) -> Self {
        let mut problem = Self::new(Fault::RateLimited).retry_after(retry_after_seconds);
        problem.0.rate = Some(rate);
        problem
    }

    /// Creates a 500 with its cause, which is only logged.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(Fault::InternalError).with_cause(cause)
    }

    /// Sets a more precise text; it must not repeat input.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Sets the seconds of `Retry-After`.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// Returns the seconds of `Retry-After`; `None` if it is absent.
    pub fn retry_after_seconds(&self) -> Option<u32> {
        self.0.retry_after
    }

    /// Adds the challenge for HTTP Basic in `WWW-Authenticate`; only valid if the request had an
    /// Authorization header.
    #[must_use]
    pub fn with_basic_challenge(mut self, asked: bool) -> Self {
        self.0.basic_challenge = asked;
        self
    }

    /// Lists the methods of the path in `Allow`.
    #[must_use]
    pub fn allow(mut self, methods: impl Into<String>) -> Self {
        self.0.allow = Some(methods.into());
        self
    }

    /// Adds the cause, which is only logged.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Returns the fault.
    pub fn fault(&self) -> Fault {
        self.0.fault
    }

    /// Returns the error of each parameter.
    pub fn fields(&self) -> &[FieldError] {
        &self.0.fields
    }

    /// Returns the cause, for the log.
    pub(crate) fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }

    /// Returns the text of `detail`.
    pub fn detail_text(&self) -> Cow<'_, str> {
        match (&self.0.detail, self.0.fields.as_slice()) {
            (Some(detail), _) => Cow::Borrowed(detail),
            (None, [only]) => Cow::Owned(format!("{}: {}", only.field, only.message)),
            (None, _) => Cow::Borrowed(self.0.fault.row().meaning),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.fault.row().code)
    }
}

impl Error for Problem {}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.0.fault.row().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Returns the bare status; the outermost middleware writes the response.
    fn error_response(&self) -> HttpResponse {
        HttpResponse::new(self.status_code())
    }
}

impl From<StorageError> for Problem {
    /// A store that does not respond is a 503, never a 401 (decisions 6). Errors that a retry cannot fix are
    /// a 500: a corrupt value, or a conflict that no use case expects.
    fn from(error: StorageError) -> Self {
        let fault = match error {
            StorageError::Retryable
            | StorageError::Unavailable
            | StorageError::Disk(_)
            | StorageError::Internal(_) => Fault::StorageUnavailable,
            StorageError::Conflict(_) | StorageError::Corrupt { .. } => Fault::InternalError,
        };
        Self::new(fault).with_cause(error)
    }
}
