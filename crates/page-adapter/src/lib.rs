//! Pages for people: sign-in, consent and account.
//!
//! [`configure`] adds them to an application that [`http_adapter::configure`] has set up; [`PageState`] holds
//! their dependencies, and [`ERROR_PAGES`] renders the errors of every endpoint for people.
//!
//! Pages are rendered on the server from views (`view`) that contain only text; none has a script. A handler
//! reads the browser's cookies and the form, runs the use case, and returns a page or a redirect. Every form
//! carries a token bound to the browser's cookie (`form`).

mod account;
mod activity;
mod answer;
mod apps;
mod asset;
mod authorize;
mod browser;
mod consent;
mod download;
mod erase;
mod error;
mod form;
mod import_profile;
mod imports;
mod meter;
mod moment;
mod password;
mod person;
mod query;
mod sign_in;
mod sign_out;
mod state;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
#[cfg(test)]
mod tests;
mod tokens;
mod upload;
mod view;
mod visit;

pub use error::ERROR_PAGES;
pub use state::{PageState, UploadUseCases, VisitSource};

use actix_web::web::{Data, ServiceConfig, get, post};
use http_adapter::Endpoint;
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
        .service(Endpoint::Authorize.resource().route(get().to(authorize::begin)))
        .service(Endpoint::SignIn.resource().route(get().to(sign_in::show)).route(post().to(sign_in::submit)))
        .service(
            Endpoint::Consent.resource().route(get().to(consent::show)).route(post().to(consent::submit)),
        )
        .service(Endpoint::SignOut.resource().route(post().to(sign_out::here)))
        .service(
            Endpoint::ForgotPassword
                .resource()
                .route(get().to(password::show_forgotten))
                .route(post().to(password::submit_forgotten)),
        )
        .service(
            Endpoint::SignUp
                .resource()
                .route(get().to(password::show_sign_up))
                .route(post().to(password::submit_sign_up)),
        )
        .service(
            Endpoint::SetPassword
                .resource()
                .route(get().to(password::show_link))
                .route(post().to(password::submit_link)),
        )
        .service(Endpoint::StyleSheet.resource().route(get().to(asset::style_sheet)))
        .service(Endpoint::Icon.resource().route(get().to(asset::icon)));
}

/// Registers the pages that require a sign-in.
fn configure_account(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Apps.resource().route(get().to(apps::show)))
        .service(Endpoint::DisconnectApps.resource().route(post().to(apps::disconnect)))
        .service(Endpoint::Tokens.resource().route(get().to(tokens::show)).route(post().to(tokens::create)))
        .service(Endpoint::RevokePersonalToken.resource().route(post().to(tokens::revoke)))
        .service(
            Endpoint::Imports.resource().route(get().to(imports::show)).route(post().to(upload::receive)),
        )
        .service(Endpoint::UndoImport.resource().route(post().to(imports::undo)))
        .service(Endpoint::ApplyProfile.resource().route(post().to(import_profile::apply)))
        .service(Endpoint::Import.resource().route(get().to(imports::show_one)))
        .service(Endpoint::Activity.resource().route(get().to(activity::show)))
        .service(Endpoint::Account.resource().route(get().to(account::show)))
        .service(Endpoint::ChangePassword.resource().route(post().to(account::change_password)))
        .service(Endpoint::DownloadExport.resource().route(post().to(download::submit)))
        .service(Endpoint::Erase.resource().route(get().to(erase::show)).route(post().to(erase::submit)))
        .service(Endpoint::SignOutEverywhere.resource().route(post().to(sign_out::everywhere)));
}
