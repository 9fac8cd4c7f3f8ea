//! Signing in and out, and links to choose a password.

mod passkey;
pub(crate) mod password;
pub(crate) mod second_step;
pub(crate) mod sign_in;
pub(crate) mod sign_out;

use crate::{kept_form, page_with_form};
use actix_web::web::{ServiceConfig, get, post};
use http_adapter::Endpoint;

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(page_with_form(Endpoint::SignIn, sign_in::show, sign_in::submit))
        .service(page_with_form(Endpoint::SignInSecondStep, second_step::show, second_step::submit))
        .service(Endpoint::BeginPasskeySignIn.resource().route(post().to(passkey::begin)))
        .service(Endpoint::PasskeySignIn.resource().route(post().to(passkey::submit)))
        .service(Endpoint::ContinueForm.resource().route(get().to(kept_form::show)))
        .service(page_with_form(
            Endpoint::ForgotPassword,
            password::show_forgotten,
            password::submit_forgotten,
        ))
        .service(page_with_form(Endpoint::SignUp, password::show_sign_up, password::submit_sign_up))
        .service(page_with_form(Endpoint::SetPassword, password::show_link, password::submit_link))
        .service(Endpoint::SignOut.resource().route(post().to(sign_out::here)))
        .service(Endpoint::SignOutBrowser.resource().route(post().to(sign_out::browser)))
        .service(Endpoint::SignOutOthers.resource().route(post().to(sign_out::others)))
        .service(Endpoint::SignOutEverywhere.resource().route(post().to(sign_out::everywhere)));
}
