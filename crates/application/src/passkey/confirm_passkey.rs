//! Confirms that a person has one of their passkeys, without signing in.

use super::assertion::DecodedAssertion;
use super::{PasskeyAnswer, PasskeyPorts};
use crate::ports::storage::{PasskeyUse, StorageError};
use derive_more::Constructor;
use domain::id::{PasskeyId, UserId};
use domain::passkey::{Assertion, CeremonyPurpose, RelyingParty};
use domain::secret::Secret;

/// A passkey that answered a ceremony. Its use is recorded by the use case that relies on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfirmedPasskey {
    /// The owner.
    pub(crate) user_id: UserId,
    /// The passkey.
    pub(crate) id: PasskeyId,
    /// The use to record.
    pub(crate) usage: PasskeyUse,
}

/// Confirms passkeys.
#[derive(Constructor)]
pub struct ConfirmPasskey {
    ports: PasskeyPorts,
    relying_party: RelyingParty,
}

impl ConfirmPasskey {
    /// Ends the ceremony that the browser with this visit cookie began. Returns the passkey if the answer is
    /// valid and the passkey belongs to this user.
    pub async fn run(
        &self,
        user_id: UserId,
        answer: PasskeyAnswer<'_>,
        visit: &Secret,
    ) -> Result<Option<ConfirmedPasskey>, StorageError> {
        let verifier = self.ports.verifier.as_ref();
        let Some(sent) = DecodedAssertion::read(answer, verifier) else { return Ok(None) };
        let (units, now) = (self.ports.units.as_ref(), self.ports.clock.now());
        if !sent.client.end_ceremony(units, CeremonyPurpose::SignIn, visit, now).await? {
            return Ok(None);
        }
        let found = self.ports.passkeys.find_passkey(&sent.credential_id).await?;
        let Some(passkey) = found.filter(|passkey| passkey.user_id == user_id) else { return Ok(None) };
        let confirmed = sent.verify(&passkey, &self.relying_party, verifier);
        Ok(confirmed.map(|Assertion { sign_count, is_backed_up, signature: _ }| ConfirmedPasskey {
            user_id,
            id: passkey.id,
            usage: PasskeyUse { sign_count, is_backed_up, at: now },
        }))
    }
}
