//! Passkeys: adding, using, confirming, naming and removing them.
//!
//! Every ceremony begins with a challenge that is stored as a hash, works once and expires after five
//! minutes. The checks are those of `domain::passkey`.

mod answer;
mod ceremony;
mod removal;
mod sign_in;

#[cfg(test)]
mod tests;

pub use answer::{NewPasskey, PasskeyAnswer};
pub use ceremony::{CeremonyStart, ConfirmedPasskey};
pub use removal::RemoveAllPasskeysError;
pub(crate) use removal::{lacks_factor, remove_all_passkeys, remove_passkeys_except};

use crate::attempt_limit::{AttemptLimit, from_attempt_rejected};
use crate::mail::QueueMail;
use crate::ports::storage::{FailureCounter, PasskeyReader, StorageError};
use crate::ports::system::PasskeyVerifier;
use crate::session::{SignInLimits, SignedInPerson};
use crate::store::{Store, transact};
use domain::audit::AuditKind;
use domain::id::{PasskeyId, UserId};
use domain::passkey::{Passkey, PasskeyName, RelyingParty};
use domain::second_factor::SecondFactorPolicy;
use std::sync::Arc;

/// People's passkeys.
pub struct Passkeys {
    /// The store.
    pub store: Store,
    /// Reader of passkeys.
    pub reader: Arc<dyn PasskeyReader>,
    /// Attempt counters.
    pub failures: Arc<dyn FailureCounter>,
    /// Verifier of signatures.
    pub verifier: Arc<dyn PasskeyVerifier>,
    /// This server, as browsers know it; `None` if browsers offer no passkeys at its public URL.
    pub relying_party: Option<RelyingParty>,
    /// Ceremonies per address; each is a row.
    pub ceremony_limit: AttemptLimit,
    /// Limits on sign-ins, of which the one per address applies; passwords share its counter.
    pub sign_in_limits: SignInLimits,
    /// Whether people need a second factor.
    pub policy: SecondFactorPolicy,
    /// `None` if no email is sent.
    pub mail: Option<QueueMail>,
}

/// Passkeys of a server whose public URL browsers offer them for.
#[derive(Clone, Copy)]
pub struct OfferedPasskeys<'a> {
    passkeys: &'a Passkeys,
    relying_party: &'a RelyingParty,
}

/// Why a form about passkeys has no effect.
#[derive(Debug, thiserror::Error)]
pub enum PasskeyError {
    /// The person must sign in again, because the last sign-in was over five minutes ago, or has ended.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The name is invalid.
    #[error("the name is invalid")]
    InvalidName,
    /// The person has no such passkey.
    #[error("there is no such passkey")]
    NotFound,
    /// The ceremony, the passkey, the account or the response is unusable; the caller does not learn which.
    #[error("the passkey was rejected")]
    Rejected,
    /// The credential belongs to an account already; the caller does not learn to which.
    #[error("the passkey is in use")]
    AlreadyAdded,
    /// The person has [`MAX_PASSKEYS`](domain::passkey::MAX_PASSKEYS).
    #[error("there are too many passkeys")]
    TooManyPasskeys,
    /// The operator requires a second factor, and the person has no other.
    #[error("this is the only second factor")]
    LastFactor,
    /// The limit of this address is reached. Nothing was checked or stored.
    #[error("too many attempts")]
    TooManyAttempts {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

from_attempt_rejected!(PasskeyError, TooManyAttempts);

impl Passkeys {
    /// Returns the passkeys with their ceremonies; `None` if browsers offer none at the public URL.
    pub fn offered(&self) -> Option<OfferedPasskeys<'_>> {
        self.relying_party.as_ref().map(|relying_party| OfferedPasskeys { passkeys: self, relying_party })
    }

    /// Returns a person's passkeys, oldest first.
    pub async fn list(&self, user_id: UserId) -> Result<Vec<Passkey>, StorageError> {
        self.reader.list_passkeys(user_id).await
    }

    /// Renames a passkey of this person. A name proves nothing, so no session ends and no email is sent.
    pub async fn rename(
        &self,
        person: &SignedInPerson,
        id: PasskeyId,
        name: &str,
    ) -> Result<(), PasskeyError> {
        let name = PasskeyName::parse(name).map_err(|_| PasskeyError::InvalidName)?;
        transact!(self.store, |tx| {
            if !tx.passkeys().rename(person.user_id, id, &name).await? {
                return Err(PasskeyError::NotFound);
            }
            let event = person.event(&self.store, AuditKind::PasskeyRenamed);
            Ok(tx.record(event.subject(id.as_uuid())).await?)
        })
        .await
    }
}
