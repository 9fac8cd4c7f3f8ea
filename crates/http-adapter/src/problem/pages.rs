//! Errors for people, which `page-adapter` renders.

use super::{ErrorEntry, Fault, Problem, error_reference};
use crate::{Endpoint, HttpSettings};
use actix_web::{HttpResponse, HttpResponseBuilder};

/// Texts of an error page; none of them repeats input.
#[derive(Debug, Clone, Copy)]
pub struct ErrorText<'a> {
    /// The kind of error.
    pub fault: Fault,
    /// The kind of error in a few words.
    pub title: &'a str,
    /// The error, and what to do about it.
    pub detail: &'a str,
    /// Id of the request in the operator's log.
    pub request_id: &'a str,
    /// Seconds of `Retry-After`, if the response has it.
    pub retry_after_seconds: Option<u32>,
    /// The requested endpoint; `None` if the path has none.
    pub endpoint: Option<Endpoint>,
    /// HTTP settings; `None` if the error occurred before they were known.
    pub settings: Option<&'a HttpSettings>,
}

/// Rendering of errors for people.
#[derive(Debug, Clone, Copy)]
pub struct ErrorPages {
    /// Completes the response to a problem.
    pub problem: fn(HttpResponseBuilder, ErrorText<'_>) -> HttpResponse,
    /// Returns the reference of error codes.
    pub reference: fn(Vec<ErrorEntry>) -> Result<HttpResponse, Problem>,
}

impl Default for ErrorPages {
    /// Renders plain text.
    fn default() -> Self {
        Self {
            problem: |mut response, text| response.body(format!("{}\n{}\n", text.title, text.detail)),
            reference: |_| Ok(HttpResponse::Ok().body(error_reference())),
        }
    }
}
