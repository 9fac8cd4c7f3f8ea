//! Query parameters of the data endpoints (decisions 5) and of the change feed.

mod changes;
mod ignored;
mod reader;
#[cfg(test)]
mod tests;

pub(super) use changes::ChangesParameters;
pub(crate) use ignored::IgnoredParameters;
pub(super) use reader::Reader;

use crate::parameter::{ParameterError, Parameters, parse};
use crate::request_context::RequestContext;
use actix_web::HttpRequest;

/// Reads the query of a request. Notes the parameters that it ignores.
pub(super) fn parameters<'a>(
    request: &'a HttpRequest,
    known: &[&'static str],
) -> Result<Parameters<'a>, ParameterError> {
    let pairs = parse(request.query_string()).map_err(ParameterError::Malformed)?;
    RequestContext::of(request).ignored_parameters = IgnoredParameters::among(&pairs, known);
    Parameters::among(pairs, known)
}
