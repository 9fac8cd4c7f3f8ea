//! Adds a passkey to an account.

use super::PasskeyPorts;
use super::response::ParsedClientData;
use crate::account::open_session::{ProvenPerson, store_session};
use crate::account::{SignInOrigin, SignedIn, SignedInPerson, end_sign_ins};
use crate::audit::AuditTrail;
use crate::mail::{QueueMail, passkey_added};
use crate::ports::storage::{StorageError, UniqueKey, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::PasskeyId;
use domain::passkey::{
    CeremonyPurpose, MAX_PASSKEYS, NewCredential, Passkey, PasskeyName, RegistrationResponse, RelyingParty,
    Transports, from_base64url,
};
use std::net::IpAddr;

/// Input of [`AddPasskey`]; binary fields are base64url, as the browser sent them.
#[derive(Clone, Copy)]
pub struct AddPasskeyCommand<'a> {
    /// The person, whose sign-in must be fresh.
    pub person: &'a SignedInPerson,
    /// Name of the passkey.
    pub name: &'a str,
    /// Client data.
    pub client_data: &'a str,
    /// Attestation object.
    pub attestation_object: &'a str,
    /// Names of transports, separated by spaces.
    pub transports: &'a str,
    /// The caller's IP address.
    pub address: IpAddr,
}

/// Errors of [`AddPasskey`].
#[derive(Debug, thiserror::Error)]
pub enum AddPasskeyError {
    /// The person must sign in again, because the last sign-in was over five minutes ago, or has ended.
    #[error("the sign-in is not fresh")]
    NotFresh,
    /// The name is invalid.
    #[error("the name is invalid")]
    InvalidName,
    /// The ceremony is unknown, used, expired or another browser's, or the response breaks a rule.
    #[error("the passkey was rejected")]
    Rejected,
    /// The credential belongs to an account already; the caller does not learn to which.
    #[error("the passkey is in use")]
    AlreadyAdded,
    /// The person has [`MAX_PASSKEYS`].
    #[error("there are too many passkeys")]
    TooManyPasskeys,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Adds passkeys.
pub struct AddPasskey {
    ports: PasskeyPorts,
    relying_party: RelyingParty,
    mail: Option<QueueMail>,
    trail: AuditTrail,
}

impl AddPasskey {
    /// Creates the use case; without an outbox it sends no email.
    pub fn new(ports: PasskeyPorts, relying_party: RelyingParty, mail: Option<QueueMail>) -> Self {
        let trail = AuditTrail::new(ports.entropy.clone(), ports.clock.clone());
        Self { ports, relying_party, mail, trail }
    }

    /// Stores the passkey, ends every session, and returns a new one for this browser (security.md T30).
    pub async fn run(&self, command: AddPasskeyCommand<'_>) -> Result<SignedIn, AddPasskeyError> {
        let now = self.ports.clock.now();
        if !command.person.session.is_fresh(now) {
            return Err(AddPasskeyError::NotFresh);
        }
        let name = PasskeyName::parse(command.name).map_err(|_| AddPasskeyError::InvalidName)?;
        let new = self.check(&command, now).await?;
        let passkey = Passkey {
            id: PasskeyId::from_uuid(self.ports.entropy.uuid()),
            user_id: command.person.user_id,
            name,
            credential_id: new.id,
            key: new.key,
            sign_count: new.sign_count,
            is_backup_eligible: new.is_backup_eligible,
            is_backed_up: new.is_backed_up,
            transports: Transports::parse(command.transports),
            created_at: now,
            last_used_at: None,
        };
        let mut unit = self.ports.units.begin().await?;
        let signed_in = self.store(unit.as_mut(), &command, &passkey, now).await?;
        unit.commit().await?;
        Ok(signed_in)
    }

    /// Ends the ceremony and checks the response.
    async fn check(
        &self,
        command: &AddPasskeyCommand<'_>,
        now: DateTime<Utc>,
    ) -> Result<NewCredential, AddPasskeyError> {
        let verifier = self.ports.verifier.as_ref();
        let sent = ParsedClientData::read(command.client_data, verifier).ok_or(AddPasskeyError::Rejected)?;
        let (units, cookie) = (self.ports.units.as_ref(), &command.person.cookie);
        if !sent.end_ceremony(units, CeremonyPurpose::Registration, cookie, now).await? {
            return Err(AddPasskeyError::Rejected);
        }
        let object = from_base64url(command.attestation_object, RelyingParty::MAX_ATTESTATION_BYTES);
        let object = object.ok_or(AddPasskeyError::Rejected)?;
        let response = RegistrationResponse {
            client_data: &sent.data,
            client_data_json: &sent.json,
            attestation_object: &object,
        };
        let new = self.relying_party.check_registration(response).map_err(|fault| {
            tracing::info!(%fault, "a new passkey was rejected");
            AddPasskeyError::Rejected
        })?;
        if !verifier.is_public_key(&new.key) {
            tracing::info!("a new passkey was rejected: its public key is invalid");
            return Err(AddPasskeyError::Rejected);
        }
        let is_signed = new.self_attestation.as_ref().is_none_or(|check| verifier.is_signed(check));
        is_signed.then_some(new).ok_or(AddPasskeyError::Rejected)
    }

    async fn store(
        &self,
        unit: &mut dyn UnitOfWork,
        command: &AddPasskeyCommand<'_>,
        passkey: &Passkey,
        now: DateTime<Utc>,
    ) -> Result<SignedIn, AddPasskeyError> {
        let SignedInPerson { user_id, session, .. } = command.person;
        // Locks the person: concurrent requests cannot exceed the limit, and the session cannot end
        // meanwhile.
        let user = unit.users().find(*user_id).await?.filter(|user| user.status.is_active());
        let is_signed_in = unit.sessions().find(*user_id, session.id).await?.is_some();
        let user = user.filter(|_| is_signed_in).ok_or(AddPasskeyError::NotFresh)?;
        if unit.passkeys().list(*user_id).await?.len() >= MAX_PASSKEYS {
            return Err(AddPasskeyError::TooManyPasskeys);
        }
        unit.passkeys().insert(passkey).await.map_err(|error| match error {
            StorageError::Conflict(UniqueKey::Passkey) => AddPasskeyError::AlreadyAdded,
            error => error.into(),
        })?;
        // A sign-in that waits for a second factor to be set up must not replace the passkey as the factor.
        let ended = end_sign_ins(unit, *user_id, Some(session.id)).await?;
        unit.sessions().delete(*user_id, session.id).await?;
        let (address, device) = (command.address, session.device);
        let origin = SignInOrigin { address, device, replaces: Some(session), pending: None };
        let person = ProvenPerson { user_id: *user_id, method: session.method, origin };
        // A new passkey proves nothing about the person, so the sign-in does not become fresher.
        let entropy = self.ports.entropy.as_ref();
        let signed_in = store_session(unit, person, session.authenticated_at, entropy).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::PasskeyAdded).user(*user_id);
        let event = event.subject(passkey.id.as_uuid()).count(ended.sessions);
        unit.audit().append(&event.from(command.address)).await?;
        if let Some(mail) = &self.mail {
            mail.run(unit, &passkey_added(&user.email, mail.links()), now).await?;
        }
        Ok(signed_in)
    }
}
