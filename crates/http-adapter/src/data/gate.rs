//! Checks that precede every read.

use super::bearer;
use super::query::IgnoredParameters;
use crate::ApiState;
use crate::admission::{Holder, PagePermit};
use crate::problem::Problem;
use actix_web::{HttpMessage as _, HttpRequest};
use application::access::{AuthorizeAccessQuery, GrantedAccess, Permission};
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use domain::paging::{PageRequest, PageSize};
use domain::resource::Resource;

/// Largest offset that is cheap to skip.
const CHEAP_OFFSET: i64 = 1_000;

/// Authenticates, authorizes and counts a request, in the order of decisions 4, before its parameters are
/// read.
pub(crate) async fn admit(
    request: &HttpRequest,
    state: &ApiState,
    endpoint: impl Into<PersonEndpoint>,
) -> Result<GrantedAccess, Problem> {
    let token = bearer::token(request)?;
    let user_id = request.match_info().get("user_id").unwrap_or_default();
    let endpoint = endpoint.into();
    let query = AuthorizeAccessQuery { token, user_id, endpoint, resource: Resource::Api };
    let access = admitted(request, state.authorize_access.run(query).await?);
    if let Some(ignored) = IgnoredParameters::of(request.query_string(), endpoint) {
        request.extensions_mut().insert(ignored);
    }
    Ok(access)
}

/// Authenticates a request to the MCP endpoint, whose path names no person; does not count it.
pub async fn identify(request: &HttpRequest, state: &ApiState) -> Result<Permission, Problem> {
    Ok(state.authorize_access.identify(bearer::token(request)?, Resource::Mcp).await?)
}

/// Authorizes and counts a read by an identified caller, as `admit` does.
pub async fn admit_identified(
    request: &HttpRequest,
    state: &ApiState,
    permission: &Permission,
    kind: DataKind,
) -> Result<GrantedAccess, Problem> {
    Ok(admitted(request, state.authorize_access.admit(permission, kind.into()).await?))
}

/// Stores for the middleware who holds a large response, and the headers of every response from here on.
fn admitted(request: &HttpRequest, access: GrantedAccess) -> GrantedAccess {
    request.extensions_mut().insert(Holder::from(&access));
    request.extensions_mut().insert(access.rate);
    access
}

/// Takes the shares of a page that is expensive to read.
pub fn begin_page(state: &ApiState, access: &GrantedAccess) -> Result<PagePermit, Problem> {
    Ok(state.http.admission.begin_page(access.user_id, access.reader)?)
}

/// Takes the shares of a page of sessions, unless it is small.
pub(super) fn begin_sleep_page(
    state: &ApiState,
    access: &GrantedAccess,
    page: PageRequest,
) -> Result<Option<PagePermit>, Problem> {
    let is_small = page.size <= PageSize::SLEEP_DEFAULT && page.offset() <= CHEAP_OFFSET;
    if is_small { Ok(None) } else { begin_page(state, access).map(Some) }
}
