//! The checks that stand before every data endpoint.

use super::bearer;
use crate::HttpState;
use crate::middleware::Holder;
use crate::problem::Problem;
use crate::route;
use actix_web::{HttpMessage as _, HttpRequest};
use application::access::{AuthorizeAccessQuery, GrantedAccess};
use domain::data_endpoint::PersonEndpoint;

/// Authenticates, authorizes and counts a request, in the order of decisions 4; its parameters are not looked
/// at before.
pub(crate) async fn admit(
    request: &HttpRequest,
    state: &HttpState,
    endpoint: impl Into<PersonEndpoint>,
) -> Result<GrantedAccess, Problem> {
    let token = bearer::token(request)?;
    let user_id = route::user_id(request);
    let query = AuthorizeAccessQuery { token, user_id, endpoint: endpoint.into() };
    let access = state.authorize_access.run(query).await?;
    // For the bound on large answers, should this become one.
    request.extensions_mut().insert(Holder::from(&access));
    Ok(access)
}
