//! `/account`: the password and the signed-in browsers of a person.

pub(crate) mod activity;
pub(crate) mod apps;
pub(crate) mod download;
pub(crate) mod email;
pub(crate) mod erase;
pub(crate) mod passkeys;
pub(crate) mod profile;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod second_factor;
pub(crate) mod tokens;
pub(crate) mod view;

use crate::answer::{PageNeeds, page_with, redirect_with_notice, see_other, with_cookies};
use crate::browser::{Browser, set_signed_in};
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::{FormErrors, password_rule};
use crate::{PageState, moment, page_with_form, query};
use actix_web::web::{Data, ServiceConfig, get, post};
use actix_web::{HttpRequest, HttpResponse};
use application::account::{ChangePasswordError, PasswordChange, PasswordCheckError};
use application::session::SignedInPerson;
use domain::id::PasskeyId;
use domain::passkey::{MAX_PASSKEYS, OFFERED_ALGORITHMS, Passkey, to_base64url, user_handle};
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};
use passkeys::view::{PasskeyAdding, PasskeyLine, Passkeys};
use view::BrowserLine;

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::Account.resource().route(get().to(show)))
        .service(Endpoint::ChangePassword.resource().route(post().to(change_password)))
        .service(page_with_form(Endpoint::ProfilePage, profile::show, profile::submit))
        .configure(apps::configure)
        .configure(tokens::configure)
        .service(Endpoint::Activity.resource().route(get().to(activity::show)))
        .configure(email::configure)
        .configure(second_factor::configure)
        .configure(passkeys::configure)
        .service(Endpoint::DownloadExport.resource().route(post().to(download::submit)))
        .service(page_with_form(Endpoint::Erase, erase::show, erase::submit));
}

pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let Some(person) = person::signed_in(&request, &state).await? else {
        return Ok(see_other(&Destination::Account.sign_in()));
    };
    let notice = query::read(&request, &["done"])?.get("done").and_then(confirmation).map(str::to_owned);
    let contents = AccountPage { notice, ..AccountPage::default() };
    contents.answer(&state, &person).await
}

/// Returns the confirmation of an action.
fn confirmation(done: &str) -> Option<&'static str> {
    Some(match done {
        "password" => "Your password has been changed. You are signed out of every other browser.",
        "second-factor-off" => "Your second factor is off. You are signed out of every other browser.",
        "passkey-added" => "Your passkey has been added. You are signed out of every other browser.",
        "passkey-renamed" => "Your passkey has been renamed.",
        "passkey-removed" => "Your passkey has been removed. You are signed out of every other browser.",
        "signed-out" => "That browser is signed out.",
        "others-signed-out" => "You are signed out of every other browser.",
        _ => return None,
    })
}

/// Changes the password: this browser gets a new session, all others are signed out (security.md T30, T67).
pub(crate) async fn change_password(
    state: Data<PageState>,
    request: HttpRequest,
    sent: PersonForm,
) -> Result<HttpResponse, Problem> {
    let browser = Browser::from_request(&request, &state.http.settings);
    let PersonForm { person, form } = sent;
    let disconnect_apps = form.is_ticked("disconnect_apps")?;
    let kept_passkeys = passkeys::kept(&form)?;
    let change = PasswordChange {
        current: form.find("current_password")?.unwrap_or_default(),
        new: form.find("new_password")?.unwrap_or_default(),
        known_browser: browser.known_browser(),
        kept_passkeys: &kept_passkeys,
        disconnect_apps,
        device: person::device(&request),
    };
    let errors = match state.passwords.change(&person, change).await {
        Ok(new) => {
            let cookies = set_signed_in(&new, &state.http.settings);
            return Ok(with_cookies(redirect_with_notice(Endpoint::Account, "password"), cookies));
        }
        Err(ChangePasswordError::NotFresh) => return Ok(see_other(&Destination::Password.sign_in())),
        Err(error) => form_errors(error)?,
    };
    let contents = AccountPage {
        disconnects_apps: disconnect_apps,
        kept_passkeys: Some(kept_passkeys),
        errors,
        ..AccountPage::default()
    };
    contents.answer(&state, &person).await
}

/// Returns the form errors; an error that the person cannot fix is a problem.
fn form_errors(error: ChangePasswordError) -> Result<FormErrors, Problem> {
    match error {
        ChangePasswordError::Rule(rule) => Ok(FormErrors::field("new_password", password_rule(rule))),
        ChangePasswordError::Check(
            PasswordCheckError::WrongCredentials | PasswordCheckError::InvalidForm,
        ) => Ok(FormErrors::field("current_password", "That is not your current password.")),
        ChangePasswordError::LastFactor => Ok(FormErrors::form(passkeys::LAST_FACTOR)),
        ChangePasswordError::NotFresh => Err(Problem::new(Fault::ForeignForm)),
        ChangePasswordError::Check(error) => Err(error.into()),
    }
}

/// Values typed into a form that is shown again.
#[derive(Default)]
pub(crate) struct TypedPasskey {
    /// Name of a new passkey.
    pub(crate) new_name: String,
    /// Passkey with a new name.
    pub(crate) renamed: Option<(PasskeyId, String)>,
}

/// Contents of the page.
#[derive(Default)]
pub(crate) struct AccountPage {
    pub(crate) notice: Option<String>,
    pub(crate) disconnects_apps: bool,
    /// Passkeys that are ticked in the form that changes the password; all if `None`.
    pub(crate) kept_passkeys: Option<Vec<PasskeyId>>,
    /// Values typed into the forms for passkeys.
    pub(crate) passkeys: TypedPasskey,
    pub(crate) errors: FormErrors,
}

impl AccountPage {
    pub(crate) async fn answer(
        self,
        state: &PageState,
        person: &SignedInPerson,
    ) -> Result<HttpResponse, Problem> {
        let Self { notice, disconnects_apps, kept_passkeys, passkeys, errors } = self;
        let passkeys = passkey_section(state, person, passkeys, kept_passkeys.as_deref()).await?;
        let needs = PageNeeds { passkey_script: passkeys.needs_script(), ..PageNeeds::default() };
        let zone = person.home_timezone;
        let mut sessions = state.sessions.list(person.user_id).await?;
        // This browser first; the order is otherwise kept.
        sessions.sort_by_key(|session| session.id != person.session.id);
        let browsers = sessions.into_iter().map(|session| BrowserLine {
            is_this: session.id == person.session.id,
            id: session.id.to_string(),
            name: session.device.map_or("Unknown browser".to_owned(), |device| device.to_string()),
            address: session.address.map(|address| address.to_string()),
            first_seen: moment::to_the_minute(session.first_seen_at, zone),
            last_seen: moment::to_the_minute(session.last_seen_at, zone),
        });
        let factor = state.second_factors.find(person.user_id).await?;
        let view = view::Account {
            second_factor: factor.map(second_factor::codes_line),
            person: person::to_view(person),
            notice,
            time_zone: zone.name().to_owned(),
            browsers: browsers.collect(),
            disconnects_apps,
            has_developer_page: state.developer.is_some(),
            passkeys,
            errors,
        };
        page_with(view.errors.status(), &view, needs)
    }
}

/// Returns the section of the passkeys.
async fn passkey_section(
    state: &PageState,
    person: &SignedInPerson,
    typed: TypedPasskey,
    kept: Option<&[PasskeyId]>,
) -> Result<Passkeys, Problem> {
    let passkeys = state.passkeys.list(person.user_id).await?;
    let adding = adding(state, person, &passkeys, typed.new_name);
    let renamed = typed.renamed.as_ref();
    let line = |passkey: Passkey| {
        let typed_name = renamed.filter(|(id, _)| *id == passkey.id).map(|(_, name)| name.clone());
        let name = passkey.name.as_str().to_owned();
        PasskeyLine {
            id: passkey.id.to_string(),
            has_error: typed_name.is_some(),
            typed_name: typed_name.unwrap_or_else(|| name.clone()),
            name,
            added: moment::day(passkey.created_at, person.home_timezone),
            stays: kept.is_none_or(|kept| kept.contains(&passkey.id)),
            last_used: passkey.last_used_at.map(|at| moment::to_the_minute(at, person.home_timezone)),
            is_backed_up: passkey.is_backed_up,
        }
    };
    Ok(Passkeys { lines: passkeys.into_iter().map(line).collect(), adding })
}

fn adding(
    state: &PageState,
    person: &SignedInPerson,
    passkeys: &[Passkey],
    typed_name: String,
) -> PasskeyAdding {
    let joined = |words: Vec<String>| words.join(" ");
    match &state.passkeys.relying_party {
        None => PasskeyAdding::NoHostName,
        Some(_) if passkeys.len() >= MAX_PASSKEYS => PasskeyAdding::TooMany,
        Some(_) if !person.is_fresh => PasskeyAdding::TooOld,
        Some(relying_party) => PasskeyAdding::Possible {
            relying_party: relying_party.id().to_owned(),
            user_handle: user_handle(person.user_id),
            algorithms: joined(OFFERED_ALGORITHMS.iter().map(i64::to_string).collect()),
            existing: joined(
                passkeys.iter().map(|passkey| to_base64url(passkey.credential_id.as_bytes())).collect(),
            ),
            typed_name,
        },
    }
}
