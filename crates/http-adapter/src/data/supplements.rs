//! `GET /api/v1/supplements/{user_id}`.

use super::dto::SupplementsAnswer;
use super::dto::query::{SupplementsQuery, UserPath};
use super::link::List;
use super::query::SupplementsParameters;
use super::render::{Envelope, SupplementItems, answer};
use super::{DataErrors, gate};
use crate::ApiState;
use crate::example;
use crate::problem::Problem;
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use application::read::SupplementPage;
use domain::data_kind::DataKind;

/// A page of the supplements that a person takes
///
/// Requires the scope `supplements`. Unknown parameters are ignored; a known one may appear once.
#[utoipa::path(
    get, path = Endpoint::Supplements.path(), tag = "data", operation_id = "readSupplements",
    params(UserPath, SupplementsQuery),
    responses(
        (status = 200, description = "The page", body = SupplementsAnswer, example = example::supplements),
        DataErrors,
    ),
)]
pub(crate) async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, DataKind::Supplements).await?;
    let parameters = SupplementsParameters::read(&request, access.home_timezone)?;
    let query = parameters.query(access.user_id);
    // Even a short page may have any number of logs.
    let permit = gate::begin_page(&state, &access)?;
    let SupplementPage { records, has_more } = state.read_supplements.run(&access, query).await?;
    drop(permit);
    let list = List { endpoint: DataKind::Supplements, user_id: access.user_id, given: &parameters.given };
    let envelope = Envelope { pagination: list.pagination(parameters.page, has_more), rate: access.rate };
    Ok(answer(SupplementItems::new(records, access.user_id)?, &envelope)?)
}
