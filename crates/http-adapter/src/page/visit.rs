//! The visit of a browser: what binds the forms of people who have not signed in (security.md T27).

use super::browser::{Browser, set_visit};
use crate::HttpState;
use actix_web::http::header::HeaderValue;
use domain::secret::Secret;

/// Returns the visit of a browser, and the header that gives it one when it has none yet.
pub(super) fn of(browser: &Browser, state: &HttpState) -> (Secret, Option<HeaderValue>) {
    if let Some(visit) = browser.visit() {
        return (visit.clone(), None);
    }
    let visit = (state.visits)();
    let cookie = set_visit(&visit, &state.settings);
    (visit, cookie)
}
