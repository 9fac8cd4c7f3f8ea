//! Removes the passkeys of a person whose password somebody else knew.

use crate::account::end_sign_ins;
use crate::mail::{QueueMail, passkey_removed};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{PasskeyId, UserId};
use domain::second_factor::SecondFactorPolicy;

/// Removes the passkeys of a user except some, records each removal, and returns their number. The caller has
/// locked the user.
pub(crate) async fn remove_passkeys_except(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    kept: &[PasskeyId],
    event: &(dyn Fn(AuditKind) -> AuditEvent + Send + Sync),
) -> Result<u64, StorageError> {
    let mut count = 0;
    for passkey in unit.passkeys().list(user_id).await? {
        if !kept.contains(&passkey.id) {
            unit.passkeys().delete(user_id, passkey.id).await?;
            let removed = event(AuditKind::PasskeyRemoved).subject(passkey.id.as_uuid());
            unit.audit().append(&removed).await?;
            count += 1;
        }
    }
    Ok(count)
}

/// Returns whether the operator requires a second factor and the user has none. The caller has locked the
/// user.
pub(crate) async fn lacks_factor(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    policy: SecondFactorPolicy,
) -> Result<bool, StorageError> {
    Ok(policy == SecondFactorPolicy::Required
        && unit.second_factors().find(user_id).await?.is_none()
        && unit.passkeys().list(user_id).await?.is_empty())
}

/// Errors of [`RemoveAllPasskeys`].
#[derive(Debug, thiserror::Error)]
pub enum RemoveAllPasskeysError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Removes all passkeys of a user for the operator; without an outbox it sends no email.
    RemoveAllPasskeys { mail: Option<QueueMail> }
}

impl RemoveAllPasskeys {
    /// Removes the passkeys and ends the sessions that one of them may have opened; returns the number of
    /// passkeys. Without a passkey nothing ends.
    pub async fn run(&self, user_id: UserId) -> Result<u64, RemoveAllPasskeysError> {
        let mut unit = self.units.begin().await?;
        let user = unit.users().find(user_id).await?;
        let Some(user) = user else {
            unit.rollback().await?;
            return Err(RemoveAllPasskeysError::NotFound);
        };
        let event = |kind| self.trail.event(AuditActor::Operator, kind).user(user_id);
        let count = remove_passkeys_except(unit.as_mut(), user_id, &[], &event).await?;
        if count > 0 {
            let ended = end_sign_ins(unit.as_mut(), user_id, None).await?;
            unit.audit().append(&event(AuditKind::SignedOutEverywhere).count(ended)).await?;
            if let Some(mail) = &self.mail {
                let message = passkey_removed(&user.email, mail.links());
                mail.run(unit.as_mut(), &message, self.trail.now()).await?;
            }
        }
        unit.commit().await?;
        Ok(count)
    }
}
