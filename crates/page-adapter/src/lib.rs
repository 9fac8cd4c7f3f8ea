//! Pages for people: sign-in, consent and account.
//!
//! [`configure`] adds them to an application that [`http_adapter::configure`] has set up; [`PageState`] holds
//! their dependencies, and [`ERROR_PAGES`] renders the errors of every endpoint for people.
//!
//! Each area of the site is a module that registers its pages. The handler of a page, its view, its template
//! and the samples of its tests lie together; what several areas share lies beside them.
//!
//! Pages are rendered on the server from views that contain only text. The pages for sign-in, account and
//! reset run one script, for passkeys; no other page runs any. A handler reads the browser's cookies and the
//! form, runs the use case, and returns a page or a redirect. Every form carries a token bound to the
//! browser's cookie (`form`).

mod account;
mod answer;
mod asset;
mod browser;
mod consent;
mod developer;
mod error;
mod form;
mod home;
mod imports;
mod kept_form;
mod meter;
mod moment;
mod nights;
mod person;
mod person_form;
mod query;
mod session;
mod state;
mod supplements;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
#[cfg(test)]
mod tests;
mod view;

pub use error::ERROR_PAGES;
pub use state::{DeveloperServices, PageState};

use actix_web::dev::HttpServiceFactory;
use actix_web::web::{Data, ServiceConfig, get, post};
use actix_web::{FromRequest, Handler, HttpResponse};
use http_adapter::Endpoint;
use http_adapter::problem::Problem;
use std::sync::Arc;

/// Returns the configuration of the pages.
pub fn configure(state: Arc<PageState>) -> impl FnOnce(&mut ServiceConfig) {
    move |app| {
        app.app_data(Data::from(state))
            .configure(asset::configure)
            .configure(home::configure)
            .configure(session::configure)
            .configure(consent::configure)
            .configure(account::configure)
            .configure(nights::configure)
            .configure(supplements::configure)
            .configure(imports::configure)
            .configure(developer::configure);
    }
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
