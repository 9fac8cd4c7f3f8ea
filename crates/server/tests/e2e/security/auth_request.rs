//! Authorization request of an app, and the person's steps through it.

use super::caller::Caller;
use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, Tokens};
use crate::e2e::browser::{Browser, Page};
use crate::e2e::person::Person;
use crate::e2e::server::Server;

/// Parameters of an authorization request, in order.
#[derive(Clone, Debug)]
pub(super) struct AuthRequest(Vec<(String, String)>);

impl AuthRequest {
    /// Returns the request of an app for all of its scopes.
    pub(super) fn new(app: &Registration) -> Self {
        Self(Vec::new())
            .with("response_type", "code")
            .with("client_id", &app.client_id)
            .with("redirect_uri", REDIRECT_URI)
            .with("scope", &SCOPES.join(" "))
            .with("state", "a state")
    }

    /// Replaces or adds a parameter.
    pub(super) fn with(&self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// Adds a parameter without replacing others of the same name.
    pub(super) fn and(&self, name: &str, value: &str) -> Self {
        let mut asking = self.clone();
        asking.0.push((name.to_owned(), value.to_owned()));
        asking
    }

    /// Removes a parameter.
    pub(super) fn without(&self, name: &str) -> Self {
        Self(self.0.iter().filter(|(given, _)| given != name).cloned().collect())
    }

    /// Returns the path to which the app sends the person.
    pub(super) fn path(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        format!("/authorize?{}", query.extend_pairs(&self.0).finish())
    }
}

/// Opens the authorization request, like a link on the app's site.
pub(super) async fn ask(browser: &Browser, asking: &AuthRequest) -> Page {
    let from_the_app = [("referer", "https://app.example.org/"), ("sec-fetch-site", "cross-site")];
    browser.get_with(&asking.path(), &from_the_app).await
}

/// Takes a browser to the consent page, signing the person in if necessary.
pub(super) async fn reach_consent(browser: &Browser, asking: &AuthRequest, person: &Person) -> Page {
    let mut sent = ask(browser, asking).await;
    if sent.own_location().starts_with("/sign-in?") {
        let page = browser.follow(&sent).await;
        sent = browser.submit(&person.credentials(&page.form("/sign-in"))).await;
    }
    assert!(sent.own_location().starts_with("/consent?request="), "{sent:?}");
    let page = browser.follow(&sent).await;
    assert_eq!(page.status, 200, "{page:?}");
    page
}

/// Allows some scopes on the consent page; returns the response.
pub(super) async fn allow(browser: &Browser, consent: &Page, scopes: &[&str]) -> Page {
    let form = consent.form("/consent").tick("scope", scopes).with("decision", "allow");
    browser.submit(&form).await
}

/// Connects an app with all requested scopes; returns its tokens.
pub(super) async fn connect(
    server: &Server,
    browser: &Browser,
    person: &Person,
    app: &Registration,
) -> Tokens {
    let consent = reach_consent(browser, &AuthRequest::new(app), person).await;
    let answer = allow(browser, &consent, &SCOPES).await.answer_to(REDIRECT_URI);
    Caller::new(server).redeem(app, &answer["code"]).await.tokens()
}
