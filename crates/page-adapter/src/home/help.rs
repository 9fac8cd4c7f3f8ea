//! `/help`: short answers for people.

use super::view;
use crate::answer::page;
use crate::{PageState, person};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use http_adapter::problem::Problem;

/// Shows the page, with the tabs for a signed-in person.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let person = person::signed_in(&request, &state).await?;
    let person = person.as_ref().map(person::to_view);
    let (formats, operator) = (state.upload_formats.clone(), state.http.settings.operator.clone());
    let help = view::Help { person, formats, operator };
    page(StatusCode::OK, &help)
}
