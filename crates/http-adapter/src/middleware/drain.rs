//! While the process is about to stop, each answer is its connection's last: whoever has one open learns it with an
//! answer, and not by a connection that breaks under the next request.

use super::context::{Outcome, RequestContext};
use actix_web::dev::ServiceRequest;
use actix_web::http::ConnectionType;

pub(super) async fn close(
    context: &RequestContext,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let mut response = next(request).await?;
    // Asked when the answer is there: a drain that began meanwhile counts.
    if context.state.as_ref().is_some_and(|state| state.health.is_draining()) {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    Ok(response)
}
