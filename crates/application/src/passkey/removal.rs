//! Removes passkeys: one of a person, and all of a person whose password a stranger knew.

use super::{PasskeyError, Passkeys};
use crate::mail::{QueueMail, passkey_removed};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::session::{SignedInPerson, end_sign_ins};
use crate::store::AuditTrail;
use crate::store::transact;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{PasskeyId, UserId};
use domain::second_factor::SecondFactorPolicy;
use domain::user::User;

/// Errors of [`Passkeys::remove_all`].
#[derive(Debug, thiserror::Error)]
pub enum RemoveAllPasskeysError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Passkeys {
    /// Removes a passkey of this person, whose sign-in must be fresh, and ends the other sessions.
    pub async fn remove(&self, person: &SignedInPerson, id: PasskeyId) -> Result<(), PasskeyError> {
        if !person.session.is_fresh(self.store.now()) {
            return Err(PasskeyError::NotFresh);
        }
        let (user_id, session) = (person.user_id, person.session.id);
        transact!(self.store, |tx| {
            let user = tx.users().find(user_id).await?.ok_or(PasskeyError::NotFresh)?;
            if tx.sessions().find(user_id, session).await?.is_none() {
                return Err(PasskeyError::NotFresh);
            }
            if !tx.passkeys().delete(user_id, id).await? {
                return Err(PasskeyError::NotFound);
            }
            if lacks_factor(tx, user_id, self.policy).await? {
                return Err(PasskeyError::LastFactor);
            }
            let ended = end_sign_ins(tx, user_id, Some(session)).await?;
            let event = person.event(&self.store, AuditKind::PasskeyRemoved);
            tx.record(event.subject(id.as_uuid()).count(ended.sessions)).await?;
            if let Some(mail) = &self.mail {
                mail.run(tx, &passkey_removed(&user.email, mail.links()), self.store.now()).await?;
            }
            Ok(())
        })
        .await
    }

    /// Removes all passkeys of a user for the operator, and ends the sign-ins, also without a passkey;
    /// returns the number of passkeys.
    pub async fn remove_all(&self, user_id: UserId) -> Result<u64, RemoveAllPasskeysError> {
        transact!(self.store, |tx| {
            let user = tx.users().find(user_id).await?.ok_or(RemoveAllPasskeysError::NotFound)?;
            Ok(remove_all_passkeys(tx, &user, self.mail.as_ref(), &self.store.trail).await?)
        })
        .await
    }
}

/// Removes all passkeys of a user, and ends the sign-ins, with which a stranger could add another; returns
/// the number of passkeys. Without an outbox it sends no email. The caller has locked the user.
pub(crate) async fn remove_all_passkeys(
    tx: &mut dyn UnitOfWork,
    user: &User,
    mail: Option<&QueueMail>,
    trail: &AuditTrail,
) -> Result<u64, StorageError> {
    let event = |kind| trail.event(AuditActor::Operator, kind).user(user.id);
    let removed = remove_passkeys_except(tx, user.id, &[], &event).await?;
    let ended = end_sign_ins(tx, user.id, None).await?;
    tx.record(event(AuditKind::SignedOutEverywhere).count(ended.sessions)).await?;
    if let Some(mail) = mail.filter(|_| removed > 0) {
        mail.run(tx, &passkey_removed(&user.email, mail.links()), trail.now()).await?;
    }
    Ok(removed)
}

/// Removes the passkeys of a user except some, records each removal, and returns their number. The caller has
/// locked the user.
pub(crate) async fn remove_passkeys_except(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    kept: &[PasskeyId],
    event: &(dyn Fn(AuditKind) -> AuditEvent + Send + Sync),
) -> Result<u64, StorageError> {
    let mut count = 0;
    for passkey in tx.passkeys().list(user_id).await? {
        if !kept.contains(&passkey.id) {
            tx.passkeys().delete(user_id, passkey.id).await?;
            tx.record(event(AuditKind::PasskeyRemoved).subject(passkey.id.as_uuid())).await?;
            count += 1;
        }
    }
    Ok(count)
}

/// Returns whether the operator requires a second factor and the user has none. The caller has locked the
/// user.
pub(crate) async fn lacks_factor(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    policy: SecondFactorPolicy,
) -> Result<bool, StorageError> {
    Ok(policy == SecondFactorPolicy::Required
        && tx.second_factors().find(user_id).await?.is_none()
        && tx.passkeys().list(user_id).await?.is_empty())
}
