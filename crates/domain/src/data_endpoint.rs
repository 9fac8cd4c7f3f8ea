//! Endpoints with their scopes.

use crate::data_kind::DataKind;
use crate::scope::ScopeSet;

/// Endpoint with a separate rate limit counter per person (decisions 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PersonEndpoint {
    /// A data endpoint.
    Data(DataKind),
    /// `/api/v1/changes/{user_id}`.
    Changes,
    /// `/api/v1/export/{user_id}`.
    Export,
    /// All writes of first-party backends, counted together.
    Ingest,
}

impl From<DataKind> for PersonEndpoint {
    fn from(endpoint: DataKind) -> Self {
        Self::Data(endpoint)
    }
}

impl PersonEndpoint {
    /// Returns every endpoint.
    pub fn all() -> impl Iterator<Item = Self> {
        DataKind::ALL.into_iter().map(Self::Data).chain([Self::Changes, Self::Export, Self::Ingest])
    }

    /// Returns the stable name used in metrics and counters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Data(endpoint) => endpoint.as_str(),
            Self::Changes => "changes",
            Self::Export => "export",
            Self::Ingest => "ingest",
        }
    }

    /// Returns the default of the daily limit per reader and person (decisions 7).
    pub const fn daily_limit(self) -> u32 {
        match self {
            Self::Data(kind) => kind.daily_limit(),
            Self::Changes | Self::Ingest => 10_000,
            Self::Export => 100,
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
}
