//! Why a metadata document is not used.

use super::InvalidMetadataUrl;
use crate::outbound::OutboundError;

/// Why a client with a metadata document is rejected; shown to developers. Never repeats the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// The URL cannot be that of a metadata document.
    #[error(transparent)]
    Url(#[from] InvalidMetadataUrl),
    /// The operator accepts no documents.
    #[error("this server does not accept a URL as client_id")]
    Off,
    /// The operator does not accept documents of this host.
    #[error("the operator of this server has not listed the host of the client_id")]
    HostNotListed,
    /// No response. The page does not say why: strangers could use it to explore the server's network.
    #[error("the document could not be fetched; the operator of this server can find the reason in the log")]
    NoResponse(#[from] OutboundError),
    /// Too many other documents are being fetched.
    #[error("too many other documents are being fetched at the moment")]
    Busy,
    /// A status other than 200.
    #[error("the document must be served with status 200; redirects are not followed")]
    Status,
    /// Too long.
    #[error("the document must not be larger than 5 KB")]
    TooLarge,
    /// A `Content-Type` other than JSON.
    #[error("the document must be served as application/json")]
    ContentType,
    /// Not a JSON object, or a member of another type.
    #[error("the document must be a JSON object whose members have the types of RFC 7591")]
    NotJson,
    /// `client_id` is missing or another one.
    #[error("the document's client_id must be the URL of the document, character for character")]
    OtherClientId,
    /// It has a secret.
    #[error("the document must have neither client_secret nor client_secret_expires_at")]
    Secret,
    /// The client would have to authenticate.
    #[error(
        "token_endpoint_auth_method must be none: this server supports neither private_key_jwt nor any other \
         authentication of clients with a document"
    )]
    AuthMethod,
    /// `client_name` is missing or not displayable.
    #[error(
        "client_name must have 1 to 100 characters, without line breaks, leading or trailing spaces, or \
         invisible or direction-changing characters"
    )]
    Name,
    /// `client_name` imitates the server or claims a review, and the operator has not listed the host.
    #[error("client_name must not look like the name of this server, or claim to be reviewed or official")]
    ReservedName,
    /// No usable redirect URI.
    #[error("redirect_uris must have an https URI, or an http URI of 127.0.0.1, [::1] or localhost")]
    RedirectUris,
    /// No usable scope.
    #[error("scope must be absent, or name profile, sleep or supplements")]
    Scope,
}
