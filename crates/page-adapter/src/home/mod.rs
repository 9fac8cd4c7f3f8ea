//! `/`: home of a signed-in person, landing page of the server, and the service document for programs.

#[cfg(test)]
pub(crate) mod sample;
mod signed_in;
pub(crate) mod view;

use crate::answer::page;
use crate::{PageState, person};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, VARY};
use actix_web::web::{Data, ServiceConfig, get};
use actix_web::{HttpRequest, HttpResponse};
use http_adapter::problem::Problem;
use http_adapter::{Endpoint, HttpSettings, wants_page};
use serde_json::{Value, json};

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Home.resource().route(get().to(show)))
        .service(Endpoint::Help.resource().route(get().to(show_help)));
}

/// Shows the home page, the landing page, or to programs the links of the service.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut response = if wants_page(request.headers()) {
        match person::signed_in(&request, &state).await? {
            Some(person) => signed_in::show(&state, &person).await?,
            None => landing(&state)?,
        }
    } else {
        HttpResponse::Ok().json(service(&state.http.settings))
    };
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

fn landing(state: &PageState) -> Result<HttpResponse, Problem> {
    let settings = &state.http.settings;
    let view = view::Landing { operator: settings.operator.clone(), offers_sign_up: settings.sign_up_open };
    page(StatusCode::OK, &view)
}

/// Lists the addresses that a developer needs first.
fn service(settings: &HttpSettings) -> Value {
    let url =
        |endpoint: Endpoint| format!("{}{}", settings.public_url.trim_end_matches('/'), endpoint.path());
    json!({
        "name": "Restwell",
        "operator": settings.operator.name,
        "links": {
            "reference": url(Endpoint::Reference),
            "openapi": url(Endpoint::Document),
            "metadata": url(Endpoint::Metadata),
            "errors": url(Endpoint::Errors),
            "sign_in": url(Endpoint::SignIn),
        },
    })
}

/// Shows the page, with the tabs for a signed-in person.
pub(crate) async fn show_help(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let person = person::signed_in(&request, &state).await?;
    let person = person.as_ref().map(person::to_view);
    let (formats, operator) = (state.upload_formats.clone(), state.http.settings.operator.clone());
    let help = view::Help { person, formats, operator };
    page(StatusCode::OK, &help)
}
