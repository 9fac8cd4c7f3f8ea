//! Setting up an authenticator app, on the account page and during a sign-in.

use super::{SecondFactorError, SecondFactors, lock};
use crate::mail::{QueueMail, second_factor_turned_on};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::ports::system::{Entropy, TotpEnrolment, TotpSealer, TotpSealerError};
use crate::session::{ProvenPerson, store_session};
use crate::session::{SignInOrigin, SignedIn, SignedInPerson, end_sign_ins};
use crate::store::transact;
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditEvent, AuditKind};
use domain::device::Device;
use domain::id::UserId;
use domain::second_factor::{
    RECOVERY_CODES, RecoveryCode, SealedTotpSecret, Totp, TotpCode, TotpSecret, TotpStep,
};
use domain::secret::SecretHash;
use domain::session::AuthenticationMethod;
use domain::user::Email;

/// Time to install an app and enter the first code.
const SET_UP_MINUTES: i64 = 20;

/// A new secret, which is not stored.
#[derive(Debug, Clone)]
pub struct NewAuthenticator {
    /// The secret, to show to the person.
    pub secret: TotpSecret,
    /// The secret for the form, encrypted.
    pub enrolment: String,
}

/// A second factor that is on, with the new session of this browser.
#[derive(Debug, Clone)]
pub struct EnabledSecondFactor {
    /// The new session.
    pub signed_in: SignedIn,
    /// The recovery codes, which are shown once.
    pub codes: Vec<RecoveryCode>,
}

impl SecondFactors {
    /// Returns a new secret for this user. `shown` is the secret of a form that was submitted with an error.
    /// It is shown again, because the person's app already has it.
    pub fn begin_set_up(
        &self,
        user_id: UserId,
        shown: Option<&str>,
    ) -> Result<NewAuthenticator, StorageError> {
        let (sealer, now) = (self.sealer.as_ref(), self.store.now());
        let shown = shown.and_then(|text| Some((sealer.open_enrolment(user_id, text)?, text)));
        if let Some((TotpEnrolment { secret, expires_at }, text)) = shown
            && now < expires_at
        {
            return Ok(NewAuthenticator { secret, enrolment: text.to_owned() });
        }
        let secret = TotpSecret::from_bytes(&self.store.entropy().secret_bytes());
        let expires_at = now + TimeDelta::minutes(SET_UP_MINUTES);
        let enrolment = TotpEnrolment { secret: secret.clone(), expires_at };
        let enrolment = sealer.seal_enrolment(user_id, &enrolment).map_err(internal)?;
        Ok(NewAuthenticator { secret, enrolment })
    }

    /// Stores the secret of the form if the code is correct, or replaces the authenticator app with it. Ends
    /// every session, and returns a new one for this browser. Only the page of a fresh session has such a
    /// form, and it expires.
    pub async fn turn_on(
        &self,
        person: &SignedInPerson,
        device: Option<Device>,
        enrolment: &str,
        code: &str,
    ) -> Result<EnabledSecondFactor, SecondFactorError> {
        let SignedInPerson { user_id, ref session, address, .. } = *person;
        let (sealer, now) = (self.sealer.as_ref(), self.store.now());
        let proof = verify_set_up(sealer, user_id, enrolment, code, now)?;
        let totp = proof.totp(sealer.seal(user_id, &proof.secret).map_err(internal)?, now);
        transact!(self.store, |tx| {
            let email = lock(tx, person).await?;
            let codes = turn_on(tx, user_id, totp, self.store.entropy()).await?;
            end_sign_ins(tx, user_id, None).await?;
            let method = match session.method {
                AuthenticationMethod::Passkey => AuthenticationMethod::Passkey,
                _ => AuthenticationMethod::PasswordAndTotp,
            };
            let origin = SignInOrigin { address, device, replaces: Some(session), pending: None };
            let proven = ProvenPerson { user_id, method, origin };
            // The code of a new app proves nothing about the person, so the sign-in does not become fresher.
            let signed_in = store_session(tx, proven, session.authenticated_at, self.store.entropy()).await?;
            let event = |kind| person.event(&self.store, kind).device(device);
            report_turned_on(tx, &email, self.mail.as_ref(), now, event).await?;
            Ok(EnabledSecondFactor { signed_in, codes })
        })
        .await
    }
}

fn internal(error: TotpSealerError) -> StorageError {
    StorageError::Internal(Box::new(error))
}

/// Why an authenticator app cannot be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetUpError {
    /// The code is malformed or wrong.
    WrongCode,
    /// The form expired, or is not this person's.
    Expired,
}

impl From<SetUpError> for SecondFactorError {
    fn from(error: SetUpError) -> Self {
        match error {
            SetUpError::WrongCode => Self::WrongCode,
            SetUpError::Expired => Self::SetUpExpired,
        }
    }
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
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    totp: Totp,
    entropy: &dyn Entropy,
) -> Result<Vec<RecoveryCode>, StorageError> {
    tx.second_factors().set(user_id, &totp).await?;
    replace_codes(tx, user_id, entropy).await
}

/// Replaces the recovery codes of a user, and returns the new ones.
pub(super) async fn replace_codes(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    entropy: &dyn Entropy,
) -> Result<Vec<RecoveryCode>, StorageError> {
    let codes: Vec<RecoveryCode> =
        (0..RECOVERY_CODES).map(|_| RecoveryCode::from_bytes(&entropy.secret_bytes())).collect();
    let hashes: Vec<SecretHash> = codes.iter().map(|code| code.hash(user_id)).collect();
    tx.second_factors().replace_recovery_codes(user_id, &hashes).await?;
    Ok(codes)
}

/// Records and emails that a second factor was turned on; `event` creates an event of a kind.
pub(crate) async fn report_turned_on(
    tx: &mut dyn UnitOfWork,
    email: &Email,
    mail: Option<&QueueMail>,
    now: DateTime<Utc>,
    event: impl Fn(AuditKind) -> AuditEvent + Send + Sync,
) -> Result<(), StorageError> {
    for kind in [AuditKind::SecondFactorTurnedOn, AuditKind::RecoveryCodesCreated] {
        tx.record(event(kind)).await?;
    }
    if let Some(mail) = mail {
        mail.run(tx, &second_factor_turned_on(email, mail.links()), now).await?;
    }
    Ok(())
}
