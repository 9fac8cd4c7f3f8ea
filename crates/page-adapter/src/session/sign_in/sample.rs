//! Samples of the sign-in page, and of the page after signing out.

use super::view::{SignIn, SignInReason, SignedOut};
use crate::view::FormErrors;
use crate::view::sample::{Sample, TextSource, sample, variant};

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let visit = SignIn {
        reason: SignInReason::Visit,
        form_token: source("Zm9ybS10b2tlbg"),
        email: String::new(),
        request: None,
        to: None,
        offers_reset: true,
        offers_sign_up: true,
        passkeys: None,
        errors: FormErrors::none(),
    };
    let reason = SignInReason::App { name: source("Night Owl") };
    let app = SignIn { reason, request: Some(source("5f0c3c5e")), offers_sign_up: false, ..visit.clone() };
    let wrong = "The email address or password is incorrect.";
    let refused = SignIn { email: source("sam@example.org"), errors: FormErrors::form(wrong), ..app.clone() };
    let unreadable = SignIn {
        email: source("sam"),
        errors: FormErrors::field("email", source("Enter a valid email address."))
            .and("password", "Enter your password."),
        ..visit.clone()
    };
    let confirm = SignIn {
        reason: SignInReason::Confirm,
        email: source("sam@example.org"),
        to: Some("tokens"),
        offers_sign_up: false,
        ..visit.clone()
    };
    let with_passkeys = SignIn { passkeys: Some("rest.example".to_owned()), ..app.clone() };
    let without_email = SignIn { offers_reset: false, ..visit.clone() };
    vec![
        sample("sign_in", &visit),
        sample("sign_in_for_an_app", &app),
        sample("sign_in_refused", &refused),
        variant("sign_in_unreadable", &unreadable),
        sample("sign_in_confirm", &confirm),
        variant("sign_in_without_email", &without_email),
        sample("sign_in_passkeys", &with_passkeys),
    ]
}

pub(crate) fn signed_out() -> Vec<Sample> {
    let here = SignedOut { is_everywhere: false, is_switching: false };
    vec![
        sample("signed_out", &here),
        sample("signed_out_everywhere", &SignedOut { is_everywhere: true, ..here }),
        sample("signed_out_to_switch", &SignedOut { is_switching: true, ..here }),
    ]
}
