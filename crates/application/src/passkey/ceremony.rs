//! Ceremonies: the challenge, adding a passkey, and confirming one.

use super::answer::{DecodedAssertion, ParsedClientData};
use super::{NewPasskey, OfferedPasskeys, PasskeyAnswer, PasskeyError, Passkeys};
use crate::attempt_limit::{count_attempt, failure_key};
use crate::mail::passkey_added;
use crate::ports::storage::{PasskeyUse, StorageError, UniqueKey, UnitOfWork};
use crate::session::{ProvenPerson, store_session};
use crate::session::{SignInOrigin, SignedIn, SignedInPerson, end_sign_ins};
use crate::store::transact;
use domain::address::AddressBlock;
use domain::audit::AuditKind;
use domain::id::{PasskeyId, UserId};
use domain::passkey::{
    Assertion, CeremonyPurpose, MAX_PASSKEYS, Passkey, PasskeyCeremony, PasskeyName, Transports,
};
use domain::secret::{Secret, SecretKind};
use std::net::IpAddr;

/// Who begins a ceremony, and for what.
#[derive(Clone, Copy)]
pub enum CeremonyStart<'a> {
    /// A sign-in in the browser with this visit cookie.
    SignIn {
        /// The cookie.
        visit: &'a Secret,
        /// The caller's IP address.
        address: IpAddr,
    },
    /// A registration by this person, whose sign-in must be fresh.
    Registration {
        /// The person.
        person: &'a SignedInPerson,
    },
}

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

impl OfferedPasskeys<'_> {
    /// Stores a ceremony that only this browser can finish, and returns its challenge.
    pub async fn begin_ceremony(self, start: CeremonyStart<'_>) -> Result<Secret, PasskeyError> {
        let Passkeys { store, failures, ceremony_limit, .. } = self.passkeys;
        let now = store.now();
        let (CeremonyStart::SignIn { address, .. }
        | CeremonyStart::Registration { person: &SignedInPerson { address, .. } }) = start;
        let block = AddressBlock::containing(address).to_string();
        let counter = failure_key(&["passkey-ceremony/address", &block]);
        count_attempt(failures.as_ref(), counter, *ceremony_limit, now).await?;
        transact!(store, |tx| {
            let (purpose, cookie) = match start {
                CeremonyStart::SignIn { visit, .. } => (CeremonyPurpose::SignIn, visit),
                CeremonyStart::Registration { person } => {
                    if !person.session.is_fresh(now) {
                        return Err(PasskeyError::NotFresh);
                    }
                    if tx.passkeys().list(person.user_id).await?.len() >= MAX_PASSKEYS {
                        return Err(PasskeyError::TooManyPasskeys);
                    }
                    (CeremonyPurpose::Registration, &person.cookie)
                }
            };
            let challenge = store.new_secret(SecretKind::PasskeyChallenge);
            let ceremony = PasskeyCeremony {
                challenge_hash: challenge.hash(),
                purpose,
                browser_hash: cookie.hash(),
                expires_at: now + PasskeyCeremony::LIFETIME,
            };
            tx.passkey_ceremonies().insert(&ceremony).await?;
            Ok(challenge)
        })
        .await
    }

    /// Stores a passkey of this person, whose sign-in must be fresh. Ends every session, and returns a new
    /// one for this browser (security.md T30).
    pub async fn add(self, person: &SignedInPerson, new: NewPasskey<'_>) -> Result<SignedIn, PasskeyError> {
        let Passkeys { store, verifier, .. } = self.passkeys;
        let now = store.now();
        if !person.session.is_fresh(now) {
            return Err(PasskeyError::NotFresh);
        }
        let name = PasskeyName::parse(new.name).map_err(|_| PasskeyError::InvalidName)?;
        let sent = ParsedClientData::read(new.client_data, verifier.as_ref());
        let sent = sent.ok_or(PasskeyError::Rejected)?;
        if !sent.end_ceremony(store, CeremonyPurpose::Registration, &person.cookie, now).await? {
            return Err(PasskeyError::Rejected);
        }
        let credential = sent.verify_new(new.attestation_object, self.relying_party, verifier.as_ref());
        let credential = credential.ok_or(PasskeyError::Rejected)?;
        let passkey = Passkey {
            id: PasskeyId::from_uuid(store.entropy().uuid()),
            user_id: person.user_id,
            name,
            credential_id: credential.id,
            key: credential.key,
            sign_count: credential.sign_count,
            is_backup_eligible: credential.is_backup_eligible,
            is_backed_up: credential.is_backed_up,
            transports: Transports::parse(new.transports),
            created_at: now,
            last_used_at: None,
        };
        transact!(store, |tx| { self.passkeys.store_new(tx, person, &passkey).await }).await
    }

    /// Ends the ceremony that the browser with this visit cookie began. Returns the passkey if the answer is
    /// valid and the passkey belongs to this user. No one is signed in.
    pub async fn confirm(
        self,
        user_id: UserId,
        answer: PasskeyAnswer<'_>,
        visit: &Secret,
    ) -> Result<Option<ConfirmedPasskey>, StorageError> {
        let Passkeys { store, reader, verifier, .. } = self.passkeys;
        let Some(sent) = DecodedAssertion::read(answer, verifier.as_ref()) else { return Ok(None) };
        let now = store.now();
        if !sent.client.end_ceremony(store, CeremonyPurpose::SignIn, visit, now).await? {
            return Ok(None);
        }
        let found = reader.find_passkey(&sent.credential_id).await?;
        let Some(passkey) = found.filter(|passkey| passkey.user_id == user_id) else { return Ok(None) };
        let confirmed = sent.verify(&passkey, self.relying_party, verifier.as_ref());
        Ok(confirmed.map(|Assertion { sign_count, is_backed_up, signature: _ }| ConfirmedPasskey {
            user_id,
            id: passkey.id,
            usage: PasskeyUse { sign_count, is_backed_up, at: now },
        }))
    }
}

impl Passkeys {
    async fn store_new(
        &self,
        tx: &mut dyn UnitOfWork,
        person: &SignedInPerson,
        passkey: &Passkey,
    ) -> Result<SignedIn, PasskeyError> {
        let SignedInPerson { user_id, ref session, address, .. } = *person;
        // Locks the person: concurrent requests cannot exceed the limit, and the session cannot end in
        // the meantime.
        let user = tx.active_user(user_id).await?;
        let is_signed_in = tx.sessions().find(user_id, session.id).await?.is_some();
        let user = user.filter(|_| is_signed_in).ok_or(PasskeyError::NotFresh)?;
        if tx.passkeys().list(user_id).await?.len() >= MAX_PASSKEYS {
            return Err(PasskeyError::TooManyPasskeys);
        }
        tx.passkeys().insert(passkey).await.map_err(|error| match error {
            StorageError::Conflict(UniqueKey::Passkey) => PasskeyError::AlreadyAdded,
            error => error.into(),
        })?;
        // A sign-in that waits for a second factor to be set up must not replace the passkey as the factor.
        let ended = end_sign_ins(tx, user_id, Some(session.id)).await?;
        tx.sessions().delete(user_id, session.id).await?;
        let origin = SignInOrigin { address, device: session.device, replaces: Some(session), pending: None };
        let proven = ProvenPerson { user_id, method: session.method, origin };
        // A new passkey proves nothing about the person, so the sign-in does not become fresher.
        let signed_in = store_session(tx, proven, session.authenticated_at, self.store.entropy()).await?;
        let event = person.event(&self.store, AuditKind::PasskeyAdded);
        tx.record(event.subject(passkey.id.as_uuid()).count(ended.sessions)).await?;
        if let Some(mail) = &self.mail {
            mail.run(tx, &passkey_added(&user.email, mail.links()), passkey.created_at).await?;
        }
        Ok(signed_in)
    }
}
