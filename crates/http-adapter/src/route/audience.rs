//! For whom an endpoint is, and what everybody else gets to see: the policy behind the table.

use crate::problem::Fault;
use domain::scope::Scope;

/// For whom a method of an endpoint is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Whoever asks.
    Anybody,
    /// Whoever was shown the form by this server, in the same browser; nobody needs to be signed in.
    AnyForm,
    /// A client that proves who it is with its secret.
    Client,
    /// Whoever holds a live token of the person in the path, with this scope.
    Reader(Scope),
    /// Whoever holds a live token of the person in the path, with the scopes of what the request asks for.
    ReaderOfAny,
    /// A service client with a live token that holds this scope.
    Writer(Scope),
    /// A person who is signed in in this browser.
    Person,
    /// The same, by a form that this browser was shown since they signed in.
    PersonsForm,
}

/// What a request brings along to be let in: one column of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Credential {
    /// Nothing at all.
    Nothing,
    /// An access token of the person, with the scope.
    Token,
    /// The same without the scope.
    TokenOfOtherScope,
    /// An access token of another person.
    TokenOfAnother,
    /// An access token whose grant was revoked.
    RevokedToken,
    /// An access token whose hour is over.
    ExpiredToken,
    /// A personal access token of the person, with the scope.
    PersonalToken,
    /// The same without the scope.
    PersonalTokenOfOtherScope,
    /// A personal access token of another person.
    PersonalTokenOfAnother,
    /// A personal access token that was revoked.
    RevokedPersonalToken,
    /// A personal access token whose time is over.
    ExpiredPersonalToken,
    /// The access token of a service client, with every scope that there is for one.
    ServiceToken,
    /// The same with every scope but the one that is needed.
    ServiceTokenOfOtherScope,
    /// The secret of a client, by HTTP Basic.
    ClientSecret,
    /// A secret that is not the client's.
    WrongSecret,
    /// The cookies of a browser in which the person is signed in, without the token of a form: what another site can
    /// make that browser send.
    Cookies,
    /// The same with a form that the browser was shown.
    Form,
    /// The same with a form that another browser was shown.
    FormOfAnother,
    /// The cookies of a browser in which the person signed out, with a form from before.
    FormOfEndedSession,
    /// The cookie and the form of a browser in which nobody has signed in.
    VisitorsForm,
}

/// What a request gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// What it asked for.
    Served,
    /// This refusal, and nothing happened.
    Refused(Fault),
    /// The way to the page to sign in (303), and nothing happened.
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

    /// Returns its name in the reference.
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
            Self::Cookies => "cookies of a signed-in browser alone",
            Self::Form => "the same with its own form",
            Self::FormOfAnother => "the same with a form of another browser",
            Self::FormOfEndedSession => "cookies and form of a browser that was signed out",
            Self::VisitorsForm => "cookie and form of a browser in which nobody signed in",
        }
    }

    /// Returns whether it comes in `Authorization` with the scheme Bearer.
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
    /// Returns what a credential gets of an endpoint that is for these.
    pub const fn outcome(self, credential: Credential) -> Outcome {
        use Credential as C;
        match self {
            Self::Anybody => Outcome::Served,
            Self::AnyForm => served_if(
                matches!(credential, C::Form | C::FormOfEndedSession | C::VisitorsForm),
                Fault::ForeignForm,
            ),
            Self::Client => to_client(credential),
            Self::Reader(_) | Self::ReaderOfAny => to_reader(credential),
            Self::Writer(_) => to_writer(credential),
            Self::Person if credential.is_signed_in() => Outcome::Served,
            Self::Person => Outcome::ToSignIn,
            Self::PersonsForm => served_if(matches!(credential, C::Form), Fault::ForeignForm),
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
        // Authorization with another scheme is a failed authentication; none at all is a parameter that is missing.
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

/// Whatever a person holds has no scope to write with: nobody grants one.
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
