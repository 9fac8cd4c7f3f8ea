//! Participants: the owner of the data, others, their apps, and all of their credentials.

use super::sample;
use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, code, create_service, text};
use crate::e2e::browser::{Browser, FILE_FORM, VISIT, file_form};
use crate::e2e::person::{Person, app_of};
use crate::e2e::security::caller::{Caller, Form};
use crate::e2e::security::page::developer::new_app;
use crate::e2e::security::page::token::make_token;
use crate::e2e::security::party::another_client;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use chrono::TimeDelta;
use domain::form_token::FormToken;
use domain::scope::{Scope, ScopeSet};
use domain::secret::{Secret, SecretKind};
use http_adapter::{Credential, Endpoint};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use std::collections::HashMap;

/// Cookies of a browser.
#[derive(Clone, Debug)]
pub(super) struct Cookies {
    pub(super) session: Option<String>,
    pub(super) visit: String,
}

impl Cookies {
    /// Returns the header `Cookie`.
    pub(super) fn header(&self) -> String {
        let session = self.session.iter().map(|session| format!("restwell_session={session}; "));
        session.chain([format!("restwell_visit={}", self.visit)]).collect()
    }

    /// Returns the form token for visitors.
    pub(super) fn token_of_visit(&self) -> String {
        token(SecretKind::Visit, &self.visit)
    }

    /// Returns the form token for signed-in people; in a signed-out browser, that of the visit.
    pub(super) fn token_of_session(&self) -> String {
        match &self.session {
            Some(session) => token(SecretKind::Session, session),
            None => self.token_of_visit(),
        }
    }
}

fn token(kind: SecretKind, cookie: &str) -> String {
    FormToken::derive(&Secret::parse(kind, cookie).expect("cookie")).expose().to_owned()
}

/// All participants and their credentials.
pub(super) struct Cast {
    http: Client,
    base_url: String,
    browser: Browser,
    owners_browser: Browser,
    caller: Caller,
    pub(super) world: World,
    /// Owner of the data and of the browser.
    pub(super) owner: Person,
    /// Person who resets a password, so that the owner's stays the same.
    pub(super) forgetful: Person,
    /// App with the owner's grants.
    pub(super) app: Registration,
    /// Another app, to be disconnected.
    pub(super) other_app: Registration,
    service: Registration,
    bearers: HashMap<(Credential, Scope), String>,
    /// Owner's browser for safe methods.
    pub(super) owners: Cookies,
    pub(super) strangers: Cookies,
    pub(super) ended: Cookies,
    pub(super) visitors: Cookies,
}

impl Cast {
    pub(super) async fn new(server: &Server, world: World) -> Self {
        let http = Client::builder().redirect(Policy::none()).build().expect("client");
        let [owner, stranger, forgetful] = ["owner", "stranger", "forgetful"]
            .map(|name| Person::create(&world, &format!("{name}@example.org")));
        let app = app_of(&world, &owner, &["--name", "Night Reader", "--redirect-uri", REDIRECT_URI]);
        let other_app = another_client(&world, &app);
        let services = Scope::ALL.into_iter().filter(|scope| !scope.by_consent());
        let services: Vec<&str> = services.map(Scope::as_str).collect();
        let service = create_service(&world, &owner.user_id, &services);
        let caller = Caller::new(server);
        let expired = caller.redeem(&app, &code(&world, &app, &SCOPES)).await.tokens().access;
        let browser = Browser::new(server);
        browser.sign_in(&owner).await;
        let expired_personal = make_token(&browser, "Old script", &SCOPES).await;
        world.advance(TimeDelta::days(400));
        let (browser, owners_browser) = (Browser::new(server), Browser::new(server));
        let strangers_browser = Browser::new(server);
        let ended = sign_in(&Browser::new(server), &owner).await;
        let mut cast = Self {
            http,
            base_url: server.base_url.clone(),
            caller,
            world,
            app,
            other_app,
            service,
            bearers: HashMap::new(),
            owners: sign_in(&owners_browser, &owner).await,
            strangers: sign_in(&strangers_browser, &stranger).await,
            visitors: visit(&browser).await,
            browser,
            owners_browser,
            owner,
            forgetful,
            ended,
        };
        cast.sign_out(&cast.ended).await;
        cast.fill_bearers(&stranger, &strangers_browser, [expired, expired_personal]).await;
        cast.stored(Endpoint::Catalogue, &sample::label()).await;
        cast
    }

    /// Starts a request; `path` starts after the host.
    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base_url))
    }

    /// Returns the token of a credential, for an endpoint that requires this scope.
    pub(super) fn bearer(&self, credential: Credential, needed: Scope) -> Option<&str> {
        self.bearers.get(&(credential, needed)).map(String::as_str)
    }

    /// Returns an access token with all scopes.
    pub(super) fn best_token(&self) -> &str {
        self.bearer(Credential::Token, Scope::Profile).expect("token")
    }

    /// Signs the owner in in a new browser.
    pub(super) async fn fresh_browser(&self) -> Cookies {
        sign_in(&self.browser.twin(), &self.owner).await
    }

    /// Redeems a code as an app; returns the refresh token.
    pub(super) async fn grant(&self) -> String {
        let code = code(&self.world, &self.app, &SCOPES);
        self.caller.redeem(&self.app, &code).await.tokens().refresh
    }

    /// Returns a link with which the forgetful person can set a password.
    pub(super) fn link(&self) -> String {
        let reset = ["user", "reset-password", &self.forgetful.user_id, "--json"];
        let link = text(&self.world.json(&reset), "password_link");
        link.split_once("link=").expect("link").1.to_owned()
    }

    /// Creates a personal token of the owner; returns its text and its id.
    pub(super) async fn personal_token(&self) -> (String, String) {
        let list = || self.world.json_lines(&["token", "list", "--user", &self.owner.user_id, "--json"]);
        let name = format!("Script {}", list().len());
        let secret = make_token(&self.owners_browser, &name, &SCOPES).await;
        let tokens = list();
        let token = tokens.iter().find(|token| token["name"] == name.as_str()).expect("token");
        (secret, text(token, "token_id"))
    }

    /// Starts an authorization request in this browser; returns its id.
    pub(super) async fn begin(&self, parameters: Form, cookies: &Cookies) -> String {
        let request = self.request(Method::GET, &format!("/authorize?{}", parameters.encoded()));
        let answer = request.header("cookie", cookies.header()).send().await.expect("answer");
        let location = answer.headers()["location"].to_str().expect("ASCII").to_owned();
        let id = location.strip_prefix("/consent?request=");
        id.unwrap_or_else(|| panic!("sent to {location}")).to_owned()
    }

    /// Uploads a file in an unknown format as the owner; returns the id of its import.
    pub(super) async fn uploaded(&self) -> String {
        let body = file_form(Some(&self.owners.token_of_session()), "export.txt", b"no export at all");
        let request = self.request(Method::POST, "/imports").header("cookie", self.owners.header());
        let answer = request.header("content-type", FILE_FORM).body(body).send().await.expect("answer");
        let location = answer.headers()["location"].to_str().expect("ASCII").to_owned();
        location.strip_prefix("/imports/").expect("an import").to_owned()
    }

    /// Creates a product of the owner's own; returns its id.
    pub(super) async fn own_product(&self) -> String {
        let form = self.owners_browser.open("/supplements/product").await.form("/supplements/product");
        let saved = self.owners_browser.submit(&form.with("name", "Tea")).await.own_location();
        let id = saved.strip_prefix("/supplements/add?supplement=").expect("a product");
        id.split('&').next().expect("an id").to_owned()
    }

    /// Logs an intake as the owner; returns the id of the entry.
    pub(super) async fn own_entry(&self) -> String {
        let path = format!("/supplements/add?supplement={}", self.own_product().await);
        let form = self.owners_browser.open(&path).await.form("/supplements/add");
        let done = self.owners_browser.submit(&form).await;
        let page = self.owners_browser.follow(&done).await;
        let (_, after) = page.body.rsplit_once("/supplements/change?entry=").expect("an entry");
        after.split('"').next().expect("an id").to_owned()
    }

    /// Returns the id of an app that the owner registered.
    pub(super) async fn own_app(&self) -> String {
        let page = self.owners_browser.open("/developer").await;
        if let Some((_, after)) = page.body.split_once("href=\"/developer/") {
            return after.split('"').next().expect("an id").to_owned();
        }
        let page = self.owners_browser.submit(&new_app(&self.owners_browser).await).await;
        page.form("/developer/change").value("client").to_owned()
    }

    /// Returns the ids of that app and of its newest secret.
    pub(super) async fn own_secret(&self) -> String {
        let client = self.own_app().await;
        let page = self.owners_browser.open(&format!("/developer/{client}")).await;
        format!("{client} {}", page.form("/developer/rotate-secret").value("newest"))
    }

    /// Creates a webhook endpoint of that app; returns the ids of both and of the endpoint's secret.
    pub(super) async fn own_webhook(&self) -> String {
        let client = self.own_app().await;
        let form = self.owners_browser.open(&format!("/developer/webhooks/{client}")).await;
        let form = form.form("/developer/webhooks/create").with("url", "https://hooks.example/x");
        let page = self.owners_browser.submit(&form).await;
        let form = page.forms("/developer/webhooks/rotate-secret").remove(0);
        format!("{client} {} {}", form.value("endpoint"), form.value("newest"))
    }

    /// Returns the ids of that app and of a sandbox person of the owner.
    pub(super) async fn sandbox_person(&self) -> String {
        let client = self.own_app().await;
        let path = format!("/developer/{client}");
        if self.owners_browser.open(&path).await.forms("/developer/sandbox/code").is_empty() {
            let form = self.owners_browser.open("/developer").await.form("/developer/sandbox/create");
            self.owners_browser.submit(&form).await.own_location();
        }
        let form = self.owners_browser.open(&path).await.form("/developer/sandbox/code");
        format!("{client} {}", form.value("person"))
    }

    async fn sign_out(&self, cookies: &Cookies) {
        let form = [("form_token", cookies.token_of_session())];
        let request = self.request(Method::POST, "/sign-out").header("cookie", cookies.header()).form(&form);
        assert_eq!(request.send().await.expect("answer").status(), 200);
    }

    async fn fill_bearers(&mut self, stranger: &Person, strangers: &Browser, expired: [String; 2]) {
        let strangers_app = Registration { user_id: stranger.user_id.clone(), ..self.app.clone() };
        let whole = self.access_token(&self.app, &SCOPES).await;
        let foreign = self.access_token(&strangers_app, &SCOPES).await;
        let [expired, expired_personal] = expired;
        let revoked = self.revoked_token().await;
        let service = self.service_token(ScopeSet::INGEST).await;
        let personal = make_token(&self.owners_browser, "Script", &SCOPES).await;
        let foreign_personal = make_token(strangers, "Script", &SCOPES).await;
        let (revoked_personal, revoked_id) = self.personal_token().await;
        self.world.ok(&["token", "revoke", "--user", &self.owner.user_id, "--id", &revoked_id]);
        for needed in ScopeSet::CONSENTABLE.iter() {
            let others: Vec<&str> = SCOPES.into_iter().filter(|scope| *scope != needed.as_str()).collect();
            let narrow = self.access_token(&self.app, &others).await;
            let narrow_personal = make_token(&self.owners_browser, "Narrow script", &others).await;
            for (credential, token) in [
                (Credential::Token, &whole),
                (Credential::TokenOfOtherScope, &narrow),
                (Credential::TokenOfAnother, &foreign),
                (Credential::RevokedToken, &revoked),
                (Credential::ExpiredToken, &expired),
                (Credential::PersonalToken, &personal),
                (Credential::PersonalTokenOfOtherScope, &narrow_personal),
                (Credential::PersonalTokenOfAnother, &foreign_personal),
                (Credential::RevokedPersonalToken, &revoked_personal),
                (Credential::ExpiredPersonalToken, &expired_personal),
                (Credential::ServiceToken, &service),
            ] {
                self.bearers.insert((credential, needed), token.clone());
            }
            let narrow_service = self.service_token([Scope::UsersWrite].into_iter().collect()).await;
            self.bearers.insert((Credential::ServiceTokenOfOtherScope, needed), narrow_service);
        }
        for needed in ScopeSet::INGEST.iter() {
            let others = ScopeSet::INGEST.iter().filter(|scope| *scope != needed).collect();
            let narrow_service = self.service_token(others).await;
            self.bearers.insert((Credential::ServiceTokenOfOtherScope, needed), narrow_service);
            // Endpoints that write reject tokens of people whatever their scopes.
            let of_person: Vec<_> = Credential::ALL
                .into_iter()
                .filter_map(|one| Some((one, self.bearers.get(&(one, Scope::Profile))?.clone())))
                .filter(|(one, _)| *one != Credential::ServiceTokenOfOtherScope)
                .collect();
            self.bearers.extend(of_person.into_iter().map(|(one, token)| ((one, needed), token)));
        }
    }

    /// Stores one item as a backend; returns its id.
    pub(super) async fn stored(&self, endpoint: Endpoint, item: &Value) -> String {
        let token = self.bearer(Credential::ServiceToken, Scope::SleepWrite).expect("token");
        let path = endpoint.path().replace("{user_id}", &self.owner.user_id);
        let answer = self.request(Method::POST, &path).bearer_auth(token).json(item).send().await;
        let answer: Value = answer.expect("answer").json().await.expect("JSON");
        answer["results"][0]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn access_token(&self, of: &Registration, scopes: &[&str]) -> String {
        let code = code(&self.world, of, scopes);
        self.caller.redeem(of, &code).await.tokens().access
    }

    /// Returns a token of a separate app, whose grants were then revoked.
    async fn revoked_token(&self) -> String {
        let app = another_client(&self.world, &self.app);
        let token = self.access_token(&app, &SCOPES).await;
        self.world.ok(&["grant", "revoke", "--user", &app.user_id, "--client", &app.client_id]);
        token
    }

    async fn service_token(&self, scopes: ScopeSet) -> String {
        let form = vec![("grant_type", "client_credentials".to_owned()), ("scope", scopes.to_string())];
        let form = Form(form).signed_by(&self.service);
        self.caller.post("/api/token", &form).await.access()
    }
}

async fn sign_in(browser: &Browser, person: &Person) -> Cookies {
    browser.sign_in(person).await;
    Cookies { session: Some(browser.session()), ..cookies_of_visit(browser) }
}

async fn visit(browser: &Browser) -> Cookies {
    browser.open("/sign-in").await;
    cookies_of_visit(browser)
}

fn cookies_of_visit(browser: &Browser) -> Cookies {
    Cookies { session: None, visit: browser.cookie(VISIT).expect("the cookie of a visit") }
}
