//! Parameters of `GET /authorize`, as received.

/// A request parameter.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum ParameterValue<'a> {
    /// Absent or empty, which is the same (RFC 6749 section 3.1).
    #[default]
    Absent,
    /// Sent once, decoded.
    Once(&'a str),
    /// Sent more than once, or not valid text.
    Faulty,
}

/// Parameters of an authorization request. Unknown ones are ignored (RFC 6749 section 3.1).
#[derive(Clone, Copy, Default)]
pub struct AuthorizationParameters<'a> {
    /// `client_id`; `None` if absent, empty, repeated or malformed.
    pub client_id: Option<&'a str>,
    /// `redirect_uri`, which is required; `None` if absent, empty, repeated or malformed.
    pub redirect_uri: Option<&'a str>,
    /// `response_type`.
    pub response_type: ParameterValue<'a>,
    /// `scope`.
    pub scope: ParameterValue<'a>,
    /// `state`.
    pub state: ParameterValue<'a>,
    /// `code_challenge` (RFC 7636).
    pub code_challenge: ParameterValue<'a>,
    /// `code_challenge_method`.
    pub code_challenge_method: ParameterValue<'a>,
    /// `prompt` (OIDC Core 1.0 section 3.1.2.1).
    pub prompt: ParameterValue<'a>,
    /// `response_mode`.
    pub response_mode: ParameterValue<'a>,
    /// `login_hint`.
    pub login_hint: ParameterValue<'a>,
    /// `resource` (RFC 8707).
    pub resource: ParameterValue<'a>,
}
