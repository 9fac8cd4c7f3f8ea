//! Events and the ids of their messages.

use crate::id::{UserId, WebhookEndpointId};
use sha2::{Digest, Sha256};
use std::fmt;
use uuid::Uuid;

crate::named_enum! {
    /// Kind of notification.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EventKind {
        /// Records of a person changed that the client may read.
        RecordsChanged = "records.changed",
        /// The client no longer has a live grant of a person.
        GrantRevoked = "grant.revoked",
        /// A person was erased.
        PersonErased = "person.erased",
        /// Someone requested a test.
        EndpointTest = "endpoint.test",
        /// The endpoint must return the challenge of this event before it is sent others.
        EndpointChallenge = "endpoint.challenge",
    }
}

/// Key of a pending notification: at most one event of a kind for each person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventKey {
    /// The person; nil if the event is about nobody.
    pub user_id: UserId,
    /// The endpoint.
    pub endpoint_id: WebhookEndpointId,
    /// Kind of the event.
    pub kind: EventKind,
}

/// Id of a message, which receivers use to recognise repeated deliveries: the same at every attempt, and
/// different if there is new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageId(String);

impl MessageId {
    /// Returns the id of the message about the changes between two numbers: the one up to which the endpoint
    /// was notified, and the current one of the event, which grows with each change.
    pub fn new(key: EventKey, announced: i64, number: i64) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(key.user_id.as_uuid().as_bytes());
        hasher.update(key.endpoint_id.as_uuid().as_bytes());
        hasher.update(key.kind.as_str());
        hasher.update(announced.to_be_bytes());
        hasher.update(number.to_be_bytes());
        let digest: [u8; 32] = hasher.finalize().into();
        let id = Uuid::from_bytes(digest.first_chunk().copied().unwrap_or_default());
        Self(format!("msg_{}", id.simple()))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(user: u128, endpoint: u128, kind: EventKind) -> EventKey {
        EventKey {
            user_id: UserId::from_uuid(Uuid::from_u128(user)),
            endpoint_id: WebhookEndpointId::from_uuid(Uuid::from_u128(endpoint)),
            kind,
        }
    }

    /// Standard Webhooks, Webhook metadata.
    #[test]
    fn a_message_id_is_stable_and_depends_on_person_endpoint_kind_and_number() {
        let id = |user, endpoint, kind, number| MessageId::new(key(user, endpoint, kind), 0, number);
        let first = id(1, 2, EventKind::RecordsChanged, 3);
        assert_eq!(first, id(1, 2, EventKind::RecordsChanged, 3));
        for other in [
            id(2, 2, EventKind::RecordsChanged, 3),
            id(1, 1, EventKind::RecordsChanged, 3),
            id(1, 2, EventKind::GrantRevoked, 3),
            id(1, 2, EventKind::RecordsChanged, 4),
            MessageId::new(key(1, 2, EventKind::RecordsChanged), 1, 3),
        ] {
            assert_ne!(first, other);
        }
        assert_eq!(first.to_string().len(), 36);
        // The specification forbids a full stop.
        assert!(first.to_string().strip_prefix("msg_").unwrap().bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
