//! Passkeys: the relying party of Web Authentication (Level 3), without I/O.
//!
//! A ceremony begins with a challenge (`ceremony`). The browser returns client data, which an adapter
//! parses into [`ClientData`], and authenticator data, which is parsed here (`authenticator_data`,
//! `key`). [`RelyingParty`] applies the checks of sections 7.1 and 7.2. Signatures are verified by a port.

mod attestation;
mod authenticator_data;
mod cbor;
mod ceremony;
mod key;
mod relying_party;
#[cfg(test)]
mod tests;

pub use authenticator_data::{AuthenticatorData, CredentialId};
pub use ceremony::*;
pub use key::{InvalidKey, KeyMaterial, OFFERED_ALGORITHMS, PasskeyKey};
pub use relying_party::*;

use crate::deceptive_text::{is_display_name, stored_name};
use crate::id::{PasskeyId, UserId};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};

/// Maximum number of passkeys per person.
pub const MAX_PASSKEYS: usize = 20;

/// The text is not a valid name of a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a passkey's name has 1 to 100 characters, no line breaks, no leading or trailing spaces, and no \
     invisible or direction-changing characters"
)]
pub struct InvalidPasskeyName;

/// Name of a passkey, given by its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyName(String);

impl PasskeyName {
    /// Parses a name.
    pub fn parse(text: &str) -> Result<Self, InvalidPasskeyName> {
        if is_display_name(text) { Ok(Self(text.to_owned())) } else { Err(InvalidPasskeyName) }
    }

    /// Parses a stored name.
    pub fn from_stored(text: &str) -> Result<Self, InvalidPasskeyName> {
        Self::parse(&stored_name(text))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

crate::named_enum! {
    /// How a browser reaches an authenticator. A hint for browsers; nothing depends on it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Transport {
        /// USB.
        Usb = "usb",
        /// Near-field communication.
        Nfc = "nfc",
        /// Bluetooth Low Energy.
        Ble = "ble",
        /// A smart card with contacts.
        SmartCard = "smart-card",
        /// Another device, such as a phone, over a mix of transports.
        Hybrid = "hybrid",
        /// Part of the device.
        Internal = "internal",
    }
}

/// Transports of a passkey, without duplicates, in the order of [`Transport::ALL`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transports(Vec<Transport>);

impl Transports {
    /// Reads names separated by spaces; unknown names are ignored, as the specification requires.
    pub fn parse(text: &str) -> Self {
        let named = |transport: &Transport| text.split(' ').any(|name| name == transport.as_str());
        Self(Transport::ALL.into_iter().filter(named).collect())
    }

    /// Returns the names, separated by spaces.
    pub fn to_names(&self) -> String {
        self.0.iter().map(|transport| transport.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// A passkey of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Its id.
    pub id: PasskeyId,
    /// Owner, who signs in with it.
    pub user_id: UserId,
    /// Name.
    pub name: PasskeyName,
    /// Id chosen by the authenticator; unique over all people.
    pub credential_id: CredentialId,
    /// Public key.
    pub key: PasskeyKey,
    /// Signature counter of the last use; 0 for authenticators without one.
    pub sign_count: u32,
    /// Whether the authenticator can copy it to other devices.
    pub is_backup_eligible: bool,
    /// Whether it was copied at the last use.
    pub is_backed_up: bool,
    /// How browsers reach it.
    pub transports: Transports,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// Last sign-in; `None` if there was none.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// Handle by which authenticators name a person: the bytes of the random user id. It contains neither a name
/// nor an address (section 14.6.1).
pub fn user_handle(user_id: UserId) -> String {
    to_base64url(user_id.as_uuid().as_bytes())
}

/// Encodes bytes for a browser.
pub fn to_base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes a field of a browser's response; `None` if it is malformed or longer than `most` bytes.
pub fn from_base64url(text: &str, most: usize) -> Option<Vec<u8>> {
    // Four characters for three bytes: longer texts are rejected before they are decoded.
    let fits = text.len() <= most.saturating_mul(4).div_ceil(3);
    fits.then(|| URL_SAFE_NO_PAD.decode(text).ok()).flatten().filter(|bytes| bytes.len() <= most)
}
