//! Erasure of the account.

use crate::view::{FormErrors, Moment, Person};
use askama::Template;

/// Page that confirms the erasure.
#[derive(Clone, Template)]
#[template(path = "account/erase/erase.html")]
pub(crate) struct Erase {
    pub(crate) person: Person,
    pub(crate) errors: FormErrors,
}

/// Page with the receipt.
#[derive(Clone, Template)]
#[template(path = "account/erase/erased.html")]
pub(crate) struct Erased {
    /// Number of the receipt.
    pub(crate) erasure_id: String,
    /// Time of the erasure.
    pub(crate) erased_at: Moment,
}
