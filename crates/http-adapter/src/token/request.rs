//! Parsed token request: grant, parameters and credentials.

use super::credentials::{self, Credentials};
use super::parameters::TokenParameters;
use crate::body::read_body;
use crate::caller::{address, used_from};
use crate::problem::{Fault, Problem};
use actix_web::HttpRequest;
use actix_web::web::Payload;
use application::token::QuerySecrets;
use domain::grant::UsedFrom;
use std::net::IpAddr;

/// Endpoint of a token request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// `/api/token`.
    Token,
    /// `/api/refresh`.
    Refresh,
}

/// Presented grant with its required parameters.
pub(super) enum PresentedGrant {
    Code { code: String, redirect_uri: String, code_verifier: Option<String> },
    RefreshToken { refresh_token: String, user_id: Option<String>, scope: Option<String>, echo: bool },
    Nothing { scope: Option<String> },
}

impl PresentedGrant {
    /// Returns the grant's name in RFC 6749.
    pub(super) const fn grant_type(&self) -> &'static str {
        match self {
            Self::Code { .. } => "authorization_code",
            Self::RefreshToken { .. } => "refresh_token",
            Self::Nothing { .. } => "client_credentials",
        }
    }
}

/// Well-formed token request; the client is not authenticated yet.
pub(super) struct TokenRequest {
    pub(super) presented: PresentedGrant,
    /// `resource`, as sent (RFC 8707).
    pub(super) resource: Option<String>,
    pub(super) credentials: Credentials,
    pub(super) in_query: QuerySecrets,
    pub(super) address: IpAddr,
    /// Address and user agent, for display to the person; never logged.
    pub(super) from: UsedFrom,
}

/// Reads the parameters. With [`read`], this is the order of decisions 2: size and framing, duplicates and
/// encoding, missing parameters.
pub(super) async fn parameters(request: &HttpRequest, payload: Payload) -> Result<TokenParameters, Problem> {
    let body = read_body(request, payload).await?;
    TokenParameters::read(request.query_string(), body.as_ref())
}

/// Parses a request with these parameters.
pub(super) fn read(
    endpoint: Endpoint,
    request: &HttpRequest,
    given: &mut TokenParameters,
) -> Result<TokenRequest, Problem> {
    given.take_fault()?;
    let given = &*given;
    let header = credentials::read_header(request)?;
    let presented = presented(endpoint, given)?;
    let credentials = credentials::choose(header, given)?;
    Ok(TokenRequest {
        presented,
        resource: given.get("resource").map(str::to_owned),
        credentials,
        in_query: given.in_query(),
        address: address(request),
        from: used_from(request),
    })
}

/// Well-formed request about one token; the client is not authenticated yet.
pub(super) struct SubmittedToken {
    pub(super) token: String,
    pub(super) hints_at_refresh_token: bool,
    pub(super) credentials: Credentials,
    pub(super) address: IpAddr,
}

/// Parses a revocation or introspection request, in the same order.
pub(super) async fn read_submitted_token(
    request: &HttpRequest,
    payload: Payload,
) -> Result<SubmittedToken, Problem> {
    let body = read_body(request, payload).await?;
    let given = TokenParameters::read_body_alone(request.query_string(), body.as_ref())?;
    let header = credentials::read_header(request)?;
    let token = given.require("token")?.to_owned();
    let hints_at_refresh_token = given.get("token_type_hint") == Some("refresh_token");
    let credentials = credentials::choose(header, &given)?;
    Ok(SubmittedToken { token, hints_at_refresh_token, credentials, address: address(request) })
}

/// Selects the grant. Without `grant_type` the endpoint determines it, as the contract requires.
fn presented(endpoint: Endpoint, given: &TokenParameters) -> Result<PresentedGrant, Problem> {
    let owned = |name| given.get(name).map(str::to_owned);
    match (endpoint, given.get("grant_type")) {
        (Endpoint::Token, None | Some("authorization_code")) => Ok(PresentedGrant::Code {
            code: given.require("code")?.to_owned(),
            redirect_uri: given.require("redirect_uri")?.to_owned(),
            code_verifier: owned("code_verifier"),
        }),
        (Endpoint::Refresh, None) => Ok(PresentedGrant::RefreshToken {
            refresh_token: given.require("refresh_token")?.to_owned(),
            user_id: Some(given.require("user_id")?.to_owned()),
            scope: owned("scope"),
            echo: false,
        }),
        (_, Some("refresh_token")) => Ok(PresentedGrant::RefreshToken {
            refresh_token: given.require("refresh_token")?.to_owned(),
            user_id: owned("user_id"),
            scope: owned("scope"),
            echo: true,
        }),
        (Endpoint::Token, Some("client_credentials")) => {
            Ok(PresentedGrant::Nothing { scope: owned("scope") })
        }
        (_, Some(_)) => Err(Problem::new(Fault::UnsupportedGrantType)),
    }
}
