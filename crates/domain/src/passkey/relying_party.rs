//! The checks of a relying party (sections 7.1 and 7.2). The challenge is checked by the caller, who finds
//! the pending ceremony by it.

use super::attestation::{AttestationObject, AttestationStatement};
use super::cbor::MalformedCbor;
use super::{AuthenticatorData, CeremonyPurpose, ClientData, CredentialId, InvalidKey, Passkey, PasskeyKey};
use sha2::{Digest, Sha256};
use url::{Host, Url};

/// Why a response is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CeremonyError {
    /// The client data is for another kind of ceremony.
    #[error("wrong type")]
    WrongType,
    /// The page has another origin.
    #[error("wrong origin")]
    WrongOrigin,
    /// The page was in a frame of another origin.
    #[error("cross-origin frame")]
    CrossOrigin,
    /// The attestation object or the authenticator data is malformed.
    #[error("malformed")]
    Malformed,
    /// The credential is for another relying party.
    #[error("wrong relying party")]
    WrongRelyingParty,
    /// The person was not present.
    #[error("no user presence")]
    NoUserPresence,
    /// The authenticator did not verify the person.
    #[error("no user verification")]
    NoUserVerification,
    /// The flags about backups contradict each other, or those of the registration.
    #[error("invalid backup state")]
    InvalidBackupState,
    /// The key's algorithm was not offered.
    #[error("algorithm not offered")]
    UnofferedAlgorithm,
    /// The format of the attestation is not accepted.
    #[error("attestation not accepted")]
    UnacceptedAttestation,
}

impl From<MalformedCbor> for CeremonyError {
    fn from(_: MalformedCbor) -> Self {
        Self::Malformed
    }
}

impl From<InvalidKey> for CeremonyError {
    fn from(error: InvalidKey) -> Self {
        match error {
            InvalidKey::Malformed => Self::Malformed,
            InvalidKey::UnofferedAlgorithm => Self::UnofferedAlgorithm,
        }
    }
}

/// A signature that remains to be verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureCheck {
    /// The key.
    pub key: PasskeyKey,
    /// The signed bytes: authenticator data, then the hash of the client data.
    pub message: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
}

/// A credential whose registration passed every check but the signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCredential {
    /// Its id.
    pub id: CredentialId,
    /// Its key.
    pub key: PasskeyKey,
    /// Its first signature counter.
    pub sign_count: u32,
    /// Whether it can be copied to other devices.
    pub is_backup_eligible: bool,
    /// Whether it was copied.
    pub is_backed_up: bool,
    /// Signature by the new key, if the authenticator sent one.
    pub self_attestation: Option<SignatureCheck>,
}

/// A sign-in that passed every check but the signature and the counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// The signature.
    pub signature: SignatureCheck,
    /// New signature counter.
    pub sign_count: u32,
    /// Whether the passkey was copied to other devices.
    pub is_backed_up: bool,
}

/// Response to a registration, decoded.
#[derive(Clone, Copy)]
pub struct RegistrationResponse<'a> {
    /// The parsed client data.
    pub client_data: &'a ClientData,
    /// Its JSON, as sent.
    pub client_data_json: &'a [u8],
    /// The attestation object.
    pub attestation_object: &'a [u8],
}

/// Response to a sign-in, decoded.
#[derive(Clone, Copy)]
pub struct AssertionResponse<'a> {
    /// The parsed client data.
    pub client_data: &'a ClientData,
    /// Its JSON, as sent.
    pub client_data_json: &'a [u8],
    /// The authenticator data.
    pub authenticator_data: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

/// This server, as browsers and authenticators know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelyingParty {
    id: String,
    origin: String,
}

impl RelyingParty {
    /// Maximum length of an attestation object in bytes.
    pub const MAX_ATTESTATION_BYTES: usize = 8192;
    /// Maximum length of authenticator data in bytes.
    pub const MAX_AUTHENTICATOR_DATA_BYTES: usize = 4096;
    /// Maximum length of a signature in bytes: RSA with 8192 bits.
    pub const MAX_SIGNATURE_BYTES: usize = 1024;

    /// Derives the id and the origin from the public URL; `None` if browsers offer no passkeys there: the
    /// host is an IP address, or the page is not secure.
    pub fn from_public_url(url: &Url) -> Option<Self> {
        let Some(Host::Domain(host)) = url.host() else { return None };
        let is_local = host == "localhost" || host.ends_with(".localhost");
        let is_secure = url.scheme() == "https" || url.scheme() == "http" && is_local;
        is_secure.then(|| Self { id: host.to_owned(), origin: url.origin().ascii_serialization() })
    }

    /// Returns the id: the host name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Checks a registration (section 7.1, steps 7 and 9 to 25).
    pub fn check_registration(
        &self,
        response: RegistrationResponse<'_>,
    ) -> Result<NewCredential, CeremonyError> {
        self.check_client_data(response.client_data, CeremonyPurpose::Registration)?;
        let object = AttestationObject::parse(response.attestation_object)?;
        let data = AuthenticatorData::parse(object.authenticator_data)?;
        self.check_authenticator_data(&data)?;
        let message = signed_message(object.authenticator_data, response.client_data_json);
        let AuthenticatorData { sign_count, .. } = data;
        let (is_backup_eligible, is_backed_up) = (data.is_backup_eligible(), data.is_backed_up());
        let (id, key) = data.credential.ok_or(CeremonyError::Malformed)?;
        let self_attestation = match object.statement {
            AttestationStatement::None => None,
            AttestationStatement::SelfSigned { algorithm, signature } if algorithm == key.algorithm() => {
                Some(SignatureCheck { key: key.clone(), message, signature: signature.to_vec() })
            }
            AttestationStatement::SelfSigned { .. } | AttestationStatement::Unaccepted => {
                return Err(CeremonyError::UnacceptedAttestation);
            }
        };
        Ok(NewCredential { id, key, sign_count, is_backup_eligible, is_backed_up, self_attestation })
    }

    /// Checks a sign-in with this passkey (section 7.2, steps 10 and 12 to 19).
    pub fn check_assertion(
        &self,
        passkey: &Passkey,
        response: AssertionResponse<'_>,
    ) -> Result<Assertion, CeremonyError> {
        self.check_client_data(response.client_data, CeremonyPurpose::SignIn)?;
        let data = AuthenticatorData::parse(response.authenticator_data)?;
        self.check_authenticator_data(&data)?;
        if data.is_backup_eligible() != passkey.is_backup_eligible {
            return Err(CeremonyError::InvalidBackupState);
        }
        let signature = SignatureCheck {
            key: passkey.key.clone(),
            message: signed_message(response.authenticator_data, response.client_data_json),
            signature: response.signature.to_vec(),
        };
        Ok(Assertion { signature, sign_count: data.sign_count, is_backed_up: data.is_backed_up() })
    }

    fn check_client_data(&self, data: &ClientData, purpose: CeremonyPurpose) -> Result<(), CeremonyError> {
        if data.kind != purpose.client_data_type() {
            return Err(CeremonyError::WrongType);
        }
        if data.origin != self.origin {
            return Err(CeremonyError::WrongOrigin);
        }
        if data.is_cross_origin || data.has_top_origin {
            return Err(CeremonyError::CrossOrigin);
        }
        Ok(())
    }

    fn check_authenticator_data(&self, data: &AuthenticatorData) -> Result<(), CeremonyError> {
        if data.rp_id_hash != *Sha256::digest(self.id.as_bytes()) {
            return Err(CeremonyError::WrongRelyingParty);
        }
        if !data.is_user_present() {
            return Err(CeremonyError::NoUserPresence);
        }
        if !data.is_user_verified() {
            return Err(CeremonyError::NoUserVerification);
        }
        if data.is_backed_up() && !data.is_backup_eligible() {
            return Err(CeremonyError::InvalidBackupState);
        }
        Ok(())
    }
}

fn signed_message(authenticator_data: &[u8], client_data_json: &[u8]) -> Vec<u8> {
    [authenticator_data, Sha256::digest(client_data_json).as_slice()].concat()
}
