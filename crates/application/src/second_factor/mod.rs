//! Second factors: setting up an authenticator app, replacing recovery codes, turning the factor off.
//!
//! Every change needs a session that still exists, ends the person's other sessions and pending sign-ins, is
//! recorded, and is emailed. Grants of apps and personal access tokens stay valid.

mod set_up;

#[cfg(test)]
mod tests;

pub use crate::ports::storage::SecondFactorState;
pub use set_up::{EnabledSecondFactor, NewAuthenticator};
pub(crate) use set_up::{SetUpError, accepted_step, report_turned_on, turn_on, verify_set_up};

use crate::mail::{QueueMail, recovery_codes_created, second_factor_reset, second_factor_turned_off};
use crate::passkey::remove_passkeys_except;
use crate::ports::storage::{SecondFactorReader, StorageError, UnitOfWork};
use crate::ports::system::TotpSealer;
use crate::session::{EndedSignIns, SignedInPerson, end_sign_ins};
use crate::store::{Store, transact};
use domain::audit::{AuditActor, AuditKind};
use domain::device::Device;
use domain::id::UserId;
use domain::second_factor::{RecoveryCode, SecondFactorPolicy};
use domain::user::Email;
use set_up::replace_codes;
use std::sync::Arc;

/// People's second factors.
pub struct SecondFactors {
    /// The store.
    pub store: Store,
    /// Reader of second factors.
    pub reader: Arc<dyn SecondFactorReader>,
    /// Secrets and codes of authenticator apps.
    pub sealer: Arc<dyn TotpSealer>,
    /// Whether people need a second factor.
    pub policy: SecondFactorPolicy,
    /// `None` if no email is sent.
    pub mail: Option<QueueMail>,
}

/// Why a form about a second factor has no effect.
#[derive(Debug, thiserror::Error)]
pub enum SecondFactorError {
    /// The sign-in is too old, or the session has ended: the user signs in again.
    #[error("the sign-in is too old to change the second factor")]
    NotFresh,
    /// The account has no second factor.
    #[error("the account has no second factor")]
    NotSet,
    /// The operator requires a second factor.
    #[error("the operator requires a second factor")]
    Required,
    /// The code is malformed or wrong.
    #[error("the code is wrong")]
    WrongCode,
    /// The form expired.
    #[error("the secret to set up has expired")]
    SetUpExpired,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Errors of [`reset_second_factor`].
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

impl SecondFactors {
    /// Returns the state of a user's second factor; `None` if it is off.
    pub async fn find(&self, user_id: UserId) -> Result<Option<SecondFactorState>, StorageError> {
        self.reader.find_second_factor(user_id).await
    }

    /// Deletes the authenticator app and the recovery codes of this person, whose sign-in must be fresh, and
    /// ends the other sessions.
    pub async fn turn_off(
        &self,
        person: &SignedInPerson,
        device: Option<Device>,
    ) -> Result<(), SecondFactorError> {
        if self.policy == SecondFactorPolicy::Required {
            return Err(SecondFactorError::Required);
        }
        if !person.session.is_fresh(self.store.now()) {
            return Err(SecondFactorError::NotFresh);
        }
        transact!(self.store, |tx| {
            let email = lock(tx, person).await?;
            if !tx.second_factors().delete(person.user_id).await? {
                return Err(SecondFactorError::NotSet);
            }
            self.end_others(tx, person, device, AuditKind::SecondFactorTurnedOff).await?;
            if let Some(mail) = &self.mail {
                mail.run(tx, &second_factor_turned_off(&email, mail.links()), self.store.now()).await?;
            }
            Ok(())
        })
        .await
    }

    /// Creates a new set of recovery codes, which ends the old one, for this person, whose sign-in must be
    /// fresh, and ends the other sessions. Returns the codes, which are shown once.
    pub async fn replace_recovery_codes(
        &self,
        person: &SignedInPerson,
        device: Option<Device>,
    ) -> Result<Vec<RecoveryCode>, SecondFactorError> {
        if !person.session.is_fresh(self.store.now()) {
            return Err(SecondFactorError::NotFresh);
        }
        transact!(self.store, |tx| {
            let email = lock(tx, person).await?;
            if tx.second_factors().find(person.user_id).await?.is_none() {
                return Err(SecondFactorError::NotSet);
            }
            let codes = replace_codes(tx, person.user_id, self.store.entropy()).await?;
            self.end_others(tx, person, device, AuditKind::RecoveryCodesCreated).await?;
            if let Some(mail) = &self.mail {
                mail.run(tx, &recovery_codes_created(&email, mail.links()), self.store.now()).await?;
            }
            Ok(codes)
        })
        .await
    }

    /// Ends the person's other sessions and pending sign-ins, and records the change.
    async fn end_others(
        &self,
        tx: &mut dyn UnitOfWork,
        person: &SignedInPerson,
        device: Option<Device>,
        kind: AuditKind,
    ) -> Result<(), StorageError> {
        let ended = end_sign_ins(tx, person.user_id, Some(person.session.id)).await?;
        tx.record(person.event(&self.store, kind).device(device).count(ended.sessions)).await
    }
}

/// Deletes the authenticator app, the recovery codes and the passkeys of a user for the operator, and ends
/// all sessions and unused password links. Needs no encryption key.
pub async fn reset_second_factor(
    store: &Store,
    mail: Option<&QueueMail>,
    user_id: UserId,
) -> Result<EndedSignIns, ResetSecondFactorError> {
    transact!(store, |tx| {
        let user = tx.users().find(user_id).await?.ok_or(ResetSecondFactorError::NotFound)?;
        let had_app = tx.second_factors().delete(user_id).await?;
        let event = |kind| store.event(AuditActor::Operator, kind).user(user_id);
        let passkeys = remove_passkeys_except(tx, user_id, &[], &event).await?;
        if !had_app && passkeys == 0 {
            return Err(ResetSecondFactorError::NotSet);
        }
        let ended = end_sign_ins(tx, user_id, None).await?;
        tx.record(event(AuditKind::SecondFactorTurnedOff).count(ended.sessions)).await?;
        if let Some(mail) = mail {
            mail.run(tx, &second_factor_reset(&user.email, mail.links()), store.now()).await?;
        }
        Ok(ended)
    })
    .await
}

/// Locks the person and returns their address, if the account is active and the session still exists.
async fn lock(tx: &mut dyn UnitOfWork, person: &SignedInPerson) -> Result<Email, SecondFactorError> {
    let user = tx.active_user(person.user_id).await?;
    let session = tx.sessions().find(person.user_id, person.session.id).await?;
    user.zip(session).map(|(user, _)| user.email).ok_or(SecondFactorError::NotFresh)
}
