//! Response of a passkey to a ceremony: decoding and checking.

use super::response::ParsedClientData;
use crate::ports::system::PasskeyVerifier;
use domain::passkey::{
    Assertion, AssertionResponse, CredentialId, Passkey, RelyingParty, from_base64url, user_handle,
};

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
