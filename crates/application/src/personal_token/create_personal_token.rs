//! Makes a personal access token.

use crate::audit::{AuditTrail, commit};
use crate::ports::storage::{StorageError, UnitOfWork, UnitOfWorkFactory};
use crate::ports::system::{Clock, Entropy};
use chrono::{DateTime, TimeDelta, Utc};
use domain::address::AddressBlock;
use domain::audit::{AuditActor, AuditKind};
use domain::id::PersonalTokenId;
use domain::personal_token::{InvalidTokenName, MAX_LIVE_TOKENS, PersonalToken, PersonalTokenName};
use domain::scope::{Scope, ScopeSet, UnknownScope};
use domain::secret::{Secret, SecretKind};
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
    /// The caller's IP address.
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
    #[error("{InvalidTokenName}")]
    InvalidName,
    /// No scope is named, or one that a person cannot grant.
    #[error("the scopes must be some of those that a person can grant")]
    InvalidScopes,
    /// The end is not 1 to [`MAX_LIFETIME_DAYS`] days away.
    #[error("a token ends after 1 to 366 days, or never")]
    InvalidLifetime,
    /// The person has [`MAX_LIVE_TOKENS`] live tokens.
    #[error("there are too many live tokens; revoke one first")]
    TooManyTokens,
    /// The session has ended meanwhile: the person signed out, or the password was changed.
    #[error("the session has ended")]
    SessionEnded,
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
    trail: AuditTrail,
}

impl CreatePersonalToken {
    /// Creates the use case.
    pub fn new(units: Arc<dyn UnitOfWorkFactory>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        let trail = AuditTrail::new(entropy.clone(), clock.clone());
        Self { units, entropy, clock, trail }
    }

    /// Stores the hash of a new token and returns the token.
    pub async fn run(
        &self,
        command: CreatePersonalTokenCommand<'_>,
    ) -> Result<CreatedPersonalToken, CreatePersonalTokenError> {
        let at = self.clock.now();
        let wish = Wish::read(&command, at)?;
        let user_id = command.session.user_id;
        let mut unit = self.units.begin().await?;
        if let Some(refusal) = why_not(&mut *unit, command.session, at).await? {
            unit.rollback().await?;
            return Err(refusal);
        }
        let secret = Secret::from_bytes(SecretKind::PersonalAccessToken, &self.entropy.secret_bytes());
        let Wish { name, scopes, expires_at } = wish;
        let token = PersonalToken {
            id: PersonalTokenId::from_uuid(self.entropy.uuid()),
            user_id,
            name,
            token_hash: secret.hash(),
            scopes,
            created_at: at,
            expires_at,
            last_used_at: None,
            revoked_at: None,
        };
        unit.personal_tokens().insert(&token).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::PersonalTokenCreated);
        let event =
            event.user(user_id).subject(token.id.as_uuid()).from(AddressBlock::containing(command.address));
        commit(unit, &[event]).await?;
        Ok(CreatedPersonalToken { secret, token })
    }
}

/// A token as it is asked for, well-formed.
struct Wish {
    name: PersonalTokenName,
    scopes: ScopeSet,
    expires_at: Option<DateTime<Utc>>,
}

impl Wish {
    fn read(
        command: &CreatePersonalTokenCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<Self, CreatePersonalTokenError> {
        if !command.session.is_fresh(now) {
            return Err(CreatePersonalTokenError::NotFresh);
        }
        let name = PersonalTokenName::parse(command.name)
            .map_err(|InvalidTokenName| CreatePersonalTokenError::InvalidName)?;
        let scopes: Result<ScopeSet, UnknownScope> =
            command.scopes.iter().map(|name| Scope::parse(name)).collect();
        let scopes = scopes.map_err(|UnknownScope| CreatePersonalTokenError::InvalidScopes)?;
        if scopes.is_empty() || !scopes.is_subset_of(ScopeSet::CONSENTABLE) {
            return Err(CreatePersonalTokenError::InvalidScopes);
        }
        let expires_at = match command.expires_in_days {
            None => None,
            Some(days @ 1..=MAX_LIFETIME_DAYS) => Some(now + TimeDelta::days(i64::from(days))),
            Some(_) => return Err(CreatePersonalTokenError::InvalidLifetime),
        };
        Ok(Self { name, scopes, expires_at })
    }
}

/// The person is kept as they are until the unit of work ends, so that no two requests at once pass the limit, and no
/// new password that ends the session comes in between.
async fn why_not(
    unit: &mut dyn UnitOfWork,
    session: &Session,
    now: DateTime<Utc>,
) -> Result<Option<CreatePersonalTokenError>, StorageError> {
    let user_id = session.user_id;
    let user = unit.users().find(user_id).await?;
    if !user.is_some_and(|user| user.status.is_active()) {
        return Ok(Some(CreatePersonalTokenError::AccountUnavailable));
    }
    if unit.sessions().find(user_id, session.id).await?.is_none() {
        return Ok(Some(CreatePersonalTokenError::SessionEnded));
    }
    let tokens = unit.personal_tokens().list(user_id).await?;
    let live = tokens.iter().filter(|token| token.is_live(now)).count();
    Ok((live >= MAX_LIVE_TOKENS).then_some(CreatePersonalTokenError::TooManyTokens))
}
