//! The query string of a page.

use actix_web::HttpRequest;
use http_adapter::parameter::{ParameterError, Parameters};
use http_adapter::problem::{Fault, Problem};

/// Parses the known parameters of a page; the server's links contain none of them twice or empty.
pub(crate) fn read<'a>(request: &'a HttpRequest, known: &[&'static str]) -> Result<Parameters<'a>, Problem> {
    Parameters::read(request.query_string(), known).map_err(|error| match error {
        ParameterError::Malformed(_) | ParameterError::Fields(_) => Problem::new(Fault::InvalidForm),
    })
}
