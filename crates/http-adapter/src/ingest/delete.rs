//! Deletes one session or one log.

use super::{DeletionErrors, gate};
use crate::ApiState;
use crate::data::dto::query::UserPath;
use crate::parameter::Parameters;
use crate::problem::{Fault, Problem};
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use application::access::GrantedIngest;
use domain::id::{IntakeLogId, SleepSessionId, UserId};
use domain::scope::Scope;

/// Deletes a sleep session
///
/// For service clients with the scope `sleep:write`.
#[utoipa::path(
    delete, path = Endpoint::SleepSession.path(), tag = "ingest", operation_id = "deleteSleepSession",
    params(UserPath, ("session_id" = uuid::Uuid, Path, description = "The id of the record; a 400 if it is not a UUID.")),
    responses((status = 204, description = "Deleted."), DeletionErrors),
)]
pub(super) async fn session(
    request: HttpRequest,
    state: web::Data<ApiState>,
) -> Result<HttpResponse, Problem> {
    let grant = gate::admit(&request, &state, Scope::SleepWrite).await?;
    let (user_id, text) = owner_and_id(&request, grant, "session_id")?;
    let id = SleepSessionId::parse(text)
        .map_err(|error| Problem::invalid_parameter("session_id", error.to_string()))?;
    answer(state.ingest.services.nights.delete(Some(grant.client_id), user_id, id).await?)
}

/// Deletes an intake log
///
/// For service clients with the scope `supplements:write`.
#[utoipa::path(
    delete, path = Endpoint::IntakeLog.path(), tag = "ingest", operation_id = "deleteSupplementLog",
    params(UserPath, ("log_id" = uuid::Uuid, Path, description = "The id of the record; a 400 if it is not a UUID.")),
    responses((status = 204, description = "Deleted."), DeletionErrors),
)]
pub(super) async fn log(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let grant = gate::admit(&request, &state, Scope::SupplementsWrite).await?;
    let (user_id, text) = owner_and_id(&request, grant, "log_id")?;
    let id =
        IntakeLogId::parse(text).map_err(|error| Problem::invalid_parameter("log_id", error.to_string()))?;
    answer(state.ingest.services.intakes.delete(Some(grant.client_id), user_id, id).await?)
}

/// Returns the owner of the record and its id as sent.
fn owner_and_id<'a>(
    request: &'a HttpRequest,
    grant: GrantedIngest,
    name: &str,
) -> Result<(UserId, &'a str), Problem> {
    Parameters::read(request.query_string(), &[])?;
    let user_id = grant.user_id.ok_or_else(|| Problem::new(Fault::InvalidUserId))?;
    Ok((user_id, request.match_info().get(name).unwrap_or_default()))
}

fn answer(was_there: bool) -> Result<HttpResponse, Problem> {
    if was_there { Ok(HttpResponse::NoContent().finish()) } else { Err(Problem::new(Fault::UnknownRecord)) }
}
