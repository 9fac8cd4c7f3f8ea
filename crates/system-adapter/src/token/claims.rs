//! Claims of access tokens (RFC 9068 section 2.2; decisions 3).

use super::TokenParties;
use super::json_object::JsonObject;
use super::verified_tokens::VerifiedToken;
use application::ports::system::InvalidToken;
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::{AccessClaims, LIFETIME_SECONDS, TokenSubject};
use domain::id::{ClientId, GrantId, TokenId, UserId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

/// Claims in the order in which they are written.
#[derive(Serialize)]
pub(crate) struct WrittenClaims<'a> {
    iss: &'a str,
    aud: Cow<'a, str>,
    sub: String,
    client_id: String,
    scope: String,
    iat: i64,
    exp: i64,
    jti: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    gid: Option<String>,
}

impl<'a> WrittenClaims<'a> {
    pub(crate) fn new(parties: &'a TokenParties, claims: &AccessClaims) -> Self {
        let (sub, gid) = match claims.subject {
            TokenSubject::Person { user_id, grant_id } => (user_id.to_string(), Some(grant_id.to_string())),
            TokenSubject::Service => (claims.client_id.to_string(), None),
        };
        Self {
            iss: &parties.issuer,
            aud: claims.audience.uri(&parties.audience),
            sub,
            client_id: claims.client_id.to_string(),
            scope: claims.scopes.to_string(),
            iat: claims.issued_at.timestamp(),
            exp: claims.expires_at.timestamp(),
            jti: claims.id.to_string(),
            gid,
        }
    }
}

/// Parses the body of a token with a valid signature; its validity period is checked separately.
///
/// Every claim must be present with its own type. Unknown claims are ignored (RFC 7519 section 4).
pub(super) fn parse(text: &[u8], parties: &TokenParties) -> Result<VerifiedToken, InvalidToken> {
    let body = JsonObject::parse(text)?;
    if body.text("iss")? != parties.issuer {
        return Err(InvalidToken);
    }
    let audience = audience(body.find("aud"), &parties.audience).ok_or(InvalidToken)?;
    let client_id = ClientId::parse(body.text("client_id")?).map_err(|_| InvalidToken)?;
    let issued_at = time(body.find("iat"))?;
    let expires_at = time(body.find("exp"))?;
    let life = expires_at - issued_at;
    if life <= TimeDelta::zero() || life > TimeDelta::seconds(i64::from(LIFETIME_SECONDS)) {
        return Err(InvalidToken);
    }
    let starts_at = match body.find("nbf") {
        None => issued_at,
        claim => time(claim)?.max(issued_at),
    };
    let claims = AccessClaims {
        id: TokenId::parse(body.text("jti")?).map_err(|_| InvalidToken)?,
        subject: subject(&body, client_id)?,
        client_id,
        scopes: ScopeSet::parse(body.text("scope")?).map_err(|_| InvalidToken)?,
        audience,
        issued_at,
        expires_at,
    };
    Ok(VerifiedToken { claims, starts_at })
}

/// A token with a grant belongs to a person. One without belongs to the client itself, and `sub` equals
/// `client_id`.
fn subject(body: &JsonObject, client_id: ClientId) -> Result<TokenSubject, InvalidToken> {
    let sub = body.text("sub")?;
    if body.find("gid").is_none() {
        let own = ClientId::parse(sub).is_ok_and(|sub| sub == client_id);
        return if own { Ok(TokenSubject::Service) } else { Err(InvalidToken) };
    }
    Ok(TokenSubject::Person {
        user_id: UserId::parse(sub).map_err(|_| InvalidToken)?,
        grant_id: GrantId::parse(body.text("gid")?).map_err(|_| InvalidToken)?,
    })
}

/// Returns the resource that `aud` names, alone or as the first of ours in a list of strings (RFC 7519
/// section 4.1.3). `api` is the identifier of the API.
fn audience(claim: Option<&Value>, api: &str) -> Option<Resource> {
    let named = |text: &str| Resource::ALL.into_iter().find(|resource| resource.uri(api) == text);
    match claim? {
        Value::String(one) => named(one),
        Value::Array(several) if several.iter().all(Value::is_string) => {
            several.iter().filter_map(Value::as_str).find_map(named)
        }
        _ => None,
    }
}

/// Parses whole seconds since 1970. RFC 7519 allows fractions, but our tokens have none.
fn time(claim: Option<&Value>) -> Result<DateTime<Utc>, InvalidToken> {
    claim
        .and_then(Value::as_u64)
        .and_then(|seconds| i64::try_from(seconds).ok())
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
        .ok_or(InvalidToken)
}
