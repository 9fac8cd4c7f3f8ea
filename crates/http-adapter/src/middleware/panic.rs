//! Panic catcher: a panic in a handler becomes a 500, and the worker continues.

use super::facts::Outcome;
use crate::problem::{Fault, Problem};
use actix_web::dev::ServiceRequest;
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;

pub(super) async fn catch(
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    // Unwind-safe: handlers share the ports only, which protect their own state.
    let call = AssertUnwindSafe(next(request));
    // The panic message is not logged: it may contain a value of the request.
    call.catch_unwind().await.unwrap_or_else(|_| Err(Problem::new(Fault::InternalError).into()))
}
