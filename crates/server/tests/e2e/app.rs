//! An app: a registered client with its tokens.

use super::server::Server;
use super::world::World;
use reqwest::{Client as Http, Response, StatusCode};
use serde_json::Value;

/// Redirect URI of the test client.
pub(crate) const REDIRECT_URI: &str = "https://app.example.org/callback";

/// The three scopes that a person can grant.
pub(crate) const SCOPES: [&str; 3] = ["profile", "sleep", "supplements"];

/// Person and client created by the operator.
#[derive(Clone, Debug)]
pub(crate) struct Registration {
    pub(crate) user_id: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
}

/// Tokens from a redeemed code.
#[derive(Clone, Debug)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
}

/// Creates a person and a client through the command line.
pub(crate) fn register(world: &World) -> Registration {
    let user = ["user", "create", "--email", "sleeper@example.org", "--timezone", "Europe/Berlin"];
    let user = world.json(&[&user[..], &["--birth-date", "1985-04-12", "--json"]].concat());
    create_app(world, &text(&user, "user_id"), &["--name", "Night Reader", "--redirect-uri", REDIRECT_URI])
}

/// Registers an app with every scope for a person; the arguments contain its name and redirect URI.
pub(crate) fn create_app(world: &World, user_id: &str, arguments: &[&str]) -> Registration {
    let scopes: Vec<&str> = SCOPES.iter().flat_map(|scope| ["--scope", *scope]).collect();
    create_client(world, user_id, &[arguments, &scopes].concat())
}

/// Registers a service client with these scopes.
pub(crate) fn create_service(world: &World, user_id: &str, scopes: &[&str]) -> Registration {
    let scopes: Vec<&str> = scopes.iter().flat_map(|scope| ["--scope", *scope]).collect();
    create_client(world, user_id, &[&["--service", "--name", "Backend"][..], &scopes].concat())
}

fn create_client(world: &World, user_id: &str, arguments: &[&str]) -> Registration {
    let client = world.json(&[&["client", "create", "--json"], arguments].concat());
    Registration {
        user_id: user_id.to_owned(),
        client_id: text(&client, "client_id"),
        client_secret: text(&client, "client_secret"),
    }
}

/// Issues a code for these scopes through the command line.
pub(crate) fn code(world: &World, registration: &Registration, scopes: &[&str]) -> String {
    text(&world.json(&create_code(registration, scopes, "60s")), "code")
}

/// Returns the command that issues a code with this lifetime, such as `60s`.
pub(crate) fn create_code<'a>(
    of: &'a Registration,
    scopes: &[&'a str],
    time_to_live: &'a str,
) -> Vec<&'a str> {
    let create =
        ["code", "create", "--client", &of.client_id, "--user", &of.user_id, "--redirect-uri", REDIRECT_URI];
    let scopes = scopes.iter().flat_map(|scope| ["--scope", *scope]);
    create.into_iter().chain(scopes).chain(["--ttl", time_to_live, "--json"]).collect()
}

/// Sends a request to the token endpoint, with the contract's GET.
pub(crate) async fn ask_token(server: &Server, registration: &Registration, code: &str) -> Response {
    let parameters = [
        ("code", code),
        ("client_id", &registration.client_id),
        ("client_secret", &registration.client_secret),
        ("redirect_uri", REDIRECT_URI),
    ];
    let url = format!("{}/api/token", server.base_url);
    Http::new().get(url).query(&parameters).send().await.expect("answer")
}

/// Redeems a code that must be valid.
pub(crate) async fn redeem(server: &Server, registration: &Registration, code: &str) -> Tokens {
    let answer = ask_token(server, registration, code).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let body: Value = answer.json().await.expect("JSON");
    Tokens { access: text(&body, "access_token"), refresh: text(&body, "refresh_token") }
}

/// Sends a request to the refresh endpoint, with the contract's GET.
pub(crate) async fn ask_refresh(server: &Server, registration: &Registration, refresh: &str) -> Response {
    let parameters = [
        ("refresh_token", refresh),
        ("client_id", &registration.client_id),
        ("client_secret", &registration.client_secret),
        ("user_id", &registration.user_id),
    ];
    let url = format!("{}/api/refresh", server.base_url);
    Http::new().get(url).query(&parameters).send().await.expect("answer")
}

/// Reads a data endpoint; `path` starts after the host.
pub(crate) async fn read(server: &Server, token: &str, path: &str) -> Response {
    Http::new().get(format!("{}{path}", server.base_url)).bearer_auth(token).send().await.expect("answer")
}

/// Reads a data endpoint that must return 200.
pub(crate) async fn read_json(server: &Server, token: &str, path: &str) -> Value {
    let answer = read(server, token, path).await;
    let status = answer.status();
    let body: Value = answer.json().await.expect("JSON");
    assert_eq!(status, StatusCode::OK, "{path}: {body}");
    body
}

/// Returns a member that must be a string.
pub(crate) fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_else(|| panic!("{member} is missing in {value}")).to_owned()
}
