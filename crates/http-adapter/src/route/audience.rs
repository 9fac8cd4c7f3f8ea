//! Audiences of endpoints, and the response of each to other credentials: the policy behind the table.

use crate::problem::Fault;
use domain::scope::Scope;

/// Audience of a method of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Every caller.
    Anyone,
    /// Any browser that was shown the form, signed in or not.
    AnyForm,
    /// A client that authenticates with its secret.
    Client,
    /// A valid token of the person in the path, with this scope.
    Reader(Scope),
    /// A valid token of the person in the path, with the scopes of the requested data.
    ReaderOfAny,
    /// A valid token of any person, which determines whose data is read; its scopes determine which data.
    Assistant,
    /// A valid token of a service client, with this scope.
    Writer(Scope),
    /// A signed-in browser.
    Person,
    /// A signed-in browser, with a form that it was shown since it signed in.
    PersonsForm,
    /// The same; if the session has ended, the form is kept until the person has signed in again. The page
    /// names what the form does: `renaming a passkey`.
    PersonsKeptForm(&'static str),
}

/// Credential of a request: one row of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Credential {
    /// No credential.
    Nothing,
    /// An access token of the person, with the scope.
    Token,
    /// The same without the scope.
    TokenOfOtherScope,
    /// An access token of another person.
    TokenOfAnother,
    /// An access token whose grant was revoked.
    RevokedToken,
    /// An expired access token.
    ExpiredToken,
    /// A personal access token of the person, with the scope.
    PersonalToken,
    /// The same without the scope.
    PersonalTokenOfOtherScope,
    /// A personal access token of another person.
    PersonalTokenOfAnother,
    /// A personal access token that was revoked.
    RevokedPersonalToken,
    /// An expired personal access token.
    ExpiredPersonalToken,
    /// The access token of a service client, with every scope that one can have.
    ServiceToken,
    /// The same with every scope but the required one.
    ServiceTokenOfOtherScope,
    /// The secret of a client, by HTTP Basic.
    ClientSecret,
    /// A wrong client secret.
    WrongSecret,
    /// The cookies of a signed-in browser without the token of a form: what another site can make the browser
    /// send.
    Cookies,
    /// The same with a form that the browser was shown.
    Form,
    /// The same with a form that another browser was shown.
    FormOfAnother,
    /// The cookies of a signed-out browser, with a form from before.
    FormOfEndedSession,
    /// The cookie and form of a browser that never signed in.
    VisitorsForm,
}

/// Result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The request is processed.
    Served,
    /// The request is rejected with this fault, and nothing changed.
    Refused(Fault),
    /// The request is redirected to sign in (303), and nothing changed.
    ToSignIn,
}

impl Credential {
    /// Every kind of credential, in the order of the reference.
    pub const ALL: [Self; 20] = [
        Self::Nothing,
        Self::Token,
        Self::TokenOfOtherScope,
        Self::TokenOfAnother,
        Self::RevokedToken,
        Self::ExpiredToken,
        Self::PersonalToken,
        Self::PersonalTokenOfOtherScope,
        Self::PersonalTokenOfAnother,
        Self::RevokedPersonalToken,
        Self::ExpiredPersonalToken,
        Self::ServiceToken,
        Self::ServiceTokenOfOtherScope,
        Self::ClientSecret,
        Self::WrongSecret,
        Self::Cookies,
        Self::Form,
        Self::FormOfAnother,
        Self::FormOfEndedSession,
        Self::VisitorsForm,
    ];

    /// Returns the name in the reference.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Token => "access token with the scope",
            Self::TokenOfOtherScope => "access token without the scope",
            Self::TokenOfAnother => "access token of another person",
            Self::RevokedToken => "access token of a revoked grant",
            Self::ExpiredToken => "expired access token",
            Self::PersonalToken => "personal access token with the scope",
            Self::PersonalTokenOfOtherScope => "personal access token without the scope",
            Self::PersonalTokenOfAnother => "personal access token of another person",
            Self::RevokedPersonalToken => "revoked personal access token",
            Self::ExpiredPersonalToken => "expired personal access token",
            Self::ServiceToken => "access token of a service client",
            Self::ServiceTokenOfOtherScope => "access token of a service client without the scope",
            Self::ClientSecret => "client secret (HTTP Basic)",
            Self::WrongSecret => "wrong client secret (HTTP Basic)",
            Self::Cookies => "cookies of a signed-in browser without a form",
            Self::Form => "cookies of a signed-in browser with its form",
            Self::FormOfAnother => "cookies of a signed-in browser with a form of another browser",
            Self::FormOfEndedSession => "cookies and form of a signed-out browser",
            Self::VisitorsForm => "cookie and form of a browser that never signed in",
        }
    }

    /// Returns whether it is sent in `Authorization` with the scheme Bearer.
    const fn is_bearer(self) -> bool {
        use Credential as C;
        matches!(
            self,
            C::Token | C::TokenOfOtherScope | C::TokenOfAnother | C::RevokedToken | C::ExpiredToken
        ) || matches!(self, C::PersonalToken | C::PersonalTokenOfOtherScope | C::PersonalTokenOfAnother)
            || matches!(self, C::RevokedPersonalToken | C::ExpiredPersonalToken)
            || matches!(self, C::ServiceToken | C::ServiceTokenOfOtherScope)
    }

    /// Returns whether the browser that sends it is signed in.
    const fn is_signed_in(self) -> bool {
        matches!(self, Self::Cookies | Self::Form | Self::FormOfAnother)
    }
}

impl Audience {
    /// Returns the response of an endpoint with this audience to a credential.
    pub const fn outcome(self, credential: Credential) -> Outcome {
        use Credential as C;
        match self {
            Self::Anyone => Outcome::Served,
            Self::AnyForm => served_if(
                matches!(credential, C::Form | C::FormOfEndedSession | C::VisitorsForm),
                Fault::ForeignForm,
            ),
            Self::Client => to_client(credential),
            Self::Reader(_) | Self::ReaderOfAny => to_reader(credential),
            Self::Assistant => to_assistant(credential),
            Self::Writer(_) => to_writer(credential),
            Self::Person if credential.is_signed_in() => Outcome::Served,
            Self::Person => Outcome::ToSignIn,
            Self::PersonsKeptForm(_) if matches!(credential, C::FormOfEndedSession) => Outcome::ToSignIn,
            Self::PersonsForm | Self::PersonsKeptForm(_) => {
                served_if(matches!(credential, C::Form), Fault::ForeignForm)
            }
        }
    }
}

const fn served_if(condition: bool, otherwise: Fault) -> Outcome {
    if condition { Outcome::Served } else { Outcome::Refused(otherwise) }
}

const fn to_client(credential: Credential) -> Outcome {
    match credential {
        Credential::ClientSecret => Outcome::Served,
        Credential::WrongSecret => Outcome::Refused(Fault::InvalidClient),
        // Another scheme is a failed authentication; no header is a missing parameter.
        credential if credential.is_bearer() => Outcome::Refused(Fault::InvalidClient),
        _ => Outcome::Refused(Fault::InvalidParameter),
    }
}

const fn to_reader(credential: Credential) -> Outcome {
    use Credential as C;
    match credential {
        C::Token | C::PersonalToken => Outcome::Served,
        C::TokenOfOtherScope | C::PersonalTokenOfOtherScope => Outcome::Refused(Fault::InsufficientScope),
        C::TokenOfAnother | C::PersonalTokenOfAnother | C::ServiceToken | C::ServiceTokenOfOtherScope => {
            Outcome::Refused(Fault::OtherUser)
        }
        C::RevokedToken | C::ExpiredToken | C::RevokedPersonalToken | C::ExpiredPersonalToken => {
            Outcome::Refused(Fault::InvalidToken)
        }
        C::Nothing
        | C::ClientSecret
        | C::WrongSecret
        | C::Cookies
        | C::Form
        | C::FormOfAnother
        | C::FormOfEndedSession
        | C::VisitorsForm => Outcome::Refused(Fault::MissingToken),
    }
}

const fn to_assistant(credential: Credential) -> Outcome {
    use Credential as C;
    match credential {
        C::PersonalTokenOfOtherScope | C::PersonalTokenOfAnother => Outcome::Served,
        // Access tokens for the API are not for the MCP endpoint (RFC 8707).
        C::Token
        | C::TokenOfOtherScope
        | C::TokenOfAnother
        | C::ServiceToken
        | C::ServiceTokenOfOtherScope => Outcome::Refused(Fault::InvalidToken),
        other => to_reader(other),
    }
}

/// Tokens of people never have a scope that writes.
const fn to_writer(credential: Credential) -> Outcome {
    use Credential as C;
    match credential {
        C::ServiceToken => Outcome::Served,
        C::Token
        | C::TokenOfOtherScope
        | C::TokenOfAnother
        | C::PersonalToken
        | C::PersonalTokenOfOtherScope
        | C::PersonalTokenOfAnother
        | C::ServiceTokenOfOtherScope => Outcome::Refused(Fault::InsufficientScope),
        other => to_reader(other),
    }
}
