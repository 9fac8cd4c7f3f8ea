//! What a client sends to `GET /authorize`, as it came.

/// One parameter, as far as it can be told apart.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Given<'a> {
    /// Not sent, or sent without a value, which is the same (RFC 6749 section 3.1).
    #[default]
    Absent,
    /// Sent once, decoded.
    Once(&'a str),
    /// Sent more than once, or no proper text.
    Faulty,
}

/// The parameters of an authorization request. Others are ignored (RFC 6749 section 3.1).
#[derive(Clone, Copy, Default)]
pub struct AuthorizationParameters<'a> {
    /// `client_id`; nothing when it is absent, empty, repeated or malformed.
    pub client_id: Option<&'a str>,
    /// `redirect_uri`; nothing when it is absent, empty, repeated or malformed. Must always be sent.
    pub redirect_uri: Option<&'a str>,
    /// `response_type`.
    pub response_type: Given<'a>,
    /// `scope`.
    pub scope: Given<'a>,
    /// `state`.
    pub state: Given<'a>,
    /// `code_challenge` (RFC 7636).
    pub code_challenge: Given<'a>,
    /// `code_challenge_method`.
    pub code_challenge_method: Given<'a>,
    /// `prompt` (OIDC Core 1.0 section 3.1.2.1).
    pub prompt: Given<'a>,
    /// `response_mode`.
    pub response_mode: Given<'a>,
    /// `login_hint`.
    pub login_hint: Given<'a>,
}
