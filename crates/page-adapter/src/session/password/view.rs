//! Pages of password links: invitation, reset and sign-up.

use crate::account::passkeys::view::PasskeyChoice;
use crate::view::{FormErrors, regions};
use askama::Template;
use domain::secret::Secret;

/// Page that requests a link: to reset a password, or to sign up.
#[derive(Clone, Template)]
#[template(path = "session/password/request_link.html")]
pub(crate) struct RequestLink {
    pub(crate) purpose: LinkPurpose,
    /// Token of the browser's forms.
    pub(crate) form_token: String,
    /// Submitted address.
    pub(crate) email: String,
    pub(crate) errors: FormErrors,
}

impl RequestLink {
    fn is_sign_up(&self) -> bool {
        self.purpose == LinkPurpose::SignUp
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkPurpose {
    /// A new account or a new password, initiated by the operator.
    Invitation,
    /// A forgotten password.
    Reset,
    SignUp,
}

/// Page after requesting a link; the same whether or not the account exists (security.md T80).
#[derive(Clone, Template)]
#[template(path = "session/password/mail_sent.html")]
pub(crate) struct MailSent {
    pub(crate) purpose: LinkPurpose,
}

/// Page behind a link, which sets the password.
#[derive(Template)]
#[template(path = "session/password/set_password.html")]
pub(crate) struct SetPassword {
    /// Purpose of the link. A sign-up also asks for the time zone.
    pub(crate) purpose: LinkPurpose,
    /// Token of the browser's forms.
    pub(crate) form_token: String,
    /// Secret of the link.
    pub(crate) link: Secret,
    /// Address of the account, for the browser's password manager.
    pub(crate) email: Option<String>,
    /// Submitted zone; empty at first.
    pub(crate) time_zone: String,
    /// Passkeys of an existing account.
    pub(crate) passkeys: Vec<PasskeyChoice>,
    /// Host name for which passkeys work; `None` if they do not.
    pub(crate) relying_party: Option<String>,
    /// Whether the box "also disconnect all apps and tokens" is ticked; `None` if there are none.
    pub(crate) disconnects_apps: Option<bool>,
    /// Whether people can register apps.
    pub(crate) has_developer_page: bool,
    pub(crate) errors: FormErrors,
}

impl SetPassword {
    fn asks_for_zone(&self) -> bool {
        self.purpose == LinkPurpose::SignUp
    }

    /// Returns whether the person can confirm with a passkey that passkeys stay.
    pub(crate) fn needs_script(&self) -> bool {
        self.relying_party.is_some() && !self.passkeys.is_empty()
    }
}
