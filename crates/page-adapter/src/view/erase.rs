//! Erasure of the account.

use super::{FormErrors, Moment, Person};
use askama::Template;

/// Page that confirms the erasure.
#[derive(Clone, Template)]
#[template(path = "erase.html")]
pub(crate) struct Erase {
    pub(crate) person: Person,
    pub(crate) errors: FormErrors,
}

/// Page with the receipt.
#[derive(Clone, Template)]
#[template(path = "erased.html")]
pub(crate) struct Erased {
    /// Number of the receipt.
    pub(crate) erasure_id: String,
    /// Time of the erasure.
    pub(crate) erased_at: Moment,
}
