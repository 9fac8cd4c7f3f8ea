//! Public apps: clients without a secret (RFC 6749 section 2.1, RFC 8252).

mod client;
mod document;
mod document_host;
mod refusal;
mod resource;
mod rotation;

use super::auth_request::{AuthRequest, allow, reach_consent};
use super::caller::{Caller, Form, Reply};
use crate::e2e::app::{REDIRECT_URI, Registration, SCOPES, Tokens, text};
use crate::e2e::browser::Browser;
use crate::e2e::person::Person;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const VERIFIER: &str = "a-verifier-of-43-to-128-unreserved-characters";

/// Redirect URI that the public app registers.
const LOOPBACK_URI: &str = "http://127.0.0.1/callback";

/// Server, person, browser, and a public app with all scopes.
struct PublicScene {
    // Before the world, whose folder contains its log.
    server: Server,
    world: World,
    person: Person,
    browser: Browser,
    /// Without a secret.
    app: Registration,
}

impl PublicScene {
    fn new(world: World) -> Self {
        let person = Person::create(&world, "sleeper@example.org");
        let app = register(&world, &person, LOOPBACK_URI);
        let server = world.serve();
        let browser = Browser::new(&server);
        Self { server, world, person, browser, app }
    }

    fn caller(&self) -> Caller {
        Caller::new(&self.server)
    }

    /// Returns the app's request, with its challenge, for this redirect URI.
    fn auth_request(&self, redirect_uri: &str) -> AuthRequest {
        AuthRequest::new(&self.app)
            .with("redirect_uri", redirect_uri)
            .with("code_challenge", &challenge())
            .with("code_challenge_method", "S256")
    }

    /// Returns the code for this request, which the person allows.
    async fn code(&self, asking: &AuthRequest, redirect_uri: &str) -> String {
        let consent = reach_consent(&self.browser, asking, &self.person).await;
        allow(&self.browser, &consent, &SCOPES).await.answer_to(redirect_uri)["code"].clone()
    }

    /// Connects the app; returns its tokens.
    async fn connect(&self) -> Tokens {
        let uri = "http://127.0.0.1:49152/callback";
        let code = self.code(&self.auth_request(uri), uri).await;
        self.caller().post("/api/token", &self.exchange(&code, uri)).await.tokens()
    }

    /// Returns the parameters that exchange a code.
    fn exchange(&self, code: &str, redirect_uri: &str) -> Form {
        Form::of_code(&self.app, code)
            .without("client_secret")
            .with("redirect_uri", redirect_uri)
            .with("code_verifier", VERIFIER)
    }

    async fn refresh(&self, token: &str) -> Reply {
        self.caller().post("/api/token", &self.refreshing(token)).await
    }

    /// Returns the parameters of a refresh as standard clients send them.
    fn refreshing(&self, token: &str) -> Form {
        let form = Form::of_refresh(&self.app, token).without("client_secret").without("user_id");
        form.with("grant_type", "refresh_token")
    }
}

/// Registers a public app with all scopes through the command line.
fn register(world: &World, person: &Person, redirect_uri: &str) -> Registration {
    let scopes = SCOPES.iter().flat_map(|scope| ["--scope", *scope]);
    let create = ["client", "create", "--public", "--json", "--name", "Owl CLI"];
    let create = create.into_iter().chain(["--redirect-uri", redirect_uri]).chain(scopes);
    let created = world.json(&create.collect::<Vec<_>>());
    assert_eq!(created.as_object().expect("an object").len(), 1, "only the id: {created}");
    Registration {
        user_id: person.user_id.clone(),
        client_id: text(&created, "client_id"),
        client_secret: String::new(),
    }
}

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, VERIFIER.as_bytes()))
}
