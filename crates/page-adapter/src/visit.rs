//! Visit of a browser, which binds the forms of signed-out people (security.md T27).

use super::browser::{Browser, set_visit};
use crate::PageState;
use actix_web::HttpRequest;
use actix_web::http::header::HeaderValue;
use domain::secret::Secret;

/// Returns the visit of a browser, and the header that sets its cookie if it is new.
pub(super) fn get_or_create(request: &HttpRequest, state: &PageState) -> (Secret, Option<HeaderValue>) {
    if let Some(visit) = Browser::from_request(request, &state.http.settings).visit() {
        return (visit.clone(), None);
    }
    let visit = (state.visits)();
    let cookie = set_visit(&visit, &state.http.settings);
    (visit, cookie)
}
