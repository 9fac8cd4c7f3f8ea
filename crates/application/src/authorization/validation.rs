//! Validates an authorization request whose client and redirect URI are known.
//!
//! The first error in this order is reported: a repeated parameter, `response_type`, `response_mode`,
//! `scope`, PKCE, `prompt`, `resource`.

use super::{AuthorizationParameters, ParameterValue};
use derive_more::Constructor;
use domain::authorization_response::AuthorizationErrorCode;
use domain::client::Client;
use domain::code::PkceChallenge;
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::user::Email;

/// Error sent to the app's redirect URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Constructor)]
pub(super) struct Refusal {
    pub(super) error: AuthorizationErrorCode,
    /// For developers, in printable ASCII; never contains request data.
    pub(super) description: &'static str,
}

impl Refusal {
    const fn request(description: &'static str) -> Self {
        Self::new(AuthorizationErrorCode::InvalidRequest, description)
    }

    const fn scope(description: &'static str) -> Self {
        Self::new(AuthorizationErrorCode::InvalidScope, description)
    }
}

/// A validated request.
pub(super) struct ValidatedRequest {
    /// At least one scope; all are allowed for the client and can be granted by a user.
    pub(super) scopes: ScopeSet,
    pub(super) challenge: Option<PkceChallenge>,
    pub(super) prompt: Prompt,
    pub(super) login_hint: Option<Email>,
    pub(super) resource: Resource,
}

/// Parsed `prompt` parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Prompt {
    pub(super) none: bool,
    pub(super) login: bool,
    pub(super) consent: bool,
}

/// Validates the parameters of a client's request. `public_url` is that of this server.
pub(super) fn validate(
    client: &Client,
    parameters: &AuthorizationParameters<'_>,
    public_url: &str,
) -> Result<ValidatedRequest, Refusal> {
    reject_invalid_parameters(parameters)?;
    check_response(parameters)?;
    let asked = ValidatedRequest {
        scopes: scopes(client, parameters.scope)?,
        challenge: challenge(client, parameters)?,
        prompt: prompt(parameters.prompt)?,
        // A malformed hint is ignored.
        login_hint: once(parameters.login_hint).and_then(|text| Email::parse(text).ok()),
        resource: resource(parameters.resource, public_url)?,
    };
    // MCP is for clients of OAuth 2.1, which all use PKCE (section 7.5.1). For the API the contract leaves it
    // open.
    if asked.resource == Resource::Mcp && asked.challenge.is_none() {
        return Err(Refusal::request("a request for the MCP endpoint must send code_challenge"));
    }
    Ok(asked)
}

/// Returns the text of a parameter that was sent once.
pub(super) const fn once(given: ParameterValue<'_>) -> Option<&str> {
    match given {
        ParameterValue::Once(text) => Some(text),
        ParameterValue::Absent | ParameterValue::Faulty => None,
    }
}

/// Rejects repeated parameters. `client_id` and `redirect_uri` are validated before.
fn reject_invalid_parameters(parameters: &AuthorizationParameters<'_>) -> Result<(), Refusal> {
    let AuthorizationParameters {
        client_id: _,
        redirect_uri: _,
        response_type,
        scope,
        state,
        code_challenge,
        code_challenge_method,
        prompt,
        response_mode,
        login_hint,
        resource,
    } = *parameters;
    let all = [
        response_type,
        scope,
        state,
        code_challenge,
        code_challenge_method,
        prompt,
        response_mode,
        login_hint,
        resource,
    ];
    if all.contains(&ParameterValue::Faulty) {
        return Err(Refusal::request("a parameter is repeated or is not valid text"));
    }
    Ok(())
}

fn check_response(parameters: &AuthorizationParameters<'_>) -> Result<(), Refusal> {
    match once(parameters.response_type) {
        None => return Err(Refusal::request("response_type is missing")),
        Some("code") => {}
        Some(_) => {
            let error = AuthorizationErrorCode::UnsupportedResponseType;
            return Err(Refusal::new(error, "response_type must be code"));
        }
    }
    match once(parameters.response_mode) {
        None | Some("query") => Ok(()),
        Some(_) => Err(Refusal::request("response_mode must be query")),
    }
}

/// Returns the requested scopes; without the parameter, all registered scopes that a user can grant (RFC 6749
/// section 3.3 leaves the default to the server). The user can untick any of them.
fn scopes(client: &Client, given: ParameterValue<'_>) -> Result<ScopeSet, Refusal> {
    let allowed = client.scopes.intersection(ScopeSet::CONSENTABLE);
    let asked = match once(given) {
        None => allowed,
        Some(text) => ScopeSet::parse(text).map_err(|_| unknown_scope(text))?,
    };
    if asked.is_empty() {
        return Err(Refusal::scope("no scope is requested"));
    }
    if !asked.is_subset_of(allowed) {
        return Err(Refusal::scope("a scope is not allowed for this client"));
    }
    Ok(asked)
}

/// Returns the refusal of an unknown scope, with help for a common mistake.
fn unknown_scope(text: &str) -> Refusal {
    let is_list = text.contains([',', ';', '+']);
    Refusal::scope(if is_list { "scopes are separated by spaces" } else { "a scope is unknown" })
}

/// Accepts only `S256`, which must be explicit: the default of RFC 7636 section 4.3 is `plain` (security.md
/// T40, T43).
fn challenge(
    client: &Client,
    parameters: &AuthorizationParameters<'_>,
) -> Result<Option<PkceChallenge>, Refusal> {
    match (once(parameters.code_challenge), once(parameters.code_challenge_method)) {
        (None, None) if client.require_pkce => Err(Refusal::request("this client must send code_challenge")),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(Refusal::request("code_challenge_method requires code_challenge")),
        (Some(text), Some("S256")) => PkceChallenge::parse(text)
            .map(Some)
            .map_err(|_| Refusal::request("code_challenge is not a base64url-encoded SHA-256 hash")),
        (Some(_), _) => Err(Refusal::request("code_challenge_method must be S256")),
    }
}

/// Returns the resource; without the parameter, the API. Several are not supported (RFC 8707 section 2).
fn resource(given: ParameterValue<'_>, public_url: &str) -> Result<Resource, Refusal> {
    let Some(text) = once(given) else { return Ok(Resource::Api) };
    let unknown = Refusal::new(AuthorizationErrorCode::InvalidTarget, "the resource is unknown");
    Resource::from_uri(text, public_url).map_err(|_| unknown)
}

/// Ignores unknown values (OIDC Core 1.0 section 3.1.2.1 leaves that open).
fn prompt(given: ParameterValue<'_>) -> Result<Prompt, Refusal> {
    let mut prompt = Prompt::default();
    let mut values = 0_usize;
    for value in once(given).unwrap_or_default().split(' ').filter(|value| !value.is_empty()) {
        values += 1;
        match value {
            "none" => prompt.none = true,
            // There is no account chooser: selecting an account means signing in with it.
            "login" | "select_account" => prompt.login = true,
            "consent" => prompt.consent = true,
            _ => {}
        }
    }
    if prompt.none && values > 1 {
        return Err(Refusal::request("prompt=none cannot be combined with other values"));
    }
    Ok(prompt)
}
