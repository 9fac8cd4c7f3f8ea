//! Choosing a password: for a new account, after one was forgotten, or at a sign-up.

use super::FormErrors;
use super::time_zone::regions;
use askama::Template;
use domain::secret::Secret;

/// The page to ask for a link because the password is forgotten.
#[derive(Clone, Template)]
#[template(path = "forgot_password.html")]
pub(crate) struct ForgotPassword {
    /// The token of the browser's forms.
    pub(crate) form_token: String,
    /// The address as typed before.
    pub(crate) email: String,
    /// What was wrong.
    pub(crate) errors: FormErrors,
}

/// The page to sign up.
#[derive(Clone, Template)]
#[template(path = "sign_up.html")]
pub(crate) struct SignUp {
    /// The token of the browser's forms.
    pub(crate) form_token: String,
    /// The address as typed before.
    pub(crate) email: String,
    /// What was wrong.
    pub(crate) errors: FormErrors,
}

/// What a link is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkPurpose {
    /// A new account, or a new password, by the operator's wish.
    Invitation,
    /// A forgotten password.
    Reset,
    /// A sign-up.
    SignUp,
}

/// The page after a link was asked for; the same whether or not there is such an account (security.md T80).
#[derive(Clone, Template)]
#[template(path = "mail_sent.html")]
pub(crate) struct MailSent {
    /// What the link will be for.
    pub(crate) purpose: LinkPurpose,
}

/// The page to choose a password, which a link opens.
#[derive(Template)]
#[template(path = "set_password.html")]
pub(crate) struct SetPassword {
    /// What the link is for. A sign-up asks for the time zone too.
    pub(crate) purpose: LinkPurpose,
    /// The token of the browser's forms.
    pub(crate) form_token: String,
    /// The link's secret.
    pub(crate) link: Secret,
    /// Whose password it will be, for the browser's own store of passwords.
    pub(crate) email: Option<String>,
    /// The zone chosen before; empty at first.
    pub(crate) time_zone: String,
    /// What was wrong.
    pub(crate) errors: FormErrors,
}

impl SetPassword {
    fn asks_for_zone(&self) -> bool {
        self.purpose == LinkPurpose::SignUp
    }
}
