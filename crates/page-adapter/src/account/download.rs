//! `/account/export`: download of a person's data.

use crate::PageState;
use crate::answer::see_other;
use crate::person::Destination;
use crate::person_form::PersonForm;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::export::ExportFormat;
use application::export::{ExportQuery, Exporter};
use domain::scope::ScopeSet;
use http_adapter::problem::Problem;
use http_adapter::{RequestContext, ResponseOwner, attachment};

/// Sends the file. A person whose sign-in is too old signs in first, and repeats the request from the account
/// page.
pub(crate) async fn submit(
    state: Data<PageState>,
    request: HttpRequest,
    sent: PersonForm,
) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let format = form.parse("format", ExportFormat::parse)?;
    if !person.is_fresh {
        return Ok(see_other(&Destination::Download.sign_in()));
    }
    let query = ExportQuery { user_id: person.user_id, scopes: ScopeSet::CONSENTABLE, by: Exporter::Person };
    let export = state.export.open(query, format).await?;
    RequestContext::of(&request).response_owner = Some(ResponseOwner::from(person.user_id));
    Ok(attachment(export, format))
}
