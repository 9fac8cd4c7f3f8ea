//! The layers around every handler, outermost first: connection close while the process stops, connection
//! close after an unread body, the record of the request, CORS, error bodies and common headers, admission,
//! the panic catcher, the timeout, size limits, and the minimum pace for reading a large response. A `HEAD`
//! is recorded as such and passed on as a `GET`, whose body is dropped.
//!
//! Routing comes first: each endpoint has the layers around its resource, so that they can use the matched
//! endpoint. Only the panic catcher and the timeout may return `Err`, which loses the request.

mod admission;
mod cors;
mod deadline;
mod facts;
mod finish;
mod head;
mod header;
mod pace;
mod record;
mod size;
#[cfg(test)]
mod tests;
mod unread;

pub(crate) use pace::BufferedBytes;

use crate::caller;
use crate::problem::{Fault, Problem};
use crate::route::Endpoint;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::middleware::{Next, from_fn};
use actix_web::{Error, Resource, Route, web};
use facts::{Outcome, RequestFacts};
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;

impl Endpoint {
    /// Returns the resource of an endpoint, with the middleware around it; the caller adds the handlers.
    #[expect(clippy::disallowed_methods, reason = "registers all paths, each of which has a row")]
    pub fn resource(
        self,
    ) -> Resource<
        impl ServiceFactory<
            ServiceRequest,
            Config = (),
            Response = ServiceResponse<impl MessageBody>,
            Error = Error,
            InitError = (),
        >,
    > {
        web::resource(self.path())
            .wrap(from_fn(move |request, next: Next<BoxBody>| call_layers(Some(self), request, next)))
    }
}

/// Wraps the handler of unmatched requests in the middleware.
pub(crate) fn wrap_unmatched(route: Route) -> Route {
    route.wrap(from_fn(|request, next: Next<BoxBody>| call_layers(None, request, next)))
}

/// Wraps routes of a test in the middleware.
#[cfg(test)]
pub(crate) fn wrap(routes: actix_web::Scope) -> impl actix_web::dev::HttpServiceFactory {
    routes.wrap(from_fn(|request, next: Next<BoxBody>| call_layers(None, request, next)))
}

/// Calls the layers, each with those inside it.
///
/// One actix middleware for all layers: a separate one for each would box its future and determine the facts
/// about the request again.
async fn call_layers(endpoint: Option<Endpoint>, request: ServiceRequest, next: Next<BoxBody>) -> Outcome {
    let facts = &RequestFacts::new(endpoint, &request);
    warn_of_unnamed_proxy(facts, &request);
    let handle = async |request| next.call(request).await;
    let paced = async |request| pace::watch(facts, request, handle).await;
    let size_checked = async |request| size::limit(facts, request, paced).await;
    let in_time = async |request| deadline::keep(facts, request, size_checked).await;
    let caught = async |request| catch_panic(request, in_time).await;
    let admitted = async |request| admission::admit(facts, request, caught).await;
    let finished = async |request| finish::finish(facts, request, admitted).await;
    let shared = async |request| cors::apply(facts, request, finished).await;
    let without_body = async |request| head::serve(facts, request, shared).await;
    let recorded = async |request| record::record(facts, request, without_body).await;
    let read = async |request| unread::close(request, recorded).await;
    close_on_drain(facts, request, read).await
}

/// Closes the connection while the process stops: each response is the last of its connection, so that no
/// client loses a request on a connection that the server drops.
async fn close_on_drain(
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

/// Catches a panic in a handler, which becomes a 500; the worker continues.
async fn catch_panic(request: ServiceRequest, next: impl AsyncFnOnce(ServiceRequest) -> Outcome) -> Outcome {
    // Unwind-safe: handlers share the ports only, which protect their own state.
    let call = AssertUnwindSafe(next(request));
    // The panic message is not logged: it may contain a value of the request.
    call.catch_unwind().await.unwrap_or_else(|_| Err(Problem::new(Fault::InternalError).into()))
}

/// Warns about a proxy that is missing from `server.trusted_proxies`: all callers behind it share one
/// address, and the operator would not notice otherwise. Logs the peer's address, never the header, whose
/// value is the caller's own text.
fn warn_of_unnamed_proxy(facts: &RequestFacts, request: &ServiceRequest) {
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
