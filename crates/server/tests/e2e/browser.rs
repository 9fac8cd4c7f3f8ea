//! A small browser: it keeps cookies, parses forms strictly, and sends them as Chromium does. It does not
//! follow redirects, so that tests see each of them.
//!
//! It checks the common properties of every page and redirect (security.md T02, T28, T31 to T33, T35).

mod cookie;
mod file_form;
mod html;
mod page;

pub(crate) use cookie::SetCookie;
pub(crate) use file_form::{FILE_FORM, file_form, file_form_with};
pub(crate) use page::{Page, PageForm};

use super::person::Person;
use super::polling::{TIMEOUT, within};
use super::server::Server;
use cookie::CookieJar;
use reqwest::header::{CONTENT_TYPE, COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response};
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

/// Cookies with an http public URL.
pub(crate) const SESSION: &str = "restwell_session";
pub(crate) const VISIT: &str = "restwell_visit";
/// Cookie of a sign-in that waits for its second step.
pub(crate) const PENDING: &str = "restwell_pending_sign_in";
pub(crate) const KNOWN_BROWSER: &str = "restwell_known_browser";

/// Headers that Chromium sends with a form of a page under `Referrer-Policy: no-referrer`.
const OWN_SITE: [(&str, &str); 2] = [("origin", "null"), ("sec-fetch-site", "same-origin")];

/// Browser at one server; a clone shares the cookies.
#[derive(Clone)]
pub(crate) struct Browser {
    http: Client,
    base_url: String,
    jar: CookieJar,
}

impl Browser {
    /// Starts a browser without cookies.
    pub(crate) fn new(server: &Server) -> Self {
        Self::from_address(server, Ipv4Addr::LOCALHOST)
    }

    /// Starts a browser at another loopback address.
    pub(crate) fn from_address(server: &Server, address: Ipv4Addr) -> Self {
        let http = Client::builder().local_address(IpAddr::V4(address)).redirect(Policy::none());
        let http = http.timeout(Duration::from_secs(20)).build().expect("client");
        Self { http, base_url: server.base_url.clone(), jar: CookieJar::default() }
    }

    /// Returns the same browser, with shared cookies, at another server, as behind a load balancer.
    pub(crate) fn at(&self, server: &Server) -> Self {
        Self { base_url: server.base_url.clone(), ..self.clone() }
    }

    /// Returns another browser with a copy of the cookies, as a thief or a backup would have it.
    pub(crate) fn twin(&self) -> Self {
        Self { jar: self.jar.copy(), ..self.clone() }
    }

    /// Returns a cookie's value.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        self.jar.find(name)
    }

    /// Returns the session cookie, which must exist.
    #[track_caller]
    pub(crate) fn session(&self) -> String {
        self.cookie(SESSION).expect("no user is signed in in this browser")
    }

    /// Sets a cookie, as an attacker with access to the browser could.
    pub(crate) fn plant(&self, name: &str, value: &str) {
        self.jar.put(name, value);
    }

    /// Starts a request with the browser's cookies; `path` starts after the host.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base_url));
        match self.jar.header() {
            Some(cookies) => request.header(COOKIE, cookies),
            None => request,
        }
    }

    /// Sends a request, stores the cookies of the response, and checks it.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Page {
        let answer = request.send().await.expect("answer");
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let page = Page { status, headers, body: answer.text().await.expect("UTF-8") };
        page.check();
        for cookie in page.set_cookies() {
            cookie.check();
            self.jar.take(&cookie);
        }
        page
    }

    /// Opens a URL.
    pub(crate) async fn get(&self, path: &str) -> Page {
        self.get_with(path, &[]).await
    }

    /// Opens a URL with additional headers.
    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Page {
        self.send(with_headers(self.request(Method::GET, path), headers)).await
    }

    /// Opens a page that must exist.
    pub(crate) async fn open(&self, path: &str) -> Page {
        let page = self.get(path).await;
        assert_eq!(page.status, 200, "{path}: {page:?}");
        page
    }

    /// Submits a form with its fields.
    pub(crate) async fn submit(&self, form: &PageForm) -> Page {
        self.submit_with(form, &OWN_SITE).await
    }

    /// Submits a form with other headers than a browser on one of the server's pages sends.
    pub(crate) async fn submit_with(&self, form: &PageForm, headers: &[(&str, &str)]) -> Page {
        self.post(&form.action, form.encoded(), headers).await
    }

    /// Posts an arbitrary body as a form.
    pub(crate) async fn post(&self, path: &str, body: String, headers: &[(&str, &str)]) -> Page {
        let request = self.request(Method::POST, path).body(body);
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(with_headers(request, headers)).await
    }

    /// Follows a redirect, which must lead to a page of the server.
    pub(crate) async fn follow(&self, page: &Page) -> Page {
        self.get(&page.own_location()).await
    }

    /// Signs a person in on the sign-in page.
    pub(crate) async fn sign_in(&self, person: &Person) {
        let page = self.open("/sign-in").await;
        let answer = self.submit(&person.credentials(&page.form("/sign-in"))).await;
        assert_eq!(answer.own_location(), "/");
    }

    /// Uploads a file with the form of the imports page.
    pub(crate) async fn upload(&self, name: &str, bytes: &[u8]) -> Page {
        let form = self.open("/imports").await.form("/imports");
        self.upload_body(file_form(Some(form.value("form_token")), name, bytes)).await
    }

    /// Posts a form with a file.
    pub(crate) async fn upload_body(&self, body: Vec<u8>) -> Page {
        let request = self.request(Method::POST, "/imports").header(CONTENT_TYPE, FILE_FORM);
        self.send(request.body(body)).await
    }

    /// Waits until an upload is processed, which is slow in a test build; returns its page.
    pub(crate) async fn processed(&self, path: &str) -> Page {
        within(2 * TIMEOUT, Instant::now(), "the upload is processed", async || {
            let page = self.open(path).await;
            (!page.body.contains("<progress")).then_some(page)
        })
        .await
    }

    /// Downloads an export with the form of the account page.
    pub(crate) async fn export(&self, format: &str) -> Response {
        let form = self.open("/account").await.form("/account/export").with("format", format);
        let request = self.request(Method::POST, "/account/export").body(form.encoded());
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let response = with_headers(request, &OWN_SITE).send().await.expect("response");
        assert_eq!(response.status(), 200);
        response
    }

    /// Returns whether a person is signed in.
    pub(crate) async fn is_signed_in(&self) -> bool {
        let page = self.get("/account").await;
        if page.status == 200 {
            return true;
        }
        assert_eq!(page.own_location(), "/sign-in?to=account");
        false
    }
}

fn with_headers(request: RequestBuilder, headers: &[(&str, &str)]) -> RequestBuilder {
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
}
