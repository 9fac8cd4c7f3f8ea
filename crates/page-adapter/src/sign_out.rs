//! `/sign-out` and `/account/sign-out-everywhere` (security.md T31).

use super::answer::{page, with_cookies};
use super::browser::clear_session;
use super::form::Form;
use super::{person, view};
use crate::PageState;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::account::{EndSessionsCommand, EndSessionsError};
use domain::address::AddressBlock;
use domain::audit::AuditActor;
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

/// Ends every session of the person.
pub(super) async fn everywhere(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (person, _) = Form::read_with_person(&request, body, &state).await?;
    let command = EndSessionsCommand {
        user_id: person.user_id,
        except: None,
        actor: AuditActor::Person,
        address: Some(AddressBlock::containing(caller::address(&request))),
    };
    match state.end_sessions.run(command).await {
        Ok(_) | Err(EndSessionsError::NotFound) => {}
        Err(EndSessionsError::Storage(error)) => return Err(error.into()),
    }
    signed_out(&state, view::SignedOut { is_everywhere: true, is_switching: false })
}

fn signed_out(state: &PageState, view: view::SignedOut) -> Result<HttpResponse, Problem> {
    Ok(with_cookies(page(StatusCode::OK, &view)?, [clear_session(&state.http.settings)]))
}
