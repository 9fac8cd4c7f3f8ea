//! Paths that are found without a pattern.
//!
//! The router finds a path with a variable segment by a regular expression, which took a twelfth of the time of a small
//! read. Where the variable segment is the last one, the text before it says as much.

use super::table::Endpoint;
use actix_web::dev::{AppService, HttpServiceFactory, ResourceDef};
use actix_web::guard::{Guard, fn_guard};
use actix_web::http::Method;
use actix_web::{HttpRequest, Route};

/// What answers `GET` on an endpoint whose last segment alone is variable. Whatever else is asked of that path falls
/// through to the endpoint's resource, which must be registered too.
pub(crate) struct DirectRead {
    endpoint: Endpoint,
    route: Route,
}

impl Endpoint {
    /// Begins the registration of what answers `GET` here; to be registered before the endpoint's resource.
    pub(crate) const fn direct_read(self, route: Route) -> DirectRead {
        DirectRead { endpoint: self, route }
    }
}

impl HttpServiceFactory for DirectRead {
    fn register(self, app: &mut AppService) {
        let pattern = self.endpoint.path();
        let Some((before, _)) = pattern.rsplit_once('/') else { return };
        // As raw as it came: decoding makes and removes no slash.
        let is_read = fn_guard(move |request| {
            let head = request.head();
            head.method == Method::GET && has_segments_of(pattern, head.uri.path())
        });
        let guards: Vec<Box<dyn Guard>> = vec![Box::new(is_read)];
        app.register_service(ResourceDef::prefix(before), Some(guards), self.route, None);
    }
}

/// Tells whether a path that begins as a pattern does goes on with one segment that is not empty, as the pattern does.
fn has_segments_of(pattern: &str, path: &str) -> bool {
    let slashes = |text: &str| text.bytes().filter(|byte| *byte == b'/').count();
    !path.ends_with('/') && slashes(path) == slashes(pattern)
}

/// Returns the id of the person in a path that ends with it, as sent but decoded.
pub(crate) fn user_id(request: &HttpRequest) -> &str {
    let found = request.match_info();
    let direct = || found.unprocessed().strip_prefix('/').unwrap_or_default();
    found.get("user_id").unwrap_or_else(direct)
}
