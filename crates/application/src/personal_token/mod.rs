//! Personal access tokens, created by users for their scripts, or by the operator for a user (decisions 9).

mod request;

#[cfg(test)]
mod tests;

pub use request::{CreatedPersonalToken, MAX_LIFETIME_DAYS, NewPersonalToken};

use crate::ports::storage::{PersonalTokenReader, StorageError};
use crate::session::AccountActor;
use crate::store::{Store, transact};
use domain::audit::AuditKind;
use domain::id::{FormId, PersonalTokenId, UserId};
use domain::personal_token::{InvalidTokenName, MAX_LIVE_TOKENS, PersonalToken};
use request::TokenSpec;
use std::sync::Arc;

/// Users' personal access tokens.
pub struct PersonalTokens {
    /// The store.
    pub store: Store,
    /// Reader of tokens.
    pub reader: Arc<dyn PersonalTokenReader>,
}

/// A token, and whether it is valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPersonalToken {
    /// The token.
    pub token: PersonalToken,
    /// Whether it is neither revoked nor expired.
    pub is_live: bool,
}

/// Why a token is not created.
#[derive(Debug, thiserror::Error)]
pub enum PersonalTokenError {
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

impl PersonalTokens {
    /// Returns the id of a new form.
    pub fn new_form(&self) -> FormId {
        FormId::from_uuid(self.store.entropy().uuid())
    }

    /// Returns all tokens of a user, live or not, newest first.
    pub async fn list(&self, user_id: UserId) -> Result<Vec<ListedPersonalToken>, StorageError> {
        let now = self.store.now();
        let tokens = self.reader.list_personal_tokens(user_id).await?;
        let listed = |token: PersonalToken| ListedPersonalToken { is_live: token.is_live(now), token };
        Ok(tokens.into_iter().map(listed).collect())
    }

    /// Stores the hash of a new token and returns the token. The token gets the form's id. A
    /// person's sign-in must be fresh.
    pub async fn create(
        &self,
        actor: AccountActor<'_>,
        new: NewPersonalToken<'_>,
    ) -> Result<CreatedPersonalToken, PersonalTokenError> {
        let now = self.store.now();
        let (user_id, session) = match actor {
            AccountActor::Person(person) => (person.user_id, Some(&person.session)),
            AccountActor::Operator(user_id) => (user_id, None),
        };
        if session.is_some_and(|session| !session.is_fresh(now)) {
            return Err(PersonalTokenError::NotFresh);
        }
        let spec = TokenSpec::read(new, now)?;
        let id = PersonalTokenId::from_uuid(new.form.as_uuid());
        transact!(self.store, |tx| {
            // Locks the user: concurrent requests cannot exceed the limit, and no password change can end the
            // session in between.
            tx.active_user(user_id).await?.ok_or(PersonalTokenError::AccountUnavailable)?;
            if let Some(session) = session {
                let found = tx.sessions().find(user_id, session.id).await?;
                found.ok_or(PersonalTokenError::SessionEnded)?;
            }
            let tokens = tx.personal_tokens().list(user_id).await?;
            if tokens.iter().any(|token| token.id == id) {
                return Err(PersonalTokenError::SentBefore);
            }
            if tokens.iter().filter(|token| token.is_live(now)).count() >= MAX_LIVE_TOKENS {
                return Err(PersonalTokenError::TooManyTokens);
            }
            let created = spec.issue(id, user_id, self.store.entropy(), now);
            tx.personal_tokens().insert(&created.token).await?;
            let event = actor.event(&self.store, AuditKind::PersonalTokenCreated);
            tx.record(event.subject(id.as_uuid())).await?;
            Ok(created)
        })
        .await
    }

    /// Revokes a token of the actor's user, or all if `id` is `None`; returns the number of those that were
    /// not revoked before. They stop working within two seconds.
    pub async fn revoke(
        &self,
        actor: AccountActor<'_>,
        id: Option<PersonalTokenId>,
    ) -> Result<u64, StorageError> {
        let now = self.store.now();
        transact!(self.store, |tx| {
            let revoked = tx.personal_tokens().revoke(actor.user_id(), id, now).await?;
            if revoked > 0 {
                let event = actor.event(&self.store, AuditKind::PersonalTokenRevoked);
                let event = match actor {
                    AccountActor::Person(_) => event,
                    AccountActor::Operator(_) => event.count(revoked),
                };
                tx.record(id.into_iter().fold(event, |event, id| event.subject(id.as_uuid()))).await?;
            }
            Ok(revoked)
        })
        .await
    }
}
