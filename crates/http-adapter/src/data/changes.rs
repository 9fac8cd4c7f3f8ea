//! `GET /api/v1/changes/{user_id}`.

use super::gate;
use super::query::ChangesParameters;
use super::render::{ChangeItems, FeedEnvelope, answer};
use crate::HttpState;
use crate::problem::Problem;
use actix_web::{HttpRequest, HttpResponse, web};
use application::access::GrantedAccess;
use application::read::ChangesAnswer;
use domain::data_endpoint::PersonEndpoint;

pub(super) async fn show(request: HttpRequest, state: web::Data<HttpState>) -> Result<HttpResponse, Problem> {
    let access = gate::admit(&request, &state, PersonEndpoint::Changes).await?;
    page(request.query_string(), &state, &access).await.map_err(|problem| problem.with_rate(access.rate))
}

async fn page(query: &str, state: &HttpState, access: &GrantedAccess) -> Result<HttpResponse, Problem> {
    let query = ChangesParameters::read(query)?.query();
    let place = gate::begin_page(state, access)?;
    let ChangesAnswer { changes, cursor, has_more } = state.read_changes.run(access, query).await?;
    drop(place);
    let envelope = FeedEnvelope { cursor, has_more, rate: access.rate };
    Ok(answer(ChangeItems::new(changes, access.user_id, access.scopes)?, &envelope)?)
}
