//! `/account/erase`: erasure of a person's account and data.

use super::answer::{page, see_other, with_cookies};
use super::browser::clear_all;
use super::moment;
use super::person::{self, Destination};
use super::person_form::PersonForm;
use super::view::{self, FormErrors};
use crate::PageState;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::account::SignedInPerson;
use application::erasure::Erasure;
use application::erasure::{ErasePersonCommand, ErasePersonError};
use http_adapter::problem::{Fault, Problem};

/// Shows what will be erased, and asks for the address. A person whose sign-in is too old signs in first.
pub(super) async fn show(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    match person::signed_in(&request, &state).await? {
        Some(person) if person.is_fresh => answer(&person, FormErrors::none()),
        Some(_) | None => Ok(see_other(&Destination::Erase.sign_in())),
    }
}

/// Erases the person if the address matches, shows the receipt and ends the session.
pub(super) async fn submit(state: Data<PageState>, sent: PersonForm) -> Result<HttpResponse, Problem> {
    let PersonForm { person, form, .. } = sent;
    if !is_own_address(&person, form.line("email")?) {
        let errors = FormErrors::field("email", "That is not the email address of your account.");
        return answer(&person, errors);
    }
    match state.erase_person.run(ErasePersonCommand::ByPerson(&person.session)).await {
        Ok(Erasure { id, at }) => {
            let erased_at = moment::to_the_minute(at, person.home_timezone);
            let view = view::Erased { erasure_id: id.to_string(), erased_at };
            Ok(with_cookies(page(StatusCode::OK, &view)?, clear_all(&state.http.settings)))
        }
        Err(ErasePersonError::NotFresh | ErasePersonError::SessionEnded) => {
            Ok(see_other(&Destination::Erase.sign_in()))
        }
        Err(ErasePersonError::NotFound) => Err(Problem::new(Fault::ForeignForm)),
        Err(ErasePersonError::Storage(error)) => Err(error.into()),
    }
}

fn is_own_address(person: &SignedInPerson, typed: &str) -> bool {
    domain::user::Email::parse(typed.trim())
        .is_ok_and(|email| email.normalised() == person.email.normalised())
}

fn answer(person: &SignedInPerson, errors: FormErrors) -> Result<HttpResponse, Problem> {
    page(errors.status(), &view::Erase { person: person::to_view(person), errors })
}
