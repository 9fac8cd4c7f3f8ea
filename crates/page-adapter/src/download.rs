//! `/account/export`: download of a person's data.

use super::answer::see_other;
use super::form::Form;
use super::person::{self, Destination};
use crate::PageState;
use actix_web::web::{Data, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use application::export::ExportFormat;
use application::export::{ExportQuery, Exporter};
use domain::scope::ScopeSet;
use http_adapter::Holder;
use http_adapter::attachment;
use http_adapter::problem::{Fault, Problem};

/// Sends the file. A person whose sign-in is too old signs in first, and repeats the request from the account
/// page.
pub(super) async fn submit(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let person = person::of_request(&request, &state).await?;
    let person = person.ok_or_else(|| Problem::new(Fault::ForeignForm))?;
    let form = Form::read(&request, body, &state.http.settings, &person.cookie).await?;
    let format = form.find("format")?.and_then(ExportFormat::parse);
    let format = format.ok_or_else(|| Problem::new(Fault::InvalidForm))?;
    if !person.is_fresh {
        return Ok(see_other(&Destination::Download.sign_in()));
    }
    let query = ExportQuery { user_id: person.user_id, scopes: ScopeSet::CONSENTABLE, by: Exporter::Person };
    let export = state.export.open(query, format).await?;
    request.extensions_mut().insert(Holder::from(person.user_id));
    Ok(attachment(export, format))
}
