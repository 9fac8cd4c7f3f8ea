//! Remembered consent: what a person told Restwell not to ask again (security.md T34).

use crate::id::{ClientId, UserId};
use crate::scope::ScopeSet;
use chrono::{DateTime, Utc};

/// A person's wish that a client which asks for exactly these scopes again is let through without a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RememberedConsent {
    /// Whose wish.
    pub user_id: UserId,
    /// For which client; one wish a client.
    pub client_id: ClientId,
    /// What was asked for and granted in full.
    pub scopes: ScopeSet,
    /// Since when.
    pub remembered_at: DateTime<Utc>,
}

impl RememberedConsent {
    /// Returns whether the page may be skipped: the very same scopes, no wider and no narrower.
    pub fn covers(&self, asked: ScopeSet) -> bool {
        !asked.is_empty() && self.scopes == asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn only_the_same_scopes_are_let_through() {
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
