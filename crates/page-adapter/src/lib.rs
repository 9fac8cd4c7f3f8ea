//! Pages for people: sign-in, consent and account.
//!
//! [`configure`] adds them to an application that [`http_adapter::configure`] has set up; [`PageState`] holds
//! their dependencies, and [`ERROR_PAGES`] renders the errors of every endpoint for people.
//!
//! Pages are rendered on the server from views (`view`) that contain only text. The pages for sign-in,
//! account and reset run one script, for passkeys; no other page runs any. A handler reads the browser's
//! cookies and the form, runs the use case, and returns a page or a redirect. Every form carries a token
//! bound to the browser's cookie (`form`).

mod account;
mod activity;
mod answer;
mod apps;
mod asset;
mod authorize;
mod browser;
mod consent;
mod developer;
mod download;
mod email;
mod erase;
mod error;
mod form;
mod help;
mod home;
mod import_profile;
mod imports;
mod kept_form;
mod measure;
mod meter;
mod moment;
mod night;
mod nights;
mod passkeys;
mod password;
mod person;
mod person_form;
mod picture;
mod profile;
mod query;
mod second_factor;
mod second_step;
mod sign_in;
mod sign_out;
mod state;
mod supplements;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
#[cfg(test)]
mod tests;
mod tokens;
mod upload;
mod view;
mod visit;

pub use error::ERROR_PAGES;
pub use state::{DeveloperUseCases, PageState, TimeSource, VisitSource};

use actix_web::dev::HttpServiceFactory;
use actix_web::web::{Data, ServiceConfig, get, post};
use actix_web::{FromRequest, Handler, HttpResponse};
use http_adapter::Endpoint;
use http_adapter::problem::Problem;
use std::sync::Arc;

/// Returns the configuration of the pages.
pub fn configure(state: Arc<PageState>) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        app.app_data(Data::from(state)).configure(configure_visitor).configure(configure_account);
    }
}

/// Registers the public pages and their assets.
fn configure_visitor(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Home.resource().route(get().to(home::show)))
        .service(Endpoint::Help.resource().route(get().to(help::show)))
        .service(Endpoint::Authorize.resource().route(get().to(authorize::begin)))
        .service(page_with_form(Endpoint::SignIn, sign_in::show, sign_in::submit))
        .service(page_with_form(Endpoint::SignInSecondStep, second_step::show, second_step::submit))
        .service(Endpoint::ContinueForm.resource().route(get().to(kept_form::show)))
        .service(page_with_form(Endpoint::Consent, consent::show, consent::submit))
        .service(Endpoint::SignOut.resource().route(post().to(sign_out::here)))
        .service(page_with_form(
            Endpoint::ForgotPassword,
            password::show_forgotten,
            password::submit_forgotten,
        ))
        .service(page_with_form(Endpoint::SignUp, password::show_sign_up, password::submit_sign_up))
        .service(page_with_form(Endpoint::SetPassword, password::show_link, password::submit_link))
        .service(page_with_form(Endpoint::ConfirmEmail, email::show_confirmation, email::confirm))
        .service(Endpoint::BeginPasskeySignIn.resource().route(post().to(passkeys::begin_sign_in)))
        .service(Endpoint::PasskeySignIn.resource().route(post().to(passkeys::sign_in)))
        .service(Endpoint::PasskeyScript.resource().route(get().to(asset::passkey_script)))
        .service(Endpoint::StyleSheet.resource().route(get().to(asset::style_sheet)))
        .service(Endpoint::Icon.resource().route(get().to(asset::icon)));
}

/// Registers the pages that require a sign-in.
fn configure_account(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Nights.resource().route(get().to(nights::show)))
        .service(Endpoint::DeleteNight.resource().route(post().to(night::delete)))
        .service(Endpoint::Night.resource().route(get().to(night::show)))
        .configure(supplements::configure)
        .service(page_with_form(Endpoint::ProfilePage, profile::show, profile::submit))
        .service(Endpoint::Apps.resource().route(get().to(apps::show)))
        .service(Endpoint::DisconnectApps.resource().route(post().to(apps::disconnect)))
        .service(page_with_form(Endpoint::Tokens, tokens::show, tokens::create))
        .service(Endpoint::RevokePersonalToken.resource().route(post().to(tokens::revoke)))
        .configure(developer::configure)
        .service(page_with_form(Endpoint::Imports, imports::show, upload::receive))
        .service(Endpoint::UndoImport.resource().route(post().to(imports::undo)))
        .service(Endpoint::ApplyProfile.resource().route(post().to(import_profile::apply)))
        .service(Endpoint::Import.resource().route(get().to(imports::show_one)))
        .service(Endpoint::Activity.resource().route(get().to(activity::show)))
        .service(Endpoint::Account.resource().route(get().to(account::show)))
        .service(page_with_form(Endpoint::ChangeEmail, email::show, email::request))
        .service(Endpoint::ChangePassword.resource().route(post().to(account::change_password)))
        .service(page_with_form(Endpoint::SecondFactor, second_factor::show, second_factor::turn_on))
        .service(Endpoint::TurnOffSecondFactor.resource().route(post().to(second_factor::turn_off)))
        .service(Endpoint::RecoveryCodes.resource().route(post().to(second_factor::replace_codes)))
        .service(Endpoint::SignOutBrowser.resource().route(post().to(sign_out::browser)))
        .service(Endpoint::SignOutOthers.resource().route(post().to(sign_out::others)))
        .service(Endpoint::BeginPasskey.resource().route(post().to(passkeys::begin)))
        .service(Endpoint::AddPasskey.resource().route(post().to(passkeys::add)))
        .service(Endpoint::RenamePasskey.resource().route(post().to(passkeys::rename)))
        .service(Endpoint::RemovePasskey.resource().route(post().to(passkeys::remove)))
        .service(Endpoint::DownloadExport.resource().route(post().to(download::submit)))
        .service(page_with_form(Endpoint::Erase, erase::show, erase::submit))
        .service(Endpoint::SignOutEverywhere.resource().route(post().to(sign_out::everywhere)));
}

/// Returns the resource of a page with a form.
fn page_with_form<Page, PageArguments, Form, FormArguments>(
    endpoint: Endpoint,
    show: Page,
    submit: Form,
) -> impl HttpServiceFactory + use<Page, PageArguments, Form, FormArguments>
where
    Page: Handler<PageArguments, Output = Result<HttpResponse, Problem>>,
    PageArguments: FromRequest + 'static,
    Form: Handler<FormArguments, Output = Result<HttpResponse, Problem>>,
    FormArguments: FromRequest + 'static,
{
    endpoint.resource().route(get().to(show)).route(post().to(submit))
}
