//! Pages about the email address of an account.

use crate::view::{FormErrors, Person};
use askama::Template;
use domain::secret::Secret;

/// Form for a new address.
#[derive(Clone, Template)]
#[template(path = "account/email/change_email.html")]
pub(crate) struct ChangeEmail {
    pub(crate) person: Person,
    /// Whether the server sends email, without which an address cannot be confirmed.
    pub(crate) sends_mail: bool,
    /// Submitted address.
    pub(crate) email: String,
    pub(crate) errors: FormErrors,
}

/// Page behind a link that confirms an address.
#[derive(Clone, Template)]
#[template(path = "account/email/confirm_email.html")]
pub(crate) struct ConfirmEmail {
    pub(crate) person: Person,
    /// The link's secret, for the form.
    pub(crate) link: Secret,
    /// The new address.
    pub(crate) email: String,
}
