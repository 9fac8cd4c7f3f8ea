//! `/sign-out` and `/account/sign-out-everywhere` (security.md T31).

use crate::PageState;
use crate::answer::{page, redirect_with_notice, with_cookies};
use crate::browser::clear_session;
use crate::person_form::PersonForm;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use application::session::AccountActor;
use domain::id::SessionId;
use http_adapter::Endpoint;
use http_adapter::problem::Problem;

/// Ends the session of this browser, immediately, on every replica.
pub(crate) async fn here(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    state.sessions.end(AccountActor::Person(&person), person.session.id).await?;
    let is_switching = form.find("request")?.is_some();
    signed_out(&state, crate::session::sign_in::view::SignedOut { is_everywhere: false, is_switching })
}

/// Ends the session of another browser. One that has ended already, or another person's, changes nothing.
pub(crate) async fn browser(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("session", |id| SessionId::parse(id).ok())?;
    state.sessions.end(AccountActor::Person(&person), id).await?;
    Ok(redirect_with_notice(Endpoint::Account, "signed-out"))
}

/// Ends every other session of the person.
pub(crate) async fn others(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, .. } = sent;
    state.sessions.end_all(AccountActor::Person(&person), Some(person.session.id)).await?;
    Ok(redirect_with_notice(Endpoint::Account, "others-signed-out"))
}

/// Ends every session of the person.
pub(crate) async fn everywhere(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    state.sessions.end_all(AccountActor::Person(&sent.person), None).await?;
    signed_out(&state, crate::session::sign_in::view::SignedOut { is_everywhere: true, is_switching: false })
}

fn signed_out(
    state: &PageState,
    view: crate::session::sign_in::view::SignedOut,
) -> Result<HttpResponse, Problem> {
    Ok(with_cookies(page(StatusCode::OK, &view)?, clear_session(&state.http.settings)))
}
