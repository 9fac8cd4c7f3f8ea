//! Profile changes that an import proposes.

pub(crate) mod view;

use super::{address, rejected};
use crate::PageState;
use crate::answer::see_other;
use crate::person_form::PersonForm;
use actix_web::HttpResponse;
use actix_web::web::Data;
use domain::id::ImportId;
use domain::user::ProfileField;
use http_adapter::problem::{Fault, Problem};

/// Applies the ticked proposals, or all.
pub(crate) async fn apply(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("import", |id| ImportId::parse(id).ok())?;
    let ticked: Option<Vec<_>> = form.all("field").map(ProfileField::parse).collect();
    let ticked = ticked.ok_or_else(|| Problem::new(Fault::InvalidForm))?;
    let fields = if form.is_ticked("all")? { ProfileField::ALL.to_vec() } else { ticked };
    let done = match state.imports.apply_profile(person.user_id, id, &fields).await {
        Ok(0) => "?done=profile-same",
        Ok(_) => "?done=profile",
        Err(error) => rejected(error)?,
    };
    Ok(see_other(&address(id, done)))
}
