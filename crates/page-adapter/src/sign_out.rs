//! `/sign-out` and `/account/sign-out-everywhere` (security.md T31).

use super::answer::{page, see_other, with_cookies};
use super::browser::clear_session;
use super::form::Form;
use super::{person, view};
use crate::PageState;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::account::{EndSessionsCommand, EndSessionsError, SessionKey, SignedInPerson};
use domain::address::AddressBlock;
use domain::audit::AuditActor;
use domain::id::SessionId;
use http_adapter::Endpoint;
use http_adapter::caller;
use http_adapter::problem::Problem;

/// Ends the session of this browser, on every replica at once.
pub(super) async fn here(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (person, form) = Form::read_with_person(&request, body, &state).await?;
    let address = AddressBlock::containing(caller::address(&request));
    let key = person::session_key(&person);
    state.sign_out.run(key, AuditActor::Person, Some(address)).await?;
    signed_out(
        &state,
        view::SignedOut { is_everywhere: false, is_switching: form.find("request")?.is_some() },
    )
}

/// Ends the session of another browser. One that has ended already, or another person's, changes nothing.
pub(super) async fn browser(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (person, form) = Form::read_with_person(&request, body, &state).await?;
    let id = form.parse("session", |id| SessionId::parse(id).ok())?;
    let address = AddressBlock::containing(caller::address(&request));
    let key = SessionKey { user_id: person.user_id, id };
    state.sign_out.run(key, AuditActor::Person, Some(address)).await?;
    Ok(see_other(&format!("{}?done=signed-out", Endpoint::Account.path())))
}

/// Ends every other session of the person.
pub(super) async fn others(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (person, _) = Form::read_with_person(&request, body, &state).await?;
    end(&state, &request, &person, Some(person.session.id)).await?;
    Ok(see_other(&format!("{}?done=others-signed-out", Endpoint::Account.path())))
}

/// Ends every session of the person.
pub(super) async fn everywhere(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (person, _) = Form::read_with_person(&request, body, &state).await?;
    end(&state, &request, &person, None).await?;
    signed_out(&state, view::SignedOut { is_everywhere: true, is_switching: false })
}

async fn end(
    state: &PageState,
    request: &HttpRequest,
    person: &SignedInPerson,
    except: Option<SessionId>,
) -> Result<(), Problem> {
    let command = EndSessionsCommand {
        user_id: person.user_id,
        except,
        actor: AuditActor::Person,
        address: Some(AddressBlock::containing(caller::address(request))),
    };
    match state.end_sessions.run(command).await {
        Ok(_) | Err(EndSessionsError::NotFound) => Ok(()),
        Err(EndSessionsError::Storage(error)) => Err(error.into()),
    }
}

fn signed_out(state: &PageState, view: view::SignedOut) -> Result<HttpResponse, Problem> {
    Ok(with_cookies(page(StatusCode::OK, &view)?, clear_session(&state.http.settings)))
}
