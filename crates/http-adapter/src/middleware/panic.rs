//! A panic in a handler is a 500 like any other, and the worker lives on.

use crate::problem::{Fault, Problem};
use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;

pub(super) async fn catch<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    // Nothing that a handler shares is left half changed: its state is the ports, which hold their own.
    let call = AssertUnwindSafe(async { next.call(request).await });
    // What the panic says is not repeated: it may hold a value of the request.
    call.catch_unwind().await.unwrap_or_else(|_| Err(Problem::new(Fault::InternalError).into()))
}
