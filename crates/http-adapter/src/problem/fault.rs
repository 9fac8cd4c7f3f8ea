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
        "The request cannot be read without guessing; the detail says where.";
    InvalidParameter => 400 "invalid_parameter" "invalid_request" Debug
        "A parameter is not valid",
        "One or more parameters are absent, empty, given twice or outside of what is allowed; errors lists them field by field.";
    InvalidUserId => 400 "invalid_user_id" "-" Debug
        "The user id is not a UUID",
        "The user_id in the path is not a UUID in its 36-character form.";
    SecretInQuery => 400 "secret_in_query" "invalid_request" Warn
        "A secret was sent in the query string",
        "This server or this client does not accept secrets in a query string: send them in the body of a POST or with HTTP Basic, and rotate what was sent.";
    MissingToken => 401 "missing_token" "-" Debug
        "An access token is needed",
        "The request has no Authorization header with the scheme Bearer.";
    InvalidToken => 401 "invalid_token" "-" Info
        "The access token does not count",
        "The access token is malformed, expired, revoked or not meant for this server: fetch a new one.";
    InvalidClient => 401 "invalid_client" "invalid_client" Info
        "The client is not authenticated",
        "The client is unknown, is disabled, or its secret is wrong.";
    OtherUser => 403 "other_user" "-" Info
        "The token belongs to another user",
        "The access token was not issued for the user in the path.";
    InsufficientScope => 403 "insufficient_scope" "-" Info
        "The token does not allow this",
        "The access token lacks the scope of this endpoint: ask the person to grant it. Only a service client may hold a scope that writes.";
    InvalidGrant => 400 "invalid_grant" "invalid_grant" Info
        "The code or refresh token does not count",
        "The authorization code or refresh token is unknown, expired, used, revoked, or bound to another client, redirect URI, user or code verifier.";
    UnauthorizedClient => 400 "unauthorized_client" "unauthorized_client" Info
        "The client may not do this",
        "The client is not allowed to use this grant type.";
    UnsupportedGrantType => 400 "unsupported_grant_type" "unsupported_grant_type" Debug
        "The grant type is not supported here",
        "This endpoint does not know the grant_type.";
    UnsupportedTokenType => 400 "unsupported_token_type" "unsupported_token_type" Debug
        "This kind of token cannot be revoked",
        "A service client's own access token has no grant behind it and lives until it expires; disable the client to end it at once.";
    InvalidScope => 400 "invalid_scope" "invalid_scope" Debug
        "The scope is not valid",
        "The scope is unknown, or exceeds what was granted.";
    InvalidForm => 400 "invalid_form" "-" Debug
        "The form cannot be read",
        "What the browser sent is not what the page asked for: go back, load the page again and try once more.";
    InvalidAuthorizationRequest => 400 "invalid_authorization_request" "-" Info
        "This app cannot be connected",
        "The app sent an address that does not belong to it, or is not known here. Nothing was shared. Tell the people who make the app.";
    RequestGone => 400 "request_gone" "-" Debug
        "This request is over",
        "It was answered already, or it waited too long: go back to the app and begin again.";
    LinkGone => 400 "link_gone" "-" Debug
        "This link does not work any more",
        "It was used already, a newer one was sent, or it waited too long: ask for a new one.";
    ForeignForm => 403 "foreign_form" "-" Info
        "This form did not come from this page",
        "The page was loaded in another browser or too long ago, or another site sent the form. Nothing was changed: load the page again.";
    OtherPersonsRequest => 403 "other_persons_request" "-" Info
        "This request belongs to somebody else",
        "Another person or another browser began it: go back to the app and begin again.";
    NotFound => 404 "not_found" "-" Debug
        "There is nothing here",
        "No route has this path; paths have no trailing slash.";
    UnknownUser => 404 "unknown_user" "-" Debug
        "There is no such person",
        "Nobody has the user_id in the path: create the person first.";
    UnknownRecord => 404 "unknown_record" "-" Debug
        "There is no such record",
        "This person has no record with the id in the path, or it is deleted already.";
    MethodNotAllowed => 405 "method_not_allowed" "invalid_request" Debug
        "The method is not allowed here",
        "The header Allow lists the methods of this path.";
    RequestTimeout => 408 "request_timeout" "invalid_request" Debug
        "The request took too long to arrive",
        "The body did not arrive in time: send the request again.";
    CursorExpired => 410 "cursor_expired" "-" Debug
        "The cursor is too old",
        "Deletions since this cursor may be forgotten: read the changes again from the beginning, without a cursor, and delete what is not told.";
    RequestInProgress => 409 "request_in_progress" "-" Debug
        "The same request is being worked on",
        "A request with this Idempotency-Key is not answered yet: wait for Retry-After and send it again.";
    TooManyItems => 413 "too_many_items" "-" Debug
        "There are too many items",
        "A request may hold at most 10000 items: send them in several. Nothing was stored.";
    PayloadTooLarge => 413 "payload_too_large" "invalid_request" Debug
        "The body is too large",
        "A request body may have at most 16 KiB.";
    UriTooLong => 414 "uri_too_long" "invalid_request" Debug
        "The address is too long",
        "The path and the query string may have at most 8 KiB each.";
    UnsupportedMediaType => 415 "unsupported_media_type" "invalid_request" Debug
        "The body is of a kind that is not read here",
        "A body is application/x-www-form-urlencoded or application/json, in UTF-8, without a content coding.";
    IdempotencyKeyReused => 422 "idempotency_key_reused" "-" Info
        "The Idempotency-Key stands for another request",
        "This key came with another method, path or body within 24 hours: choose a new key for each request.";
    RateLimited => 429 "rate_limited" "-" Info
        "The daily limit is reached",
        "The client has made all requests of this UTC day that it may make for this person and endpoint: wait for Retry-After.";
    TooManyFailures => 429 "too_many_failures" "temporarily_unavailable" Warn
        "Too many failed attempts",
        "The client failed to authenticate too often from this address: wait for Retry-After.";
    TooManyAttempts => 429 "too_many_attempts" "-" Warn
        "Too many attempts",
        "This was tried too often in a short time: wait as long as Retry-After says, then try again.";
    HeadersTooLarge => 431 "headers_too_large" "invalid_request" Debug
        "The headers are too large",
        "All request headers together may have at most 16 KiB.";
    InternalError => 500 "internal_error" "server_error" Error
        "The server failed",
        "Something went wrong that the caller cannot change; the request id leads the operator to the cause.";
    StorageUnavailable => 503 "storage_unavailable" "temporarily_unavailable" Error
        "The store cannot be reached",
        "The request could not be served at this moment: try again after Retry-After. Send an authorization code again only if the person can be asked anew: one that was redeemed before the store broke off counts as replayed.";
    Busy => 503 "busy" "-" Warn
        "Too many people are signing in at this moment",
        "Wait a few seconds and try again.";
    IngestBusy => 503 "ingest_busy" "-" Warn
        "There is no room for another body",
        "The bodies of other requests take up the memory or the disk that there is for them: send this one again after Retry-After. A body of less than 4 MiB finds room sooner than a longer one.";
    Overloaded => 503 "overloaded" "temporarily_unavailable" Debug
        "The server has too much to do",
        "More requests came at once than are worked on at a time, and nothing was done for this one: send it again after Retry-After.";
    TooManyAtOnce => 503 "too_many_at_once" "temporarily_unavailable" Warn
        "Too much was asked for at the same time",
        "As many requests are worked on, or large answers on their way, as one person, app, token or address may have at a time: wait for those, then send this one again after Retry-After.";
    NotReady => 503 "not_ready" "-" Debug
        "The server is not ready",
        "The server is starting, stopping, or waits for its store: try again after Retry-After.";
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
    pub fn of_status(status: u16) -> Self {
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
