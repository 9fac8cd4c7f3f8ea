//! `/apps`: connected apps and disconnecting them (security.md T57).

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{page, redirect_with_notice, see_other};
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::{PageState, moment, query};
use actix_web::http::StatusCode;
use actix_web::web::{Data, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use application::grant::ConnectedApp;
use domain::grant::{AgentName, UsedFrom};
use domain::id::ClientId;
use domain::time::TimeZone;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use view::AppLine;

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Apps.resource().route(get().to(show)))
        .service(Endpoint::DisconnectApps.resource().route(post().to(disconnect)));
}

async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Apps.sign_in()));
    };
    let done = query::read(&request, &["done"])?.get("done") == Some("disconnected");
    let apps = state.grants.list_apps(person.user_id).await?;
    let view = view::Apps {
        person: person::to_view(&person),
        notice: done.then(|| "Disconnected. The app may keep what it has already read.".to_owned()),
        has_developer_page: state.developer.is_some(),
        apps: apps.into_iter().map(|app| line(app, person.home_timezone)).collect(),
    };
    page(StatusCode::OK, &view)
}

/// Disconnects one app or all of them, on every replica within two seconds.
async fn disconnect(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form } = sent;
    let client_id = match (form.find("client")?, form.is_ticked("all")?) {
        (Some(id), false) => Some(ClientId::parse(id).map_err(|_| Problem::new(Fault::InvalidForm))?),
        (None, true) => None,
        _ => return Err(Problem::new(Fault::InvalidForm)),
    };
    state.grants.disconnect(&person, client_id).await?;
    Ok(redirect_with_notice(Endpoint::Apps, "disconnected"))
}

fn line(app: ConnectedApp, zone: TimeZone) -> AppLine {
    let ConnectedApp {
        client_id,
        name,
        scopes,
        grants,
        since,
        last_used_at,
        last_used_from,
        is_remembered,
        is_public,
    } = app;
    let (address, agent) = match last_used_from {
        Some(UsedFrom { address, agent }) => (Some(address.to_string()), agent),
        None => (None, None),
    };
    AppLine {
        client: client_id.to_string(),
        name: name.as_str().to_owned(),
        scopes,
        since: moment::day(since, zone),
        grants,
        last_used: last_used_at.map(|at| moment::to_the_minute(at, zone)),
        last_used_from: address,
        last_used_by: agent.as_ref().map(AgentName::as_str).map(str::to_owned),
        is_remembered,
        is_public,
    }
}
