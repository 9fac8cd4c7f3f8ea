//! Checks that precede every write.

use crate::ApiState;
use crate::data::bearer;
use crate::problem::Problem;
use actix_web::{HttpMessage as _, HttpRequest};
use application::access::{AuthorizeIngestQuery, GrantedIngest};
use domain::scope::Scope;

/// Authenticates, authorizes and counts a request, before its parameters and body are read.
pub(super) async fn admit(
    request: &HttpRequest,
    state: &ApiState,
    scope: Scope,
) -> Result<GrantedIngest, Problem> {
    let token = bearer::token(request)?;
    let user_id = request.match_info().get("user_id");
    let grant = state.ingest.authorize.run(AuthorizeIngestQuery { token, user_id, scope }).await?;
    // For the middleware, which adds the headers to every response from here on.
    request.extensions_mut().insert(grant.rate);
    Ok(grant)
}
