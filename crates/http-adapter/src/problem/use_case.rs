//! Responses to errors of the use cases. Exhaustive, so that a new error does not compile until it has a
//! response.

use super::{Fault, FieldError, Problem};
use application::StorageError;
use application::access::AuthorizeAccessError;
use application::account::{
    ChoosePasswordError, LinkRequestError, PasswordCheckError, PasswordHashingError, SecondStepError,
};
use application::export::ExportRecordsError;
use application::read::ReadChangesError;
use application::token::{ClientAuthenticationError, RevokeTokenError, SigningFailed, TokenError};

impl From<ClientAuthenticationError> for Problem {
    fn from(error: ClientAuthenticationError) -> Self {
        match error {
            ClientAuthenticationError::InvalidClient(_) => Self::new(Fault::InvalidClient),
            ClientAuthenticationError::TooManyFailures { retry_after_seconds, .. } => {
                Self::new(Fault::TooManyFailures).retry_after(retry_after_seconds)
            }
            ClientAuthenticationError::SecretMissing(_) => {
                Self::invalid_parameters(vec![FieldError::new("client_secret", "is required")])
            }
            ClientAuthenticationError::SecretInQuery(_) => Self::new(Fault::SecretInQuery),
            ClientAuthenticationError::Storage(error) => error.into(),
        }
    }
}

impl From<TokenError> for Problem {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::InvalidGrant(_) => Self::new(Fault::InvalidGrant),
            TokenError::InvalidScope => Self::new(Fault::InvalidScope),
            TokenError::InvalidTarget => Self::new(Fault::InvalidTarget),
            TokenError::UnauthorizedClient => Self::new(Fault::UnauthorizedClient),
            // No active key is loaded, as between the start and the first answer of the store.
            TokenError::Signing(error @ SigningFailed(None)) => {
                Self::new(Fault::StorageUnavailable).with_cause(error)
            }
            TokenError::Signing(error) => Self::internal(error),
            TokenError::Storage(error) => error.into(),
        }
    }
}

impl From<RevokeTokenError> for Problem {
    fn from(error: RevokeTokenError) -> Self {
        match error {
            RevokeTokenError::UnsupportedTokenType => Self::new(Fault::UnsupportedTokenType),
            RevokeTokenError::Storage(error) => error.into(),
        }
    }
}

impl From<AuthorizeAccessError> for Problem {
    fn from(error: AuthorizeAccessError) -> Self {
        match error {
            AuthorizeAccessError::InvalidToken => Self::new(Fault::InvalidToken),
            AuthorizeAccessError::InvalidUserId => Self::new(Fault::InvalidUserId),
            AuthorizeAccessError::OtherUser => Self::new(Fault::OtherUser),
            AuthorizeAccessError::InsufficientScope { needed } => Self::insufficient_scope(needed),
            AuthorizeAccessError::RateLimited { rate, retry_after_seconds } => {
                Self::rate_limited(rate, retry_after_seconds)
            }
            AuthorizeAccessError::Storage(error) => error.into(),
        }
    }
}

impl From<ReadChangesError> for Problem {
    fn from(error: ReadChangesError) -> Self {
        match error {
            ReadChangesError::InsufficientScope { needed } => Self::insufficient_scope(needed),
            ReadChangesError::OtherPersonsCursor => {
                Self::invalid_parameter("cursor", "must be a cursor returned for this person")
            }
            ReadChangesError::CursorExpired => Self::new(Fault::CursorExpired),
            ReadChangesError::Storage(error) => error.into(),
        }
    }
}

impl From<PasswordCheckError> for Problem {
    fn from(error: PasswordCheckError) -> Self {
        match error {
            // The page shows these itself; elsewhere they are treated like any unacceptable form.
            PasswordCheckError::InvalidForm | PasswordCheckError::WrongCredentials => {
                Self::new(Fault::InvalidForm)
            }
            PasswordCheckError::TooManyAttempts { retry_after_seconds } => {
                Self::new(Fault::TooManyAttempts).retry_after(retry_after_seconds)
            }
            PasswordCheckError::Hashing(error) => error.into(),
            PasswordCheckError::Storage(error) => error.into(),
        }
    }
}

impl From<SecondStepError> for Problem {
    fn from(error: SecondStepError) -> Self {
        match error {
            // The page shows these itself.
            SecondStepError::NotPending | SecondStepError::WrongCode | SecondStepError::SetUpExpired => {
                Self::new(Fault::InvalidForm)
            }
            SecondStepError::TooManyAttempts { retry_after_seconds } => {
                Self::new(Fault::TooManyAttempts).retry_after(retry_after_seconds)
            }
            SecondStepError::Storage(error) => error.into(),
        }
    }
}

impl From<PasswordHashingError> for Problem {
    fn from(error: PasswordHashingError) -> Self {
        match error {
            PasswordHashingError::Busy => Self::new(Fault::Busy),
            PasswordHashingError::Failed => Self::internal(error),
        }
    }
}

impl From<LinkRequestError> for Problem {
    fn from(error: LinkRequestError) -> Self {
        match error {
            LinkRequestError::InvalidEmail => Self::new(Fault::InvalidForm),
            LinkRequestError::TooManyAttempts { retry_after_seconds } => {
                Self::new(Fault::TooManyAttempts).retry_after(retry_after_seconds)
            }
            LinkRequestError::Storage(error) => error.into(),
        }
    }
}

impl From<ChoosePasswordError> for Problem {
    fn from(error: ChoosePasswordError) -> Self {
        match error {
            ChoosePasswordError::UnusableLink | ChoosePasswordError::AccountExists => {
                Self::new(Fault::LinkGone)
            }
            ChoosePasswordError::Rule(_)
            | ChoosePasswordError::PasskeyRejected
            | ChoosePasswordError::LastFactor => Self::new(Fault::InvalidForm),
            ChoosePasswordError::Hashing(error) => error.into(),
            ChoosePasswordError::Storage(error) => error.into(),
        }
    }
}

impl From<ExportRecordsError> for Problem {
    fn from(error: ExportRecordsError) -> Self {
        match error {
            // Erased since the access check, which may be a second old: the token is invalid now.
            ExportRecordsError::UnknownUser => Self::new(Fault::InvalidToken),
            ExportRecordsError::NotWritten(error) => Self::internal(error),
            ExportRecordsError::StoreAway { .. } => StorageError::Unavailable.into(),
            ExportRecordsError::Storage(error) => error.into(),
        }
    }
}
