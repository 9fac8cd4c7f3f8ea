//! The reference of error codes.

use askama::Template;
use http_adapter::problem::ErrorEntry;

/// Page of all error codes.
#[derive(Clone, Template)]
#[template(path = "error/errors.html")]
pub(crate) struct Errors {
    /// Codes in the order of the reference.
    pub(crate) errors: Vec<ErrorEntry>,
}
