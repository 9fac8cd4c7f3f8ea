//! `GET /api/v1/profile/{user_id}`.

use super::dto::query::UserPath;
use super::dto::{ProfileAnswer, ProfileDto};
use super::query::parameters;
use super::{DataErrors, gate};
use crate::ApiState;
use crate::example;
use crate::problem::{Fault, Problem};
use crate::request_context::RequestContext;
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use domain::data_kind::DataKind;

/// The profile of a person
///
/// Requires the scope `profile`. Unknown parameters are ignored.
#[utoipa::path(
    get, path = Endpoint::Profile.path(), tag = "data", operation_id = "readProfile", params(UserPath),
    responses(
        (status = 200, description = "The profile", body = ProfileAnswer, example = example::profile),
        DataErrors,
    ),
)]
pub(crate) async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, DataKind::Profile).await?;
    // There are no parameters, but a malformed query string is rejected everywhere.
    parameters(&request, &[])?;
    let Some(user) = state.read_profile.run(&access).await? else {
        // Deleted since the access check, which may be a second old: the token is invalid now, and the answer
        // to an invalid token has no counter.
        RequestContext::of(&request).rate = None;
        return Err(Problem::new(Fault::InvalidToken));
    };
    let data = ProfileDto::new(&user, access.scopes);
    Ok(HttpResponse::Ok().json(ProfileAnswer { data, limit: access.rate.into() }))
}
