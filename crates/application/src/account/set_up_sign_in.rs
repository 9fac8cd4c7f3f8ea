//! Completes a sign-in by setting up the second factor that the operator requires.

use super::open_session::ProvenPerson;
use super::second_step::{SecondStepCheckpoint, lock_user};
use super::{SecondStepError, SecondStepPorts, SignInLimits, SignInOrigin, end_sign_ins};
use crate::mail::QueueMail;
use crate::second_factor::{EnabledSecondFactor, SetUpError, turn_on, verify_set_up};
use domain::address::AddressBlock;
use domain::pending_sign_in::SecondStep;
use domain::session::AuthenticationMethod;

/// Input of [`SetUpSignIn`].
#[derive(Clone, Copy)]
pub struct SetUpSignInCommand<'a> {
    /// Encrypted secret, from the form.
    pub enrolment: &'a str,
    /// Code of the authenticator app, as typed.
    pub code: &'a str,
    /// The browser, in which the sign-in waits.
    pub origin: SignInOrigin<'a>,
}

/// Completes sign-ins with a new second factor.
pub struct SetUpSignIn {
    checkpoint: SecondStepCheckpoint,
    mail: Option<QueueMail>,
}

impl SetUpSignIn {
    /// Creates the use case with the sign-in limits; without an outbox it sends no email.
    pub fn new(ports: SecondStepPorts, limits: SignInLimits, mail: Option<QueueMail>) -> Self {
        Self { checkpoint: SecondStepCheckpoint::new(ports, limits), mail }
    }

    /// Turns on the second factor and opens a session if the code is correct. Returns the recovery codes,
    /// which are shown once.
    pub async fn run(&self, command: SetUpSignInCommand<'_>) -> Result<EnabledSecondFactor, SecondStepError> {
        let SetUpSignInCommand { enrolment, code, origin } = command;
        let ports = self.checkpoint.ports();
        let pending = self.checkpoint.pending(origin, SecondStep::SetUp).await?;
        let user_id = pending.user_id;
        let now = ports.clock.now();
        let proof = verify_set_up(ports.sealer.as_ref(), user_id, enrolment, code, now)?;
        let mut unit = ports.units.begin().await?;
        let email = lock_user(unit.as_mut(), user_id).await?;
        // Another sign-in with the same password may have set one up meanwhile.
        let has_factor = unit.second_factors().find(user_id).await?.is_some()
            || !unit.passkeys().list(user_id).await?.is_empty();
        if has_factor {
            return Err(SecondStepError::NotPending);
        }
        let method = AuthenticationMethod::PasswordAndTotp;
        let person = ProvenPerson { user_id, method, origin };
        let signed_in = self.checkpoint.complete(unit.as_mut(), &pending, person).await?;
        // Sessions opened before the policy was enabled end here.
        end_sign_ins(unit.as_mut(), user_id, Some(signed_in.session.id)).await?;
        let secret = ports.sealer.seal(user_id, &proof.secret)?;
        let codes = turn_on(unit.as_mut(), user_id, proof.totp(secret, now), ports.entropy.as_ref()).await?;
        let trail =
            |kind| self.checkpoint.event(kind, AddressBlock::containing(origin.address)).user(user_id);
        crate::second_factor::report_turned_on(unit.as_mut(), &email, self.mail.as_ref(), now, trail).await?;
        unit.commit().await?;
        Ok(EnabledSecondFactor { signed_in, codes })
    }
}

impl From<SetUpError> for SecondStepError {
    fn from(error: SetUpError) -> Self {
        match error {
            SetUpError::WrongCode => Self::WrongCode,
            SetUpError::Expired => Self::SetUpExpired,
        }
    }
}
