//! `/forgot-password`, `/sign-up` and `/set-password`: password links.

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use super::sign_in::SignInTarget;
use crate::account::passkeys;
use crate::account::passkeys::view::PasskeyChoice;
use crate::answer::{PageNeeds, page, page_with, see_other, with_cookies};
use crate::browser::{Browser, form_token, get_or_create_visit, set_pending, set_signed_in};
use crate::form::Form;
use crate::view::{FormErrors, password_rule};
use crate::{PageState, moment, person, query};
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::account::{
    ChoosePasswordError, KeptPasskeys, LinkRequestError, PasswordChoice, SignInProgress, UsablePasswordLink,
};
use domain::id::{PasskeyId, UserId};
use domain::passkey::Passkey;
use domain::password_link::PasswordLinkPurpose;
use domain::secret::{Secret, SecretKind};
use domain::time::TimeZone;
use http_adapter::Endpoint;
use http_adapter::caller;
use http_adapter::problem::{Fault, Problem};
use view::LinkPurpose;

const NOT_AN_ADDRESS: &str = "Enter a valid email address, such as robin@example.org.";

/// Shows the form that requests a link for a forgotten password.
pub(crate) async fn show_forgotten(
    state: Data<PageState>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    if state.password_links.mailed().is_none() {
        return page(StatusCode::OK, &NO_MAIL);
    }
    show_request(&state, &request, LinkPurpose::Reset)
}

/// Shows the sign-up form, if sign-up is open.
pub(crate) async fn show_sign_up(
    state: Data<PageState>,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    if state.password_links.sign_up().is_none() {
        return Err(Problem::new(Fault::NotFound));
    }
    show_request(&state, &request, LinkPurpose::SignUp)
}

fn show_request(
    state: &PageState,
    request: &HttpRequest,
    purpose: LinkPurpose,
) -> Result<HttpResponse, Problem> {
    let (visit, cookie) = get_or_create_visit(request, state);
    let (form_token, email, errors) = (form_token(&visit), String::new(), FormErrors::none());
    let view = view::RequestLink { purpose, form_token, email, errors };
    Ok(with_cookies(page(StatusCode::OK, &view)?, [cookie]))
}

/// Sends a link if the account exists; the response is the same either way (security.md T80).
pub(crate) async fn submit_forgotten(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let links = state.password_links.mailed().ok_or_else(|| Problem::new(Fault::NotFound))?;
    let (visit, form) = Form::read_with_visit(&request, body, &state).await?;
    let email = form.line("email")?;
    let outcome = links.request_reset(email, caller::address(&request)).await;
    requested(LinkPurpose::Reset, outcome, &visit, email)
}

/// Sends a sign-up link to an address; the response is the same if it has an account.
pub(crate) async fn submit_sign_up(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let links = state.password_links.sign_up().ok_or_else(|| Problem::new(Fault::NotFound))?;
    let (visit, form) = Form::read_with_visit(&request, body, &state).await?;
    let email = form.line("email")?;
    let outcome = links.request(email, caller::address(&request)).await;
    requested(LinkPurpose::SignUp, outcome, &visit, email)
}

/// Returns the page after requesting a link.
fn requested(
    purpose: LinkPurpose,
    outcome: Result<(), LinkRequestError>,
    visit: &Secret,
    email: &str,
) -> Result<HttpResponse, Problem> {
    match outcome {
        Ok(()) => page(StatusCode::OK, &view::MailSent { purpose }),
        Err(LinkRequestError::InvalidEmail) => {
            let errors = FormErrors::field("email", NOT_AN_ADDRESS);
            let (form_token, email) = (form_token(visit), email.to_owned());
            let view = view::RequestLink { purpose, form_token, email, errors };
            page(StatusCode::UNPROCESSABLE_ENTITY, &view)
        }
        Err(error) => Err(error.into()),
    }
}

/// Shows the form behind a link. Opening it does not use the link up: mail servers open links too.
pub(crate) async fn show_link(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let given = query::read(&request, &["link"])?;
    let link = parse_link(given.get("link"))?;
    let found = find_link(&state, &link).await?;
    let (visit, cookie) = get_or_create_visit(&request, &state);
    let contents = LinkPage {
        link,
        found,
        time_zone: "",
        kept_passkeys: &[],
        disconnects_apps: false,
        errors: FormErrors::none(),
    };
    Ok(with_cookies(contents.answer(&state, &visit).await?, [cookie]))
}

/// Uses a link up and sets the password. A new account is signed in.
pub(crate) async fn submit_link(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (visit, form) = Form::read_with_visit(&request, body, &state).await?;
    let browser = Browser::from_request(&request, &state.http.settings);
    let signed_in = person::signed_in_with(&request, &browser, &state).await?;
    let link = parse_link(form.find("link")?)?;
    let found = find_link(&state, &link).await?;
    let time_zone = form.line("time_zone")?;
    let needs_zone = matches!(found.purpose, PasswordLinkPurpose::SignUp { .. });
    let home_timezone = TimeZone::parse(time_zone).ok();
    let wrong_zone = needs_zone && home_timezone.is_none();
    let kept_passkeys = passkeys::kept(&form)?;
    let disconnects_apps = form.is_ticked("disconnect_apps")?;
    let user_id = found.purpose.user_id();
    let contents = |errors| LinkPage {
        link: link.clone(),
        found,
        time_zone,
        kept_passkeys: &kept_passkeys,
        disconnects_apps,
        errors,
    };
    if wrong_zone {
        let errors = FormErrors::field("time_zone", "Choose your time zone.");
        return contents(errors).answer(&state, &visit).await;
    }
    let confirmed = match user_id {
        Some(user_id) if !kept_passkeys.is_empty() => {
            passkeys::confirmed(&state, user_id, &form, &visit).await?
        }
        _ => None,
    };
    if confirmed.is_none() && !kept_passkeys.is_empty() {
        return contents(FormErrors::form(NOT_CONFIRMED)).answer(&state, &visit).await;
    }
    let choice = PasswordChoice {
        password: form.find("password")?.unwrap_or_default(),
        home_timezone,
        kept_passkeys: confirmed.map(|confirmed| KeptPasskeys { confirmed, ids: &kept_passkeys }),
        disconnect_apps: disconnects_apps,
        origin: person::origin(&request, &browser, signed_in.as_ref()),
    };
    let errors = match state.passwords.choose(link.expose(), choice).await {
        Ok(chosen) => {
            return match chosen.sign_in {
                Some(progress) => Ok(signed_up(&state, &progress)),
                None => page(StatusCode::OK, &PASSWORD_SET),
            };
        }
        Err(ChoosePasswordError::Rule(rule)) => FormErrors::field("password", password_rule(rule)),
        Err(ChoosePasswordError::PasskeyRejected) => FormErrors::form(NOT_CONFIRMED),
        Err(ChoosePasswordError::LastFactor) => FormErrors::form(LAST_FACTOR),
        Err(error) => return Err(error.into()),
    };
    contents(errors).answer(&state, &visit).await
}

/// Returns the response to a new account: its home, or the second step if the operator requires one.
fn signed_up(state: &PageState, progress: &SignInProgress) -> HttpResponse {
    let target = SignInTarget::default();
    match progress {
        SignInProgress::SignedIn(new) => {
            with_cookies(see_other(&target.next()), set_signed_in(new, &state.http.settings))
        }
        SignInProgress::SecondStep(pending) => {
            let cookie = set_pending(pending, &state.http.settings);
            with_cookies(see_other(&target.second_step(false)), [cookie])
        }
        // A new account has no passkey.
        SignInProgress::PasskeyNeeded => see_other(&target.first_step()),
    }
}

fn parse_link(text: Option<&str>) -> Result<Secret, Problem> {
    let link = text.and_then(|text| Secret::parse(SecretKind::PasswordLink, text).ok());
    link.ok_or_else(|| Problem::new(Fault::LinkGone))
}

async fn find_link(state: &PageState, link: &Secret) -> Result<UsablePasswordLink, Problem> {
    let found = state.password_links.find(link.expose()).await?;
    let found = found.filter(|found| link_purpose(&found.purpose).is_some());
    found.ok_or_else(|| Problem::new(Fault::LinkGone))
}

/// Returns the purpose for the page; `None` if the link is not for a password.
const fn link_purpose(purpose: &PasswordLinkPurpose) -> Option<LinkPurpose> {
    match purpose {
        PasswordLinkPurpose::Invitation { .. } => Some(LinkPurpose::Invitation),
        PasswordLinkPurpose::Reset { .. } => Some(LinkPurpose::Reset),
        PasswordLinkPurpose::SignUp { .. } => Some(LinkPurpose::SignUp),
        PasswordLinkPurpose::EmailChange { .. } => None,
    }
}

const NO_MAIL: crate::view::Message<'static> = crate::view::Message {
    title: "Ask for a new link",
    text: "This server does not send email.",
    advice: Some("Ask the operator of this server for a new link to choose a password."),
    link: Some(SIGN_IN),
    request_id: None,
    contact: None,
};

const PASSWORD_SET: crate::view::Message<'static> = crate::view::Message {
    title: "Your password is set",
    text: "You can sign in now.",
    advice: None,
    link: Some(SIGN_IN),
    request_id: None,
    contact: None,
};

const NOT_CONFIRMED: &str = "To keep passkeys, confirm with one of them. Nothing was changed. Try again, or untick \
all passkeys to remove them.";

/// A mailbox alone must not replace a second factor.
const LAST_FACTOR: &str = "This server requires a second factor, and yours is a passkey. Tick it and confirm with it. \
If you have lost it, contact the operator of this server.";

const SIGN_IN: crate::view::Link = crate::view::Link { path: Endpoint::SignIn.path(), text: "Sign in" };

/// Returns whether an app or a token can read the data of a user.
async fn apps_or_tokens(state: &PageState, user_id: UserId) -> Result<bool, Problem> {
    let tokens = state.personal_tokens.list(user_id).await?;
    Ok(tokens.iter().any(|token| token.is_live) || !state.grants.list_apps(user_id).await?.is_empty())
}

/// Contents of the page behind a link.
struct LinkPage<'a> {
    link: Secret,
    found: UsablePasswordLink,
    time_zone: &'a str,
    kept_passkeys: &'a [PasskeyId],
    disconnects_apps: bool,
    errors: FormErrors,
}

impl LinkPage<'_> {
    async fn answer(self, state: &PageState, visit: &Secret) -> Result<HttpResponse, Problem> {
        let Self { link, found, time_zone, kept_passkeys, disconnects_apps, errors } = self;
        let UsablePasswordLink { purpose, email, expires_at: _ } = found;
        let (passkeys, has_access) = match purpose.user_id() {
            Some(user_id) => (state.passkeys.list(user_id).await?, apps_or_tokens(state, user_id).await?),
            None => (Vec::new(), false),
        };
        let choice = |passkey: Passkey| PasskeyChoice {
            id: passkey.id.to_string(),
            name: passkey.name.as_str().to_owned(),
            added: moment::day(passkey.created_at, TimeZone::UTC),
            stays: kept_passkeys.contains(&passkey.id),
        };
        let purpose = link_purpose(&purpose).ok_or_else(|| Problem::new(Fault::LinkGone))?;
        let view = view::SetPassword {
            purpose,
            form_token: form_token(visit),
            link,
            email: Some(email.as_str().to_owned()),
            time_zone: time_zone.to_owned(),
            passkeys: passkeys.into_iter().map(choice).collect(),
            relying_party: state.passkeys.relying_party.as_ref().map(|ours| ours.id().to_owned()),
            disconnects_apps: has_access.then_some(disconnects_apps),
            has_developer_page: state.developer.is_some(),
            errors,
        };
        let needs = PageNeeds { passkey_script: view.needs_script(), ..PageNeeds::default() };
        page_with(view.errors.status(), &view, needs)
    }
}
