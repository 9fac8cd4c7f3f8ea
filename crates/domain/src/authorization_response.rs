//! Authorization response: the registered redirect URI with the parameters of RFC 6749 section 4.1.2 and RFC
//! 9207.

use crate::client::RedirectUri;
use crate::secret::{Secret, hide_in_debug};
use zeroize::Zeroizing;

/// Authorization errors (RFC 6749 section 4.1.2.1; OIDC Core 1.0 section 3.1.2.6 for the last two).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthorizationErrorCode {
    /// A parameter is missing, repeated or invalid.
    InvalidRequest,
    /// The response type is not `code`.
    UnsupportedResponseType,
    /// A scope is unknown or not allowed for the app.
    InvalidScope,
    /// The resource is unknown (RFC 8707 section 2).
    InvalidTarget,
    /// The person denied access or selected no scope.
    AccessDenied,
    /// `prompt=none`, but no person is signed in.
    LoginRequired,
    /// `prompt=none`, but the person has to be asked.
    ConsentRequired,
}

impl AuthorizationErrorCode {
    /// Returns the value of the `error` parameter.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidTarget => "invalid_target",
            Self::AccessDenied => "access_denied",
            Self::LoginRequired => "login_required",
            Self::ConsentRequired => "consent_required",
        }
    }
}

/// Destination of a response and its common parameters.
#[derive(Clone, Copy)]
pub struct ResponseTarget<'a> {
    /// One of the client's registered URIs; responses go nowhere else.
    pub redirect_uri: &'a RedirectUri,
    /// The client's `state`, returned unchanged; `None` if it sent none.
    pub state: Option<&'a str>,
    /// The configured issuer, never a value from the request (security.md T26).
    pub issuer: &'a str,
}

/// URI to which the browser is redirected. It may contain a code, so it is wiped on drop and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthorizationResponse(Zeroizing<String>);

impl AuthorizationResponse {
    /// Creates a response with a code.
    pub fn code(target: ResponseTarget<'_>, code: &Secret) -> Self {
        Self::with(target, &[("code", code.expose())])
    }

    /// Creates an error response; the description is for developers, in printable ASCII.
    pub fn error(
        target: ResponseTarget<'_>,
        error: AuthorizationErrorCode,
        description: &'static str,
    ) -> Self {
        Self::with(target, &[("error", error.as_str()), ("error_description", description)])
    }

    fn with(target: ResponseTarget<'_>, answer: &[(&str, &str)]) -> Self {
        let ResponseTarget { redirect_uri, state, issuer } = target;
        let state = state.map(|state| ("state", state));
        let parameters: Vec<_> = answer.iter().copied().chain(state).chain([("iss", issuer)]).collect();
        // Reserve the worst case, so that a reallocation leaves no copy of the code behind.
        let longest: usize =
            parameters.iter().map(|(name, value)| name.len() + value.len().saturating_mul(3) + 2).sum();
        let mut uri = Zeroizing::new(String::with_capacity(redirect_uri.as_str().len() + longest));
        uri.push_str(redirect_uri.as_str());
        for (name, value) in parameters {
            let separator = separator(&uri);
            uri.push_str(separator);
            uri.push_str(name);
            uri.push('=');
            push_encoded(&mut uri, value);
        }
        Self(uri)
    }

    /// Returns the URI for the `Location` header.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

hide_in_debug!(AuthorizationResponse);

/// Returns the separator before the next parameter: a registered URI may already have a query, even an empty
/// one.
fn separator(uri: &str) -> &'static str {
    match uri.split_once('?') {
        None => "?",
        Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
        Some(_) => "&",
    }
}

/// Percent-encodes everything but the unreserved characters of RFC 3986. A space becomes `%20`, because not
/// every parser reads `+` as a space.
fn push_encoded(uri: &mut String, value: &str) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let digit = |value: u8| DIGITS.get(usize::from(value & 0x0f)).copied().unwrap_or_default();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.extend(['%', digit(byte >> 4), digit(byte)]);
        }
    }
}

#[cfg(test)]
mod tests;
