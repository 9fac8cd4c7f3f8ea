//! Checks that precede every write.

use crate::ApiState;
use crate::data::gate;
use crate::problem::Problem;
use crate::request_context::RequestContext;
use actix_web::HttpRequest;
use application::access::GrantedIngest;
use domain::data_endpoint::PersonEndpoint;
use domain::scope::Scope;

/// Authenticates, authorizes and counts a request, before its parameters and body are read.
pub(super) async fn admit(
    request: &HttpRequest,
    state: &ApiState,
    scope: Scope,
) -> Result<GrantedIngest, Problem> {
    let caller = gate::identify(request, state, PersonEndpoint::Ingest).await?;
    let user_id = request.match_info().get("user_id");
    let outcome = state.authorize_access.admit_write(&caller, user_id, scope).await;
    let grant = gate::count_request(request, PersonEndpoint::Ingest, outcome, |grant| grant.rate)?;
    // For the middleware, which adds the headers to every response from here on.
    RequestContext::of(request).rate = Some(grant.rate);
    Ok(grant)
}
