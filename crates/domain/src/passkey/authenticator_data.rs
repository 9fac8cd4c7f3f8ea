//! Authenticator data (section 6.1): a binary format, with CBOR for the key and for extensions.

use super::cbor::CborReader;
use super::key::{InvalidKey, PasskeyKey};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const BACKUP_ELIGIBLE: u8 = 0x08;
const BACKED_UP: u8 = 0x10;
const HAS_CREDENTIAL: u8 = 0x40;
const HAS_EXTENSIONS: u8 = 0x80;

/// Id of a credential, chosen by its authenticator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CredentialId(Vec<u8>);

impl CredentialId {
    /// Maximum length in bytes (section 7.1, step 25).
    pub const MAX_BYTES: usize = 1023;

    /// Wraps 1 to [`Self::MAX_BYTES`] bytes.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        (1..=Self::MAX_BYTES).contains(&bytes.len()).then_some(Self(bytes))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Authenticator data of a registration or a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticatorData {
    /// SHA-256 of the relying party's id.
    pub rp_id_hash: [u8; 32],
    flags: u8,
    /// Signature counter.
    pub sign_count: u32,
    /// The new credential, if the authenticator created one.
    pub credential: Option<(CredentialId, PasskeyKey)>,
}

impl AuthenticatorData {
    /// Parses authenticator data; trailing bytes are malformed. The outputs of extensions are skipped,
    /// because the server requests none.
    pub fn parse(bytes: &[u8]) -> Result<Self, InvalidKey> {
        let (rp_id_hash, rest) = bytes.split_first_chunk::<32>().ok_or(InvalidKey::Malformed)?;
        let ([flags], rest) = rest.split_first_chunk::<1>().ok_or(InvalidKey::Malformed)?;
        let (count, rest) = rest.split_first_chunk::<4>().ok_or(InvalidKey::Malformed)?;
        let (credential, rest) =
            if flags & HAS_CREDENTIAL == 0 { (None, rest) } else { attested_credential(rest)? };
        let mut extensions = CborReader::new(rest);
        if flags & HAS_EXTENSIONS != 0 {
            // Outputs of extensions are a map.
            extensions.clone().map()?;
            extensions.skip()?;
        }
        extensions.end()?;
        let sign_count = u32::from_be_bytes(*count);
        Ok(Self { rp_id_hash: *rp_id_hash, flags: *flags, sign_count, credential })
    }

    const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns whether the person confirmed their presence, for example by touch (UP).
    pub const fn is_user_present(&self) -> bool {
        self.has(USER_PRESENT)
    }

    /// Returns whether the authenticator checked a PIN, a fingerprint or the like (UV).
    pub const fn is_user_verified(&self) -> bool {
        self.has(USER_VERIFIED)
    }

    /// Returns whether the credential can be copied to other devices (BE).
    pub const fn is_backup_eligible(&self) -> bool {
        self.has(BACKUP_ELIGIBLE)
    }

    /// Returns whether the credential was copied (BS).
    pub const fn is_backed_up(&self) -> bool {
        self.has(BACKED_UP)
    }
}

type AttestedCredential<'a> = (Option<(CredentialId, PasskeyKey)>, &'a [u8]);

/// Parses the AAGUID, the credential id and the key; returns the bytes after them.
fn attested_credential(bytes: &[u8]) -> Result<AttestedCredential<'_>, InvalidKey> {
    // The AAGUID names the model of the authenticator, which without attestation proves nothing.
    let (_, rest) = bytes.split_first_chunk::<16>().ok_or(InvalidKey::Malformed)?;
    let (length, rest) = rest.split_first_chunk::<2>().ok_or(InvalidKey::Malformed)?;
    let length = usize::from(u16::from_be_bytes(*length));
    let (id, rest) = rest.split_at_checked(length).ok_or(InvalidKey::Malformed)?;
    let id = CredentialId::new(id.to_vec()).ok_or(InvalidKey::Malformed)?;
    let mut reader = CborReader::new(rest);
    let key = PasskeyKey::parse(reader.skip()?)?;
    Ok((Some((id, key)), reader.rest()))
}
