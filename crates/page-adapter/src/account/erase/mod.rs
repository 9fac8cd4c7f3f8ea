//! `/account/erase`: erasure of a person's account and data.

pub(crate) mod view;

use crate::answer::{page, see_other, with_cookies};
use crate::browser::clear_all;
use crate::person::{self, Destination};
use crate::person_form::PersonForm;
use crate::view::FormErrors;
use crate::{PageState, moment};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::erasure::{Eraser, Erasure, ErasureError};
use application::session::SignedInPerson;
use http_adapter::problem::{Fault, Problem};

/// Shows what will be erased, and asks for the address. A person whose sign-in is too old signs in first.
pub(crate) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    match person::signed_in(&request, &state).await? {
        Some(person) if person.is_fresh => answer(&person, FormErrors::none()),
        Some(_) | None => Ok(see_other(&Destination::Erase.sign_in())),
    }
}

/// Erases the person if the address matches, shows the receipt and ends the session.
pub(crate) async fn submit(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    if !is_own_address(&person, form.line("email")?) {
        let errors = FormErrors::field("email", "That is not the email address of your account.");
        return answer(&person, errors);
    }
    match state.erasures.erase(Eraser::Person(&person)).await {
        Ok(Erasure { id, at }) => {
            let erased_at = moment::to_the_minute(at, person.home_timezone);
            let view = view::Erased { erasure_id: id.to_string(), erased_at };
            Ok(with_cookies(page(StatusCode::OK, &view)?, clear_all(&state.http.settings)))
        }
        Err(ErasureError::NotFresh | ErasureError::SessionEnded) => {
            Ok(see_other(&Destination::Erase.sign_in()))
        }
        Err(ErasureError::NotFound) => Err(Problem::new(Fault::ForeignForm)),
        Err(ErasureError::Storage(error)) => Err(error.into()),
    }
}

fn is_own_address(person: &SignedInPerson, typed: &str) -> bool {
    domain::user::Email::parse(typed.trim())
        .is_ok_and(|email| email.normalised() == person.email.normalised())
}

fn answer(person: &SignedInPerson, errors: FormErrors) -> Result<HttpResponse, Problem> {
    page(errors.status(), &view::Erase { person: person::to_view(person), errors })
}
