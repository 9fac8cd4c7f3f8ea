//! Changes of a person's records, in the order in which they were stored.

use crate::data_kind::DataKind;
use crate::id::UserId;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use std::fmt;
use uuid::Uuid;

/// How long deletions are reported, and the maximum age of a cursor.
pub const RETENTION: TimeDelta = TimeDelta::days(90);

/// Position of a change within its person: number, then kind, then id. All changes of one statement have the
/// same number.
///
/// Numbers grow in commit order, because every writer locks the person's row until it commits. No change can
/// appear before a position that was already returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangePosition {
    /// Sequence number; 0 for records older than the change feed.
    pub number: i64,
    /// Kind of the record.
    pub kind: DataKind,
    /// Id of the record.
    pub id: Uuid,
}

/// Cursor of the change feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeCursor {
    /// The last change returned; `None` at the beginning.
    pub after: Option<ChangePosition>,
    /// Time of issue in whole seconds, not before 1970.
    pub issued_at: DateTime<Utc>,
    /// User whose changes are read.
    pub user: UserFingerprint,
}

/// Fingerprint of a user id in a cursor, to notice a cursor of another user.
///
/// It is not a secret and protects nothing: the owner of a cursor may read the changes. Ids are random, so
/// two users rarely have the same 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserFingerprint(u32);

impl UserFingerprint {
    /// Computes the fingerprint of a user id.
    pub fn new(user_id: UserId) -> Self {
        let (high, low) = user_id.as_uuid().as_u64_pair();
        let folded = high ^ low;
        Self(u32::try_from((folded >> 32) ^ (folded & 0xffff_ffff)).unwrap_or_default())
    }
}

/// The text is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a cursor returned by this endpoint")]
pub struct InvalidCursor;

/// Tolerated clock difference between two servers before a cursor is considered to be from the future.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::hours(1);

/// Format of a cursor: the upper half of its first byte. The lower half holds the kind of the position.
const VERSION: u8 = 0x20;
/// Replaces the kind if there is no position.
const NO_POSITION: u8 = 0x0f;
/// Length of the longest cursor in bytes; the maximum length is documented for apps.
const MAX_LENGTH: usize = 34;

impl ChangeCursor {
    /// Returns whether deletions after this cursor may no longer be recorded. A cursor from the future is
    /// expired, too, because its time is unreliable.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        let age = now.signed_duration_since(self.issued_at);
        age > RETENTION || age < -CLOCKS_DIFFER
    }

    /// Parses five bytes of time, four of the user, then number and id if there is a position.
    pub fn parse(text: &str) -> Result<Self, InvalidCursor> {
        if text.len() > MAX_LENGTH.saturating_mul(2) {
            return Err(InvalidCursor);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let (first, rest) = bytes.split_first().ok_or(InvalidCursor)?;
        if first & 0xf0 != VERSION {
            return Err(InvalidCursor);
        }
        let (time, rest) = rest.split_first_chunk::<5>().ok_or(InvalidCursor)?;
        let mut seconds = [0; 8];
        for (whole, byte) in seconds.iter_mut().skip(3).zip(time) {
            *whole = *byte;
        }
        let issued_at = DateTime::from_timestamp(i64::from_be_bytes(seconds), 0).ok_or(InvalidCursor)?;
        let (user, rest) = rest.split_first_chunk::<4>().ok_or(InvalidCursor)?;
        let user = UserFingerprint(u32::from_be_bytes(*user));
        let after = match (first & 0x0f, rest.split_first_chunk::<8>()) {
            (NO_POSITION, None) if rest.is_empty() => None,
            (NO_POSITION, _) | (_, None) => return Err(InvalidCursor),
            (kind, Some((number, id))) => Some(position(*number, kind, id)?),
        };
        Ok(Self { after, issued_at, user })
    }
}

fn position(number: [u8; 8], kind: u8, id: &[u8]) -> Result<ChangePosition, InvalidCursor> {
    let number = i64::from_be_bytes(number);
    let kind = DataKind::ALL.get(usize::from(kind)).copied().ok_or(InvalidCursor)?;
    let id = Uuid::from_slice(id).map_err(|_| InvalidCursor)?;
    if number < 0 { Err(InvalidCursor) } else { Ok(ChangePosition { number, kind, id }) }
}

/// Prints the opaque form that apps store.
impl fmt::Display for ChangeCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(MAX_LENGTH);
        let [_, _, _, time @ ..] = self.issued_at.timestamp().to_be_bytes();
        bytes.push(VERSION | self.after.map_or(NO_POSITION, |after| after.kind as u8));
        bytes.extend_from_slice(&time);
        bytes.extend_from_slice(&self.user.0.to_be_bytes());
        if let Some(ChangePosition { number, kind: _, id }) = self.after {
            bytes.extend_from_slice(&number.to_be_bytes());
            bytes.extend_from_slice(id.as_bytes());
        }
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

#[cfg(test)]
mod tests;
