//! An app or an attacker that sends HTTP requests to a running server.

use crate::e2e::app::{REDIRECT_URI, Registration, Tokens};
use crate::e2e::server::Server;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

/// Parameters of a request, in order.
#[derive(Clone, Debug)]
pub(super) struct Form(pub(super) Vec<(&'static str, String)>);

impl Form {
    /// Returns the contract's parameters of a code exchange.
    pub(super) fn of_code(registration: &Registration, code: &str) -> Self {
        Self(vec![("code", code.to_owned()), ("redirect_uri", REDIRECT_URI.to_owned())])
            .signed_by(registration)
    }

    /// Returns the contract's parameters of a refresh.
    pub(super) fn of_refresh(registration: &Registration, refresh: &str) -> Self {
        Self(vec![("refresh_token", refresh.to_owned()), ("user_id", registration.user_id.clone())])
            .signed_by(registration)
    }

    /// Replaces or adds a parameter.
    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.0.retain(|(given, _)| *given != name);
        self.0.push((name, value.to_owned()));
        self
    }

    /// Removes a parameter.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.0.retain(|(given, _)| *given != name);
        self
    }

    /// Sets the credentials of a client.
    pub(super) fn signed_by(self, client: &Registration) -> Self {
        self.with("client_id", &client.client_id).with("client_secret", &client.client_secret)
    }

    /// Removes the credentials.
    pub(super) fn unsigned(self) -> Self {
        self.without("client_id").without("client_secret")
    }

    /// Encodes the parameters as a query string or a form.
    pub(super) fn encoded(&self) -> String {
        let mut text = url::form_urlencoded::Serializer::new(String::new());
        text.extend_pairs(&self.0).finish()
    }
}

/// HTTP client of one server.
#[derive(Clone)]
pub(super) struct Caller {
    http: Client,
    base_url: String,
}

impl Caller {
    /// Creates a caller at 127.0.0.1.
    pub(super) fn new(server: &Server) -> Self {
        Self::from_address(server, Ipv4Addr::LOCALHOST)
    }

    /// Creates a caller at another loopback address.
    pub(super) fn from_address(server: &Server, address: Ipv4Addr) -> Self {
        Self::to(&server.base_url, address)
    }

    /// Creates a caller of any URL, at a loopback address.
    pub(super) fn to(base_url: &str, address: Ipv4Addr) -> Self {
        let builder = Client::builder().local_address(IpAddr::V4(address)).timeout(Duration::from_secs(20));
        Self { http: builder.build().expect("client"), base_url: base_url.to_owned() }
    }

    /// Starts a request; `path` starts after the host.
    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base_url))
    }

    /// Sends a GET with the parameters in the query string, as in the contract.
    pub(super) async fn get(&self, path: &str, form: &Form) -> Reply {
        Reply::to(self.request(Method::GET, &format!("{path}?{}", form.encoded()))).await
    }

    /// Sends a POST with the parameters in a form.
    pub(super) async fn post(&self, path: &str, form: &Form) -> Reply {
        Reply::to(self.request(Method::POST, path).form(&form.0)).await
    }

    /// Sends a GET with HTTP Basic and the other parameters in the query string.
    pub(super) async fn get_basic(&self, path: &str, pair: (&str, &str), form: &Form) -> Reply {
        let path = format!("{path}?{}", form.encoded());
        Reply::to(self.request(Method::GET, &path).header(AUTHORIZATION, basic(pair))).await
    }

    /// Reads a path with an access token.
    pub(super) async fn read(&self, token: &str, path: &str) -> Reply {
        Reply::to(self.request(Method::GET, path).bearer_auth(token)).await
    }

    /// Reads the profile of the token's own person.
    pub(super) async fn read_profile(&self, token: &str, registration: &Registration) -> Reply {
        self.read(token, &format!("/api/v1/profile/{}", registration.user_id)).await
    }

    /// Redeems a code.
    pub(super) async fn redeem(&self, registration: &Registration, code: &str) -> Reply {
        self.post("/api/token", &Form::of_code(registration, code)).await
    }

    /// Uses a refresh token.
    pub(super) async fn refresh(&self, registration: &Registration, token: &str) -> Reply {
        self.post("/api/refresh", &Form::of_refresh(registration, token)).await
    }
}

/// Encodes credentials as HTTP Basic, without form encoding.
pub(super) fn basic((id, secret): (&str, &str)) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// Complete response.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: String,
}

impl Reply {
    /// Sends a request and reads its response.
    pub(super) async fn to(request: RequestBuilder) -> Self {
        let answer: Response = request.send().await.expect("answer");
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Self { status, headers, body: answer.text().await.expect("body") }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("ASCII"))
    }

    pub(super) fn header_names(&self) -> BTreeSet<&str> {
        self.headers.keys().map(HeaderName::as_str).collect()
    }

    /// Parses the body.
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns a member of the body that must be a string.
    #[track_caller]
    pub(super) fn member(&self, name: &str) -> String {
        let body = self.json();
        body[name].as_str().unwrap_or_else(|| panic!("{name} is missing in {body}")).to_owned()
    }

    /// Checks a response with tokens, and returns the access token.
    #[track_caller]
    pub(super) fn access(&self) -> String {
        assert_eq!(self.status, 200, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.assert_guarded("no-store");
        assert_eq!(self.json()["expires_in"], 3600);
        self.member("access_token")
    }

    /// Checks the response to a redeemed code, and returns the tokens.
    #[track_caller]
    pub(super) fn tokens(&self) -> Tokens {
        Tokens { access: self.access(), refresh: self.member("refresh_token") }
    }

    /// Checks an error of a token endpoint with the common properties of all of them (T02, T102).
    #[track_caller]
    pub(super) fn assert_error(&self, status: u16, error: &str) {
        assert_eq!((self.status, self.member("error").as_str()), (status, error), "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.assert_guarded("no-store");
        let description = self.member("error_description");
        let printable = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
        assert!(description.bytes().all(printable), "{description}");
        assert_eq!(self.json().get("access_token"), None);
    }

    /// Checks an error of every other endpoint.
    #[track_caller]
    pub(super) fn assert_problem(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.member("code").as_str()), (status, code), "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert_eq!(self.json()["status"], status);
        self.assert_guarded("private, no-store");
    }

    /// Checks the headers against caching and framing (T02).
    #[track_caller]
    pub(super) fn assert_guarded(&self, cache_control: &str) {
        assert_eq!(self.header("cache-control"), Some(cache_control), "{self:?}");
        assert_eq!(self.header("pragma"), Some("no-cache"), "{self:?}");
        assert_eq!(self.header("referrer-policy"), Some("no-referrer"), "{self:?}");
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"), "{self:?}");
        assert_eq!(self.header("access-control-allow-origin"), None, "{self:?}");
    }

    /// Returns the body without the member that differs between requests.
    #[track_caller]
    pub(super) fn body_without_request_id(&self) -> String {
        match self.header("x-request-id") {
            Some(id) => self.body.replace(id, "-"),
            None => panic!("no request id: {self:?}"),
        }
    }
}
