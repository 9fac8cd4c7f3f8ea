//! The reader of access tokens, on its own.

use super::bearer;
use crate::problem::Problem;
use actix_web::HttpRequest;

/// Returns the access token of a request's header.
pub fn bearer_token(request: &HttpRequest) -> Result<&str, Problem> {
    bearer::token(request)
}
