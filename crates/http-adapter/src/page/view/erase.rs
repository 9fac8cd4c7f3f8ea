//! Erasing oneself.

use super::{FormErrors, Moment, Person};
use askama::Template;

/// The page that asks whether everything is to be erased.
#[derive(Clone, Template)]
#[template(path = "erase.html")]
pub(crate) struct Erase {
    /// Who is signed in.
    pub(crate) person: Person,
    /// What was wrong.
    pub(crate) errors: FormErrors,
}

/// The receipt.
#[derive(Clone, Template)]
#[template(path = "erased.html")]
pub(crate) struct Erased {
    /// Its number.
    pub(crate) erasure_id: String,
    /// When it happened.
    pub(crate) erased_at: Moment,
}
