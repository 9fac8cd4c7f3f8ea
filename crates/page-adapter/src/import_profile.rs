//! Profile changes that an import proposes.

use super::answer::see_other;
use super::imports::address;
use super::person_form::PersonForm;
use crate::PageState;
use actix_web::HttpResponse;
use actix_web::web::Data;
use application::import::ApplyProfileError;
use domain::id::ImportId;
use domain::user::ProfileField;
use http_adapter::problem::{Fault, Problem};

/// Applies the ticked proposals, or all.
pub(super) async fn apply(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("import", |id| ImportId::parse(id).ok())?;
    let ticked: Option<Vec<_>> = form.all("field").map(ProfileField::parse).collect();
    let ticked = ticked.ok_or_else(|| Problem::new(Fault::InvalidForm))?;
    let fields = if form.is_ticked("all")? { ProfileField::ALL.to_vec() } else { ticked };
    let done = match state.imports.apply_profile.run(person.user_id, id, &fields).await {
        Ok(0) => "?done=profile-same",
        Ok(_) => "?done=profile",
        Err(ApplyProfileError::Unknown) => return Err(Problem::new(Fault::NotFound)),
        Err(ApplyProfileError::NotDone) => "?done=profile-closed",
        Err(ApplyProfileError::Storage(error)) => return Err(error.into()),
    };
    Ok(see_other(&address(id, done)))
}
