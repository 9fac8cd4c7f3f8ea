//! Nobody waits for ever: a store that keeps a connection open and says nothing is a 503 after a time.

use super::context::state;
use crate::HttpSettings;
use crate::problem::{Fault, Problem};
use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;

/// Gives a handler up that does not answer in time. What it held is dropped, and with it every transaction
/// that is not committed. The body of an answer may take longer: its rows are read by then.
pub(super) async fn keep<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let limit = match state(&request) {
        Some(state) => state.settings.answer_timeout,
        None => HttpSettings::default().answer_timeout,
    };
    let answered = tokio::time::timeout(limit, next.call(request)).await;
    answered.unwrap_or_else(|_| Err(Problem::new(Fault::StorageUnavailable).into()))
}
