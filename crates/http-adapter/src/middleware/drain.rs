//! While the process is about to stop, each answer is its connection's last: whoever has one open learns it with an
//! answer, and not by a connection that breaks under the next request.

use super::context::state;
use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::middleware::Next;

pub(super) async fn close<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let health = state(&request).map(|state| state.health.clone());
    let mut response = next.call(request).await?;
    // Asked when the answer is there: a drain that began meanwhile counts.
    if health.is_some_and(|health| health.is_draining()) {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    Ok(response)
}
