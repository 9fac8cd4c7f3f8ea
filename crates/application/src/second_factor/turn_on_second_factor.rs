//! Turns on the second factor of a signed-in user, or replaces its authenticator app.

use super::set_up::{report_turned_on, turn_on, verify_set_up};
use super::{SecondFactorChange, SecondFactorChangeError, SecondFactorPorts, SetUpError};
use crate::account::open_session::{ProvenPerson, store_session};
use crate::account::{SignInOrigin, SignedIn, end_sign_ins};
use crate::ports::storage::StorageError;
use crate::ports::system::TotpSealerError;
use derive_more::Constructor;
use domain::second_factor::RecoveryCode;
use domain::session::AuthenticationMethod;

/// A second factor that is on, with the new session of this browser.
#[derive(Debug, Clone)]
pub struct EnabledSecondFactor {
    /// The new session.
    pub signed_in: SignedIn,
    /// The recovery codes, which are shown once.
    pub codes: Vec<RecoveryCode>,
}

/// Turns on second factors.
#[derive(Constructor)]
pub struct TurnOnSecondFactor {
    ports: SecondFactorPorts,
}

impl TurnOnSecondFactor {
    /// Stores the secret of the form if the code is correct, ends every session, and returns a new one for
    /// this browser. Only the page of a fresh session has such a form, and it expires.
    pub async fn run(
        &self,
        change: SecondFactorChange<'_>,
        enrolment: &str,
        code: &str,
    ) -> Result<EnabledSecondFactor, SecondFactorChangeError> {
        let SecondFactorChange { session, address, device } = change;
        let (ports, user_id, now) = (&self.ports, change.session.user_id, self.ports.clock.now());
        let proof = verify_set_up(ports.sealer.as_ref(), user_id, enrolment, code, now)?;
        let secret = ports.sealer.seal(user_id, &proof.secret)?;
        let mut unit = ports.units.begin().await?;
        let email = ports.lock(unit.as_mut(), &change).await?;
        let codes = turn_on(unit.as_mut(), user_id, proof.totp(secret, now), ports.entropy.as_ref()).await?;
        end_sign_ins(unit.as_mut(), user_id, None).await?;
        let method = match session.method {
            AuthenticationMethod::Passkey => AuthenticationMethod::Passkey,
            _ => AuthenticationMethod::PasswordAndTotp,
        };
        let origin = SignInOrigin { address, device, replaces: Some(session), pending: None };
        let person = ProvenPerson { user_id, method, origin };
        // The code of a new app proves nothing about the person, so the sign-in does not become fresher.
        let signed_in =
            store_session(unit.as_mut(), person, session.authenticated_at, ports.entropy.as_ref()).await?;
        let event = |kind| ports.event(kind, &change);
        report_turned_on(unit.as_mut(), &email, ports.mail.as_ref(), now, event).await?;
        unit.commit().await?;
        Ok(EnabledSecondFactor { signed_in, codes })
    }
}

impl From<SetUpError> for SecondFactorChangeError {
    fn from(error: SetUpError) -> Self {
        match error {
            SetUpError::WrongCode => Self::WrongCode,
            SetUpError::Expired => Self::SetUpExpired,
        }
    }
}

impl From<TotpSealerError> for SecondFactorChangeError {
    fn from(error: TotpSealerError) -> Self {
        Self::Storage(StorageError::Internal(Box::new(error)))
    }
}
