//! `GET /api/v1/profile/{user_id}`.

use super::dto::query::UserPath;
use super::dto::{ProfileAnswer, ProfileDto};
use super::{DataErrors, gate};
use crate::ApiState;
use crate::openapi::example;
use crate::parameter::Parameters;
use crate::problem::{Fault, Problem, rate_limit_headers};
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use application::access::GrantedAccess;
use domain::data_endpoint::DataEndpoint;
use domain::scope::Scope;
use domain::user::User;

/// The profile of a person
///
/// Requires the scope `profile`. Unknown parameters are ignored.
#[utoipa::path(
    get, path = Endpoint::Profile.path(), tag = "data", operation_id = "readProfile", params(UserPath),
    security(("bearer" = [Scope::Profile])),
    responses(
        (status = 200, description = "The profile", body = ProfileAnswer, example = example::profile),
        DataErrors,
    ),
)]
pub(super) async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, DataEndpoint::Profile).await?;
    let user = find(&request, &state, &access).await.map_err(|problem| problem.with_rate(access.rate))?;
    // Deleted since the access check, which may be a second old: the token is invalid now.
    let user = user.ok_or_else(|| Problem::new(Fault::InvalidToken))?;
    let mut response = HttpResponse::Ok();
    for header in rate_limit_headers(access.rate) {
        response.insert_header(header);
    }
    let data = ProfileDto::new(&user, access.scopes);
    Ok(response.json(ProfileAnswer { data, limit: access.rate.into() }))
}

async fn find(
    request: &HttpRequest,
    state: &ApiState,
    access: &GrantedAccess,
) -> Result<Option<User>, Problem> {
    // There are no parameters, but a malformed query string is rejected everywhere.
    Parameters::read(request.query_string(), &[])?;
    Ok(state.read_profile.run(access).await?)
}
