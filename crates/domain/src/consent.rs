//! Remembered consent (security.md T34).

use crate::id::{ClientId, UserId};
use crate::scope::ScopeSet;
use chrono::{DateTime, Utc};

/// Lets a client that requests exactly these scopes again skip the consent page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RememberedConsent {
    /// The person.
    pub user_id: UserId,
    /// The client; one entry per client.
    pub client_id: ClientId,
    /// Scopes that were requested and granted in full.
    pub scopes: ScopeSet,
    /// When it was remembered.
    pub remembered_at: DateTime<Utc>,
}

impl RememberedConsent {
    /// Returns whether the page can be skipped: only for the same scopes, no more and no fewer.
    pub fn covers(&self, asked: ScopeSet) -> bool {
        !asked.is_empty() && self.scopes == asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_consent_covers_only_the_same_scopes() {
        let remembered = RememberedConsent {
            user_id: UserId::from_uuid(Uuid::nil()),
            client_id: ClientId::from_uuid(Uuid::nil()),
            scopes: ScopeSet::parse("profile sleep").unwrap(),
            remembered_at: DateTime::UNIX_EPOCH,
        };
        assert!(remembered.covers(ScopeSet::parse("sleep profile").unwrap()));
        assert!(!remembered.covers(ScopeSet::parse("sleep").unwrap()));
        assert!(!remembered.covers(ScopeSet::CONSENTABLE));
        assert!(!remembered.covers(ScopeSet::EMPTY));
    }
}
