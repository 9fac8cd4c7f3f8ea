//! Creates a personal access token.

use crate::audit::commit;
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::ports::system::Entropy;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{FormId, PersonalTokenId, UserId};
use domain::personal_token::{InvalidTokenName, MAX_LIVE_TOKENS, PersonalToken, PersonalTokenName};
use domain::scope::{Scope, ScopeSet, UnknownScope};
use domain::secret::{Secret, SecretKind};
use domain::session::Session;
use std::net::IpAddr;

/// Maximum lifetime of a token with an expiry, in days.
pub const MAX_LIFETIME_DAYS: u32 = 366;

/// Input of [`CreatePersonalToken`].
#[derive(Clone, Copy)]
pub struct CreatePersonalTokenCommand<'a> {
    /// The user's session, which must be fresh.
    pub session: &'a Session,
    /// Id of the form, so that sending it twice creates one token.
    pub form: FormId,
    /// Name of the token.
    pub name: &'a str,
    /// Names of its scopes.
    pub scopes: &'a [&'a str],
    /// Lifetime in days; `None` if it never expires.
    pub expires_in_days: Option<u32>,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// A new token; only its hash is stored.
#[derive(Debug)]
pub struct CreatedPersonalToken {
    /// The token's secret.
    pub secret: Secret,
    /// The stored token.
    pub token: PersonalToken,
}

/// Errors of [`CreatePersonalToken`].
#[derive(Debug, thiserror::Error)]
pub enum CreatePersonalTokenError {
    /// The user must enter the password again, because the last sign-in was over five minutes ago.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The name is invalid.
    #[error("{InvalidTokenName}")]
    InvalidName,
    /// There are no scopes, or one that a user cannot grant.
    #[error("the scopes must be a non-empty subset of those that a person can grant")]
    InvalidScopes,
    /// The lifetime is not 1 to [`MAX_LIFETIME_DAYS`] days.
    #[error("a token expires after 1 to 366 days, or never")]
    InvalidLifetime,
    /// The user has [`MAX_LIVE_TOKENS`] live tokens.
    #[error("there are too many live tokens; revoke one first")]
    TooManyTokens,
    /// The same form was sent before and created a token, whose text cannot be shown again.
    #[error("the form was sent before")]
    SentBefore,
    /// The session ended in the meantime: the user signed out, or the password was changed.
    #[error("the session has ended")]
    SessionEnded,
    /// The account is locked or deleted.
    #[error("the account cannot be used")]
    AccountUnavailable,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Creates personal access tokens.
    CreatePersonalToken
}

impl CreatePersonalToken {
    /// Returns the id of a new form.
    pub fn new_form(&self) -> FormId {
        FormId::from_uuid(self.trail.entropy.uuid())
    }

    /// Stores the hash of a new token and returns the token. The id of the form becomes that of the token.
    pub async fn run(
        &self,
        command: CreatePersonalTokenCommand<'_>,
    ) -> Result<CreatedPersonalToken, CreatePersonalTokenError> {
        let at = self.trail.now();
        if !command.session.is_fresh(at) {
            return Err(CreatePersonalTokenError::NotFresh);
        }
        let scopes: Result<ScopeSet, UnknownScope> =
            command.scopes.iter().map(|name| Scope::parse(name)).collect();
        let scopes = scopes.map_err(|UnknownScope| CreatePersonalTokenError::InvalidScopes)?;
        let spec = TokenSpec::read(command.name, scopes, command.expires_in_days, at)?;
        let user_id = command.session.user_id;
        let mut unit = self.units.begin().await?;
        let id = PersonalTokenId::from_uuid(command.form.as_uuid());
        if let Some(refusal) = refusal_reason(&mut *unit, command.session, id, at).await? {
            return unit.refuse(refusal).await;
        }
        let created = spec.issue(id, user_id, &*self.trail.entropy, at);
        unit.personal_tokens().insert(&created.token).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::PersonalTokenCreated);
        let event = event.user(user_id).subject(id.as_uuid()).from(command.address);
        commit(unit, &[event]).await?;
        Ok(created)
    }
}

/// A validated request for a token.
pub(crate) struct TokenSpec {
    name: PersonalTokenName,
    scopes: ScopeSet,
    expires_at: Option<DateTime<Utc>>,
}

impl TokenSpec {
    pub(crate) fn read(
        name: &str,
        scopes: ScopeSet,
        expires_in_days: Option<u32>,
        now: DateTime<Utc>,
    ) -> Result<Self, CreatePersonalTokenError> {
        let name = PersonalTokenName::parse(name)
            .map_err(|InvalidTokenName| CreatePersonalTokenError::InvalidName)?;
        if scopes.is_empty() || !scopes.is_subset_of(ScopeSet::CONSENTABLE) {
            return Err(CreatePersonalTokenError::InvalidScopes);
        }
        let expires_at = match expires_in_days {
            None => None,
            Some(days @ 1..=MAX_LIFETIME_DAYS) => Some(now + TimeDelta::days(i64::from(days))),
            Some(_) => return Err(CreatePersonalTokenError::InvalidLifetime),
        };
        Ok(Self { name, scopes, expires_at })
    }

    /// Generates the secret of a user's token.
    pub(crate) fn issue(
        self,
        id: PersonalTokenId,
        user_id: UserId,
        entropy: &dyn Entropy,
        at: DateTime<Utc>,
    ) -> CreatedPersonalToken {
        let Self { name, scopes, expires_at } = self;
        let secret = Secret::from_bytes(SecretKind::PersonalAccessToken, &entropy.secret_bytes());
        let token = PersonalToken {
            id,
            user_id,
            name,
            token_hash: secret.hash(),
            scopes,
            created_at: at,
            expires_at,
            last_used_at: None,
            revoked_at: None,
        };
        CreatedPersonalToken { secret, token }
    }
}

/// Returns why the token cannot be created. Locks the user until the unit of work ends: concurrent requests
/// cannot exceed the limit, and no password change can end the session in between.
async fn refusal_reason(
    unit: &mut dyn UnitOfWork,
    session: &Session,
    id: PersonalTokenId,
    now: DateTime<Utc>,
) -> Result<Option<CreatePersonalTokenError>, StorageError> {
    if is_unavailable(unit, session.user_id).await? {
        return Ok(Some(CreatePersonalTokenError::AccountUnavailable));
    }
    if unit.sessions().find(session.user_id, session.id).await?.is_none() {
        return Ok(Some(CreatePersonalTokenError::SessionEnded));
    }
    let tokens = unit.personal_tokens().list(session.user_id).await?;
    if tokens.iter().any(|token| token.id == id) {
        return Ok(Some(CreatePersonalTokenError::SentBefore));
    }
    Ok(has_too_many(&tokens, now).then_some(CreatePersonalTokenError::TooManyTokens))
}

/// Locks a user until the unit of work ends; returns whether the account cannot be used.
pub(crate) async fn is_unavailable(unit: &mut dyn UnitOfWork, user_id: UserId) -> Result<bool, StorageError> {
    let user = unit.users().find(user_id).await?;
    Ok(!user.is_some_and(|user| user.status.is_active()))
}

/// Returns whether a locked user with these tokens can have no further one.
pub(crate) fn has_too_many(tokens: &[PersonalToken], now: DateTime<Utc>) -> bool {
    tokens.iter().filter(|token| token.is_live(now)).count() >= MAX_LIVE_TOKENS
}
