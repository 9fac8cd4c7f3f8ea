//! `/sign-in/second-factor`: the second step of a sign-in (security.md T80 to T83).

use super::sign_in::{self, SignInTarget};
use crate::account::second_factor::{SET_UP_EXPIRED, SetUpForm, WRONG_CODE, codes_page};
use crate::answer::{page, see_other, with_cookies};
use crate::browser::{self, Browser, form_token, get_or_create_visit};
use crate::form::Form;
use crate::view::FormErrors;
use crate::{PageState, meter, person, query};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::account::{PendingSignInWithEmail, SecondStepError};
use askama::Template;
use domain::pending_sign_in::SecondStep;
use domain::secret::Secret;
use http_adapter::Endpoint;
use http_adapter::problem::Problem;

const WRONG_RECOVERY_CODE: &str = "This recovery code is incorrect or was used before.";
const TOO_SLOW: &str = "The sign-in took too long. Please start again.";

/// Page of a sign-in that asks for a code.
#[derive(Clone, Template)]
#[template(path = "session/second_step.html")]
pub(crate) struct CodeForm {
    /// Token of the browser's forms.
    pub(crate) form_token: String,
    /// Id of the app's request, for the form.
    pub(crate) request: Option<String>,
    /// Name of the requested page, for the form.
    pub(crate) to: Option<&'static str>,
    /// Whether a recovery code is asked for instead of a code of the app.
    pub(crate) with_recovery: bool,
    /// URL of the page that asks for the other kind of code.
    pub(crate) other_way: String,
    pub(crate) errors: FormErrors,
}

/// Shows what the pending sign-in of this browser asks for; without one, the person starts again.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let given = query::read(&request, &["request", "to", "with"])?;
    let target = SignInTarget::read(given.get("request"), given.get("to"));
    let browser = Browser::from_request(&request, &state.http.settings);
    let Some(pending) = find_pending(&browser, &state).await? else {
        return Ok(see_other(&target.first_step()));
    };
    let (visit, cookie) = get_or_create_visit(&request, &state);
    let with_recovery = given.get("with") == Some("recovery-code");
    let contents = StepPage { target, with_recovery, enrolment: None, errors: FormErrors::none() };
    Ok(with_cookies(contents.answer(&state, &visit, &pending)?, [cookie]))
}

/// Returns the sign-in that waits in this browser.
async fn find_pending(
    browser: &Browser,
    state: &PageState,
) -> Result<Option<PendingSignInWithEmail>, Problem> {
    match browser.pending() {
        Some(cookie) => Ok(state.sign_ins.find_pending(cookie).await?),
        None => Ok(None),
    }
}

/// Completes the sign-in, always with a new session (security.md T30).
pub(crate) async fn submit(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (visit, form) = Form::read_with_visit(&request, body, &state).await?;
    let target = SignInTarget::read(form.find("request")?, form.find("to")?);
    let browser = Browser::from_request(&request, &state.http.settings);
    let signed_in = person::signed_in_with(&request, &browser, &state).await?;
    let origin = person::origin(&request, &browser, signed_in.as_ref());
    let (code, enrolment) = (form.find("code")?.unwrap_or_default(), form.find("enrolment")?);
    let outcome = match enrolment {
        None => state.sign_ins.complete(origin, code).await.map(|new| (new, None)),
        Some(enrolment) => {
            let on = state.sign_ins.set_up(origin, enrolment, code).await;
            on.map(|on| (on.signed_in, Some(on.codes)))
        }
    };
    meter::second_step(&outcome);
    let with_recovery = form.find("with")? == Some("recovery-code");
    let error = match outcome {
        Ok((new, codes)) => {
            let cookies = browser::set_signed_in(&new, &state.http.settings);
            let answer = match codes {
                Some(codes) => codes_page(&codes, true, target.next())?,
                None => see_other(&target.next()),
            };
            let cookies = cookies.into_iter().chain([browser::clear_pending(&state.http.settings)]);
            return Ok(with_cookies(answer, cookies));
        }
        Err(SecondStepError::WrongCode) if with_recovery => FormErrors::field("code", WRONG_RECOVERY_CODE),
        Err(SecondStepError::WrongCode) => FormErrors::field("code", WRONG_CODE),
        Err(SecondStepError::SetUpExpired) => FormErrors::field("code", SET_UP_EXPIRED),
        Err(SecondStepError::NotPending) => {
            return sign_in::start_again(&state, &visit, target, signed_in.as_ref(), TOO_SLOW).await;
        }
        Err(error) => return Err(error.into()),
    };
    let Some(pending) = find_pending(&browser, &state).await? else {
        return sign_in::start_again(&state, &visit, target, signed_in.as_ref(), TOO_SLOW).await;
    };
    let contents = StepPage { target, with_recovery, enrolment, errors: error };
    contents.answer(&state, &visit, &pending)
}

/// Contents of the page.
struct StepPage<'a> {
    target: SignInTarget,
    /// Whether the person has no app at hand.
    with_recovery: bool,
    /// Submitted secret to set up.
    enrolment: Option<&'a str>,
    errors: FormErrors,
}

impl StepPage<'_> {
    fn answer(
        self,
        state: &PageState,
        visit: &Secret,
        pending: &PendingSignInWithEmail,
    ) -> Result<HttpResponse, Problem> {
        let Self { target, with_recovery, enrolment, errors } = self;
        let status = errors.status();
        let (request, to) =
            (target.request.map(|id| id.to_string()), target.to.map(person::Destination::as_str));
        match pending.pending.step {
            SecondStep::Code => page(
                status,
                &CodeForm {
                    form_token: form_token(visit),
                    request,
                    to,
                    with_recovery,
                    other_way: target.second_step(!with_recovery),
                    errors,
                },
            ),
            SecondStep::SetUp => {
                let form = SetUpForm {
                    user_id: pending.pending.user_id,
                    email: &pending.email,
                    enrolment,
                    form_token: form_token(visit),
                    action: Endpoint::SignInSecondStep.path(),
                };
                let view = crate::account::second_factor::view::SetUpSecondFactor {
                    request,
                    to,
                    ..form.view(state, None, errors)?
                };
                page(status, &view)
            }
        }
    }
}
