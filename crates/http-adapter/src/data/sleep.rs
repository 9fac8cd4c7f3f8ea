//! `GET /api/v1/sleep/{user_id}`.

use super::dto::SleepAnswer;
use super::dto::query::{SleepQuery, UserPath};
use super::link::List;
use super::query::SleepParameters;
use super::render::{Envelope, SleepItems, answer};
use super::{DataErrors, gate};
use crate::ApiState;
use crate::example;
use crate::problem::Problem;
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use application::read::SleepPage;
use domain::data_kind::DataKind;

/// A page of a person's sleep sessions
///
/// Requires the scope `sleep`. Unknown parameters are ignored; a known one may appear once.
#[utoipa::path(
    get, path = Endpoint::Sleep.path(), tag = "data", operation_id = "readSleep", params(UserPath, SleepQuery),
    responses(
        (status = 200, description = "The page", body = SleepAnswer, example = example::sleep),
        DataErrors,
    ),
)]
pub(crate) async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, DataKind::Sleep).await?;
    let parameters = SleepParameters::read(&request, access.home_timezone)?;
    let query = parameters.query(access.user_id);
    let permit = gate::begin_sleep_page(&state, &access, parameters.page)?;
    let SleepPage { rows, has_more } = state.read_sleep.run(&access, query).await?;
    drop(permit);
    let list = List { endpoint: DataKind::Sleep, user_id: access.user_id, given: &parameters.given };
    let envelope = Envelope { pagination: list.pagination(parameters.page, has_more), rate: access.rate };
    Ok(answer(SleepItems::new(rows, parameters.include), &envelope)?)
}
