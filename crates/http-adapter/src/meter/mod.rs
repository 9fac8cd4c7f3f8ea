//! What is measured of requests.
//!
//! Labels are few and chosen here: the pattern of a route, a method of a fixed list, a status that the server sends,
//! codes and outcomes of the program. Nothing that a caller invents becomes one, so that the number of series is
//! bounded whatever is asked for. The handles of a route are made when it is first asked for; after that a request
//! costs a look-up by the route's pattern and a few additions.

mod body;
mod outcome;
mod request;

pub(crate) use outcome::{import_bytes, ingest_items, problem, sign_in, token_issued, token_refused};
pub(crate) use request::{Arrival, method_name};

use request::RequestMeter;
use std::sync::LazyLock;

/// The meter of this process. It writes to the recorder that was there when the first request came; without one it
/// does nothing.
static REQUESTS: LazyLock<RequestMeter> = LazyLock::new(RequestMeter::new);

/// Notes that a request arrived.
pub(crate) fn arrived(method: &'static str) -> Arrival {
    REQUESTS.arrived(method)
}
