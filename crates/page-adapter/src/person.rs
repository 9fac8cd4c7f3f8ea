//! Signed-in person of a request.

use crate::browser::Browser;
use crate::{PageState, view};
use actix_web::HttpRequest;
use actix_web::http::header::USER_AGENT;
use application::session::{SignInOrigin, SignedInPerson};
use domain::device::Device;
use domain::form_token::FormToken;
use http_adapter::Endpoint;
use http_adapter::caller;
use http_adapter::problem::Problem;

domain::named_enum! {
    /// Page that a person requested before signing in. A name from a fixed set, never a URL, so that no
    /// redirect leads to another site (security.md T22).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Destination {
        Home = "home",
        Email = "email",
        KeptForm = "continue",
        Nights = "nights",
        Supplements = "supplements",
        AddIntake = "add",
        OwnProduct = "product",
        Profile = "profile",
        Apps = "apps",
        Tokens = "tokens",
        Developer = "developer",
        Activity = "activity",
        Account = "account",
        Imports = "imports",
        Password = "password",
        SecondFactor = "second-factor",
        Passkeys = "passkeys",
        Download = "download",
        Erase = "erase",
    }
}

impl Destination {
    /// Returns the page, and whether it requires a recent sign-in.
    const fn row(self) -> (Endpoint, bool) {
        match self {
            Self::Home => (Endpoint::Home, false),
            Self::Email => (Endpoint::ChangeEmail, true),
            Self::KeptForm => (Endpoint::ContinueForm, true),
            Self::Nights => (Endpoint::Nights, false),
            Self::Supplements => (Endpoint::IntakePage, false),
            Self::AddIntake => (Endpoint::AddIntake, false),
            Self::OwnProduct => (Endpoint::OwnProduct, false),
            Self::Profile => (Endpoint::ProfilePage, false),
            Self::Apps => (Endpoint::Apps, false),
            Self::Tokens => (Endpoint::Tokens, true),
            Self::Developer => (Endpoint::Developer, true),
            Self::Activity => (Endpoint::Activity, false),
            Self::Account => (Endpoint::Account, false),
            // These forms are on the account page.
            Self::Password | Self::Passkeys | Self::Download => (Endpoint::Account, true),
            Self::SecondFactor => (Endpoint::SecondFactor, true),
            Self::Erase => (Endpoint::Erase, true),
            Self::Imports => (Endpoint::Imports, false),
        }
    }

    /// Returns the path of the page.
    pub(crate) const fn path(self) -> &'static str {
        self.row().0.path()
    }

    /// Returns whether the page requires a recent sign-in.
    pub(crate) const fn requires_recent_sign_in(self) -> bool {
        self.row().1
    }

    /// Returns the URL of the sign-in page that leads here.
    pub(crate) fn sign_in(self) -> String {
        format!("{}?to={}", Endpoint::SignIn.path(), self.as_str())
    }
}

/// Returns the person who is signed in with the browser of a request.
pub(crate) async fn signed_in(
    request: &HttpRequest,
    state: &PageState,
) -> Result<Option<SignedInPerson>, Problem> {
    let browser = Browser::from_request(request, &state.http.settings);
    signed_in_with(request, &browser, state).await
}

/// Returns the person who is signed in with the browser of a request, if that has been read before.
pub(crate) async fn signed_in_with(
    request: &HttpRequest,
    browser: &Browser,
    state: &PageState,
) -> Result<Option<SignedInPerson>, Problem> {
    let Some(cookie) = browser.session() else { return Ok(None) };
    let person = state.sessions.resume(cookie.expose(), caller::address(request)).await?;
    if let Some(person) = &person {
        let (sessions, session) = (state.sessions.clone(), person.session.clone());
        // The page does not wait: the write may have to wait for an import.
        actix_web::rt::spawn(async move { sessions.record_use(&session).await });
    }
    Ok(person)
}

/// Returns the person's details for the pages.
pub(crate) fn to_view(person: &SignedInPerson) -> view::Person {
    view::Person {
        email: person.email.as_str().to_owned(),
        user_id: person.user_id.to_string(),
        form_token: FormToken::of_person(&person.cookie, person.user_id).expose().to_owned(),
    }
}

/// Returns the browser and platform that a request names.
pub(crate) fn device(request: &HttpRequest) -> Option<Device> {
    let agent = request.headers().get(USER_AGENT)?.to_str().ok()?;
    Some(Device::from_user_agent(agent))
}

/// Returns the browser of a request, whose session and pending sign-in a new sign-in replaces.
pub(crate) fn origin<'a>(
    request: &HttpRequest,
    browser: &'a Browser,
    signed_in: Option<&'a SignedInPerson>,
) -> SignInOrigin<'a> {
    SignInOrigin {
        address: caller::address(request),
        device: device(request),
        replaces: signed_in.map(|person| &person.session),
        pending: browser.pending(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // T22
    #[test]
    fn only_known_page_names_are_destinations() {
        for destination in Destination::ALL {
            assert_eq!(Destination::parse(destination.as_str()), Some(destination));
            assert!(destination.path().starts_with('/'));
        }
        for text in ["", "/apps", "https://evil.example", "//evil.example", "Apps"] {
            assert_eq!(Destination::parse(text), None, "{text}");
        }
    }
}
