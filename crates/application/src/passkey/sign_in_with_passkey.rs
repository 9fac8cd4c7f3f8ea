//! Signs a person in with a passkey, without an address or a password.

use super::PasskeyAnswer;
use super::assertion::DecodedAssertion;
use crate::account::{ProvenPerson, SignInLimits, SignInOrigin, SignedIn, address_counter, open_session};
use crate::attempt_limit::{AttemptRejected, count_attempt, from_attempt_rejected};
use crate::audit::{AuditTrail, append_refusal};
use crate::ports::storage::{
    FailureCounter, FailureKey, PasskeyReader, PasskeyUse, StorageError, UnitOfWorkFactory,
};
use crate::ports::system::{Clock, Entropy, PasskeyVerifier};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::passkey::{Assertion, CeremonyPurpose, Passkey, RelyingParty};
use domain::secret::Secret;
use domain::session::AuthenticationMethod;
use std::sync::Arc;

/// Input of [`SignInWithPasskey`].
#[derive(Clone, Copy)]
pub struct SignInWithPasskeyCommand<'a> {
    /// Response of the passkey.
    pub answer: PasskeyAnswer<'a>,
    /// Visit cookie of this browser.
    pub visit: &'a Secret,
    /// The browser.
    pub origin: SignInOrigin<'a>,
}

/// Errors of [`SignInWithPasskey`].
#[derive(Debug, thiserror::Error)]
pub enum SignInWithPasskeyError {
    /// The ceremony, the passkey, the account or the response is unusable; the caller does not learn which.
    #[error("the passkey was rejected")]
    Rejected,
    /// The limit of this address is reached. Nothing was checked.
    #[error("too many attempts")]
    TooManyAttempts {
        /// Seconds until the window ends.
        retry_after_seconds: u32,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

from_attempt_rejected!(SignInWithPasskeyError, TooManyAttempts);

/// Ports of ceremonies.
#[derive(Clone)]
pub struct PasskeyPorts {
    /// Reader of passkeys.
    pub passkeys: Arc<dyn PasskeyReader>,
    /// Units of work.
    pub units: Arc<dyn UnitOfWorkFactory>,
    /// Attempt counters.
    pub failures: Arc<dyn FailureCounter>,
    /// Verifier of signatures.
    pub verifier: Arc<dyn PasskeyVerifier>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Source of ids and secrets.
    pub entropy: Arc<dyn Entropy>,
}

/// Signs people in with passkeys. A passkey counts as both factors: the authenticator is one, and its check
/// of the person, which is required, is the other.
pub struct SignInWithPasskey {
    ports: PasskeyPorts,
    limits: SignInLimits,
    relying_party: RelyingParty,
    trail: AuditTrail,
}

impl SignInWithPasskey {
    /// Creates the use case. The limit per address is the one of passwords.
    pub fn new(ports: PasskeyPorts, limits: SignInLimits, relying_party: RelyingParty) -> Self {
        let trail = AuditTrail::new(ports.entropy.clone(), ports.clock.clone());
        Self { ports, limits, relying_party, trail }
    }

    /// Opens a session if the response is valid.
    pub async fn run(
        &self,
        command: SignInWithPasskeyCommand<'_>,
    ) -> Result<SignedIn, SignInWithPasskeyError> {
        let now = self.ports.clock.now();
        let counter = address_counter(command.origin.address);
        self.admit(&command, counter, now).await?;
        let sent = DecodedAssertion::read(command.answer, self.ports.verifier.as_ref());
        let sent = sent.ok_or(SignInWithPasskeyError::Rejected)?;
        let (units, purpose) = (self.ports.units.as_ref(), CeremonyPurpose::SignIn);
        if !sent.client.end_ceremony(units, purpose, command.visit, now).await? {
            return Err(SignInWithPasskeyError::Rejected);
        }
        let found = self.ports.passkeys.find_passkey(&sent.credential_id).await?;
        let passkey = found.ok_or(SignInWithPasskeyError::Rejected)?;
        let verifier = self.ports.verifier.as_ref();
        let Some(assertion) = sent.verify(&passkey, &self.relying_party, verifier) else {
            self.note(AuditKind::PasskeyRefused, &command, &passkey).await;
            return Err(SignInWithPasskeyError::Rejected);
        };
        let signed_in = self.open(&command, &passkey, &assertion, now).await?;
        // The person is signed in; the window ends by itself.
        if let Err(error) = self.ports.failures.uncount(&[counter], now).await {
            tracing::warn!(user_id = %passkey.user_id, %error, "could not reset the limit after a sign-in");
        }
        Ok(signed_in)
    }

    /// Counts the attempt for the address before anything is checked.
    async fn admit(
        &self,
        command: &SignInWithPasskeyCommand<'_>,
        counter: FailureKey,
        now: DateTime<Utc>,
    ) -> Result<(), AttemptRejected> {
        let outcome =
            count_attempt(self.ports.failures.as_ref(), counter, self.limits.per_address, now).await;
        if let Err(AttemptRejected::TooMany { is_first: true, .. }) = outcome {
            let event = self.trail.event(AuditActor::Person, AuditKind::SignInLimited);
            let event = event.from(command.origin.address);
            append_refusal(self.ports.units.as_ref(), &event).await;
        }
        outcome
    }

    /// Records the use and opens the session. A counter that did not grow is recorded as such.
    async fn open(
        &self,
        command: &SignInWithPasskeyCommand<'_>,
        passkey: &Passkey,
        assertion: &Assertion,
        now: DateTime<Utc>,
    ) -> Result<SignedIn, SignInWithPasskeyError> {
        let Passkey { id, user_id, .. } = *passkey;
        let Assertion { sign_count, is_backed_up, signature: _ } = *assertion;
        let mut unit = self.ports.units.begin().await?;
        // Locks the person: the passkey cannot be removed meanwhile.
        let user = unit.users().find(user_id).await?;
        if !user.is_some_and(|user| user.status.is_active()) {
            unit.rollback().await?;
            self.note(AuditKind::PasskeyRefused, command, passkey).await;
            return Err(SignInWithPasskeyError::Rejected);
        }
        let usage = PasskeyUse { sign_count, is_backed_up, at: now };
        if !unit.passkeys().record_use(user_id, id, usage).await? {
            unit.rollback().await?;
            self.note(AuditKind::PasskeyCounterReversed, command, passkey).await;
            return Err(SignInWithPasskeyError::Rejected);
        }
        let person = ProvenPerson { user_id, method: AuthenticationMethod::Passkey, origin: command.origin };
        let (clock, entropy) = (self.ports.clock.as_ref(), self.ports.entropy.as_ref());
        let signed_in = open_session(unit.as_mut(), person, clock, entropy).await?;
        unit.commit().await?;
        Ok(signed_in)
    }

    async fn note(&self, kind: AuditKind, command: &SignInWithPasskeyCommand<'_>, passkey: &Passkey) {
        let event = self.trail.event(AuditActor::Person, kind).user(passkey.user_id);
        let event = event.subject(passkey.id.as_uuid()).device(command.origin.device);
        let event = event.from(command.origin.address);
        append_refusal(self.ports.units.as_ref(), &event).await;
    }
}
