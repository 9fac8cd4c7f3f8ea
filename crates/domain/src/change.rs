//! What changed of a person's records, in the order in which it was stored.

use crate::id::UserId;
use crate::scope::Scope;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use std::fmt;
use uuid::Uuid;

/// How long the deletion of a record is told, and how old a cursor may be.
pub const KEPT_FOR: TimeDelta = TimeDelta::days(90);

/// What kind of record changed. The order of the variants is the order of changes that one statement made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// The profile; its id is the person's.
    Profile,
    /// A sleep session.
    Sleep,
    /// An intake log, told as its supplement with this one log.
    Supplements,
}

impl ChangeKind {
    /// Every kind, in order.
    pub const ALL: [Self; 3] = [Self::Profile, Self::Sleep, Self::Supplements];

    /// Returns the scope that a token needs to be told of it; its name is the kind's name on the wire.
    pub const fn scope(self) -> Scope {
        match self {
            Self::Profile => Scope::Profile,
            Self::Sleep => Scope::Sleep,
            Self::Supplements => Scope::Supplements,
        }
    }

    /// Returns the name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        self.scope().as_str()
    }

    /// Parses a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Parses names separated by commas: at least one, each at most once, in any order.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, InvalidKinds> {
        let mut kinds = Vec::new();
        for name in text.split(',') {
            let kind = Self::parse(name).ok_or(InvalidKinds::Unknown)?;
            if kinds.contains(&kind) {
                return Err(InvalidKinds::Repeated);
            }
            kinds.push(kind);
        }
        Ok(kinds)
    }

    const fn code(self) -> u8 {
        match self {
            Self::Profile => 0,
            Self::Sleep => 1,
            Self::Supplements => 2,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// Says why a list of kinds is refused; the texts are shown to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKinds {
    /// A name is none of a kind.
    #[error("must be profile, sleep or supplements, or several of these separated by commas")]
    Unknown,
    /// A kind is named more than once.
    #[error("must name each type at most once")]
    Repeated,
}

/// Where a change stands among those of its person: by number, then kind, then id. Everything that one statement
/// changed has one number.
///
/// Numbers of one person grow in the order of commits, because whoever changes something of a person holds the
/// person's row until the commit: nothing can appear before a position that was once told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangePosition {
    /// The number, from 0 for what was there before changes were counted.
    pub number: i64,
    /// The kind.
    pub kind: ChangeKind,
    /// The record's id.
    pub id: Uuid,
}

/// Says where a reader of changes goes on, since when it knows that, and of whose changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeCursor {
    /// After this change; at the beginning without one.
    pub after: Option<ChangePosition>,
    /// When it was given out, to the second, from 1970 on.
    pub given_at: DateTime<Utc>,
    /// Of whose changes; unknown of cursors of version 1, the last of which expires [`KEPT_FOR`] after the update.
    pub person: Option<PersonMark>,
}

/// What a cursor keeps of the id of the person: enough to notice that it is another person's.
///
/// It is no secret and protects nothing: whoever has a cursor may read the person's changes. Ids are random, so that two
/// people have the same mark as seldom as two random numbers of 32 bits are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonMark(u32);

impl PersonMark {
    /// Returns the mark of a person.
    pub fn of(user_id: UserId) -> Self {
        let (high, low) = user_id.as_uuid().as_u64_pair();
        let folded = high ^ low;
        Self(u32::try_from((folded >> 32) ^ (folded & 0xffff_ffff)).unwrap_or_default())
    }
}

/// Says that a text is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a cursor that this endpoint gave out")]
pub struct InvalidCursor;

/// How far the clocks of two servers may lie apart before a cursor counts as one from the future.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::hours(1);

/// The first byte of version 1, which ends with the kind and the id.
const VERSION_1: u8 = 1;
/// The first byte of version 2: this one, and in its lower half the kind of the position.
const VERSION_2: u8 = 0x20;
/// In place of a kind when there is no position.
const NO_POSITION: u8 = 0x0f;
/// Bytes of the longest cursor of either version: apps were told how many characters to keep.
const LONGEST: usize = 34;

impl ChangeCursor {
    /// Tells whether deletions after this cursor may have been forgotten since. So they may when it says that it is from
    /// the future: then it does not say when it was given out.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        let age = now.signed_duration_since(self.given_at);
        age > KEPT_FOR || age < -CLOCKS_DIFFER
    }

    /// Returns whether it may be of this person's changes; of version 1 every cursor may.
    pub fn may_be_of(&self, user_id: UserId) -> bool {
        self.person.is_none_or(|person| person == PersonMark::of(user_id))
    }

    /// Parses what [`fmt::Display`] wrote, or an earlier version of it.
    pub fn parse(text: &str) -> Result<Self, InvalidCursor> {
        if text.len() > LONGEST.saturating_mul(2) {
            return Err(InvalidCursor);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let (version, rest) = bytes.split_first().ok_or(InvalidCursor)?;
        match *version {
            VERSION_1 => version_1(rest),
            version if version & 0xf0 == VERSION_2 => version_2(version & 0x0f, rest),
            _ => Err(InvalidCursor),
        }
    }
}

/// Reads eight bytes of time, and what may come after: number, kind and id.
fn version_1(bytes: &[u8]) -> Result<ChangeCursor, InvalidCursor> {
    let (seconds, rest) = bytes.split_first_chunk::<8>().ok_or(InvalidCursor)?;
    let given_at = DateTime::from_timestamp(i64::from_be_bytes(*seconds), 0).ok_or(InvalidCursor)?;
    let after = match rest.split_first_chunk::<8>() {
        None if rest.is_empty() => None,
        None => return Err(InvalidCursor),
        Some((number, rest)) => {
            let (kind, id) = rest.split_first().ok_or(InvalidCursor)?;
            Some(position(*number, *kind, id)?)
        }
    };
    Ok(ChangeCursor { after, given_at, person: None })
}

/// Reads five bytes of time, four of the person, and unless there is no position, number and id.
fn version_2(kind: u8, bytes: &[u8]) -> Result<ChangeCursor, InvalidCursor> {
    let (time, rest) = bytes.split_first_chunk::<5>().ok_or(InvalidCursor)?;
    let mut seconds = [0; 8];
    for (whole, byte) in seconds.iter_mut().skip(3).zip(time) {
        *whole = *byte;
    }
    let given_at = DateTime::from_timestamp(i64::from_be_bytes(seconds), 0).ok_or(InvalidCursor)?;
    let (person, rest) = rest.split_first_chunk::<4>().ok_or(InvalidCursor)?;
    let person = Some(PersonMark(u32::from_be_bytes(*person)));
    let after = if kind == NO_POSITION {
        if !rest.is_empty() {
            return Err(InvalidCursor);
        }
        None
    } else {
        let (number, id) = rest.split_first_chunk::<8>().ok_or(InvalidCursor)?;
        Some(position(*number, kind, id)?)
    };
    Ok(ChangeCursor { after, given_at, person })
}

fn position(number: [u8; 8], kind: u8, id: &[u8]) -> Result<ChangePosition, InvalidCursor> {
    let number = i64::from_be_bytes(number);
    let kind = ChangeKind::from_code(kind).ok_or(InvalidCursor)?;
    let id = Uuid::from_slice(id).map_err(|_| InvalidCursor)?;
    if number < 0 { Err(InvalidCursor) } else { Ok(ChangePosition { number, kind, id }) }
}

/// Prints the form that apps keep: no part of it means anything to them.
impl fmt::Display for ChangeCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(LONGEST);
        let seconds = self.given_at.timestamp().to_be_bytes();
        match self.person {
            None => {
                bytes.push(VERSION_1);
                bytes.extend_from_slice(&seconds);
            }
            Some(PersonMark(person)) => {
                let [_, _, _, time @ ..] = seconds;
                bytes.push(VERSION_2 | self.after.map_or(NO_POSITION, |after| after.kind.code()));
                bytes.extend_from_slice(&time);
                bytes.extend_from_slice(&person.to_be_bytes());
            }
        }
        if let Some(ChangePosition { number, kind, id }) = self.after {
            bytes.extend_from_slice(&number.to_be_bytes());
            if self.person.is_none() {
                bytes.push(kind.code());
            }
            bytes.extend_from_slice(id.as_bytes());
        }
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

#[cfg(test)]
mod tests;
