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
    let user = world.json(&[
        "user",
        "create",
        "--email",
        "sleeper@example.org",
        "--timezone",
        "Europe/Berlin",
        "--birth-date",
        "1985-04-12",
        "--json",
    ]);
    let mut arguments =
        vec!["client", "create", "--name", "Night Reader", "--redirect-uri", REDIRECT_URI, "--json"];
    arguments.extend(SCOPES.iter().flat_map(|scope| ["--scope", scope]));
    let client = world.json(&arguments);
    Registration {
        user_id: text(&user, "user_id"),
        client_id: text(&client, "client_id"),
        client_secret: text(&client, "client_secret"),
    }
}

/// Issues a code for these scopes through the command line.
pub(crate) fn code(world: &World, registration: &Registration, scopes: &[&str]) -> String {
    let mut arguments = vec![
        "code",
        "create",
        "--client",
        &registration.client_id,
        "--user",
        &registration.user_id,
        "--redirect-uri",
        REDIRECT_URI,
        "--json",
    ];
    arguments.extend(scopes.iter().flat_map(|scope| ["--scope", *scope]));
    text(&world.json(&arguments), "code")
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
