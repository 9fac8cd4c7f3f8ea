//! Kinds of data, each with its endpoint and scope.

use crate::scope::Scope;

crate::named_enum! {
    /// Kind of data, read at a data endpoint; the paths with and without `v1` are the same endpoint
    /// (decisions 7). The variants are in the order in which changes of one statement are reported.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DataKind {
        /// The profile; in a change, the id is the user id.
        Profile = "profile",
        /// Sleep sessions.
        Sleep = "sleep",
        /// Supplements with their logs; in a change, an intake log, returned as its supplement with only this
        /// log.
        Supplements = "supplements",
    }
}

/// Properties of a kind.
struct Row {
    scope: Scope,
    daily_limit: u32,
}

impl DataKind {
    const fn row(self) -> Row {
        match self {
            Self::Profile => Row { scope: Scope::Profile, daily_limit: 1_000 },
            Self::Sleep => Row { scope: Scope::Sleep, daily_limit: 10_000 },
            Self::Supplements => Row { scope: Scope::Supplements, daily_limit: 10_000 },
        }
    }

    /// Returns the required scope (decisions 4); it has the same name.
    pub const fn scope(self) -> Scope {
        self.row().scope
    }

    /// Returns the default of the daily limit (decisions 7).
    pub const fn daily_limit(self) -> u32 {
        self.row().daily_limit
    }

    /// Returns the last kind, which follows all others in a change.
    pub const fn last() -> Self {
        let [.., last] = Self::ALL;
        last
    }

    /// Parses a comma-separated list: at least one kind, each at most once, in any order.
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
}

/// Why a list of kinds is invalid; shown to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKinds {
    /// Unknown name.
    #[error("must be profile, sleep or supplements, or several of these separated by commas")]
    Unknown,
    /// Duplicate kind.
    #[error("must name each type at most once")]
    Repeated,
}
