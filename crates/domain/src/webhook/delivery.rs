//! Attempts to deliver an event.

use super::{EventKey, EventKind, MessageId};
use crate::outbound::OutboundError;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryResult {
    /// The receiver responded with this HTTP status.
    Status(u16),
    /// The receiver responded with a 2xx status, but not with the challenge.
    WrongChallenge,
    /// No response.
    Failed(OutboundError),
    /// None of the endpoint's secrets can be opened, so nothing was sent.
    NotSigned,
    /// The server panicked during the attempt.
    InternalError,
}

/// An attempt to deliver an event; keeps nothing of the messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id.
    pub id: Uuid,
    /// The event.
    pub event: EventKey,
    /// Number of the event, which is part of the message id.
    pub number: i64,
    /// Change number up to which the receiver had been notified before; 0 unless records changed.
    pub announced_before: i64,
    /// When the event occurred.
    pub occurred_at: DateTime<Utc>,
    /// When the attempt began.
    pub at: DateTime<Utc>,
    /// Duration in milliseconds.
    pub milliseconds: u32,
    /// Result.
    pub result: DeliveryResult,
    /// When the event is tried again; `None` if it is not.
    pub next_attempt_at: Option<DateTime<Utc>>,
}

impl Delivery {
    /// Returns the id of the message; `None` if the person has been erased from the log.
    pub fn message_id(&self) -> Option<MessageId> {
        let is_about_nobody =
            matches!(self.event.kind, EventKind::EndpointTest | EventKind::EndpointChallenge);
        let is_complete = is_about_nobody || !self.event.user_id.as_uuid().is_nil();
        is_complete.then(|| MessageId::new(self.event, self.announced_before, self.number))
    }
}

impl DeliveryResult {
    /// Returns the stored name: the status in digits, or why there is none.
    pub fn to_name(self) -> String {
        match self {
            Self::Status(status) => status.to_string(),
            Self::WrongChallenge => "wrong_challenge".to_owned(),
            Self::Failed(error) => error.as_str().to_owned(),
            Self::NotSigned => "not_signed".to_owned(),
            Self::InternalError => "internal_error".to_owned(),
        }
    }

    /// Parses a stored name.
    pub fn parse(name: &str) -> Option<Self> {
        match (name, name.parse()) {
            ("wrong_challenge", _) => Some(Self::WrongChallenge),
            ("not_signed", _) => Some(Self::NotSigned),
            ("internal_error", _) => Some(Self::InternalError),
            (_, Ok(status)) => Some(Self::Status(status)),
            (_, Err(_)) => OutboundError::parse(name).map(Self::Failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_result_round_trips() {
        let failures = OutboundError::ALL.map(DeliveryResult::Failed);
        let others = [
            DeliveryResult::WrongChallenge,
            DeliveryResult::NotSigned,
            DeliveryResult::InternalError,
            DeliveryResult::Status(503),
        ];
        for result in failures.into_iter().chain(others) {
            assert_eq!(DeliveryResult::parse(&result.to_name()), Some(result));
        }
        for text in ["", "-1", "99999", "whim"] {
            assert_eq!(DeliveryResult::parse(text), None, "{text}");
        }
    }
}
