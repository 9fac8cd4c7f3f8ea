//! What stands around every handler, outermost first: the end of connections while the process stops, and of one
//! whose body was not read, the record of the request, CORS, the answer to what went wrong with the headers that every answer has, the
//! bound on what is done at a time, the panic catcher, the time limit, the size limits, compression, the pace of
//! whoever reads a large answer.
//!
//! Only the panic catcher and the time limit may fail with `Err`: an `Err` loses the request, and with it the
//! route. Until routing is done no clone of the request may be kept either; the router needs it for itself.

mod admission;
mod compression;
mod context;
mod cors;
mod deadline;
mod drain;
mod finish;
mod header;
mod pace;
mod panic;
mod record;
mod size;
#[cfg(test)]
mod tests;
mod trouble;
mod unnamed_proxy;
mod unread;

pub use admission::{Admission, AdmissionLimits};
pub(crate) use admission::{Holder, NoPlace, PagePlace};
pub use context::RequestId;
pub(crate) use pace::HeldBytes;
pub use trouble::Troubles;
pub use unnamed_proxy::UnnamedProxyWarning;

use actix_web::body::MessageBody;
use actix_web::dev::{HttpServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::{Next, from_fn};
use actix_web::{Route, Scope};
use context::{Outcome, Seen};

/// Puts the middleware around all routes.
pub(crate) fn wrap(routes: Scope) -> impl HttpServiceFactory + 'static {
    routes.wrap(from_fn(stand_around))
}

/// Puts the middleware around what answers when a request's address is no path at all, such as `*`: no scope
/// takes it.
pub(crate) fn wrap_route(route: Route) -> Route {
    route.wrap(from_fn(stand_around))
}

/// Calls the layers, each with those inside of it.
///
/// One middleware of the library's in place of one for each layer: each of those boxes its future and finds out anew
/// what all of them want to know of the request.
async fn stand_around(request: ServiceRequest, next: Next<impl MessageBody + 'static>) -> Outcome {
    let seen = &Seen::of(&request);
    unnamed_proxy::warn(seen, &request);
    let handle = async |request| next.call(request).await.map(ServiceResponse::map_into_boxed_body);
    let paced = async |request| pace::watch(seen, request, handle).await;
    let compressed = async |request| compression::compress(seen, request, paced).await;
    let of_some_size = async |request| size::limit(seen, request, compressed).await;
    let in_time = async |request| deadline::keep(seen, request, of_some_size).await;
    let caught = async |request| panic::catch(request, in_time).await;
    let admitted = async |request| admission::admit(seen, request, caught).await;
    let finished = async |request| finish::finish(seen, request, admitted).await;
    let shared = async |request| cors::apply(seen, request, finished).await;
    let recorded = async |request| record::record(seen, request, shared).await;
    let read = async |request| unread::close(request, recorded).await;
    drain::close(seen, request, read).await
}
