//! Removes the passkeys of a person whose password somebody else knew.

use crate::account::end_sign_ins;
use crate::audit::AuditTrail;
use crate::mail::{QueueMail, passkey_removed};
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{PasskeyId, UserId};
use domain::second_factor::SecondFactorPolicy;
use domain::user::User;

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

/// Removes all passkeys of a user, and ends the sign-ins, with which a stranger could add another; returns
/// the number of passkeys. Without an outbox it sends no email. The caller has locked the user.
pub(crate) async fn remove_all_passkeys(
    unit: &mut dyn UnitOfWork,
    user: &User,
    mail: Option<&QueueMail>,
    trail: &AuditTrail,
) -> Result<u64, StorageError> {
    let event = |kind| trail.event(AuditActor::Operator, kind).user(user.id);
    let removed = remove_passkeys_except(unit, user.id, &[], &event).await?;
    let ended = end_sign_ins(unit, user.id, None).await?;
    unit.audit().append(&event(AuditKind::SignedOutEverywhere).count(ended.sessions)).await?;
    if let Some(mail) = mail.filter(|_| removed > 0) {
        mail.run(unit, &passkey_removed(&user.email, mail.links()), trail.now()).await?;
    }
    Ok(removed)
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
    /// Removes the passkeys and ends the sign-ins, also without a passkey; returns the number of passkeys.
    pub async fn run(&self, user_id: UserId) -> Result<u64, RemoveAllPasskeysError> {
        let mut unit = self.units.begin().await?;
        let user = unit.users().find(user_id).await?;
        let Some(user) = user else {
            unit.rollback().await?;
            return Err(RemoveAllPasskeysError::NotFound);
        };
        let removed = remove_all_passkeys(unit.as_mut(), &user, self.mail.as_ref(), &self.trail).await?;
        unit.commit().await?;
        Ok(removed)
    }
}
