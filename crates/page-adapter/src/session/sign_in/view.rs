//! Pages for signing in and out.

use crate::view::FormErrors;
use askama::Template;

/// Reason for the sign-in page.
#[derive(Clone)]
pub(crate) enum SignInReason {
    /// The person opened the page.
    Visit,
    /// An app redirected the person.
    App {
        /// Name of the app.
        name: String,
    },
    /// The sign-in is too old for the requested page. The address is fixed.
    Confirm,
}

/// Sign-in page.
#[derive(Clone, Template)]
#[template(path = "session/sign_in/sign_in.html")]
pub(crate) struct SignIn {
    pub(crate) reason: SignInReason,
    /// Token of the browser's forms.
    pub(crate) form_token: String,
    /// Submitted address; with [`SignInReason::Confirm`] the person's own.
    pub(crate) email: String,
    /// Id of the app's request, for the form.
    pub(crate) request: Option<String>,
    /// Name of the requested page, for the form; from a fixed set, never a URL.
    pub(crate) to: Option<&'static str>,
    /// Whether password reset is available.
    pub(crate) offers_reset: bool,
    /// Whether sign-up is open.
    pub(crate) offers_sign_up: bool,
    /// Host name for which passkeys work; `None` if they do not.
    pub(crate) passkeys: Option<String>,
    pub(crate) errors: FormErrors,
}

impl SignIn {
    const fn is_confirmation(&self) -> bool {
        matches!(self.reason, SignInReason::Confirm)
    }
}

/// Page after signing out.
#[derive(Clone, Copy, Template)]
#[template(path = "session/sign_in/signed_out.html")]
pub(crate) struct SignedOut {
    /// Whether all browsers were signed out.
    pub(crate) is_everywhere: bool,
    /// Whether the person came from an app's request to use another account; the app must then repeat the
    /// request.
    pub(crate) is_switching: bool,
}
