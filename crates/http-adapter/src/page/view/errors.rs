//! The reference of error codes.

use crate::problem::ErrorEntry;
use askama::Template;

/// Page of all error codes.
#[derive(Clone, Template)]
#[template(path = "errors.html")]
pub(crate) struct Errors {
    /// Codes in the order of the reference.
    pub(crate) errors: Vec<ErrorEntry>,
}
