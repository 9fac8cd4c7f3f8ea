//! The data endpoints with their scopes and limits.

use crate::scope::{Scope, ScopeSet};

/// A data endpoint; the paths with and without `v1` are the same endpoint (decisions 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataEndpoint {
    /// `/api/v1/profile/{user_id}`.
    Profile,
    /// `/api/v1/sleep/{user_id}`.
    Sleep,
    /// `/api/v1/supplements/{user_id}`.
    Supplements,
}

impl DataEndpoint {
    /// Every data endpoint.
    pub const ALL: [Self; 3] = [Self::Profile, Self::Sleep, Self::Supplements];

    /// Returns the required scope (decisions 4).
    pub const fn scope(self) -> Scope {
        match self {
            Self::Profile => Scope::Profile,
            Self::Sleep => Scope::Sleep,
            Self::Supplements => Scope::Supplements,
        }
    }

    /// Returns the name used in paths, metrics and counters.
    pub const fn as_str(self) -> &'static str {
        self.scope().as_str()
    }

    /// Returns the default limit of requests per day, client and person (decisions 7).
    pub const fn default_daily_limit(self) -> u32 {
        match self {
            Self::Profile => 1_000,
            Self::Sleep | Self::Supplements => 10_000,
        }
    }
}

/// Endpoint with a separate rate limit counter per person (decisions 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PersonEndpoint {
    /// A data endpoint.
    Data(DataEndpoint),
    /// `/api/v1/changes/{user_id}`.
    Changes,
    /// `/api/v1/export/{user_id}`.
    Export,
    /// All writes of first-party backends, counted together.
    Ingest,
}

impl From<DataEndpoint> for PersonEndpoint {
    fn from(endpoint: DataEndpoint) -> Self {
        Self::Data(endpoint)
    }
}

impl PersonEndpoint {
    /// Every endpoint.
    pub const ALL: [Self; 6] = [
        Self::Data(DataEndpoint::Profile),
        Self::Data(DataEndpoint::Sleep),
        Self::Data(DataEndpoint::Supplements),
        Self::Changes,
        Self::Export,
        Self::Ingest,
    ];

    /// Returns the stable name used in metrics and counters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Data(endpoint) => endpoint.as_str(),
            Self::Changes => "changes",
            Self::Export => "export",
            Self::Ingest => "ingest",
        }
    }

    /// Returns the scopes of which a token needs at least one; single records may need more.
    pub fn scopes(self) -> ScopeSet {
        match self {
            Self::Data(endpoint) => [endpoint.scope()].into_iter().collect(),
            Self::Changes | Self::Export => ScopeSet::CONSENTABLE,
            Self::Ingest => ScopeSet::INGEST,
        }
    }

    /// Returns the default limit of requests per day, client and person.
    pub const fn default_daily_limit(self) -> u32 {
        match self {
            Self::Data(endpoint) => endpoint.default_daily_limit(),
            Self::Changes | Self::Ingest => 10_000,
            Self::Export => 100,
        }
    }
}
