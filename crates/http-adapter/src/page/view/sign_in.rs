//! Signing in and out.

use super::FormErrors;
use askama::Template;

/// Why somebody is asked to sign in.
#[derive(Clone)]
pub(crate) enum SignInReason {
    /// They came by themselves.
    Visit,
    /// An app sent them.
    App {
        /// Its name.
        name: String,
    },
    /// They have signed in, but too long ago for what they want to do now. The address is theirs and stays.
    Confirm,
}

/// The page to sign in.
#[derive(Clone, Template)]
#[template(path = "sign_in.html")]
pub(crate) struct SignIn {
    /// Why.
    pub(crate) reason: SignInReason,
    /// The token of the browser's forms.
    pub(crate) form_token: String,
    /// The address as typed before; with [`SignInReason::Confirm`] the person's own.
    pub(crate) email: String,
    /// The id of the app's request, to be sent on.
    pub(crate) request: Option<String>,
    /// The name of the page that the person wants, to be sent on; one of a fixed set, never a URL.
    pub(crate) to: Option<&'static str>,
    /// Whether a forgotten password can be replaced here.
    pub(crate) offers_reset: bool,
    /// Whether anybody may sign up.
    pub(crate) offers_sign_up: bool,
    /// A sentence about what went well before, such as a password that was set.
    pub(crate) notice: Option<&'static str>,
    /// What was wrong.
    pub(crate) errors: FormErrors,
}

impl SignIn {
    const fn is_confirmation(&self) -> bool {
        matches!(self.reason, SignInReason::Confirm)
    }
}

/// The page after signing out.
#[derive(Clone, Copy, Template)]
#[template(path = "signed_out.html")]
pub(crate) struct SignedOut {
    /// Whether it was in every browser.
    pub(crate) is_everywhere: bool,
    /// Whether the person came from an app's request to use another account, which the app must now ask for again.
    pub(crate) is_switching: bool,
}
