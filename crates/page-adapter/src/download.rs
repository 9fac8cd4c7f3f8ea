//! `/account/export`: download of a person's data.

use super::answer::see_other;
use super::form::Form;
use super::person::Destination;
use crate::PageState;
use actix_web::web::{Data, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use application::export::ExportFormat;
use application::export::{ExportQuery, Exporter};
use domain::scope::ScopeSet;
use http_adapter::Holder;
use http_adapter::attachment;
use http_adapter::problem::Problem;

/// Sends the file. A person whose sign-in is too old signs in first, and repeats the request from the account
/// page.
pub(super) async fn submit(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (person, form) = Form::read_with_person(&request, body, &state).await?;
    let format = form.parse("format", ExportFormat::parse)?;
    if !person.is_fresh {
        return Ok(see_other(&Destination::Download.sign_in()));
    }
    let query = ExportQuery { user_id: person.user_id, scopes: ScopeSet::CONSENTABLE, by: Exporter::Person };
    let export = state.export.open(query, format).await?;
    request.extensions_mut().insert(Holder::from(person.user_id));
    Ok(attachment(export, format))
}
