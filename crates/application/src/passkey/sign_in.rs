//! Signs a person in with a passkey, without an address or a password.

use super::answer::DecodedAssertion;
use super::{OfferedPasskeys, PasskeyAnswer, PasskeyError, Passkeys};
use crate::attempt_limit::{AttemptRejected, count_attempt};
use crate::ports::storage::{FailureKey, PasskeyUse, StorageError};
use crate::session::{ProvenPerson, SignInOrigin, SignedIn, address_counter, open_session};
use crate::store::transact;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::passkey::{Assertion, CeremonyPurpose, Passkey};
use domain::secret::Secret;
use domain::session::AuthenticationMethod;
use std::net::IpAddr;

/// Why a valid response opens no session.
enum NotOpened {
    /// The passkey cannot be used. An event of this kind is to be recorded, after the rollback.
    Rejected(AuditKind),
    Storage(StorageError),
}

impl From<StorageError> for NotOpened {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl OfferedPasskeys<'_> {
    /// Opens a session if the response is valid. A passkey counts as both factors: the authenticator is one,
    /// and its check of the person, which is required, is the other.
    pub async fn sign_in(
        self,
        answer: PasskeyAnswer<'_>,
        visit: &Secret,
        origin: SignInOrigin<'_>,
    ) -> Result<SignedIn, PasskeyError> {
        let Passkeys { store, reader, failures, verifier, .. } = self.passkeys;
        let now = store.now();
        let counter = address_counter(origin.address);
        self.passkeys.admit(origin.address, counter, now).await?;
        let sent = DecodedAssertion::read(answer, verifier.as_ref()).ok_or(PasskeyError::Rejected)?;
        if !sent.client.end_ceremony(store, CeremonyPurpose::SignIn, visit, now).await? {
            return Err(PasskeyError::Rejected);
        }
        let passkey = reader.find_passkey(&sent.credential_id).await?.ok_or(PasskeyError::Rejected)?;
        let opened = match sent.verify(&passkey, self.relying_party, verifier.as_ref()) {
            Some(assertion) => self.passkeys.open(&passkey, &assertion, origin, now).await,
            None => Err(NotOpened::Rejected(AuditKind::PasskeyRefused)),
        };
        let signed_in = match opened {
            Ok(signed_in) => signed_in,
            Err(NotOpened::Storage(error)) => return Err(error.into()),
            Err(NotOpened::Rejected(kind)) => {
                let event = store.event(AuditActor::Person, kind).user(passkey.user_id);
                let event = event.subject(passkey.id.as_uuid()).device(origin.device).from(origin.address);
                store.record_rejection(&event).await;
                return Err(PasskeyError::Rejected);
            }
        };
        // The person is signed in; the window ends by itself.
        if let Err(error) = failures.uncount(&[counter], now).await {
            tracing::warn!(user_id = %passkey.user_id, %error, "could not reset the limit after a sign-in");
        }
        Ok(signed_in)
    }
}

impl Passkeys {
    /// Counts the attempt for the address before anything is checked.
    async fn admit(
        &self,
        address: IpAddr,
        counter: FailureKey,
        now: DateTime<Utc>,
    ) -> Result<(), AttemptRejected> {
        let limit = self.sign_in_limits.per_address;
        let outcome = count_attempt(self.failures.as_ref(), counter, limit, now).await;
        if let Err(AttemptRejected::TooMany { is_first: true, .. }) = outcome {
            let event = self.store.event(AuditActor::Person, AuditKind::SignInLimited).from(address);
            self.store.record_rejection(&event).await;
        }
        outcome
    }

    /// Records the use and opens the session. A counter that did not grow is recorded as such.
    async fn open(
        &self,
        passkey: &Passkey,
        assertion: &Assertion,
        origin: SignInOrigin<'_>,
        now: DateTime<Utc>,
    ) -> Result<SignedIn, NotOpened> {
        let Passkey { id, user_id, .. } = *passkey;
        let Assertion { sign_count, is_backed_up, signature: _ } = *assertion;
        let usage = PasskeyUse { sign_count, is_backed_up, at: now };
        let person = ProvenPerson { user_id, method: AuthenticationMethod::Passkey, origin };
        transact!(self.store, |tx| {
            // Locks the person: the passkey cannot be removed in the meantime.
            if tx.active_user(user_id).await?.is_none() {
                return Err(NotOpened::Rejected(AuditKind::PasskeyRefused));
            }
            if !tx.passkeys().record_use(user_id, id, usage).await? {
                return Err(NotOpened::Rejected(AuditKind::PasskeyCounterReversed));
            }
            Ok(open_session(tx, person, self.store.clock(), self.store.entropy()).await?)
        })
        .await
    }
}
