//! Signing in with a passkey.

use super::sign_in::{SignInTarget, start_again};
use crate::account::passkeys;
use crate::answer::{see_other, with_cookies};
use crate::browser::{self, Browser};
use crate::form::Form;
use crate::{PageState, meter, person};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use application::passkey::CeremonyStart;
use http_adapter::caller;
use http_adapter::problem::Problem;

/// One text for every passkey that does not work.
const REFUSED: &str =
    "The passkey could not be used here. Try again, use another passkey, or enter your password.";

/// Returns a challenge to the script.
pub(crate) async fn begin(
    state: Data<PageState>,
    request: HttpRequest,
    body: Payload,
) -> Result<HttpResponse, Problem> {
    let (visit, _) = Form::read_with_visit(&request, body, &state).await?;
    let start = CeremonyStart::SignIn { visit: &visit, address: caller::address(&request) };
    passkeys::begin_ceremony(&state, start).await
}

/// Signs a person in, always with a new session (security.md T30).
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
    let answer = passkeys::answer(&form)?;
    let outcome = passkeys::offered(&state)?.sign_in(answer, &visit, origin).await;
    meter::passkey_sign_in(&outcome);
    match outcome {
        Ok(new) => {
            let cookies = browser::set_signed_in(&new, &state.http.settings);
            Ok(with_cookies(see_other(&target.next()), cookies))
        }
        Err(error) => match passkeys::problem(error) {
            Some(problem) => Err(problem),
            None => start_again(&state, &visit, target, signed_in.as_ref(), REFUSED).await,
        },
    }
}
