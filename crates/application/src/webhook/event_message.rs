//! Messages: their body, and the headers of Standard Webhooks 1.0.

use crate::ports::storage::PendingEvent;
use chrono::{DateTime, Utc};
use domain::change::{ChangeCursor, ChangePosition, UserFingerprint};
use domain::data_kind::DataKind;
use domain::id::UserId;
use domain::time::format;
use domain::webhook::{EventKind, MessageId};
use uuid::Uuid;

/// Content of a message besides its kind and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EventData {
    /// Changes of these kinds, all after this cursor of the change feed.
    Changes { user_id: UserId, kinds: Vec<DataKind>, cursor: ChangeCursor },
    /// A person.
    Person(UserId),
    /// Nothing.
    Nothing,
    /// The challenge that the receiver must return.
    Challenge(String),
}

/// Returns the cursor after the change that the endpoint was notified of last. It expires when deletions
/// since then may no longer be recorded.
pub(super) fn cursor(event: &PendingEvent) -> ChangeCursor {
    ChangeCursor {
        after: Some(position(event.announced)),
        issued_at: event.occurred_at,
        user: UserFingerprint::new(event.key.user_id),
    }
}

/// Returns the last possible position of this change number. The last position of number 0 follows the
/// records that have never changed.
pub(super) const fn position(number: i64) -> ChangePosition {
    ChangePosition { number, kind: DataKind::last(), id: Uuid::max() }
}

/// Returns the JSON body of an event that occurred at this time. It is the same at each attempt, except for a
/// challenge. Ids, names and cursors contain no character that JSON escapes.
pub(super) fn body(kind: EventKind, at: DateTime<Utc>, data: &EventData) -> String {
    let data = match data {
        EventData::Changes { user_id, kinds, cursor } => {
            let kinds: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", kind.as_str())).collect();
            format!(r#""user_id":"{user_id}","kinds":[{}],"cursor":"{cursor}""#, kinds.join(","))
        }
        EventData::Person(user_id) => format!(r#""user_id":"{user_id}""#),
        EventData::Nothing => String::new(),
        EventData::Challenge(challenge) => format!(r#""challenge":"{challenge}""#),
    };
    format!(r#"{{"type":"{}","timestamp":"{}","data":{{{data}}}}}"#, kind.as_str(), format::utc(at))
}

/// Returns the text that is signed.
pub(super) fn signed_text(id: &MessageId, at: DateTime<Utc>, body: &str) -> String {
    format!("{id}.{}.{body}", at.timestamp())
}
