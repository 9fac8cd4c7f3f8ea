//! A panic in a handler is a 500 like any other, and the worker lives on.

use super::context::Outcome;
use crate::problem::{Fault, Problem};
use actix_web::dev::ServiceRequest;
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;

pub(super) async fn catch(
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    // Nothing that a handler shares is left half changed: its state is the ports, which hold their own.
    let call = AssertUnwindSafe(next(request));
    // What the panic says is not repeated: it may hold a value of the request.
    call.catch_unwind().await.unwrap_or_else(|_| Err(Problem::new(Fault::InternalError).into()))
}
