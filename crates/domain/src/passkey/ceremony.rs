//! Pending ceremonies, and the client data by which a browser describes them (section 5.8.1).

use crate::secret::SecretHash;
use chrono::{DateTime, TimeDelta, Utc};

crate::named_enum! {
    /// Purpose of a ceremony.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum CeremonyPurpose {
        /// Adds a passkey to an account (section 7.1).
        Registration = "registration",
        /// Signs a person in (section 7.2).
        SignIn = "sign_in",
    }
}

impl CeremonyPurpose {
    /// Returns the `type` of the ceremony's client data.
    pub const fn client_data_type(self) -> &'static str {
        match self {
            Self::Registration => "webauthn.create",
            Self::SignIn => "webauthn.get",
        }
    }
}

/// A pending ceremony. Its challenge, with 256 random bits, is stored as a hash and works once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyCeremony {
    /// Hash of the challenge.
    pub challenge_hash: SecretHash,
    /// What it is for.
    pub purpose: CeremonyPurpose,
    /// Hash of the cookie of the browser that began it: the session of a registration, the visit of a
    /// sign-in.
    pub browser_hash: SecretHash,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

impl PasskeyCeremony {
    /// Lifetime of a ceremony.
    pub const LIFETIME: TimeDelta = TimeDelta::minutes(5);

    /// Returns whether this browser may finish the ceremony for this purpose at this time.
    pub fn can_finish(&self, purpose: CeremonyPurpose, browser: &SecretHash, now: DateTime<Utc>) -> bool {
        self.purpose == purpose && self.browser_hash == *browser && now < self.expires_at
    }
}

/// Client data, parsed from JSON by an adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientData {
    /// `type`: which ceremony it is.
    pub kind: String,
    /// `challenge`, in base64url.
    pub challenge: String,
    /// `origin` of the page.
    pub origin: String,
    /// `crossOrigin`: whether the page was in a frame of another origin; absent means no.
    pub is_cross_origin: bool,
    /// Whether `topOrigin` is present, which only frames of another origin have.
    pub has_top_origin: bool,
}

impl ClientData {
    /// Maximum length of the JSON in bytes.
    pub const MAX_BYTES: usize = 4096;
}
