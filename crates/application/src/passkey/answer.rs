//! What a browser returns from a ceremony: decoding and checking.

use crate::ports::storage::StorageError;
use crate::ports::system::PasskeyVerifier;
use crate::store::{Store, transact};
use chrono::{DateTime, Utc};
use domain::passkey::{
    Assertion, AssertionResponse, CeremonyPurpose, ClientData, CredentialId, NewCredential, Passkey,
    RegistrationResponse, RelyingParty, from_base64url, user_handle,
};
use domain::secret::{Secret, SecretKind};

/// Longest challenge in bytes; the server's have 53.
const MAX_CHALLENGE_BYTES: usize = 64;

/// Response of a new passkey; binary fields are base64url, as the browser sent them.
#[derive(Debug, Clone, Copy)]
pub struct NewPasskey<'a> {
    /// Name of the passkey.
    pub name: &'a str,
    /// Client data.
    pub client_data: &'a str,
    /// Attestation object.
    pub attestation_object: &'a str,
    /// Names of transports, separated by spaces.
    pub transports: &'a str,
}

/// Response of a passkey; binary fields are base64url, as the browser sent them.
#[derive(Clone, Copy)]
pub struct PasskeyAnswer<'a> {
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
}

/// Decoded client data.
pub(super) struct ParsedClientData {
    json: Vec<u8>,
    data: ClientData,
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
        store: &Store,
        purpose: CeremonyPurpose,
        cookie: &Secret,
        now: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let Some(challenge) = self.challenge() else { return Ok(false) };
        let ceremony = transact!(store, |tx| { tx.passkey_ceremonies().take(&challenge.hash()).await });
        Ok(ceremony.await?.is_some_and(|ceremony| ceremony.can_finish(purpose, &cookie.hash(), now)))
    }

    fn challenge(&self) -> Option<Secret> {
        let bytes = from_base64url(&self.data.challenge, MAX_CHALLENGE_BYTES)?;
        let text = std::str::from_utf8(&bytes).ok()?;
        Secret::parse(SecretKind::PasskeyChallenge, text).ok()
    }

    /// Checks the attestation object of a new passkey, and its signature if it has one; `None` if either is
    /// invalid.
    pub(super) fn verify_new(
        &self,
        attestation_object: &str,
        relying_party: &RelyingParty,
        verifier: &dyn PasskeyVerifier,
    ) -> Option<NewCredential> {
        let object = from_base64url(attestation_object, RelyingParty::MAX_ATTESTATION_BYTES)?;
        let response = RegistrationResponse {
            client_data: &self.data,
            client_data_json: &self.json,
            attestation_object: &object,
        };
        let new = relying_party.check_registration(response);
        let new = new.inspect_err(|fault| tracing::info!(%fault, "a new passkey was rejected")).ok()?;
        if !verifier.is_public_key(&new.key) {
            tracing::info!("a new passkey was rejected: its public key is invalid");
            return None;
        }
        let is_signed = new.self_attestation.as_ref().is_none_or(|check| verifier.is_signed(check));
        is_signed.then_some(new)
    }
}

/// Decoded fields of an answer.
pub(super) struct DecodedAssertion {
    pub(super) client: ParsedClientData,
    pub(super) credential_id: CredentialId,
    authenticator_data: Vec<u8>,
    signature: Vec<u8>,
    user_handle: String,
}

impl DecodedAssertion {
    /// Decodes an answer; `None` if a field is malformed or too long.
    pub(super) fn read(answer: PasskeyAnswer<'_>, verifier: &dyn PasskeyVerifier) -> Option<Self> {
        let credential_id = from_base64url(answer.credential_id, CredentialId::MAX_BYTES)?;
        let most = RelyingParty::MAX_AUTHENTICATOR_DATA_BYTES;
        Some(Self {
            client: ParsedClientData::read(answer.client_data, verifier)?,
            credential_id: CredentialId::new(credential_id)?,
            authenticator_data: from_base64url(answer.authenticator_data, most)?,
            signature: from_base64url(answer.signature, RelyingParty::MAX_SIGNATURE_BYTES)?,
            user_handle: answer.user_handle.to_owned(),
        })
    }

    /// Checks the response against the passkey, and its signature; `None` if either is invalid.
    pub(super) fn verify(
        &self,
        passkey: &Passkey,
        relying_party: &RelyingParty,
        verifier: &dyn PasskeyVerifier,
    ) -> Option<Assertion> {
        let response = AssertionResponse {
            client_data: &self.client.data,
            client_data_json: &self.client.json,
            authenticator_data: &self.authenticator_data,
            signature: &self.signature,
        };
        let is_owner = self.user_handle == user_handle(passkey.user_id);
        let assertion = relying_party.check_assertion(passkey, response);
        let assertion =
            assertion.inspect_err(|fault| tracing::info!(%fault, "a passkey was rejected")).ok()?;
        (is_owner && verifier.is_signed(&assertion.signature)).then_some(assertion)
    }
}
