//! `GET /api/v1/changes/{user_id}`.

use super::dto::query::{ChangesQuery, UserPath};
use super::query::ChangesParameters;
use super::render::{ChangeItems, FeedEnvelope, answer};
use super::{ChangesErrors, dto, gate};
use crate::ApiState;
use crate::example;
use crate::problem::Problem;
use crate::route::Endpoint;
use actix_web::{HttpRequest, HttpResponse, web};
use application::read::ChangesAnswer;
use domain::data_endpoint::PersonEndpoint;

/// Changes to a person's records
///
/// Lists the changes in the order in which they were stored, so that an app stays in sync without reading
/// everything again. Without `cursor` it lists all records. Keep the `cursor` of each answer for the next
/// request, and repeat while `has_more` is true. An `upsert` carries the current record; ignore a `delete`
/// whose `id` is unknown. A cursor belongs to one person: another person's is a 400 `invalid_parameter`.
/// Deletions are listed for 90 days: an older cursor is a 410 `cursor_expired`; start again without one.
/// Requires the scope of each type that is listed.
#[utoipa::path(
    get, path = Endpoint::Changes.path(), tag = "data", operation_id = "readChanges",
    params(UserPath, ChangesQuery),
    responses(
        (status = 200, description = "The changes", body = dto::ChangesAnswer, example = example::changes),
        ChangesErrors,
    ),
)]
pub(crate) async fn show(request: HttpRequest, state: web::Data<ApiState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, PersonEndpoint::Changes).await?;
    let query = ChangesParameters::read(&request)?.query();
    let permit = gate::begin_page(&state, &access)?;
    let ChangesAnswer { changes, cursor, has_more } = state.read_changes.run(&access, query).await?;
    drop(permit);
    let envelope = FeedEnvelope { cursor, has_more, rate: access.rate };
    Ok(answer(ChangeItems::new(changes, access.user_id, access.scopes)?, &envelope)?)
}
