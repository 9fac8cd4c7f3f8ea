//! Turns off the second factor of a signed-in user.

use super::{SecondFactorChange, SecondFactorChangeError, SecondFactorPorts};
use crate::mail::second_factor_turned_off;
use derive_more::Constructor;
use domain::audit::AuditKind;
use domain::second_factor::SecondFactorPolicy;

/// Turns off second factors.
#[derive(Constructor)]
pub struct TurnOffSecondFactor {
    ports: SecondFactorPorts,
    policy: SecondFactorPolicy,
}

impl TurnOffSecondFactor {
    /// Deletes the authenticator app and the recovery codes, and ends the user's other sessions.
    pub async fn run(&self, change: SecondFactorChange<'_>) -> Result<(), SecondFactorChangeError> {
        let (ports, session) = (&self.ports, change.session);
        if self.policy == SecondFactorPolicy::Required {
            return Err(SecondFactorChangeError::Required);
        }
        if !ports.is_fresh(session) {
            return Err(SecondFactorChangeError::NotFresh);
        }
        let mut unit = ports.units.begin().await?;
        let email = ports.lock(unit.as_mut(), &change).await?;
        if !unit.second_factors().delete(session.user_id).await? {
            return Err(SecondFactorChangeError::NotSet);
        }
        let ended = ports.end_others(unit.as_mut(), session).await?;
        let event = ports.event(AuditKind::SecondFactorTurnedOff, &change).count(ended);
        unit.audit().append(&event).await?;
        if let Some(mail) = &ports.mail {
            let message = second_factor_turned_off(&email, mail.links());
            mail.run(unit.as_mut(), &message, ports.clock.now()).await?;
        }
        Ok(unit.commit().await?)
    }
}
