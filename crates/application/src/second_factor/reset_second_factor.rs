//! Turns off a user's second factor for the operator.

use crate::account::{EndedSignIns, end_sign_ins};
use crate::mail::{QueueMail, second_factor_reset};
use crate::passkey::remove_passkeys_except;
use crate::ports::storage::StorageError;
use domain::audit::{AuditActor, AuditKind};
use domain::id::UserId;

/// Errors of [`ResetSecondFactor`].
#[derive(Debug, thiserror::Error)]
pub enum ResetSecondFactorError {
    /// No user has this id.
    #[error("there is no user with this id")]
    NotFound,
    /// The account has neither an authenticator app nor a passkey.
    #[error("this user has no second factor")]
    NotSet,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

crate::audit::use_case! {
    /// Resets second factors; without an outbox it sends no email.
    ResetSecondFactor { mail: Option<QueueMail> }
}

impl ResetSecondFactor {
    /// Deletes the authenticator app, the recovery codes and the passkeys, and ends all sessions and unused
    /// password links.
    pub async fn run(&self, user_id: UserId) -> Result<EndedSignIns, ResetSecondFactorError> {
        let mut unit = self.units.begin().await?;
        let user = unit.users().find(user_id).await?.ok_or(ResetSecondFactorError::NotFound)?;
        let had_app = unit.second_factors().delete(user_id).await?;
        let event = |kind| self.trail.event(AuditActor::Operator, kind).user(user_id);
        let passkeys = remove_passkeys_except(unit.as_mut(), user_id, &[], &event).await?;
        if !had_app && passkeys == 0 {
            return Err(ResetSecondFactorError::NotSet);
        }
        let ended = end_sign_ins(unit.as_mut(), user_id, None).await?;
        unit.audit().append(&event(AuditKind::SecondFactorTurnedOff).count(ended.sessions)).await?;
        if let Some(mail) = &self.mail {
            mail.run(unit.as_mut(), &second_factor_reset(&user.email, mail.links()), self.trail.now())
                .await?;
        }
        unit.commit().await?;
        Ok(ended)
    }
}
