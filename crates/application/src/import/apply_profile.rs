//! Applies profile values that an import proposed.

use crate::audit;
use crate::ports::storage::{Import, ProfileReader, StorageError};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{ImportId, UserId};
use domain::import::ImportState;
use domain::user::{ProfileChange, ProfileField, ProfileOrigin, ProfileSource, User};
use std::sync::Arc;

/// Why nothing was applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyProfileError {
    /// The import does not exist or belongs to another user.
    #[error("there is no import with this id")]
    Unknown,
    /// The import is in progress, or was rejected or undone.
    #[error("the import is not finished, or was refused or undone")]
    NotDone,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

audit::use_case! {
    /// Applies what an import proposed; undoing the import then restores it.
    ApplyProfile { profiles: Arc<dyn ProfileReader> }
}

impl ApplyProfile {
    /// Returns the proposals of a finished import with the current profile values.
    pub async fn proposals(&self, import: &Import) -> Result<Vec<ProfileChange>, StorageError> {
        let Import { user_id: Some(user_id), state: ImportState::Done, report, .. } = import else {
            return Ok(Vec::new());
        };
        if report.profile.is_empty() {
            return Ok(Vec::new());
        }
        let user = self.profiles.find_profile(*user_id).await?;
        Ok(user.map(|user| possible(import, &user, self.trail.now())).unwrap_or_default())
    }

    /// Applies the proposals for these fields, and returns how many changed the profile. Zero if all were
    /// applied before or the profile already has these values.
    pub async fn run(
        &self,
        user_id: UserId,
        id: ImportId,
        fields: &[ProfileField],
    ) -> Result<usize, ApplyProfileError> {
        let mut unit = self.units.begin().await?;
        // Locks the user before the import, as everywhere.
        let user = unit.users().find(user_id).await?;
        let import = unit.imports().find(id).await?.filter(|import| import.user_id == Some(user_id));
        let Some((mut user, mut import)) = user.zip(import) else {
            return unit.refuse(ApplyProfileError::Unknown).await;
        };
        if import.state != ImportState::Done {
            return unit.refuse(ApplyProfileError::NotDone).await;
        }
        let before = user.clone();
        let fields: Vec<_> = possible(&import, &user, self.trail.now())
            .iter()
            .map(ProfileChange::field)
            .filter(|field| fields.contains(field))
            .collect();
        let applied = import.report.profile.apply(&mut user, &fields);
        if applied == 0 {
            unit.rollback().await?;
            return Ok(0);
        }
        import.report.profile_changed = true;
        unit.users().update(&user).await?;
        let sources = ProfileSource::of_change(&before, &user, ProfileOrigin::Import(id), self.trail.now());
        unit.users().record_sources(user_id, &sources).await?;
        unit.imports().update(&import).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::ProfileImported);
        audit::commit(unit, &[event.user(user_id).subject(id.as_uuid())]).await?;
        Ok(applied)
    }
}

/// Returns the proposals of an import without a birth date in the future, which an earlier release stored.
fn possible(import: &Import, user: &User, now: DateTime<Utc>) -> Vec<ProfileChange> {
    let mut proposals = import.report.profile.proposals(user);
    proposals.retain(|change| !change.new.is_in_the_future(now));
    proposals
}
