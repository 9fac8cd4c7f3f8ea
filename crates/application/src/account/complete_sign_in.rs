//! Completes a sign-in with a code of the authenticator app or a recovery code.

use super::open_session::ProvenPerson;
use super::second_step::{SecondStepCheckpoint, lock_user};
use super::{SecondStepError, SecondStepPorts, SignInLimits, SignInOrigin, SignedIn};
use crate::mail::{QueueMail, recovery_code_used};
use crate::ports::storage::{StorageError, UnitOfWork};
use crate::second_factor::accepted_step;
use domain::address::AddressBlock;
use domain::audit::AuditKind;
use domain::id::UserId;
use domain::pending_sign_in::{PendingSignIn, SecondStep};
use domain::second_factor::{RecoveryCode, TotpCode};
use domain::session::AuthenticationMethod;
use domain::user::Email;

/// Input of [`CompleteSignIn`].
#[derive(Clone, Copy)]
pub struct CompleteSignInCommand<'a> {
    /// Code, as typed: of the authenticator app, or a recovery code.
    pub code: &'a str,
    /// The browser, in which the sign-in waits.
    pub origin: SignInOrigin<'a>,
}

/// A code as typed.
enum TypedCode {
    Totp(TotpCode),
    Recovery(RecoveryCode),
}

impl TypedCode {
    fn parse(text: &str) -> Option<Self> {
        TotpCode::parse(text).map(Self::Totp).or_else(|| RecoveryCode::parse(text).map(Self::Recovery))
    }
}

/// Completes sign-ins.
pub struct CompleteSignIn {
    checkpoint: SecondStepCheckpoint,
    mail: Option<QueueMail>,
}

impl CompleteSignIn {
    /// Creates the use case with the sign-in limits; without an outbox it sends no email.
    pub fn new(ports: SecondStepPorts, limits: SignInLimits, mail: Option<QueueMail>) -> Self {
        Self { checkpoint: SecondStepCheckpoint::new(ports, limits), mail }
    }

    /// Opens a session if the code is correct. A wrong code leaves the sign-in pending.
    pub async fn run(&self, command: CompleteSignInCommand<'_>) -> Result<SignedIn, SecondStepError> {
        let CompleteSignInCommand { code, origin } = command;
        let address = AddressBlock::containing(origin.address);
        let pending = self.checkpoint.pending(origin, SecondStep::Code).await?;
        self.checkpoint.admit(&pending, address).await?;
        let outcome = match TypedCode::parse(code) {
            Some(code) => self.open(&pending, code, origin).await,
            None => Err(SecondStepError::WrongCode),
        };
        match &outcome {
            Ok(_) => self.checkpoint.settle(&pending, address).await,
            Err(SecondStepError::WrongCode) => self.checkpoint.note_refusal(pending.user_id, origin).await,
            Err(_) => {}
        }
        outcome
    }

    async fn open(
        &self,
        pending: &PendingSignIn,
        code: TypedCode,
        origin: SignInOrigin<'_>,
    ) -> Result<SignedIn, SecondStepError> {
        let mut unit = self.checkpoint.ports().units.begin().await?;
        let email = lock_user(unit.as_mut(), pending.user_id).await?;
        let method = match code {
            TypedCode::Totp(code) => {
                self.use_totp(unit.as_mut(), pending.user_id, code).await?;
                AuthenticationMethod::PasswordAndTotp
            }
            TypedCode::Recovery(code) => {
                let address = AddressBlock::containing(origin.address);
                self.use_recovery_code(unit.as_mut(), pending.user_id, &code).await?;
                self.report_recovery(unit.as_mut(), pending.user_id, &email, address).await?;
                AuthenticationMethod::PasswordAndRecoveryCode
            }
        };
        let proven = ProvenPerson { user_id: pending.user_id, method, origin };
        let signed_in = self.checkpoint.complete(unit.as_mut(), pending, proven).await?;
        unit.commit().await?;
        Ok(signed_in)
    }

    /// Uses up the step of a correct code. Only one of several concurrent uses of a code succeeds.
    async fn use_totp(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: UserId,
        code: TotpCode,
    ) -> Result<(), SecondStepError> {
        let ports = self.checkpoint.ports();
        let totp = unit.second_factors().find(user_id).await?.ok_or(SecondStepError::NotPending)?;
        let secret = ports.sealer.open(user_id, &totp.secret)?;
        let step = accepted_step(ports.sealer.as_ref(), &secret, code, ports.clock.now());
        let step = step.ok_or(SecondStepError::WrongCode)?;
        let is_first_use = unit.second_factors().use_step(user_id, step).await?;
        is_first_use.then_some(()).ok_or(SecondStepError::WrongCode)
    }

    async fn use_recovery_code(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: UserId,
        code: &RecoveryCode,
    ) -> Result<(), SecondStepError> {
        let was_there = unit.second_factors().use_recovery_code(user_id, &code.hash(user_id)).await?;
        was_there.then_some(()).ok_or(SecondStepError::WrongCode)
    }

    /// Records and emails that a recovery code was used.
    async fn report_recovery(
        &self,
        unit: &mut dyn UnitOfWork,
        user_id: UserId,
        email: &Email,
        address: AddressBlock,
    ) -> Result<(), StorageError> {
        let left = unit.second_factors().count_recovery_codes(user_id).await?;
        let event = self.checkpoint.event(AuditKind::RecoveryCodeUsed, address).user(user_id);
        unit.audit().append(&event.count(u64::from(left))).await?;
        if let Some(mail) = &self.mail {
            let now = self.checkpoint.ports().clock.now();
            mail.run(unit, &recovery_code_used(email, mail.links(), left), now).await?;
        }
        Ok(())
    }
}
