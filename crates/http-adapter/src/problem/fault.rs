//! The table of all errors, with their responses in both formats.

/// Log level of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// A mistake of the caller, or an error that is logged elsewhere; the operator need not act.
    Debug,
    /// Relevant for statistics: a caller is rejected.
    Info,
    /// A possible attack, or a slow dependency.
    Warn,
    /// The operator must act.
    Error,
}

/// Row of the table of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultRow {
    /// The HTTP status.
    pub status: u16,
    /// The stable problem `code`; also the anchor in the reference and the label of the metric.
    pub code: &'static str,
    /// The member `error` at the token endpoints (RFC 6749 section 5.2); `-` for faults that cannot occur
    /// there.
    pub oauth: &'static str,
    /// Log level.
    pub level: LogLevel,
    /// The problem `title`: the same for every occurrence (RFC 9457 section 3.1.3).
    pub title: &'static str,
    /// Meaning and remedy: the text of the reference, and the default of `detail`.
    /// ASCII without quotes and backslashes, because `error_description` allows no others.
    pub meaning: &'static str,
}

macro_rules! faults {
    ($($name:ident => $status:literal $code:literal $oauth:literal $level:ident
        $title:literal, $meaning:literal;)+) => {
        /// Every error that callers can see.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Fault {
            $(#[doc = $title] $name,)+
        }

        impl Fault {
            /// Every fault, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the fault's row of the table.
            pub const fn row(self) -> FaultRow {
                match self {
                    $(Self::$name => FaultRow {
                        status: $status,
                        code: $code,
                        oauth: $oauth,
                        level: LogLevel::$level,
                        title: $title,
                        meaning: $meaning,
                    },)+
                }
            }
        }
    };
}

faults! {
    InvalidRequest => 400 "invalid_request" "invalid_request" Debug
        "The request is malformed",
        "The request is ambiguous or cannot be parsed; detail says where.";
    InvalidParameter => 400 "invalid_parameter" "invalid_request" Debug
        "Invalid parameter",
        "One or more parameters are missing, empty, duplicate or out of range; errors lists them by field.";
    InvalidUserId => 400 "invalid_user_id" "-" Debug
        "The user id is not a UUID",
        "The user_id in the path is not a UUID in its 36-character form.";
    SecretInQuery => 400 "secret_in_query" "invalid_request" Warn
        "Secret in the query string",
        "Secrets are not accepted in the query string: send them in a POST body or with HTTP Basic, and rotate the secret that was sent.";
    MissingToken => 401 "missing_token" "-" Debug
        "Missing access token",
        "The request has no Authorization header with the Bearer scheme.";
    InvalidToken => 401 "invalid_token" "-" Info
        "Invalid access token",
        "The access token is malformed, expired, revoked or not intended for this server: request a new one.";
    InvalidClient => 401 "invalid_client" "invalid_client" Info
        "Client authentication failed",
        "The client is unknown, is disabled, or its secret is wrong.";
    OtherUser => 403 "other_user" "-" Info
        "The token belongs to another user",
        "The access token was not issued for the user in the path.";
    InsufficientScope => 403 "insufficient_scope" "-" Info
        "Insufficient scope",
        "The access token lacks the scope of this endpoint: ask the user to grant it. Only service clients can have write scopes.";
    InvalidGrant => 400 "invalid_grant" "invalid_grant" Info
        "Invalid code or refresh token",
        "The authorization code or refresh token is unknown, expired, used, revoked, or bound to another client, redirect URI, user or code verifier.";
    UnauthorizedClient => 400 "unauthorized_client" "unauthorized_client" Info
        "The client is not allowed to do this",
        "The client is not allowed to use this grant type.";
    UnsupportedGrantType => 400 "unsupported_grant_type" "unsupported_grant_type" Debug
        "Unsupported grant type",
        "This endpoint does not support the grant_type.";
    UnsupportedTokenType => 400 "unsupported_token_type" "unsupported_token_type" Debug
        "This kind of token cannot be revoked",
        "The access token of a service client has no grant and stays valid until it expires; disable the client to reject it immediately.";
    InvalidScope => 400 "invalid_scope" "invalid_scope" Debug
        "Invalid scope",
        "The scope is unknown, or exceeds what was granted.";
    InvalidTarget => 400 "invalid_target" "invalid_target" Debug
        "Invalid resource",
        "The resource is unknown, or is not the one that was granted.";
    InvalidForm => 400 "invalid_form" "-" Debug
        "The form cannot be read",
        "The browser sent fields that this form does not have, or invalid values. Go back, reload the page and try again.";
    InvalidAuthorizationRequest => 400 "invalid_authorization_request" "-" Info
        "This app cannot be connected",
        "The app is unknown, or it sent a return address that is not registered for it. Nothing was shared. Please contact the developer of the app.";
    RequestGone => 400 "request_gone" "-" Debug
        "This request has expired",
        "You have already decided, or it took too long. Go back to the app and start again.";
    LinkGone => 400 "link_gone" "-" Debug
        "This link no longer works",
        "It has been used, replaced by a newer one, or has expired. Ask for a new one.";
    ForeignForm => 403 "foreign_form" "-" Info
        "This form cannot be accepted",
        "The page was loaded too long ago or in another browser, or another site sent the form. Nothing was changed. Reload the page and try again.";
    ForeignOrigin => 403 "foreign_origin" "-" Info
        "Foreign origin",
        "A page on another site sent this request. Only pages of the sites in the setting cors.allowed_origins may send requests; programs need no Origin header.";
    OtherPersonsRequest => 403 "other_persons_request" "-" Info
        "This request belongs to someone else",
        "It was started by another person or in another browser. Go back to the app and start again.";
    DraftFull => 403 "app_not_approved" "-" Info
        "This app is not open to everyone yet",
        "The operator of this server has not reviewed the app yet, and it has reached its limit of test users. Nothing was shared. Please contact the developer of the app.";
    NotFound => 404 "not_found" "-" Debug
        "Not found",
        "There is nothing at this address. Paths have no trailing slash.";
    UnknownUser => 404 "unknown_user" "-" Debug
        "Unknown user",
        "There is no user with the user_id in the path: create the user first.";
    UnknownRecord => 404 "unknown_record" "-" Debug
        "Unknown record",
        "The user has no record with the id in the path, or it was already deleted.";
    MethodNotAllowed => 405 "method_not_allowed" "invalid_request" Debug
        "Method not allowed",
        "The Allow header lists the methods of this path.";
    RequestTimeout => 408 "request_timeout" "invalid_request" Debug
        "The request took too long to arrive",
        "The body did not arrive in time: send the request again.";
    CursorExpired => 410 "cursor_expired" "-" Debug
        "The cursor has expired",
        "Deletions since this cursor may no longer be recorded: read all changes again without a cursor, and delete every record that is not returned.";
    RequestInProgress => 409 "request_in_progress" "-" Debug
        "The same request is in progress",
        "A request with this Idempotency-Key has not finished: wait for Retry-After and send it again.";
    TooManyItems => 413 "too_many_items" "-" Debug
        "Too many items",
        "A request can have at most 10000 items: split it into several requests. Nothing was stored.";
    PayloadTooLarge => 413 "payload_too_large" "invalid_request" Debug
        "The body is too large",
        "A request body can have at most 16 KiB.";
    UriTooLong => 414 "uri_too_long" "invalid_request" Debug
        "The address is too long",
        "The path and the query string can have at most 8 KiB each.";
    UnsupportedMediaType => 415 "unsupported_media_type" "invalid_request" Debug
        "Unsupported media type",
        "Send application/x-www-form-urlencoded or application/json in UTF-8, without a content encoding.";
    IdempotencyKeyReused => 422 "idempotency_key_reused" "-" Info
        "Idempotency-Key already used for another request",
        "This key was used with a different method, path or body in the last 24 hours: use a new key for each request.";
    RateLimited => 429 "rate_limited" "-" Info
        "The daily limit is reached",
        "The client has reached its limit of requests per UTC day for this user and endpoint: wait for Retry-After.";
    TooManyFailures => 429 "too_many_failures" "temporarily_unavailable" Warn
        "Too many failed attempts",
        "The client failed to authenticate too often from this address: wait for Retry-After.";
    TooManyAttempts => 429 "too_many_attempts" "-" Warn
        "Too many attempts",
        "There were too many attempts in a short time. Wait for the time in Retry-After, then try again.";
    HeadersTooLarge => 431 "headers_too_large" "invalid_request" Debug
        "The headers are too large",
        "All request headers together can have at most 16 KiB.";
    InternalError => 500 "internal_error" "server_error" Error
        "Internal error",
        "Something went wrong on the server. The operator can find the cause with the request id.";
    StorageUnavailable => 503 "storage_unavailable" "temporarily_unavailable" Error
        "Storage is unavailable",
        "Try again after Retry-After. Resend an authorization code only if you can ask the user for a new one: a code that was redeemed before the connection was lost is treated as replayed.";
    Busy => 503 "busy" "-" Warn
        "Too many people are signing in right now",
        "Wait a few seconds and try again.";
    IngestBusy => 503 "ingest_busy" "-" Warn
        "No room for another request body",
        "Other request bodies use all memory or disk space reserved for them: send this one again after Retry-After. A body of less than 4 MiB is accepted sooner.";
    Overloaded => 503 "overloaded" "temporarily_unavailable" Debug
        "The server is overloaded",
        "The limit of concurrent requests is reached. This one was not processed: send it again after Retry-After.";
    TooManyAtOnce => 503 "too_many_at_once" "temporarily_unavailable" Warn
        "Too many concurrent requests",
        "The limit of concurrent requests or large responses for one user, app or token is reached: wait for them to finish, then send this one again after Retry-After.";
    NotReady => 503 "not_ready" "-" Debug
        "The server is not ready",
        "The server is starting, stopping or waiting for its storage: try again after Retry-After.";
}

impl FaultRow {
    /// Returns the member `error`, always non-empty: some clients would mistake a response of a token
    /// endpoint without it for a token (security.md T102).
    pub fn oauth_error(&self) -> &'static str {
        match self.oauth {
            "-" if self.status >= 500 => "server_error",
            "-" => "invalid_request",
            error => error,
        }
    }
}

impl Fault {
    /// Returns the fault for a bare status of a library's response.
    pub fn from_status(status: u16) -> Self {
        match status {
            404 => Self::NotFound,
            405 => Self::MethodNotAllowed,
            408 => Self::RequestTimeout,
            413 => Self::PayloadTooLarge,
            414 => Self::UriTooLong,
            415 => Self::UnsupportedMediaType,
            431 => Self::HeadersTooLarge,
            503 => Self::NotReady,
            400..=499 => Self::InvalidRequest,
            _ => Self::InternalError,
        }
    }

    /// Returns the default seconds of `Retry-After`.
    pub const fn default_retry_after(self) -> Option<u32> {
        match self {
            Self::StorageUnavailable
            | Self::NotReady
            | Self::Busy
            | Self::IngestBusy
            | Self::RequestInProgress => Some(5),
            Self::Overloaded | Self::TooManyAtOnce => Some(2),
            _ => None,
        }
    }
}
