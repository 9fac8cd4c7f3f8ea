//! Typed identifiers: one type per kind of thing, so that ids cannot be mixed up.
//!
//! All of Restwell's ids are UUIDs (decisions 5). A key from another system is an `external_id` and never one
//! of these types.

use std::fmt;
use uuid::Uuid;

/// The text is not a UUID in its 36-character form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a UUID in its 36-character form")]
pub struct InvalidId;

/// Parses the 36-character form of a UUID in any case; braces, `urn:` and 32 bare digits are rejected.
fn parse_hyphenated(text: &str) -> Result<Uuid, InvalidId> {
    if text.len() != 36 {
        return Err(InvalidId);
    }
    Uuid::try_parse(text).map_err(|_| InvalidId)
}

macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a random or stored UUID.
            pub const fn from_uuid(id: Uuid) -> Self {
                Self(id)
            }

            /// Returns the UUID.
            pub const fn as_uuid(&self) -> Uuid {
                self.0
            }

            /// Parses the 36-character form, in any case (decisions 4).
            pub fn parse(text: &str) -> Result<Self, InvalidId> {
                parse_hyphenated(text).map(Self)
            }
        }

        /// Prints the 36-character form in lower case.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }
    };
}

typed_id! {
    /// Identifies a user; the contract's `user_id`. Never reused.
    UserId
}
typed_id! {
    /// Identifies a form that was shown to a person, so that sending it twice has one effect.
    FormId
}
typed_id! {
    /// Identifies a registered client; the `client_id` of RFC 6749 section 2.2.
    ClientId
}
typed_id! {
    /// Identifies a client secret.
    ClientSecretId
}
typed_id! {
    /// Identifies a grant.
    GrantId
}
typed_id! {
    /// Identifies a sleep session.
    SleepSessionId
}
typed_id! {
    /// Identifies a version of a supplement label in the catalogue.
    SupplementId
}
typed_id! {
    /// Identifies an intake log.
    IntakeLogId
}
typed_id! {
    /// Identifies an access token: its `jti` (RFC 9068 section 2.2).
    TokenId
}
typed_id! {
    /// Identifies a signing key: its `kid` (RFC 7517 section 4.5).
    KeyId
}
typed_id! {
    /// Identifies an authorization request (RFC 6749 section 4.1.1).
    AuthorizationRequestId
}
typed_id! {
    /// Identifies a browser session. Not a secret, so it can be listed and logged.
    SessionId
}
typed_id! {
    /// Identifies a personal access token. Not a secret.
    PersonalTokenId
}
typed_id! {
    /// Identifies a passkey. Not a secret, and not the id that its authenticator chose.
    PasskeyId
}
typed_id! {
    /// Identifies an entry of the audit trail.
    AuditEventId
}
typed_id! {
    /// Identifies a queued email.
    MessageId
}
typed_id! {
    /// Identifies an import of one file.
    ImportId
}
typed_id! {
    /// Identifies the receipt of an erasure; cannot be linked to the erased person.
    ErasureId
}
typed_id! {
    /// Identifies a webhook endpoint.
    WebhookEndpointId
}
typed_id! {
    /// Identifies the current secret of a webhook endpoint. Not a secret.
    WebhookSecretId
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48";

    #[test]
    fn the_36_character_form_is_read_in_any_case_and_printed_in_lower_case() {
        assert_eq!(UserId::parse(&TEXT.to_uppercase()).unwrap().to_string(), TEXT);
    }

    #[test]
    fn other_spellings_of_a_uuid_are_rejected() {
        for text in [
            "",
            "3f2b8c1e6d4a4c579b1f0a5e7d2c9b48",
            "{3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48}",
            "urn:uuid:3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48",
            "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b4g",
            " 3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b48",
            "3f2b8c1e-6d4a-4c57-9b1f-0a5e7d2c9b4\u{661}",
        ] {
            assert_eq!(UserId::parse(text), Err(InvalidId), "{text}");
        }
    }
}
