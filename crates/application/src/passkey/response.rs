//! A browser's response, and the ceremony that it belongs to.

use crate::ports::storage::{StorageError, UnitOfWorkFactory};
use crate::ports::system::PasskeyVerifier;
use chrono::{DateTime, Utc};
use domain::passkey::{CeremonyPurpose, ClientData, from_base64url};
use domain::secret::{Secret, SecretKind};

/// Longest challenge in bytes; the server's have 53.
const MAX_CHALLENGE_BYTES: usize = 64;

/// Decoded client data.
pub(super) struct ParsedClientData {
    pub(super) json: Vec<u8>,
    pub(super) data: ClientData,
}

impl ParsedClientData {
    /// Decodes client data; `None` if it is malformed or too long.
    pub(super) fn read(text: &str, verifier: &dyn PasskeyVerifier) -> Option<Self> {
        let json = from_base64url(text, ClientData::MAX_BYTES)?;
        let data = verifier.parse_client_data(&json).ok()?;
        Some(Self { json, data })
    }

    /// Ends the ceremony with this challenge, whatever its outcome, and returns whether this browser began it
    /// for this purpose and it has not expired.
    pub(super) async fn end_ceremony(
        &self,
        units: &dyn UnitOfWorkFactory,
        purpose: CeremonyPurpose,
        cookie: &Secret,
        now: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let Some(challenge) = self.challenge() else { return Ok(false) };
        let mut unit = units.begin().await?;
        let ceremony = unit.passkey_ceremonies().take(&challenge.hash()).await?;
        unit.commit().await?;
        Ok(ceremony.is_some_and(|ceremony| ceremony.can_finish(purpose, &cookie.hash(), now)))
    }

    fn challenge(&self) -> Option<Secret> {
        let bytes = from_base64url(&self.data.challenge, MAX_CHALLENGE_BYTES)?;
        let text = std::str::from_utf8(&bytes).ok()?;
        Secret::parse(SecretKind::PasskeyChallenge, text).ok()
    }
}
