//! Passkeys: the forms of the sign-in page and of the account page.
//!
//! A script asks for a challenge, then submits an ordinary form with what the browser returned.

use super::account::{AccountPage, TypedPasskey};
use super::answer::{redirect_with_notice, see_other, with_cookies};
use super::browser::{self, Browser};
use super::form::Form;
use super::person::{self, Destination};
use super::person_form::PersonForm;
use super::sign_in::{SignInTarget, start_again};
use super::view::FormErrors;
use crate::{PageState, PasskeyCeremonies, meter};
use actix_web::http::header::ContentType;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::account::SignedInPerson;
use application::passkey::{
    AddPasskeyCommand, AddPasskeyError, BeginPasskeyCeremonyError, ConfirmedPasskey, PasskeyAnswer,
    PasskeyCeremonyStart, RemovePasskeyCommand, RemovePasskeyError, RenamePasskeyCommand, RenamePasskeyError,
    SignInWithPasskeyCommand, SignInWithPasskeyError,
};
use domain::id::{PasskeyId, UserId};
use domain::secret::Secret;
use http_adapter::Endpoint;
use http_adapter::caller;
use http_adapter::problem::{Fault, Problem};
use std::net::IpAddr;

/// One text for every passkey that does not work.
const REFUSED: &str =
    "The passkey could not be used here. Try again, use another passkey, or enter your password.";
pub(super) const LAST_FACTOR: &str =
    "This server requires a second factor. Add another passkey or set up an authenticator app first.";
const NAME_RULE: &str = "Enter a name of 1 to 100 visible characters.";

/// Returns the ceremonies; pages of a server without them have no such form.
fn ceremonies(state: &PageState) -> Result<&PasskeyCeremonies, Problem> {
    state.passkey_ceremonies.as_ref().ok_or_else(|| Problem::new(Fault::InvalidForm))
}

/// Returns a challenge to the script.
async fn begin_ceremony(
    state: &PageState,
    start: PasskeyCeremonyStart<'_>,
    address: IpAddr,
) -> Result<HttpResponse, Problem> {
    match ceremonies(state)?.begin.run(start, address).await {
        Ok(challenge) => {
            Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(challenge.expose().to_owned()))
        }
        Err(BeginPasskeyCeremonyError::NotFresh | BeginPasskeyCeremonyError::TooManyPasskeys) => {
            Err(Problem::new(Fault::ForeignForm))
        }
        Err(BeginPasskeyCeremonyError::TooManyAttempts { retry_after_seconds }) => {
            Err(Problem::new(Fault::TooManyAttempts).retry_after(retry_after_seconds))
        }
        Err(BeginPasskeyCeremonyError::Storage(error)) => Err(error.into()),
    }
}

/// Begins a sign-in.
pub(super) async fn begin_sign_in(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (visit, _) = Form::read_with_visit(&request, body, &state).await?;
    let start = PasskeyCeremonyStart::SignIn { visit: &visit };
    begin_ceremony(&state, start, caller::address(&request)).await
}

/// Signs a person in, always with a new session (security.md T30).
pub(super) async fn sign_in(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (visit, form) = Form::read_with_visit(&request, body, &state).await?;
    let target = SignInTarget::read(form.find("request")?, form.find("to")?);
    let browser = Browser::from_request(&request, &state.http.settings);
    let signed_in = person::signed_in_with(&browser, &state).await?;
    let command = SignInWithPasskeyCommand {
        answer: answer(&form)?,
        visit: &visit,
        origin: person::origin(&request, &browser, signed_in.as_ref()),
    };
    let outcome = ceremonies(&state)?.sign_in.run(command).await;
    meter::passkey_sign_in(&outcome);
    match outcome {
        Ok(new) => {
            let cookies = browser::set_signed_in(&new, &state.http.settings);
            Ok(with_cookies(see_other(&target.next()), cookies))
        }
        Err(SignInWithPasskeyError::Rejected) => {
            start_again(&state, &visit, target, signed_in.as_ref(), REFUSED).await
        }
        Err(SignInWithPasskeyError::TooManyAttempts { retry_after_seconds }) => {
            Err(Problem::new(Fault::TooManyAttempts).retry_after(retry_after_seconds))
        }
        Err(SignInWithPasskeyError::Storage(error)) => Err(error.into()),
    }
}

/// Returns the response of a passkey in a form; its fields are empty if there is none.
fn answer(form: &Form) -> Result<PasskeyAnswer<'_>, Problem> {
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
pub(super) fn kept(form: &Form) -> Result<Vec<PasskeyId>, Problem> {
    let ids = form.all("keep_passkey").map(|id| PasskeyId::parse(id).ok());
    ids.collect::<Option<Vec<_>>>().ok_or_else(|| Problem::new(Fault::InvalidForm))
}

/// Returns the passkey of this user with which a form was confirmed; `None` if it was not.
pub(super) async fn confirmed(
    state: &PageState,
    user_id: UserId,
    form: &Form,
    visit: &Secret,
) -> Result<Option<ConfirmedPasskey>, Problem> {
    let answer = answer(form)?;
    Ok(ceremonies(state)?.confirm.run(user_id, answer, visit).await?)
}

/// Begins the addition of a passkey. A person whose sign-in is too old gets a 403; the script then submits
/// the form, which redirects to the sign-in page.
pub(super) async fn begin(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, address, .. } = sent;
    let start = PasskeyCeremonyStart::Registration { person: &person };
    begin_ceremony(&state, start, address).await
}

/// Adds a passkey.
pub(super) async fn add(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, address } = sent;
    let field = |name| form.find(name).map(Option::unwrap_or_default);
    let name = form.line("passkey_name")?;
    let command = AddPasskeyCommand {
        person: &person,
        name,
        client_data: field("client_data")?,
        attestation_object: field("attestation_object")?,
        transports: field("transports")?,
        address,
    };
    let errors = match ceremonies(&state)?.add.run(command).await {
        Ok(signed_in) => {
            let cookies = browser::set_signed_in(&signed_in, &state.http.settings);
            return Ok(with_cookies(redirect_with_notice(Endpoint::Account, "passkey-added"), cookies));
        }
        Err(AddPasskeyError::NotFresh) => return Ok(see_other(&Destination::Passkeys.sign_in())),
        Err(AddPasskeyError::InvalidName) => FormErrors::field("passkey_name", NAME_RULE),
        Err(AddPasskeyError::Rejected) => {
            FormErrors::form("The passkey could not be added. Try again, or use another device.")
        }
        Err(AddPasskeyError::AlreadyAdded) => {
            FormErrors::form("This passkey is already in use. Use another device or security key.")
        }
        Err(AddPasskeyError::TooManyPasskeys) => {
            FormErrors::form("You have reached the maximum number of passkeys. Remove one first.")
        }
        Err(AddPasskeyError::Storage(error)) => return Err(error.into()),
    };
    let typed = TypedPasskey { new_name: name.to_owned(), renamed: None };
    refused(&state, &person, typed, errors).await
}

/// Renames a passkey.
pub(super) async fn rename(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, address } = sent;
    let passkey_id = form.parse("passkey", |id| PasskeyId::parse(id).ok())?;
    let name = form.line("name")?;
    let command = RenamePasskeyCommand { user_id: person.user_id, passkey_id, name, address };
    match state.rename_passkey.run(command).await {
        Ok(()) => Ok(redirect_with_notice(Endpoint::Account, "passkey-renamed")),
        // Removed in another window, or never theirs.
        Err(RenamePasskeyError::NotFound) => Ok(see_other(Endpoint::Account.path())),
        Err(RenamePasskeyError::InvalidName) => {
            let typed =
                TypedPasskey { renamed: Some((passkey_id, name.to_owned())), ..TypedPasskey::default() };
            refused(&state, &person, typed, FormErrors::form(NAME_RULE)).await
        }
        Err(RenamePasskeyError::Storage(error)) => Err(error.into()),
    }
}

/// Removes a passkey.
pub(super) async fn remove(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, address } = sent;
    let passkey_id = form.parse("passkey", |id| PasskeyId::parse(id).ok())?;
    let command = RemovePasskeyCommand { person: &person, passkey_id, address };
    match state.remove_passkey.run(command).await {
        Ok(()) => Ok(redirect_with_notice(Endpoint::Account, "passkey-removed")),
        Err(RemovePasskeyError::NotFresh) => Ok(see_other(&Destination::Passkeys.sign_in())),
        Err(RemovePasskeyError::NotFound) => Ok(see_other(Endpoint::Account.path())),
        Err(RemovePasskeyError::LastFactor) => {
            refused(&state, &person, TypedPasskey::default(), FormErrors::form(LAST_FACTOR)).await
        }
        Err(RemovePasskeyError::Storage(error)) => Err(error.into()),
    }
}

/// Shows the account page again with errors.
async fn refused(
    state: &PageState,
    person: &SignedInPerson,
    passkeys: TypedPasskey,
    errors: FormErrors,
) -> Result<HttpResponse, Problem> {
    let contents = AccountPage { passkeys, errors, ..AccountPage::default() };
    contents.answer(state, person).await
}
