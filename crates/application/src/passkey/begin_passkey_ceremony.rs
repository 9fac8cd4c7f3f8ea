//! Begins a passkey ceremony.

use super::PasskeyPorts;
use crate::account::SignedInPerson;
use crate::attempt_limit::{AttemptLimit, count_attempt, failure_key, from_attempt_rejected};
use crate::ports::storage::StorageError;
use derive_more::Constructor;
use domain::address::AddressBlock;
use domain::passkey::{CeremonyPurpose, MAX_PASSKEYS, PasskeyCeremony};
use domain::secret::{Secret, SecretKind};
use std::net::IpAddr;

/// Input of [`BeginPasskeyCeremony`].
#[derive(Clone, Copy)]
pub enum PasskeyCeremonyStart<'a> {
    /// A sign-in in the browser with this visit cookie.
    SignIn {
        /// The cookie.
        visit: &'a Secret,
    },
    /// A registration by this person, whose sign-in must be fresh.
    Registration {
        /// The person.
        person: &'a SignedInPerson,
    },
}

/// Errors of [`BeginPasskeyCeremony`].
#[derive(Debug, thiserror::Error)]
pub enum BeginPasskeyCeremonyError {
    /// The person must sign in again, because the last sign-in was over five minutes ago.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The person has [`MAX_PASSKEYS`].
    #[error("there are too many passkeys")]
    TooManyPasskeys,
    /// The limit of this address is reached. Nothing was stored.
    #[error("too many attempts")]
    TooManyAttempts {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

from_attempt_rejected!(BeginPasskeyCeremonyError, TooManyAttempts);

/// Begins passkey ceremonies.
#[derive(Constructor)]
pub struct BeginPasskeyCeremony {
    ports: PasskeyPorts,
    /// Ceremonies per address; each is a row.
    limit: AttemptLimit,
}

impl BeginPasskeyCeremony {
    /// Stores a ceremony that only this browser can finish, and returns its challenge.
    pub async fn run(
        &self,
        start: PasskeyCeremonyStart<'_>,
        address: IpAddr,
    ) -> Result<Secret, BeginPasskeyCeremonyError> {
        let now = self.ports.clock.now();
        let block = AddressBlock::containing(address).to_string();
        let counter = failure_key(&["passkey-ceremony/address", &block]);
        count_attempt(self.ports.failures.as_ref(), counter, self.limit, now).await?;
        let mut unit = self.ports.units.begin().await?;
        let (purpose, cookie) = match start {
            PasskeyCeremonyStart::SignIn { visit } => (CeremonyPurpose::SignIn, visit),
            PasskeyCeremonyStart::Registration { person } => {
                if !person.session.is_fresh(now) {
                    return Err(BeginPasskeyCeremonyError::NotFresh);
                }
                if unit.passkeys().list(person.user_id).await?.len() >= MAX_PASSKEYS {
                    return Err(BeginPasskeyCeremonyError::TooManyPasskeys);
                }
                (CeremonyPurpose::Registration, &person.cookie)
            }
        };
        let challenge = Secret::from_bytes(SecretKind::PasskeyChallenge, &self.ports.entropy.secret_bytes());
        let ceremony = PasskeyCeremony {
            challenge_hash: challenge.hash(),
            purpose,
            browser_hash: cookie.hash(),
            expires_at: now + PasskeyCeremony::LIFETIME,
        };
        unit.passkey_ceremonies().insert(&ceremony).await?;
        unit.commit().await?;
        Ok(challenge)
    }
}
