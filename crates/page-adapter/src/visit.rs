//! Visit of a browser, which binds the forms of signed-out people (security.md T27).

use crate::PageState;
use crate::browser::{Browser, set_visit};
use actix_web::HttpRequest;
use actix_web::http::header::HeaderValue;
use domain::secret::{Secret, SecretKind};

/// Returns the visit of a browser, and the header that sets its cookie if it is new.
pub(crate) fn get_or_create(request: &HttpRequest, state: &PageState) -> (Secret, Option<HeaderValue>) {
    if let Some(visit) = Browser::from_request(request, &state.http.settings).visit() {
        return (visit.clone(), None);
    }
    let visit = state.store.new_secret(SecretKind::Visit);
    let cookie = set_visit(&visit, &state.http.settings);
    (visit, cookie)
}
