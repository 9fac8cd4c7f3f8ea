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
mod unread;

pub use admission::{Admission, AdmissionLimits};
pub(crate) use admission::{Holder, NoPlace};
pub use context::RequestId;
pub(crate) use pace::HeldBytes;

use actix_web::dev::HttpServiceFactory;
use actix_web::middleware::from_fn;
use actix_web::{Route, Scope};

/// Puts the middleware around routes of whatever type; a macro, because every layer changes the type of a scope.
macro_rules! wrapped {
    ($routes:expr) => {
        // The last one registered is the outermost.
        $routes
            .wrap(from_fn(pace::watch))
            .wrap(from_fn(compression::compress))
            .wrap(from_fn(size::limit))
            .wrap(from_fn(deadline::keep))
            .wrap(from_fn(panic::catch))
            .wrap(from_fn(admission::admit))
            .wrap(from_fn(finish::finish))
            .wrap(from_fn(cors::apply))
            .wrap(from_fn(record::record))
            .wrap(from_fn(unread::close))
            .wrap(from_fn(drain::close))
    };
}

/// Puts the middleware around all routes.
pub(crate) fn wrap(routes: Scope) -> impl HttpServiceFactory + 'static {
    wrapped!(routes)
}

/// Puts the middleware around what answers when a request's address is no path at all, such as `*`: no scope
/// takes it.
pub(crate) fn wrap_route(route: Route) -> Route {
    wrapped!(route)
}
