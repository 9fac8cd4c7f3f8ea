//! The checks that stand before every data endpoint.

use super::bearer;
use crate::HttpState;
use crate::middleware::{Holder, PagePlace};
use crate::problem::Problem;
use crate::route;
use actix_web::{HttpMessage as _, HttpRequest};
use application::access::{AuthorizeAccessQuery, GrantedAccess};
use domain::data_endpoint::PersonEndpoint;
use domain::paging::{PageRequest, PageSize};

/// How many sessions before a page the store passes in no time.
const FEW_SKIPPED: i64 = 1_000;

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

/// Takes a place for an answer for which the store has to do so much that it may have to wait there.
pub(crate) fn begin_page(state: &HttpState, access: &GrantedAccess) -> Result<PagePlace, Problem> {
    Ok(state.admission.begin_page(access.user_id, access.reader)?)
}

/// Takes a place for a page of sessions, unless it is small.
pub(super) fn begin_sleep_page(
    state: &HttpState,
    access: &GrantedAccess,
    page: PageRequest,
) -> Result<Option<PagePlace>, Problem> {
    let is_small = page.size <= PageSize::SLEEP_DEFAULT && page.offset() <= FEW_SKIPPED;
    if is_small { Ok(None) } else { begin_page(state, access).map(Some) }
}
