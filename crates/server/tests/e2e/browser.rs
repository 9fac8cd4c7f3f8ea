//! A small browser: it keeps cookies, reads forms strictly out of the HTML, and sends them as Chromium does. It
//! follows no redirect by itself, so that a test sees each of them.
//!
//! Whatever it is shown, it checks what holds of every page and every redirect (security.md T02, T28, T31 to T33, T35).

mod cookie;
mod file_form;
mod html;
mod page;

pub(crate) use cookie::SetCookie;
pub(crate) use file_form::{FILE_FORM, file_form, file_form_with};
pub(crate) use page::{Page, PageForm};

use super::person::Person;
use super::server::Server;
use cookie::Jar;
use reqwest::header::{CONTENT_TYPE, COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

/// The cookies with an http public URL.
pub(crate) const SESSION: &str = "restwell_session";
pub(crate) const VISIT: &str = "restwell_visit";
pub(crate) const KNOWN_BROWSER: &str = "restwell_known_browser";

/// What Chromium sends with a form of a page under `Referrer-Policy: no-referrer`.
const OWN_SITE: [(&str, &str); 2] = [("origin", "null"), ("sec-fetch-site", "same-origin")];

/// A browser at one server; a clone shares the cookies.
#[derive(Clone)]
pub(crate) struct Browser {
    http: Client,
    base_url: String,
    jar: Jar,
}

impl Browser {
    /// Starts a browser that has been nowhere.
    pub(crate) fn new(server: &Server) -> Self {
        Self::from_address(server, Ipv4Addr::LOCALHOST)
    }

    /// Starts a browser at another loopback address.
    pub(crate) fn from_address(server: &Server, address: Ipv4Addr) -> Self {
        let http = Client::builder().local_address(IpAddr::V4(address)).redirect(Policy::none());
        let http = http.timeout(Duration::from_secs(20)).build().expect("client");
        Self { http, base_url: server.base_url.clone(), jar: Jar::default() }
    }

    /// The same browser, cookies and all, as a load balancer would lead it to another server.
    pub(crate) fn at(&self, server: &Server) -> Self {
        Self { base_url: server.base_url.clone(), ..self.clone() }
    }

    /// Another browser with a copy of the cookies, as a thief or a backup would have it.
    pub(crate) fn twin(&self) -> Self {
        Self { jar: self.jar.copy(), ..self.clone() }
    }

    /// Returns a cookie's value.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        self.jar.find(name)
    }

    /// Returns the cookie of the session, which there must be.
    #[track_caller]
    pub(crate) fn session(&self) -> String {
        self.cookie(SESSION).expect("nobody has signed in in this browser")
    }

    /// Puts a cookie in, as somebody with another way into the browser could.
    pub(crate) fn plant(&self, name: &str, value: &str) {
        self.jar.put(name, value);
    }

    /// Begins a request with the browser's cookies; `path` begins after the host.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base_url));
        match self.jar.header() {
            Some(cookies) => request.header(COOKIE, cookies),
            None => request,
        }
    }

    /// Sends a request, keeps the cookies of the answer, and checks it.
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

    /// Opens an address.
    pub(crate) async fn get(&self, path: &str) -> Page {
        self.get_with(path, &[]).await
    }

    /// Opens an address with more headers.
    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Page {
        self.send(with_headers(self.request(Method::GET, path), headers)).await
    }

    /// Opens a page that must be there.
    pub(crate) async fn open(&self, path: &str) -> Page {
        let page = self.get(path).await;
        assert_eq!(page.status, 200, "{path}: {page:?}");
        page
    }

    /// Sends a form as it was shown, and filled in.
    pub(crate) async fn submit(&self, form: &PageForm) -> Page {
        self.submit_with(form, &OWN_SITE).await
    }

    /// Sends a form with other headers than a browser that shows our page.
    pub(crate) async fn submit_with(&self, form: &PageForm, headers: &[(&str, &str)]) -> Page {
        self.post(&form.action, form.encoded(), headers).await
    }

    /// Sends any body as a form.
    pub(crate) async fn post(&self, path: &str, body: String, headers: &[(&str, &str)]) -> Page {
        let request = self.request(Method::POST, path).body(body);
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(with_headers(request, headers)).await
    }

    /// Follows a redirect, which must lead to a page of ours.
    pub(crate) async fn follow(&self, page: &Page) -> Page {
        self.get(&page.own_location()).await
    }

    /// Signs a person in on the page for it.
    pub(crate) async fn sign_in(&self, person: &Person) {
        let page = self.open("/sign-in").await;
        let answer = self.submit(&person.credentials(&page.form("/sign-in"))).await;
        assert_eq!(answer.own_location(), "/apps");
    }

    /// Returns whether somebody is signed in here.
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
