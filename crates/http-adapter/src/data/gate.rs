//! Checks that precede every read.

use super::bearer;
use crate::ApiState;
use crate::admission::{PagePermit, ResponseOwner};
use crate::client_request::{note_client, note_limit};
use crate::problem::Problem;
use crate::request_context::RequestContext;
use actix_web::HttpRequest;
use application::access::{AuthorizeAccessError, Caller, GrantedAccess, Permission};
use domain::client_usage::UsedEndpoint;
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;
use domain::paging::{PageRequest, PageSize};
use domain::rate_limit::RateStatus;
use domain::resource::Resource;
use domain::scope::ScopeSet;

/// Largest offset that is cheap to skip.
const CHEAP_OFFSET: i64 = 1_000;

/// Authenticates, authorizes and counts a request, in the order of decisions 4, before its parameters are
/// read.
pub(crate) async fn admit(
    request: &HttpRequest,
    state: &ApiState,
    endpoint: impl Into<PersonEndpoint>,
) -> Result<GrantedAccess, Problem> {
    let endpoint = endpoint.into();
    let caller = identify(request, state, endpoint).await?;
    let user_id = request.match_info().get("user_id").unwrap_or_default();
    admitted(request, endpoint, state.authorize_access.admit_to(&caller, user_id, endpoint).await)
}

/// Authenticates a request to an endpoint of the API.
pub(crate) async fn identify(
    request: &HttpRequest,
    state: &ApiState,
    endpoint: PersonEndpoint,
) -> Result<Caller, Problem> {
    let caller = state.authorize_access.identify(bearer::token(request)?, Resource::Api).await?;
    note_client(request, caller.client_id(), UsedEndpoint::Person(endpoint));
    Ok(caller)
}

/// Authenticates a request to the MCP endpoint, whose path names no person; does not count it.
pub async fn identify_person(request: &HttpRequest, state: &ApiState) -> Result<Permission, Problem> {
    let caller = state.authorize_access.identify(bearer::token(request)?, Resource::Mcp).await?;
    note_client(request, caller.client_id(), UsedEndpoint::Mcp);
    let permission = caller.permission().copied();
    permission.ok_or_else(|| Problem::insufficient_scope(ScopeSet::CONSENTABLE))
}

/// Authorizes and counts a read by an identified caller, as `admit` does.
pub async fn admit_identified(
    request: &HttpRequest,
    state: &ApiState,
    permission: &Permission,
    kind: DataKind,
) -> Result<GrantedAccess, Problem> {
    admitted(request, kind.into(), state.authorize_access.admit(permission, kind.into()).await)
}

/// Notes the owner of a large response, and the limit, whose counter every response carries from here on.
fn admitted(
    request: &HttpRequest,
    endpoint: PersonEndpoint,
    outcome: Result<GrantedAccess, AuthorizeAccessError>,
) -> Result<GrantedAccess, Problem> {
    let access = count_request(request, endpoint, outcome, |access| access.rate)?;
    let mut context = RequestContext::of(request);
    context.response_owner = Some(ResponseOwner::from(&access));
    context.rate = Some(access.rate);
    Ok(access)
}

/// Notes the limit that a request was counted against, also if it was reached.
pub(crate) fn count_request<T>(
    request: &HttpRequest,
    endpoint: PersonEndpoint,
    outcome: Result<T, AuthorizeAccessError>,
    rate: impl FnOnce(&T) -> RateStatus,
) -> Result<T, Problem> {
    match &outcome {
        Ok(granted) => note_limit(request, endpoint, rate(granted)),
        Err(AuthorizeAccessError::RateLimited { rate, .. }) => note_limit(request, endpoint, *rate),
        Err(_) => {}
    }
    Ok(outcome?)
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
