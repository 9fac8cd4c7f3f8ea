//! Finds when grants were last used.

use super::Grants;
use crate::ports::storage::{ConnectedApp, StorageError};
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::AccessClaims;
use domain::grant::{Grant, GrantState};
use domain::id::UserId;
use std::collections::HashMap;

/// Length of a tally of reads, of which only the start is stored.
const MINUTE: TimeDelta = TimeDelta::minutes(1);

impl Grants {
    /// Returns when each grant was last used, by a refresh or a read, in their order; `None` if it never was.
    /// The store is queried once per user, and once more if one of their grants is revoked.
    ///
    /// Reads are tallied by app and user, not by grant. If an app has a single live grant, all its reads used
    /// that grant. If it has several, a refreshed one was last used at its last refresh, to within the hour
    /// that a token lives. One without a refresh can only have been used for reads in its first hour; it
    /// counts as used if the app read, or refreshed another grant, then or later. A revoked one was used by
    /// the app's last read before its end, within the lifetime of its last token.
    pub async fn last_uses(&self, grants: &[Grant]) -> Result<Vec<Option<DateTime<Utc>>>, StorageError> {
        let mut people: HashMap<UserId, Person<'_>> = HashMap::new();
        for grant in grants {
            let person = people.entry(grant.user_id).or_default();
            match grant.state {
                GrantState::Live => person.live.push(grant),
                GrantState::Revoked { at, reason: _ } => person.revoked.push((grant, at)),
            }
        }
        let mut uses = HashMap::with_capacity(grants.len());
        for (user_id, person) in people {
            if !person.live.is_empty() {
                let apps = self.list_apps(user_id).await?;
                let apps: HashMap<_, _> = apps.into_iter().map(|app| (app.client_id, app)).collect();
                uses.extend(person.live.iter().map(|grant| {
                    let app = apps.get(&grant.client_id);
                    (grant.id, app.map_or(grant.last_used_at, |app| last_use(grant, app)))
                }));
            }
            if !person.revoked.is_empty() {
                let until: Vec<_> = person.revoked.iter().map(|(grant, at)| (grant.client_id, *at)).collect();
                let reads = self.apps.list_last_reads(user_id, &until).await?;
                let revoked = person.revoked.iter().zip(reads);
                uses.extend(revoked.map(|((grant, _), read)| (grant.id, last_use_of_revoked(grant, read))));
            }
        }
        Ok(grants.iter().map(|grant| uses.get(&grant.id).copied().flatten()).collect())
    }
}

/// The grants of one user.
#[derive(Default)]
struct Person<'g> {
    live: Vec<&'g Grant>,
    /// Revoked grants, with the time of revocation.
    revoked: Vec<(&'g Grant, DateTime<Utc>)>,
}

/// Returns the time if it lies after the creation of the grant; earlier reads used another grant.
fn if_after_creation(grant: &Grant, at: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    at.filter(|at| *at + MINUTE > grant.created_at).map(|at| at.max(grant.created_at))
}

fn last_use(grant: &Grant, app: &ConnectedApp) -> Option<DateTime<Utc>> {
    let of_app = if_after_creation(grant, app.last_used_at);
    if app.grants == 1 {
        return grant.last_used_at.max(of_app);
    }
    let first_hour = AccessClaims::end_from(grant.created_at);
    grant.last_used_at.or(of_app.map(|at| at.min(first_hour)))
}

/// Returns the last use of a revoked grant, given the app's last read before the revocation.
fn last_use_of_revoked(grant: &Grant, read: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    let last_hour = AccessClaims::end_from(grant.last_used_at.unwrap_or(grant.created_at));
    grant.last_used_at.max(if_after_creation(grant, read).map(|at| at.min(last_hour)))
}
