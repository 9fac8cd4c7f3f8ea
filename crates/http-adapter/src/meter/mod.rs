//! Metrics of requests.
//!
//! Labels have fixed values: the pattern of an endpoint, a method and a status from a list, codes and
//! outcomes of the program. No text of a caller becomes a label, so the number of series is bounded. The
//! handles of an endpoint are created by its first request; after that a request costs an array index and a
//! few additions.

mod body;
mod outcome;
mod request;

pub(crate) use outcome::{ingest_items, problem, token_issued, token_refused};
pub(crate) use request::{InFlightRequest, method_name};

use request::RequestMeter;
use std::sync::LazyLock;

/// The meter of this process. It writes to the recorder that is installed when the first request arrives, if
/// any.
static REQUESTS: LazyLock<RequestMeter> = LazyLock::new(RequestMeter::new);

/// Counts a request as in flight.
pub(crate) fn arrived(method: &'static str) -> InFlightRequest {
    REQUESTS.arrived(method)
}
