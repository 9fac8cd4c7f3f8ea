//! Who read what, summed by minute: never the values (issue of the audit trail; security.md, Revocation).

use crate::data_endpoint::DataEndpoint;
use crate::id::{ClientId, PersonalTokenId, UserId};
use chrono::{DateTime, TimeDelta, Utc};

/// What reads on behalf of a person. A personal access token counts as a client of its own (decisions 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reader {
    /// An app, under a grant.
    Client(ClientId),
    /// The person's own token.
    PersonalToken(PersonalTokenId),
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadKind {
    /// A data endpoint.
    Data(DataEndpoint),
    /// A refresh token was exchanged; opens no data itself.
    Refresh,
}

impl ReadKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Data(DataEndpoint::Profile),
        Self::Data(DataEndpoint::Sleep),
        Self::Data(DataEndpoint::Supplements),
        Self::Refresh,
    ];

    /// Returns the name by which the store and the operator know the kind.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Data(endpoint) => endpoint.as_str(),
            Self::Refresh => "refresh",
        }
    }

    /// Parses that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// What shares one sum: reader, person, kind and minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TallyKey {
    /// Whose data.
    pub user_id: UserId,
    /// The minute, by its first instant.
    pub minute: DateTime<Utc>,
    /// Who read.
    pub reader: Reader,
    /// What was read.
    pub kind: ReadKind,
}

impl TallyKey {
    /// Makes the key of a read at this moment.
    pub fn at(now: DateTime<Utc>, user_id: UserId, reader: Reader, kind: ReadKind) -> Self {
        let into_minute = TimeDelta::seconds(now.timestamp().rem_euclid(60))
            + TimeDelta::nanoseconds(i64::from(now.timestamp_subsec_nanos()));
        Self { user_id, minute: now - into_minute, reader, kind }
    }
}

/// The span of time that was asked for. An open end is wider than any moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AskedRange {
    /// From when on; nothing means from the beginning.
    pub from: Option<DateTime<Utc>>,
    /// Until when; nothing means without end.
    pub to: Option<DateTime<Utc>>,
}

impl AskedRange {
    /// Returns the narrowest range that holds both.
    #[must_use]
    pub fn widened(self, other: Self) -> Self {
        Self {
            from: self.from.zip(other.from).map(|(one, two)| one.min(two)),
            to: self.to.zip(other.to).map(|(one, two)| one.max(two)),
        }
    }
}

/// The reads of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadTally {
    /// What shares the sum.
    pub key: TallyKey,
    /// How many requests were answered.
    pub requests: u64,
    /// How many records they carried in all.
    pub items: u64,
    /// The widest range that was asked for.
    pub range: AskedRange,
}

impl ReadTally {
    /// Adds another sum of the same key.
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
        for kind in ReadKind::ALL {
            assert_eq!(ReadKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(ReadKind::parse("whim"), None);
    }

    fn range() -> impl Strategy<Value = AskedRange> {
        let end = || proptest::option::of((-1000_i64..1000).prop_map(moment));
        (end(), end()).prop_map(|(from, to)| AskedRange { from, to })
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
            prop_assert_eq!(one.widened(AskedRange::default()), AskedRange::default());
        }
    }
}
