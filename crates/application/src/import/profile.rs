//! The profile that a file carries.

use super::Run;
use crate::ports::import_source::ImportedProfile;
use crate::ports::storage::{StorageError, UnitOfWork};
use domain::id::UserId;
use domain::user::User;

/// Lays what the file says over what is known; what the file does not say stays.
pub(super) async fn store(
    run: &mut Run<'_>,
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    profiles: Vec<ImportedProfile>,
) -> Result<(), StorageError> {
    if profiles.is_empty() {
        return Ok(());
    }
    let Some(known) = unit.users().find(user_id).await? else { return Ok(()) };
    let changed = profiles.into_iter().fold(known.clone(), laid_over);
    if changed != known {
        unit.users().update(&changed).await?;
        run.report.profile_changed = true;
    }
    Ok(())
}

fn laid_over(user: User, profile: ImportedProfile) -> User {
    let ImportedProfile { created_at, home_timezone, biology } = profile;
    User {
        created_at: created_at.unwrap_or(user.created_at),
        home_timezone: home_timezone.unwrap_or(user.home_timezone),
        biology: biology.over(user.biology),
        ..user
    }
}
