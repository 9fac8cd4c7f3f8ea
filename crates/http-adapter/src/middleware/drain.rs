//! Connection close while the process stops: each response is the last of its connection, so that no client
//! loses a request on a connection that the server drops.

use super::facts::{Outcome, RequestFacts};
use actix_web::dev::ServiceRequest;
use actix_web::http::ConnectionType;

pub(super) async fn close(
    facts: &RequestFacts,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    let mut response = next(request).await?;
    // Checked after the response is ready, so that a drain that started meanwhile is seen.
    if facts.state.as_ref().is_some_and(|state| state.health.is_draining()) {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    Ok(response)
}
