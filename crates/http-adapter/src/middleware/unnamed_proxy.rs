//! Warning about a proxy that is missing from `server.trusted_proxies`: all callers behind it share one
//! address, and the operator would not notice otherwise.

use super::facts::RequestFacts;
use crate::caller;
use actix_web::dev::ServiceRequest;

/// Logs the peer's address, never the header, whose value is the caller's own text.
pub(super) fn warn(facts: &RequestFacts, request: &ServiceRequest) {
    let Some(state) = &facts.state else { return };
    let Some(peer) = caller::unnamed_proxy(request.request(), &state.settings.proxies) else { return };
    if state.unnamed_proxy.is_due((state.elapsed_time)()) {
        tracing::warn!(
            %peer,
            "a request has a client address header, but its peer is not in server.trusted_proxies, so the header \
             is ignored; if the peer is your proxy, add it, otherwise all callers share its address"
        );
    }
}
