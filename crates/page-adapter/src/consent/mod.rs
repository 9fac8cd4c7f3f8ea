//! `/consent`: the person decides what an app may read (decisions 8; security.md T29, T34).

pub(crate) mod authorize;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{page_with_redirect_form, see_other};
use crate::browser::{Browser, form_token};
use crate::person_form::PersonForm;
use crate::view::ScopeLine;
use crate::{PageState, page_with_form, person, query};
use actix_web::http::StatusCode;
use actix_web::web::{Data, ServiceConfig, get};
use actix_web::{HttpRequest, HttpResponse};
use application::authorization::{ConsentDecision, ConsentError, ConsentOutcome, ConsentView};
use application::session::SignedInPerson;
use domain::client::ClientPages;
use domain::id::AuthorizationRequestId;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes.service(Endpoint::Authorize.resource().route(get().to(authorize::begin))).service(page_with_form(
        Endpoint::Consent,
        show,
        submit,
    ));
}

/// Shows the request of an app; redirects back to the app at once if consent is remembered.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let given = query::read(&request, &["request"])?;
    let request_id = request_id(given.get("request"))?;
    let browser = Browser::from_request(&request, &state.http.settings);
    let Some(person) = person::signed_in_with(&request, &browser, &state).await? else {
        return Ok(to_sign_in(request_id));
    };
    let visit = browser.visit().ok_or_else(|| Problem::new(Fault::OtherPersonsRequest))?;
    match state.authorizations.open(&person, visit, request_id).await.map_err(problem)? {
        ConsentOutcome::SignIn => Ok(to_sign_in(request_id)),
        ConsentOutcome::Redirect(answer) => Ok(see_other(answer.expose())),
        ConsentOutcome::Ask(asked) => ask(asked, &person),
    }
}

fn to_sign_in(request_id: AuthorizationRequestId) -> HttpResponse {
    see_other(&format!("{}?request={request_id}", Endpoint::SignIn.path()))
}

/// Records the decision and redirects the person to the app.
pub(crate) async fn submit(
    state: Data<PageState>,
    request: HttpRequest,
    sent: PersonForm,
) -> Result<HttpResponse, Problem> {
    let browser = Browser::from_request(&request, &state.http.settings);
    let PersonForm { person, form } = sent;
    let ticked: Vec<&str> = form.all("scope").collect();
    let decision = match form.find("decision")? {
        Some("allow") => ConsentDecision::Allow { ticked: &ticked, remember: form.is_ticked("remember")? },
        Some("deny") => ConsentDecision::Deny,
        _ => return Err(Problem::new(Fault::InvalidForm)),
    };
    let request_id = request_id(form.find("request")?)?;
    let visit = browser.visit().ok_or_else(|| Problem::new(Fault::OtherPersonsRequest))?;
    let answer = state.authorizations.decide(&person, visit, request_id, decision).await.map_err(problem)?;
    Ok(see_other(answer.expose()))
}

fn request_id(text: Option<&str>) -> Result<AuthorizationRequestId, Problem> {
    let id = text.and_then(|text| AuthorizationRequestId::parse(text).ok());
    id.ok_or_else(|| Problem::new(Fault::RequestGone))
}

fn ask(asked: ConsentView, person: &SignedInPerson) -> Result<HttpResponse, Problem> {
    let ConsentView {
        request_id,
        client_id: _,
        client_name,
        client_pages: ClientPages { home, privacy_policy },
        metadata_host,
        is_reviewed,
        redirect_host,
        can_be_imitated,
        redirect_origin,
        scopes,
        granted,
    } = asked;
    let view = view::Consent {
        app: client_name.as_str().to_owned(),
        home_page: home.map(|page| page.as_str().to_owned()),
        privacy_policy: privacy_policy.map(|page| page.as_str().to_owned()),
        site: redirect_host,
        is_local: can_be_imitated,
        metadata_host,
        is_reviewed,
        email: person.email.as_str().to_owned(),
        form_token: form_token(&person.cookie),
        request: request_id.to_string(),
        scopes: ScopeLine::list(scopes, scopes),
        held: granted,
    };
    page_with_redirect_form(StatusCode::OK, &view, Some(&redirect_origin))
}

fn problem(error: ConsentError) -> Problem {
    match error {
        ConsentError::Gone => Problem::new(Fault::RequestGone),
        ConsentError::NotYours => Problem::new(Fault::OtherPersonsRequest),
        ConsentError::ClientUnavailable => Problem::new(Fault::InvalidAuthorizationRequest),
        ConsentError::DraftFull => Problem::new(Fault::DraftFull),
        ConsentError::AccountUnavailable => Problem::new(Fault::ForeignForm),
        ConsentError::UnknownScope => Problem::new(Fault::InvalidForm),
        ConsentError::Storage(error) => error.into(),
    }
}
