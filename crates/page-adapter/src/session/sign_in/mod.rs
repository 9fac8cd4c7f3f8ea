//! `/sign-in`: the sign-in page (security.md T30, T32, T80 to T84).

#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod view;

use crate::answer::{PageNeeds, page_with, see_other, with_cookies};
use crate::browser::{self, Browser, form_token, get_or_create_visit};
use crate::form::Form;
use crate::person::{self, Destination};
use crate::view::FormErrors;
use crate::{PageState, meter, query};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::account::{PasswordCheckError, SignInProgress};
use application::authorization::PendingApp;
use application::session::SignedInPerson;
use domain::id::AuthorizationRequestId;
use domain::secret::Secret;
use domain::user::Email;
use http_adapter::Endpoint;
use http_adapter::problem::Problem;
use view::SignInReason;

/// One text for every wrong address or password: it must not reveal which accounts exist.
const WRONG: &str = "The email address or password is incorrect. Check both and try again.";

const PASSKEY_NEEDED: &str = "This server requires a second factor, and yours is a passkey. Sign in with it. If \
you have lost it, contact the operator of this server.";

/// Target after the sign-in.
#[derive(Clone, Copy, Default)]
pub(crate) struct SignInTarget {
    /// Authorization request of an app.
    pub(crate) request: Option<AuthorizationRequestId>,
    /// Page of the person.
    pub(crate) to: Option<Destination>,
}

/// Shows the page.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let given = query::read(&request, &["request", "to"])?;
    let target = SignInTarget::read(given.get("request"), given.get("to"));
    let signed_in = person::signed_in(&request, &state).await?;
    if let (Some(person), None) = (&signed_in, target.request)
        && let Some(page) = target.needs_no_sign_in(person)
    {
        return Ok(see_other(page));
    }
    let (visit, cookie) = get_or_create_visit(&request, &state);
    let contents = SignInPage { target, email: None, errors: FormErrors::none() };
    let answer = contents.answer(&state, &visit, signed_in.as_ref()).await?;
    Ok(with_cookies(answer, [cookie]))
}

/// Signs a person in, always with a new session (security.md T30).
pub(crate) async fn submit(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (visit, form) = Form::read_with_visit(&request, body, &state).await?;
    let browser = Browser::from_request(&request, &state.http.settings);
    let target = SignInTarget::read(form.find("request")?, form.find("to")?);
    let signed_in = person::signed_in_with(&request, &browser, &state).await?;
    let (email, password) = (form.line("email")?, form.find("password")?.unwrap_or_default());
    let origin = person::origin(&request, &browser, signed_in.as_ref());
    let outcome = state.sign_ins.sign_in(origin, browser.known_browser(), email, password).await;
    meter::sign_in(&outcome);
    let errors = match outcome {
        Ok(SignInProgress::SecondStep(pending)) => {
            let cookie = browser::set_pending(&pending, &state.http.settings);
            return Ok(with_cookies(see_other(&target.second_step(false)), [cookie]));
        }
        Ok(SignInProgress::SignedIn(new)) => {
            let cookies = browser::set_signed_in(&new, &state.http.settings);
            return Ok(with_cookies(see_other(&target.next()), cookies));
        }
        Ok(SignInProgress::PasskeyNeeded) => FormErrors::form(PASSKEY_NEEDED),
        Err(PasswordCheckError::WrongCredentials) => FormErrors::form(WRONG),
        Err(error) => return Err(error.into()),
    };
    let contents = SignInPage { target, email: Some(email), errors };
    contents.answer(&state, &visit, signed_in.as_ref()).await
}

/// Shows the page again because another way or step of the sign-in failed.
pub(crate) async fn start_again(
    state: &PageState,
    visit: &Secret,
    target: SignInTarget,
    signed_in: Option<&SignedInPerson>,
    error: &'static str,
) -> Result<HttpResponse, Problem> {
    let contents = SignInPage { target, email: None, errors: FormErrors::form(error) };
    contents.answer(state, visit, signed_in).await
}

impl SignInTarget {
    /// Parses the target in a URL or a form; an invalid one is ignored.
    pub(crate) fn read(request: Option<&str>, to: Option<&str>) -> Self {
        Self {
            request: request.and_then(|id| AuthorizationRequestId::parse(id).ok()),
            to: to.and_then(Destination::parse),
        }
    }

    /// Returns the page to which a signed-in person can be redirected at once; `None` if it requires a recent
    /// sign-in.
    fn needs_no_sign_in(self, person: &SignedInPerson) -> Option<&'static str> {
        let to = self.to.unwrap_or(Destination::Home);
        (!to.requires_recent_sign_in() || person.is_fresh).then(|| to.path())
    }

    /// Returns the URL after signing in.
    pub(crate) fn next(self) -> String {
        match self.request {
            Some(id) => format!("{}?request={id}", Endpoint::Consent.path()),
            None => self.to.unwrap_or(Destination::Home).path().to_owned(),
        }
    }

    /// Returns the URL of the first step.
    pub(crate) fn first_step(self) -> String {
        format!("{}{}", Endpoint::SignIn.path(), self.query())
    }

    /// Returns the URL of the second step, with a code of the app or a recovery code.
    pub(crate) fn second_step(self, with_recovery: bool) -> String {
        let query = self.query();
        let with = match (with_recovery, query.is_empty()) {
            (false, _) => "",
            (true, true) => "?with=recovery-code",
            (true, false) => "&with=recovery-code",
        };
        format!("{}{query}{with}", Endpoint::SignInSecondStep.path())
    }

    /// Returns the query that carries the target on.
    fn query(self) -> String {
        match (self.request, self.to) {
            (Some(id), _) => format!("?request={id}"),
            (None, Some(to)) => format!("?to={}", to.as_str()),
            (None, None) => String::new(),
        }
    }
}

/// Contents of the page.
struct SignInPage<'a> {
    target: SignInTarget,
    /// The submitted address; `None` when the page is opened.
    email: Option<&'a str>,
    errors: FormErrors,
}

impl SignInPage<'_> {
    async fn answer(
        self,
        state: &PageState,
        visit: &Secret,
        signed_in: Option<&SignedInPerson>,
    ) -> Result<HttpResponse, Problem> {
        let app = match self.target.request {
            Some(id) => state.authorizations.find_pending_app(id, visit).await?,
            None => None,
        };
        let hint = app.as_ref().and_then(|app| app.login_hint.as_ref()).map(Email::as_str);
        let reason = reason(app.as_ref(), signed_in);
        let email = match (&reason, signed_in) {
            (SignInReason::Confirm, Some(person)) => person.email.as_str(),
            _ => self.email.or(hint).unwrap_or_default(),
        };
        let view = view::SignIn {
            email: email.to_owned(),
            reason,
            form_token: form_token(visit),
            request: self.target.request.map(|id| id.to_string()),
            to: self.target.to.map(Destination::as_str),
            offers_reset: state.http.settings.sends_mail,
            offers_sign_up: state.http.settings.sign_up_open,
            passkeys: state.passkeys.relying_party.as_ref().map(|ours| ours.id().to_owned()),
            errors: self.errors,
        };
        let needs = PageNeeds {
            redirect_uri: app.as_ref().map(|app| app.redirect_uri.as_str()),
            passkey_script: view.passkeys.is_some(),
        };
        page_with(view.errors.status(), &view, needs)
    }
}

fn reason(app: Option<&PendingApp>, signed_in: Option<&SignedInPerson>) -> SignInReason {
    match (app, signed_in) {
        (Some(app), _) => SignInReason::App { name: app.name.as_str().to_owned() },
        (None, Some(_)) => SignInReason::Confirm,
        (None, None) => SignInReason::Visit,
    }
}
