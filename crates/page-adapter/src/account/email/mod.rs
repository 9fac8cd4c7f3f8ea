//! `/account/email` and `/confirm-email`: the email address of an account.

pub(crate) mod view;

use crate::answer::{page, see_other};
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::{FormErrors, Link};
use crate::{PageState, kept_form, page_with_form, query};
use actix_web::http::StatusCode;
use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use application::account::{ConfirmEmailChangeError, EmailChangeError, LinkRequestError};
use application::session::SignedInPerson;
use domain::password_link::PasswordLinkPurpose;
use domain::secret::{Secret, SecretKind};
use domain::user::Email;
use http_adapter::Endpoint;
use http_adapter::problem::{Fault, Problem};

/// Registers the pages.
pub(crate) fn configure(routes: &mut ServiceConfig) {
    routes.service(page_with_form(Endpoint::ChangeEmail, show, request)).service(page_with_form(
        Endpoint::ConfirmEmail,
        show_confirmation,
        confirm,
    ));
}

/// Shows the form, after a recent sign-in.
async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    match person::signed_in(&request, &state).await? {
        Some(person) if person.is_fresh => answer(&state, &person, "", FormErrors::none()),
        _ => Ok(see_other(&Destination::Email.sign_in())),
    }
}

/// Sends a link to the new address.
async fn request(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form } = sent;
    let links = state.password_links.mailed().ok_or_else(|| Problem::new(Fault::NotFound))?;
    let email = form.line("email")?;
    let errors = match links.request_email_change(&person, email).await {
        Ok(()) => return page(StatusCode::OK, &SENT),
        Err(EmailChangeError::NotFresh | EmailChangeError::SessionEnded) => {
            return kept_form::sign_in(&form, Endpoint::ChangeEmail, &state);
        }
        Err(EmailChangeError::SameAddress) => "This is already the address of your account.",
        Err(EmailChangeError::Request(LinkRequestError::InvalidEmail)) => {
            "Enter a valid email address, such as robin@example.org."
        }
        Err(EmailChangeError::Request(error)) => return Err(error.into()),
    };
    answer(&state, &person, email, FormErrors::field("email", errors))
}

fn answer(
    state: &PageState,
    person: &SignedInPerson,
    email: &str,
    errors: FormErrors,
) -> Result<HttpResponse, Problem> {
    let view = view::ChangeEmail {
        person: person::to_view(person),
        sends_mail: state.password_links.mailed().is_some(),
        email: email.to_owned(),
        errors,
    };
    page(view.errors.status(), &view)
}

const SENT: crate::view::Message<'static> = crate::view::Message {
    title: "Check your email",
    text: "We have sent a link to the new address. Your address changes when you open the link and confirm \
           it. The link works once and expires after one hour.",
    advice: Some(
        "We have also notified your current address. It stays in use until you confirm the new one.",
    ),
    link: Some(ACCOUNT),
    request_id: None,
    contact: None,
};

const ACCOUNT: Link = Link { path: Endpoint::Account.path(), text: "Back to your account" };
const SIGN_IN: Link = Link { path: Endpoint::SignIn.path(), text: "Sign in" };

/// Shows the button behind a link. Opening it changes nothing: mail servers open links too.
async fn show_confirmation(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let given = query::read(&request, &["link"])?;
    let (link, email) = find(&state, given.get("link")).await?;
    let Some(person) = person::signed_in(&request, &state).await? else {
        return page(StatusCode::OK, &SIGN_IN_FIRST);
    };
    let view =
        view::ConfirmEmail { person: person::to_view(&person), link, email: email.as_str().to_owned() };
    page(StatusCode::OK, &view)
}

/// Uses up a link and changes the address.
async fn confirm(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form } = sent;
    let link = form.find("link")?.unwrap_or_default();
    let (title, text) = match state.password_links.confirm_email_change(&person, link).await {
        Ok(_) => (
            "Your address is confirmed",
            "Use it the next time you sign in. We have notified your old address.",
        ),
        Err(ConfirmEmailChangeError::AddressTaken) => (
            "This address cannot be used",
            "There is another account with this address. Your account keeps its current address.",
        ),
        Err(ConfirmEmailChangeError::UnusableLink) => return Err(Problem::new(Fault::LinkGone)),
        Err(ConfirmEmailChangeError::Storage(error)) => return Err(error.into()),
    };
    let view = crate::view::Message {
        title,
        text,
        advice: None,
        link: Some(ACCOUNT),
        request_id: None,
        contact: None,
    };
    page(StatusCode::OK, &view)
}

/// A link confirms only in a browser that is signed in to the account.
const SIGN_IN_FIRST: crate::view::Message<'static> = crate::view::Message {
    title: "Sign in to confirm",
    text: "Sign in to your account with its current address. Then open the link from the email again.",
    advice: Some("If you did not ask to change the address of your account, ignore the email."),
    link: Some(SIGN_IN),
    request_id: None,
    contact: None,
};

/// Returns a usable link and the new address.
async fn find(state: &PageState, text: Option<&str>) -> Result<(Secret, Email), Problem> {
    let link = text.and_then(|text| Secret::parse(SecretKind::PasswordLink, text).ok());
    let link = link.ok_or_else(|| Problem::new(Fault::LinkGone))?;
    let found = state.password_links.find(link.expose()).await?;
    match found.map(|found| found.purpose) {
        Some(PasswordLinkPurpose::EmailChange { email, .. }) => Ok((link, email)),
        _ => Err(Problem::new(Fault::LinkGone)),
    }
}
