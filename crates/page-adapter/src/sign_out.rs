//! `/sign-out` and `/account/sign-out-everywhere` (security.md T31).

use super::answer::{page, redirect_with_notice, with_cookies};
use super::browser::clear_session;
use super::person_form::PersonForm;
use super::{person, view};
use crate::PageState;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use application::account::{EndSessionsCommand, EndSessionsError, SessionKey};
use domain::address::AddressBlock;
use domain::audit::AuditActor;
use domain::id::SessionId;
use http_adapter::Endpoint;
use http_adapter::problem::Problem;

/// Ends the session of this browser, on every replica at once.
pub(super) async fn here(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, address } = sent;
    let address = AddressBlock::containing(address);
    let key = person::session_key(&person);
    state.sign_out.run(key, AuditActor::Person, Some(address)).await?;
    let is_switching = form.find("request")?.is_some();
    signed_out(&state, view::SignedOut { is_everywhere: false, is_switching })
}

/// Ends the session of another browser. One that has ended already, or another person's, changes nothing.
pub(super) async fn browser(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, address } = sent;
    let id = form.parse("session", |id| SessionId::parse(id).ok())?;
    let address = AddressBlock::containing(address);
    let key = SessionKey { user_id: person.user_id, id };
    state.sign_out.run(key, AuditActor::Person, Some(address)).await?;
    Ok(redirect_with_notice(Endpoint::Account, "signed-out"))
}

/// Ends every other session of the person.
pub(super) async fn others(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    end(&state, &sent, Some(sent.person.session.id)).await?;
    Ok(redirect_with_notice(Endpoint::Account, "others-signed-out"))
}

/// Ends every session of the person.
pub(super) async fn everywhere(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    end(&state, &sent, None).await?;
    signed_out(&state, view::SignedOut { is_everywhere: true, is_switching: false })
}

async fn end(state: &PageState, sent: &PersonForm, except: Option<SessionId>) -> Result<(), Problem> {
    let command = EndSessionsCommand {
        user_id: sent.person.user_id,
        except,
        actor: AuditActor::Person,
        address: Some(AddressBlock::containing(sent.address)),
    };
    match state.end_sessions.run(command).await {
        Ok(_) | Err(EndSessionsError::NotFound) => Ok(()),
        Err(EndSessionsError::Storage(error)) => Err(error.into()),
    }
}

fn signed_out(state: &PageState, view: view::SignedOut) -> Result<HttpResponse, Problem> {
    Ok(with_cookies(page(StatusCode::OK, &view)?, clear_session(&state.http.settings)))
}
