//! The crate `oauth2` with Restwell: authorization, token, data, refresh, revocation, errors. With the
//! argument `mcp`, the crate `rmcp` at /mcp.

mod browser;
mod harness;
mod mcp;

use anyhow::Context;
use browser::Browser;
use harness::{ALLOWED, REQUESTED, Settings, check, check_rejected_within_limit};
use oauth2::basic::{
    BasicErrorResponse, BasicErrorResponseType, BasicRevocationErrorResponse,
    BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::{
    AuthUrl, AuthorizationCode, Client, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet,
    ExtraTokenFields, HttpRequest, HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl,
    RefreshToken, RequestTokenError, RevocationUrl, Scope, StandardRevocableToken, StandardTokenResponse,
    SyncHttpClient, TokenResponse, TokenUrl,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::time::Duration;
use url::Url;

/// Members of Restwell's token responses beyond the standard.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct UserFields {
    user_id: String,
}

impl ExtraTokenFields for UserFields {}

type Tokens = StandardTokenResponse<UserFields, BasicTokenType>;
type App = Client<
    BasicErrorResponse,
    Tokens,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
    EndpointSet,
>;
type Http = reqwest::blocking::Client;
type RequestError = RequestTokenError<<Http as SyncHttpClient>::Error, BasicErrorResponse>;

/// One authorization through the pages.
struct Authorization {
    parameters: HashMap<String, String>,
    verifier: PkceCodeVerifier,
}

fn main() -> anyhow::Result<()> {
    if std::env::args().nth(1).is_some_and(|argument| argument == "mcp") {
        return mcp::run();
    }
    let (settings, mut browser) = Settings::read()?;
    let app = configure(&settings, &settings.client_secret)?;
    let http = Http::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build()?;
    granted(&settings, &app, &mut browser, &http)?;
    denied(&settings, &app, &mut browser)?;
    replayed(&settings, &app, &mut browser, &http)
}

fn configure(settings: &Settings, secret: &str) -> anyhow::Result<App> {
    let base = &settings.base;
    // The crate revokes over https only.
    let revocation = format!("{base}/oauth/revoke").replacen("http:", "https:", 1);
    Ok(Client::new(ClientId::new(settings.client_id.clone()))
        .set_client_secret(ClientSecret::new(secret.to_owned()))
        .set_auth_uri(AuthUrl::new(format!("{base}/authorize"))?)
        .set_token_uri(TokenUrl::new(format!("{base}/api/token"))?)
        .set_revocation_url(RevocationUrl::new(revocation)?)
        .set_redirect_uri(RedirectUrl::new(settings.redirect_uri.clone())?))
}

fn granted(settings: &Settings, app: &App, browser: &mut Browser, http: &Http) -> anyhow::Result<()> {
    let authorization = authorize(settings, app, browser, Some(&ALLOWED))?;
    check("authorize: sign-in and consent", browser.pages == ["/sign-in", "/consent"], &browser.pages)?;
    check("authorize: the page offers the requested scopes", browser.offered == REQUESTED, &browser.offered)?;

    let with_wrong_secret = configure(settings, "rws_wrong")?;
    check_error(
        "token: a wrong secret is invalid_client",
        redeem(&with_wrong_secret, &authorization, http),
        &INVALID_CLIENT,
    )?;
    let tokens = redeem(app, &authorization, http)?;
    let bearer = tokens.token_type() == &BasicTokenType::Bearer;
    check("token: Bearer for an hour", bearer && tokens.expires_in() == Some(HOUR), tokens.expires_in())?;
    let scopes: Vec<&str> = tokens.scopes().into_iter().flatten().map(|scope| scope.as_str()).collect();
    check("token: the granted scopes", scopes == ALLOWED, &scopes)?;

    let url = format!("{}/api/v1/profile/{}", settings.base, tokens.extra_fields().user_id);
    let profile: serde_json::Value =
        http.get(&url).bearer_auth(tokens.access_token().secret()).send()?.json()?;
    check("profile: read", profile["data"]["scopes"] == serde_json::json!(ALLOWED), &profile)?;

    let refresh_token = tokens.refresh_token().context("no refresh token")?;
    let fresh = refresh(app, refresh_token, http)?;
    let token = fresh.access_token().secret();
    check("refresh: a new access token", token != tokens.access_token().secret(), "the same")?;
    let status = http.get(&url).bearer_auth(token).send()?.status();
    check("refresh: the new access token is accepted", status == 200, status)?;

    app.revoke_token(refresh_token.clone().into())?.request(&|request| send_over_http(http, request))?;
    check("revoke: accepted", true, "")?;
    check_error("revoke: the refresh token is rejected", refresh(app, refresh_token, http), &INVALID_GRANT)?;
    check_rejected_within_limit("revoke: the access token is rejected", http, &url, token)
}

fn denied(settings: &Settings, app: &App, browser: &mut Browser) -> anyhow::Result<()> {
    let authorization = authorize(settings, app, browser, None)?;
    check(
        "deny: consent only, because the user is signed in",
        browser.pages == ["/consent"],
        &browser.pages,
    )?;
    // The crate leaves parsing the callback to the app.
    let denied = authorization.parameters.get("error").is_some_and(|error| error == "access_denied");
    check(
        "deny: access_denied",
        denied && !authorization.parameters.contains_key("code"),
        authorization.parameters.keys(),
    )
}

fn replayed(settings: &Settings, app: &App, browser: &mut Browser, http: &Http) -> anyhow::Result<()> {
    let authorization = authorize(settings, app, browser, Some(&ALLOWED))?;
    let tokens = redeem(app, &authorization, http)?;
    check_error("replay: a used code is invalid_grant", redeem(app, &authorization, http), &INVALID_GRANT)?;
    let refresh_token = tokens.refresh_token().context("no refresh token")?;
    check_error("replay: the grant is revoked", refresh(app, refresh_token, http), &INVALID_GRANT)
}

fn authorize(
    settings: &Settings,
    app: &App,
    browser: &mut Browser,
    allow: Option<&[&str]>,
) -> anyhow::Result<Authorization> {
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (url, state) = app
        .authorize_url(CsrfToken::new_random)
        .add_scopes(REQUESTED.map(|scope| Scope::new(scope.to_owned())))
        .set_pkce_challenge(challenge)
        .url();
    let callback: Url = browser.authorize(&url, &settings.redirect_uri, allow)?;
    let parameters: HashMap<String, String> = callback.query_pairs().into_owned().collect();
    let is = |name: &str, value: &String| parameters.get(name) == Some(value);
    check(
        "authorize: state and iss",
        is("state", state.secret()) && is("iss", &settings.base),
        parameters.keys(),
    )?;
    Ok(Authorization { parameters, verifier })
}

fn redeem(app: &App, authorization: &Authorization, http: &Http) -> Result<Tokens, RequestError> {
    let code = AuthorizationCode::new(authorization.parameters.get("code").cloned().unwrap_or_default());
    let verifier = PkceCodeVerifier::new(authorization.verifier.secret().clone());
    app.exchange_code(code).set_pkce_verifier(verifier).request(http)
}

fn refresh(app: &App, token: &RefreshToken, http: &Http) -> Result<Tokens, RequestError> {
    app.exchange_refresh_token(token).request(http)
}

const HOUR: Duration = Duration::from_hours(1);
const INVALID_CLIENT: BasicErrorResponseType = BasicErrorResponseType::InvalidClient;
const INVALID_GRANT: BasicErrorResponseType = BasicErrorResponseType::InvalidGrant;

/// Checks that a request fails with this error of the crate.
fn check_error(
    what: &str,
    result: Result<Tokens, RequestError>,
    expected: &BasicErrorResponseType,
) -> anyhow::Result<()> {
    match result {
        Err(RequestTokenError::ServerResponse(error)) => {
            check(what, error.error() == expected, error.error())
        }
        Err(other) => check(what, false, other),
        Ok(_) => check(what, false, "tokens"),
    }
}

/// Sends an https request over plain http: the crate revokes over https only, which loopback does not have.
fn send_over_http(
    http: &Http,
    mut request: HttpRequest,
) -> Result<HttpResponse, <Http as SyncHttpClient>::Error> {
    let plain = request.uri().to_string().replacen("https:", "http:", 1);
    if let Ok(uri) = plain.parse() {
        *request.uri_mut() = uri;
    }
    http.call(request)
}
