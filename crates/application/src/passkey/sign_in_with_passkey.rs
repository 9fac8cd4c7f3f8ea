//! Signs a person in with a passkey, without an address or a password.

use super::response::ParsedClientData;
use crate::account::{ProvenPerson, SignInLimits, SignInOrigin, SignedIn, address_counter, open_session};
use crate::attempt_limit::{AttemptRejected, count_attempt, from_attempt_rejected};
use crate::audit::{AuditTrail, append_refusal};
use crate::ports::storage::{
    FailureCounter, FailureKey, PasskeyReader, PasskeyUse, StorageError, UnitOfWorkFactory,
};
use crate::ports::system::{Clock, Entropy, PasskeyVerifier};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::passkey::{
    Assertion, AssertionResponse, CeremonyPurpose, CredentialId, Passkey, RelyingParty, from_base64url,
    user_handle,
};
use domain::secret::Secret;
use domain::session::AuthenticationMethod;
use std::sync::Arc;

/// Input of [`SignInWithPasskey`]; binary fields are base64url, as the browser sent them.
#[derive(Clone, Copy)]
pub struct SignInWithPasskeyCommand<'a> {
    /// Id of the credential.
    pub credential_id: &'a str,
    /// Handle by which the authenticator knows the person.
    pub user_handle: &'a str,
    /// Client data.
    pub client_data: &'a str,
    /// Authenticator data.
    pub authenticator_data: &'a str,
    /// Signature.
    pub signature: &'a str,
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

/// Decoded fields of a command.
struct DecodedAssertion {
    client: ParsedClientData,
    credential_id: CredentialId,
    authenticator_data: Vec<u8>,
    signature: Vec<u8>,
}

impl DecodedAssertion {
    fn read(command: &SignInWithPasskeyCommand<'_>, verifier: &dyn PasskeyVerifier) -> Option<Self> {
        let credential_id = from_base64url(command.credential_id, CredentialId::MAX_BYTES)?;
        let most = RelyingParty::MAX_AUTHENTICATOR_DATA_BYTES;
        Some(Self {
            client: ParsedClientData::read(command.client_data, verifier)?,
            credential_id: CredentialId::new(credential_id)?,
            authenticator_data: from_base64url(command.authenticator_data, most)?,
            signature: from_base64url(command.signature, RelyingParty::MAX_SIGNATURE_BYTES)?,
        })
    }
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
        let sent = DecodedAssertion::read(&command, self.ports.verifier.as_ref());
        let sent = sent.ok_or(SignInWithPasskeyError::Rejected)?;
        let (units, purpose) = (self.ports.units.as_ref(), CeremonyPurpose::SignIn);
        if !sent.client.end_ceremony(units, purpose, command.visit, now).await? {
            return Err(SignInWithPasskeyError::Rejected);
        }
        let found = self.ports.passkeys.find_passkey(&sent.credential_id).await?;
        let passkey = found.ok_or(SignInWithPasskeyError::Rejected)?;
        let Some(assertion) = self.verify(&command, &sent, &passkey) else {
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

    /// Checks the response against the passkey, and its signature; `None` if either is invalid.
    fn verify(
        &self,
        command: &SignInWithPasskeyCommand<'_>,
        sent: &DecodedAssertion,
        passkey: &Passkey,
    ) -> Option<Assertion> {
        let response = AssertionResponse {
            client_data: &sent.client.data,
            client_data_json: &sent.client.json,
            authenticator_data: &sent.authenticator_data,
            signature: &sent.signature,
        };
        let is_owner = command.user_handle == user_handle(passkey.user_id);
        let assertion = self.relying_party.check_assertion(passkey, response);
        let assertion =
            assertion.inspect_err(|fault| tracing::info!(%fault, "a passkey was rejected")).ok()?;
        (is_owner && self.ports.verifier.is_signed(&assertion.signature)).then_some(assertion)
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
