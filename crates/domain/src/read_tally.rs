//! Reads of personal data, summed by minute, without values (security.md, Revocation).

use crate::data_kind::DataKind;
use crate::id::{ClientId, PersonalTokenId, UserId};
use chrono::{DateTime, TimeDelta, Utc};

/// Credential with which a person's data is read. A personal access token is treated like a separate client
/// (decisions 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reader {
    /// An app, under a grant.
    Client(ClientId),
    /// The person's own token.
    PersonalToken(PersonalTokenId),
}

/// Kind of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadKind {
    /// A data endpoint.
    Data(DataKind),
    /// A refresh token was exchanged; reads no data.
    Refresh,
}

impl ReadKind {
    /// Returns every kind.
    pub fn all() -> impl Iterator<Item = Self> {
        DataKind::ALL.into_iter().map(Self::Data).chain([Self::Refresh])
    }

    /// Returns the name used in the store and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Data(endpoint) => endpoint.as_str(),
            Self::Refresh => "refresh",
        }
    }

    /// Parses the name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::all().find(|kind| kind.as_str() == text)
    }
}

/// Key of a tally: person, minute, reader and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TallyKey {
    /// The person whose data was read.
    pub user_id: UserId,
    /// Start of the minute.
    pub minute: DateTime<Utc>,
    /// The reader.
    pub reader: Reader,
    /// Kind.
    pub kind: ReadKind,
}

impl TallyKey {
    /// Returns the key of a read at this time.
    pub fn at(now: DateTime<Utc>, user_id: UserId, reader: Reader, kind: ReadKind) -> Self {
        let into_minute = TimeDelta::seconds(now.timestamp().rem_euclid(60))
            + TimeDelta::nanoseconds(i64::from(now.timestamp_subsec_nanos()));
        Self { user_id, minute: now - into_minute, reader, kind }
    }
}

/// Requested time range; open ends are unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestedRange {
    /// Start; `None` if unbounded.
    pub from: Option<DateTime<Utc>>,
    /// End; `None` if unbounded.
    pub to: Option<DateTime<Utc>>,
}

impl RequestedRange {
    /// Returns the smallest range that includes both.
    #[must_use]
    pub fn widened(self, other: Self) -> Self {
        Self {
            from: self.from.zip(other.from).map(|(one, two)| one.min(two)),
            to: self.to.zip(other.to).map(|(one, two)| one.max(two)),
        }
    }
}

/// Sum of the reads with one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadTally {
    /// Key.
    pub key: TallyKey,
    /// Number of successful requests.
    pub requests: u64,
    /// Total number of records returned.
    pub items: u64,
    /// Widest requested range.
    pub range: RequestedRange,
}

impl ReadTally {
    /// Adds another tally with the same key.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            key: self.key,
            requests: self.requests.saturating_add(other.requests),
            items: self.items.saturating_add(other.items),
            range: self.range.widened(other.range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn moment(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    #[test]
    fn reads_of_one_minute_share_a_key() {
        let reader = Reader::Client(ClientId::from_uuid(Uuid::nil()));
        let user = UserId::from_uuid(Uuid::nil());
        let key = |at| TallyKey::at(at, user, reader, ReadKind::Refresh);
        assert_eq!(key(moment(60)), key(moment(119) + TimeDelta::microseconds(999_999)));
        assert_ne!(key(moment(60)), key(moment(120)));
        assert_eq!(key(moment(61)).minute, moment(60));
        assert_eq!(key(moment(-1)).minute, moment(-60));
    }

    #[test]
    fn a_kind_is_known_by_its_name() {
        for kind in ReadKind::all() {
            assert_eq!(ReadKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(ReadKind::parse("whim"), None);
    }

    fn range() -> impl Strategy<Value = RequestedRange> {
        let end = || proptest::option::of((-1000_i64..1000).prop_map(moment));
        (end(), end()).prop_map(|(from, to)| RequestedRange { from, to })
    }

    proptest! {
        #[test]
        fn widening_does_not_depend_on_the_order(one in range(), two in range(), three in range()) {
            prop_assert_eq!(one.widened(two), two.widened(one));
            prop_assert_eq!(one.widened(two).widened(three), one.widened(two.widened(three)));
            prop_assert_eq!(one.widened(one), one);
        }

        #[test]
        fn an_open_end_stays_open(one in range()) {
            prop_assert_eq!(one.widened(RequestedRange::default()), RequestedRange::default());
        }
    }
}
