//! `DELETE /api/v1/users/{user_id}`: erases a person.

use super::{ErasureErrors, gate};
use crate::ApiState;
use crate::data::dto::query::UserPath;
use crate::example;
use crate::parameter::Parameters;
use crate::problem::{Fault, Problem, RateLimitBody};
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use application::erasure::{Eraser, Erasure, ErasureError};
use domain::scope::Scope;
use domain::time::format;
use serde::Serialize;
use utoipa::ToSchema;

/// The receipt of an erasure; it does not identify the person.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErasureAnswer {
    /// The number of the receipt.
    #[schema(value_type = uuid::Uuid, example = "7d0f3c61-5a0e-4f0a-9a63-3f0f5a1d2c44")]
    pub(crate) erasure_id: String,
    /// When the person was erased, in UTC.
    #[schema(format = DateTime, example = "2026-03-09T12:00:00Z")]
    pub(crate) erased_at: String,
    /// The counters of the rate limit.
    pub(crate) limit: RateLimitBody,
}

/// Erases a person
///
/// For service clients with the scope `users:write`. Deletes the person with everything that is stored about
/// them, and revokes every token. The erasure itself is recorded without the person; the id is never issued
/// again.
#[utoipa::path(
    delete, path = Endpoint::User.path(), tag = "ingest", operation_id = "eraseUser", params(UserPath),
    responses(
        (status = 200, description = "The receipt", body = ErasureAnswer, example = example::erasure),
        ErasureErrors,
    ),
)]
pub(super) async fn user(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let grant = gate::admit(&request, &state, Scope::UsersWrite).await?;
    Parameters::read(request.query_string(), &[])?;
    let user_id = grant.user_id.ok_or_else(|| Problem::new(Fault::InvalidUserId))?;
    let Erasure { id, at } = state.erasures.erase(Eraser::Client(grant.client_id, user_id)).await?;
    let limit = grant.rate.into();
    Ok(HttpResponse::Ok().json(ErasureAnswer {
        erasure_id: id.to_string(),
        erased_at: format::utc(at),
        limit,
    }))
}

impl From<ErasureError> for Problem {
    fn from(error: ErasureError) -> Self {
        match error {
            ErasureError::NotFound => Self::new(Fault::UnknownUser),
            // Only forms of a person cause these.
            ErasureError::NotFresh | ErasureError::SessionEnded => Self::new(Fault::ForeignForm),
            ErasureError::Storage(error) => error.into(),
        }
    }
}
