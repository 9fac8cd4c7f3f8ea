//! Applies profile values that an import proposed.

use super::{ImportError, Imports};
use crate::ports::storage::{Import, StorageError};
use crate::store::transact;
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::ImportState;
use domain::user::{ProfileChange, ProfileField, ProfileOrigin, ProfileSource, User};

impl Imports {
    /// Returns the proposals of a finished import with the current profile values.
    pub async fn proposals(&self, import: &Import) -> Result<Vec<ProfileChange>, StorageError> {
        let Import { user_id: Some(user_id), state: ImportState::Done, report, .. } = import else {
            return Ok(Vec::new());
        };
        if report.profile.is_empty() {
            return Ok(Vec::new());
        }
        let user = self.profiles.find_profile(*user_id).await?;
        Ok(user.map(|user| possible(import, &user, self.store.now())).unwrap_or_default())
    }

    /// Applies the proposals for these fields, and returns how many changed the profile. Zero if all were
    /// applied before or the profile already has these values. Undoing the import restores what it replaced.
    pub async fn apply_profile(
        &self,
        user_id: UserId,
        id: ImportId,
        fields: &[ProfileField],
    ) -> Result<usize, ImportError> {
        transact!(self.store, |tx| {
            // Locks the user before the import, as everywhere.
            let user = tx.users().find(user_id).await?;
            let import = tx.imports().find(id).await?.filter(|import| import.user_id == Some(user_id));
            let Some((mut user, mut import)) = user.zip(import) else { return Err(ImportError::Unknown) };
            if import.state != ImportState::Done {
                return Err(ImportError::NotDone);
            }
            let before = user.clone();
            let fields: Vec<_> = possible(&import, &user, self.store.now())
                .iter()
                .map(ProfileChange::field)
                .filter(|field| fields.contains(field))
                .collect();
            let applied = import.report.profile.apply(&mut user, &fields);
            if applied == 0 {
                return Ok(0);
            }
            import.report.profile_changed = true;
            tx.users().update(&user).await?;
            let now = self.store.now();
            let sources = ProfileSource::of_change(&before, &user, ProfileOrigin::Import(id), now);
            tx.users().record_sources(user_id, &sources).await?;
            tx.imports().update(&import).await?;
            let event = self.store.event(AuditActor::Person, AuditKind::ProfileImported);
            tx.record(event.user(user_id).subject(id.as_uuid())).await?;
            Ok(applied)
        })
        .await
    }
}

/// Returns the proposals of an import without a birth date in the future, which an earlier release stored.
fn possible(import: &Import, user: &User, now: DateTime<Utc>) -> Vec<ProfileChange> {
    let mut proposals = import.report.profile.proposals(user);
    proposals.retain(|change| !change.new.is_in_the_future(now));
    proposals
}
