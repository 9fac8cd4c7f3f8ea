//! The data endpoints: profile, sleep, supplements, and the change feed.
//!
//! Each calls the gate first, which authenticates, authorizes and counts; every response from then on carries
//! the rate limit. Then it reads its parameters, runs its use case and renders the result.

pub(crate) mod bearer;
pub(crate) mod changes;
pub mod dto;
pub mod gate;
mod link;
pub mod profile;
mod query;
mod render;
pub mod sleep;
pub mod supplements;
#[cfg(any(test, feature = "test-support"))]
pub(crate) mod test_support;
#[cfg(test)]
mod tests;

pub(crate) use query::IgnoredParameters;

use crate::problem::error_responses;
use utoipa::OpenApi;

/// `OpenAPI` operations of this module.
#[derive(OpenApi)]
#[openapi(
    paths(profile::show, sleep::show, supplements::show, changes::show),
    modifiers(&DataErrors, &ChangesErrors)
)]
pub(crate) struct DataApi;

error_responses! {
    /// Errors of the endpoints that read data.
    DataErrors = Problem "Data": [
        InvalidRequest InvalidParameter InvalidUserId MissingToken InvalidToken OtherUser InsufficientScope
        NotFound RateLimited StorageUnavailable Overloaded TooManyAtOnce
    ];
    /// Errors of the change feed.
    ChangesErrors = Problem "Changes": [
        InvalidRequest InvalidParameter InvalidUserId MissingToken InvalidToken OtherUser InsufficientScope
        NotFound CursorExpired RateLimited StorageUnavailable Overloaded TooManyAtOnce
    ];
}
