//! What changed of a person's records, in the order in which it was stored.

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

/// Says where a reader of changes goes on, and since when it knows that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeCursor {
    /// After this change; at the beginning without one.
    pub after: Option<ChangePosition>,
    /// When it was given out, to the second.
    pub given_at: DateTime<Utc>,
}

/// Says that a text is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a cursor that this endpoint gave out")]
pub struct InvalidCursor;

const VERSION: u8 = 1;
/// Version and time alone, and with a position.
const SHORT: usize = 1 + 8;
const LONG: usize = SHORT + 8 + 1 + 16;

impl ChangeCursor {
    /// Tells whether deletions after this cursor may have been forgotten since.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        now.signed_duration_since(self.given_at) > KEPT_FOR
    }

    /// Parses what [`fmt::Display`] wrote.
    pub fn parse(text: &str) -> Result<Self, InvalidCursor> {
        if text.len() > LONG.saturating_mul(2) {
            return Err(InvalidCursor);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let (version, rest) = bytes.split_first().ok_or(InvalidCursor)?;
        let (seconds, rest) = rest.split_first_chunk::<8>().ok_or(InvalidCursor)?;
        let given_at = DateTime::from_timestamp(i64::from_be_bytes(*seconds), 0).ok_or(InvalidCursor)?;
        if *version != VERSION {
            return Err(InvalidCursor);
        }
        let after = if rest.is_empty() { None } else { Some(position(rest)?) };
        Ok(Self { after, given_at })
    }
}

fn position(bytes: &[u8]) -> Result<ChangePosition, InvalidCursor> {
    let (number, rest) = bytes.split_first_chunk::<8>().ok_or(InvalidCursor)?;
    let (kind, id) = rest.split_first().ok_or(InvalidCursor)?;
    let number = i64::from_be_bytes(*number);
    let kind = ChangeKind::from_code(*kind).ok_or(InvalidCursor)?;
    let id = Uuid::from_slice(id).map_err(|_| InvalidCursor)?;
    if number < 0 { Err(InvalidCursor) } else { Ok(ChangePosition { number, kind, id }) }
}

/// Prints the form that apps keep: no part of it means anything to them.
impl fmt::Display for ChangeCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(LONG);
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.given_at.timestamp().to_be_bytes());
        if let Some(ChangePosition { number, kind, id }) = self.after {
            bytes.extend_from_slice(&number.to_be_bytes());
            bytes.push(kind.code());
            bytes.extend_from_slice(id.as_bytes());
        }
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cursor_reads_back_as_itself(
            number in 0..=i64::MAX, kind in 0..3_usize, id in any::<u128>(), seconds in 0..4_000_000_000_i64,
            starts in any::<bool>(),
        ) {
            let position = ChangePosition { number, kind: ChangeKind::ALL[kind], id: Uuid::from_u128(id) };
            let given_at = DateTime::from_timestamp(seconds, 0).unwrap();
            let cursor = ChangeCursor { after: (!starts).then_some(position), given_at };
            prop_assert_eq!(ChangeCursor::parse(&cursor.to_string()), Ok(cursor));
        }

        #[test]
        fn a_list_of_kinds_reads_back_as_itself(kinds in Just(ChangeKind::ALL.to_vec()).prop_shuffle(), count in 1..4_usize) {
            let names: Vec<_> = kinds[..count].iter().map(|kind| kind.as_str()).collect();
            prop_assert_eq!(ChangeKind::parse_list(&names.join(",")), Ok(kinds[..count].to_vec()));
        }

        #[test]
        fn no_text_makes_a_cursor_panic(text in ".{0,120}") {
            let _outcome = ChangeCursor::parse(&text);
        }
    }

    #[test]
    fn what_was_not_given_out_is_no_cursor() {
        let given_at = DateTime::UNIX_EPOCH;
        let position = ChangePosition { number: 7, kind: ChangeKind::Sleep, id: Uuid::nil() };
        let text = ChangeCursor { after: Some(position), given_at }.to_string();
        let longer = format!("{text}AAAA");
        for refused in ["", "AA", "%", text.split_at(text.len() - 4).0, longer.as_str(), &"A".repeat(5000)] {
            assert_eq!(ChangeCursor::parse(refused), Err(InvalidCursor), "{refused}");
        }
    }

    #[test]
    fn a_list_of_kinds_has_known_names_once_each() {
        for unknown in
            ["", ",", "sleep,", ",sleep", "sleep, profile", "Sleep", "sleep:write", "sleep;profile"]
        {
            assert_eq!(ChangeKind::parse_list(unknown), Err(InvalidKinds::Unknown), "{unknown}");
        }
        assert_eq!(ChangeKind::parse_list("sleep,profile,sleep"), Err(InvalidKinds::Repeated));
    }

    #[test]
    fn a_cursor_expires_after_ninety_days() {
        let cursor = ChangeCursor { after: None, given_at: DateTime::UNIX_EPOCH };
        assert!(!cursor.is_expired(DateTime::UNIX_EPOCH + TimeDelta::days(90)));
        assert!(cursor.is_expired(DateTime::UNIX_EPOCH + TimeDelta::days(90) + TimeDelta::seconds(1)));
    }

    #[test]
    fn changes_are_ordered_by_number_then_kind_then_id() {
        let at = |number, kind, id| ChangePosition { number, kind, id: Uuid::from_u128(id) };
        let ordered =
            [at(1, ChangeKind::Supplements, 9), at(2, ChangeKind::Profile, 9), at(2, ChangeKind::Sleep, 1)];
        assert!(ordered.is_sorted());
    }
}
