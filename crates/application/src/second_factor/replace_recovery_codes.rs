//! Replaces the recovery codes of a signed-in user.

use super::set_up::replace_codes;
use super::{SecondFactorChange, SecondFactorChangeError, SecondFactorPorts};
use crate::mail::recovery_codes_created;
use derive_more::Constructor;
use domain::audit::AuditKind;
use domain::second_factor::RecoveryCode;

/// Replaces recovery codes.
#[derive(Constructor)]
pub struct ReplaceRecoveryCodes {
    ports: SecondFactorPorts,
}

impl ReplaceRecoveryCodes {
    /// Creates a new set, which ends the old one, and ends the user's other sessions. Returns the codes,
    /// which are shown once.
    pub async fn run(
        &self,
        change: SecondFactorChange<'_>,
    ) -> Result<Vec<RecoveryCode>, SecondFactorChangeError> {
        let (ports, session) = (&self.ports, change.session);
        if !ports.is_fresh(session) {
            return Err(SecondFactorChangeError::NotFresh);
        }
        let mut unit = ports.units.begin().await?;
        let email = ports.lock(unit.as_mut(), &change).await?;
        if unit.second_factors().find(session.user_id).await?.is_none() {
            return Err(SecondFactorChangeError::NotSet);
        }
        let codes = replace_codes(unit.as_mut(), session.user_id, ports.entropy.as_ref()).await?;
        let ended = ports.end_others(unit.as_mut(), session).await?;
        let event = ports.event(AuditKind::RecoveryCodesCreated, &change).count(ended);
        unit.audit().append(&event).await?;
        if let Some(mail) = &ports.mail {
            let message = recovery_codes_created(&email, mail.links());
            mail.run(unit.as_mut(), &message, ports.clock.now()).await?;
        }
        unit.commit().await?;
        Ok(codes)
    }
}
