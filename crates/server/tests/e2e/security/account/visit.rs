//! Account actions on the pages, each in one call.

use crate::e2e::app::{REDIRECT_URI, Registration};
use crate::e2e::browser::{Browser, KNOWN_BROWSER, Page, PageForm, SESSION, VISIT};

/// Fills in the first form with this action; all fields of the same name are sent.
#[track_caller]
pub(crate) fn fill(page: &Page, action: &str, fields: &[(&str, &str)]) -> PageForm {
    let forms = page.forms(action);
    let form = forms.first().unwrap_or_else(|| panic!("no form for {action}: {page:?}"));
    let emptied = fields.iter().fold(form.clone(), |form, (name, _)| form.without(name));
    fields.iter().fold(emptied, |form, (name, value)| form.and(name, value))
}

/// Returns the token of a page's form.
#[track_caller]
pub(crate) fn form_token(page: &Page, action: &str) -> String {
    fill(page, action, &[]).value("form_token").to_owned()
}

/// Returns the cookies that a browser sends.
pub(crate) fn cookie_header(browser: &Browser) -> String {
    let pair = |name| browser.cookie(name).map(|value| format!("{name}={value}"));
    [SESSION, VISIT, KNOWN_BROWSER].into_iter().filter_map(pair).collect::<Vec<_>>().join("; ")
}

/// Returns the text of a page without the request id, which differs each time.
pub(crate) fn without_request_id(page: &Page) -> String {
    page.header("x-request-id").map_or_else(|| page.body.clone(), |id| page.body.replace(id, "-"))
}

/// Submits the sign-in page.
pub(crate) async fn try_to_sign_in(browser: &Browser, email: &str, password: &str) -> Page {
    let page = browser.open("/sign-in").await;
    browser.submit(&fill(&page, "/sign-in", &[("email", email), ("password", password)])).await
}

/// Signs in, which must succeed.
pub(crate) async fn sign_in(browser: &Browser, email: &str, password: &str) {
    assert_eq!(try_to_sign_in(browser, email, password).await.own_location(), "/");
}

/// Takes a signed-in person through the consent page of an app, and allows these scopes. Returns the code of
/// the redirect.
pub(crate) async fn allow(browser: &Browser, app: &Registration, scopes: &[&str]) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("response_type", "code")
        .append_pair("client_id", &app.client_id)
        .append_pair("redirect_uri", REDIRECT_URI)
        .append_pair("scope", &scopes.join(" "))
        .finish();
    let page = browser.follow(&browser.get(&format!("/authorize?{query}")).await).await;
    let form = page.form("/consent").tick("scope", scopes).with("decision", "allow");
    browser.submit(&form).await.answer_to(REDIRECT_URI)["code"].clone()
}

/// Creates a personal access token on its page; returns its text.
pub(crate) async fn make_token(browser: &Browser, name: &str, scope: &str) -> String {
    let page = browser.open("/tokens").await;
    let form = page.form("/tokens").with("name", name).tick("scope", &[scope]).with("expires", "30");
    let made = browser.submit(&form).await;
    let (_, after) = made.body.split_once("rwp_").unwrap_or_else(|| panic!("no token: {made:?}"));
    format!("rwp_{}", after.chars().take_while(char::is_ascii_alphanumeric).collect::<String>())
}
