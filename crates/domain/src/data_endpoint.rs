//! The three data endpoints, the scope that each asks for, and the limit that each has.

use crate::scope::Scope;

/// One data endpoint; its paths with and without `v1` are the same endpoint (decisions 7).
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

    /// Returns the scope that a token needs here (decisions 4).
    pub const fn scope(self) -> Scope {
        match self {
            Self::Profile => Scope::Profile,
            Self::Sleep => Scope::Sleep,
            Self::Supplements => Scope::Supplements,
        }
    }

    /// Returns the name of the endpoint in paths, metrics and counters.
    pub const fn as_str(self) -> &'static str {
        self.scope().as_str()
    }

    /// Returns how many requests a day a client may make for a person when no setting says otherwise
    /// (decisions 7).
    pub const fn default_daily_limit(self) -> u32 {
        match self {
            Self::Profile => 1_000,
            Self::Sleep | Self::Supplements => 10_000,
        }
    }
}
