//! Finds when grants were last used.

use crate::ports::storage::{ConnectedApp, ConnectedAppReader, StorageError};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::AccessClaims;
use domain::grant::{Grant, GrantState};
use domain::id::{ClientId, UserId};
use std::collections::HashMap;
use std::sync::Arc;

/// The span that a sum of reads is about, of which only the beginning is kept.
const MINUTE: TimeDelta = TimeDelta::minutes(1);

/// What a person's apps did, by app.
type Apps = HashMap<ClientId, ConnectedApp>;

/// Finds when grants were last used: refreshed, or read with.
///
/// Reads are summed by app and person, not by grant. With the one live grant of an app it was read whenever the app read.
/// Of several, one that refreshed was last used when it did, give or take the hour that a token lives; one that never did
/// can have been read with in its first hour only, and counts as used when its app read, or refreshed another one, then or
/// later.
pub struct FindLastUses {
    apps: Arc<dyn ConnectedAppReader>,
}

impl FindLastUses {
    /// Takes the port.
    pub fn new(apps: Arc<dyn ConnectedAppReader>) -> Self {
        Self { apps }
    }

    /// Returns for each of these grants, in their order, when it was last used; nothing while it never was. Of a revoked
    /// grant only the refresh counts.
    pub async fn run(&self, grants: &[Grant]) -> Result<Vec<Option<DateTime<Utc>>>, StorageError> {
        let mut people: HashMap<UserId, Apps> = HashMap::new();
        let mut uses = Vec::with_capacity(grants.len());
        for grant in grants {
            if grant.state == GrantState::Live && !people.contains_key(&grant.user_id) {
                people.insert(grant.user_id, self.of_person(grant.user_id).await?);
            }
            let app = people.get(&grant.user_id).and_then(|apps| apps.get(&grant.client_id));
            uses.push(app.filter(|_| grant.is_live()).map_or(grant.last_used_at, |app| last_use(grant, app)));
        }
        Ok(uses)
    }

    async fn of_person(&self, user_id: UserId) -> Result<Apps, StorageError> {
        let apps = self.apps.list_connected_apps(user_id).await?;
        Ok(apps.into_iter().map(|app| (app.client_id, app)).collect())
    }
}

fn last_use(grant: &Grant, app: &ConnectedApp) -> Option<DateTime<Utc>> {
    // What the app did before there was this grant, it did with another one.
    let of_app = app.last_used_at.filter(|at| *at + MINUTE > grant.created_at);
    let of_app = of_app.map(|at| at.max(grant.created_at));
    if app.grants == 1 {
        return grant.last_used_at.max(of_app);
    }
    let first_hour = AccessClaims::end_from(grant.created_at);
    grant.last_used_at.or(of_app.map(|at| at.min(first_hour)))
}
