//! Passkeys: the forms of the account page, and what the sign-in page shares with them.
//!
//! A script asks for a challenge, then submits an ordinary form with what the browser returned.

pub(crate) mod view;

use super::{AccountPage, TypedPasskey};
use crate::PageState;
use crate::answer::{redirect_with_notice, see_other, with_cookies};
use crate::browser;
use crate::form::Form;
use crate::person::Destination;
use crate::person_form::PersonForm;
use crate::view::FormErrors;
use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::{Data, ServiceConfig, post};
use application::passkey::{
    CeremonyStart, ConfirmedPasskey, NewPasskey, OfferedPasskeys, PasskeyAnswer, PasskeyError,
};
use application::session::SignedInPerson;
use domain::id::{PasskeyId, UserId};
use domain::secret::Secret;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};

pub(crate) const LAST_FACTOR: &str =
    "This server requires a second factor. Add another passkey or set up an authenticator app first.";
const NAME_RULE: &str = "Enter a name of 1 to 100 visible characters.";

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes
        .service(Endpoint::BeginPasskey.resource().route(post().to(begin)))
        .service(Endpoint::AddPasskey.resource().route(post().to(add)))
        .service(Endpoint::RenamePasskey.resource().route(post().to(rename)))
        .service(Endpoint::RemovePasskey.resource().route(post().to(remove)));
}

/// Returns passkeys that browsers offer; pages of a server without them have no such form.
pub(crate) fn offered(state: &PageState) -> Result<OfferedPasskeys<'_>, Problem> {
    state.passkeys.offered().ok_or_else(|| Problem::new(Fault::InvalidForm))
}

/// Returns the problem of a form that was not examined; `None` if the form itself was rejected.
pub(crate) fn problem(error: PasskeyError) -> Option<Problem> {
    match error {
        PasskeyError::TooManyAttempts { retry_after_seconds } => {
            Some(Problem::new(Fault::TooManyAttempts).retry_after(retry_after_seconds))
        }
        PasskeyError::Storage(error) => Some(error.into()),
        PasskeyError::NotFresh
        | PasskeyError::InvalidName
        | PasskeyError::NotFound
        | PasskeyError::Rejected
        | PasskeyError::AlreadyAdded
        | PasskeyError::TooManyPasskeys
        | PasskeyError::LastFactor => None,
    }
}

/// Returns a challenge to the script.
pub(crate) async fn begin_ceremony(
    state: &PageState,
    start: CeremonyStart<'_>,
) -> Result<HttpResponse, Problem> {
    match offered(state)?.begin_ceremony(start).await {
        Ok(challenge) => {
            Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(challenge.expose().to_owned()))
        }
        Err(error) => Err(problem(error).unwrap_or_else(|| Problem::new(Fault::ForeignForm))),
    }
}

/// Returns the response of a passkey in a form; its fields are empty if there is none.
pub(crate) fn answer(form: &Form) -> Result<PasskeyAnswer<'_>, Problem> {
    let field = |name| form.find(name).map(Option::unwrap_or_default);
    Ok(PasskeyAnswer {
        credential_id: field("credential_id")?,
        user_handle: field("user_handle")?,
        client_data: field("client_data")?,
        authenticator_data: field("authenticator_data")?,
        signature: field("signature")?,
    })
}

/// Returns the passkeys that are ticked in a form that sets a password.
pub(crate) fn kept(form: &Form) -> Result<Vec<PasskeyId>, Problem> {
    let ids = form.all("keep_passkey").map(|id| PasskeyId::parse(id).ok());
    ids.collect::<Option<Vec<_>>>().ok_or_else(|| Problem::new(Fault::InvalidForm))
}

/// Returns the passkey of this user with which a form was confirmed; `None` if it was not.
pub(crate) async fn confirmed(
    state: &PageState,
    user_id: UserId,
    form: &Form,
    visit: &Secret,
) -> Result<Option<ConfirmedPasskey>, Problem> {
    let answer = answer(form)?;
    Ok(offered(state)?.confirm(user_id, answer, visit).await?)
}

/// Begins the addition of a passkey. A person whose sign-in is too old gets a 403; the script then submits
/// the form, which redirects to the sign-in page.
async fn begin(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    begin_ceremony(&state, CeremonyStart::Registration { person: &sent.person }).await
}

/// Adds a passkey.
async fn add(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let field = |name| form.find(name).map(Option::unwrap_or_default);
    let name = form.line("passkey_name")?;
    let new = NewPasskey {
        name,
        client_data: field("client_data")?,
        attestation_object: field("attestation_object")?,
        transports: field("transports")?,
    };
    match offered(&state)?.add(&person, new).await {
        Ok(signed_in) => {
            let cookies = browser::set_signed_in(&signed_in, &state.http.settings);
            Ok(with_cookies(redirect_with_notice(Endpoint::Account, "passkey-added"), cookies))
        }
        Err(error) => {
            let typed = TypedPasskey { new_name: name.to_owned(), renamed: None };
            rejected(&state, &person, typed, error).await
        }
    }
}

/// Renames a passkey.
async fn rename(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("passkey", |id| PasskeyId::parse(id).ok())?;
    let name = form.line("name")?;
    match state.passkeys.rename(&person, id, name).await {
        Ok(()) => Ok(redirect_with_notice(Endpoint::Account, "passkey-renamed")),
        Err(error) => {
            let typed = TypedPasskey { renamed: Some((id, name.to_owned())), ..TypedPasskey::default() };
            rejected(&state, &person, typed, error).await
        }
    }
}

/// Removes a passkey.
async fn remove(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    let id = form.parse("passkey", |id| PasskeyId::parse(id).ok())?;
    match state.passkeys.remove(&person, id).await {
        Ok(()) => Ok(redirect_with_notice(Endpoint::Account, "passkey-removed")),
        Err(error) => rejected(&state, &person, TypedPasskey::default(), error).await,
    }
}

/// Shows the account page again with the reason why a form was rejected, or leads to where the person can go
/// on.
async fn rejected(
    state: &PageState,
    person: &SignedInPerson,
    passkeys: TypedPasskey,
    error: PasskeyError,
) -> Result<HttpResponse, Problem> {
    let errors = match error {
        PasskeyError::NotFresh => return Ok(see_other(&Destination::Passkeys.sign_in())),
        // Removed in another window, or never theirs.
        PasskeyError::NotFound => return Ok(see_other(Endpoint::Account.path())),
        PasskeyError::InvalidName if passkeys.renamed.is_some() => FormErrors::form(NAME_RULE),
        PasskeyError::InvalidName => FormErrors::field("passkey_name", NAME_RULE),
        PasskeyError::Rejected => {
            FormErrors::form("The passkey could not be added. Try again, or use another device.")
        }
        PasskeyError::AlreadyAdded => {
            FormErrors::form("This passkey is already in use. Use another device or security key.")
        }
        PasskeyError::TooManyPasskeys => {
            FormErrors::form("You have reached the maximum number of passkeys. Remove one first.")
        }
        PasskeyError::LastFactor => FormErrors::form(LAST_FACTOR),
        PasskeyError::TooManyAttempts { retry_after_seconds } => {
            return Err(Problem::new(Fault::TooManyAttempts).retry_after(retry_after_seconds));
        }
        PasskeyError::Storage(error) => return Err(error.into()),
    };
    let contents = AccountPage { passkeys, errors, ..AccountPage::default() };
    contents.answer(state, person).await
}
