//! The steps of setting up an authenticator app, on the account page and during a sign-in.

use crate::mail::{QueueMail, second_factor_turned_on};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::ports::system::{Entropy, TotpSealer};
use chrono::{DateTime, Utc};
use domain::audit::{AuditEvent, AuditKind};
use domain::id::UserId;
use domain::second_factor::{
    RECOVERY_CODES, RecoveryCode, SealedTotpSecret, Totp, TotpCode, TotpSecret, TotpStep,
};
use domain::secret::SecretHash;
use domain::user::Email;

/// Why an authenticator app cannot be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SetUpError {
    /// The code is malformed or wrong.
    #[error("the code is wrong")]
    WrongCode,
    /// The form expired, or is not this person's.
    #[error("the secret to set up has expired")]
    Expired,
}

/// A secret that a valid code has confirmed.
pub(crate) struct VerifiedSecret {
    pub(crate) secret: TotpSecret,
    step: TotpStep,
}

impl VerifiedSecret {
    /// Returns the app to store. The code that proved it cannot be used to sign in.
    pub(crate) const fn totp(&self, secret: SealedTotpSecret, set_at: DateTime<Utc>) -> Totp {
        Totp { secret, last_step: self.step, set_at }
    }
}

/// Returns the step that the code belongs to, current or adjacent. Always compares all of them.
pub(crate) fn accepted_step(
    sealer: &dyn TotpSealer,
    secret: &TotpSecret,
    code: TotpCode,
    now: DateTime<Utc>,
) -> Option<TotpStep> {
    let steps = TotpStep::at(now).accepted();
    steps.into_iter().filter(|step| sealer.code(secret, *step) == code).max()
}

/// Checks the first code of an app.
pub(crate) fn verify_set_up(
    sealer: &dyn TotpSealer,
    user_id: UserId,
    enrolment: &str,
    code: &str,
    now: DateTime<Utc>,
) -> Result<VerifiedSecret, SetUpError> {
    let enrolment = sealer.open_enrolment(user_id, enrolment).filter(|enrolment| now < enrolment.expires_at);
    let secret = enrolment.ok_or(SetUpError::Expired)?.secret;
    let code = TotpCode::parse(code).ok_or(SetUpError::WrongCode)?;
    let step = accepted_step(sealer, &secret, code, now).ok_or(SetUpError::WrongCode)?;
    Ok(VerifiedSecret { secret, step })
}

/// Stores the app and a new set of recovery codes, which it returns.
pub(crate) async fn turn_on(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    totp: Totp,
    entropy: &dyn Entropy,
) -> Result<Vec<RecoveryCode>, StorageError> {
    unit.second_factors().set(user_id, &totp).await?;
    replace_codes(unit, user_id, entropy).await
}

/// Replaces the recovery codes of a user, and returns the new ones.
pub(super) async fn replace_codes(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    entropy: &dyn Entropy,
) -> Result<Vec<RecoveryCode>, StorageError> {
    let codes: Vec<RecoveryCode> =
        (0..RECOVERY_CODES).map(|_| RecoveryCode::from_bytes(&entropy.secret_bytes())).collect();
    let hashes: Vec<SecretHash> = codes.iter().map(|code| code.hash(user_id)).collect();
    unit.second_factors().replace_recovery_codes(user_id, &hashes).await?;
    Ok(codes)
}

/// Records and emails that a second factor was turned on; `event` creates an event of a kind.
pub(crate) async fn report_turned_on(
    unit: &mut dyn UnitOfWork,
    email: &Email,
    mail: Option<&QueueMail>,
    now: DateTime<Utc>,
    event: impl Fn(AuditKind) -> AuditEvent + Send + Sync,
) -> Result<(), StorageError> {
    for kind in [AuditKind::SecondFactorTurnedOn, AuditKind::RecoveryCodesCreated] {
        unit.audit().append(&event(kind)).await?;
    }
    if let Some(mail) = mail {
        mail.run(unit, &second_factor_turned_on(email, mail.links()), now).await?;
    }
    Ok(())
}
