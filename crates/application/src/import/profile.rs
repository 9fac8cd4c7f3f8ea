//! The profile that a file carries.

use super::run::Attempt;
use crate::ports::import_source::ImportedProfile;
use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::SubsecRound as _;
use domain::id::UserId;
use domain::user::User;

/// Lays what the file says over what is known; what the file does not say stays. A person who was brought over from
/// another server was created there; nobody is created later than they were.
pub(super) async fn store(
    attempt: &mut Attempt<'_>,
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    profiles: impl Iterator<Item = &ImportedProfile> + Send,
) -> Result<(), StorageError> {
    let mut profiles = profiles.peekable();
    if profiles.peek().is_none() {
        return Ok(());
    }
    let Some(known) = unit.users().find(user_id).await? else { return Ok(()) };
    let changed = profiles.fold(known.clone(), laid_over);
    if changed != known {
        unit.users().update(&changed).await?;
        attempt.profile_changed(known);
    }
    Ok(())
}

pub(super) fn laid_over(user: User, profile: &ImportedProfile) -> User {
    let ImportedProfile { place: _, created_at, home_timezone, biology } = profile;
    User {
        // Files have milliseconds: what is the same but for less than that was written by this server itself.
        created_at: created_at.filter(|at| *at < user.created_at.trunc_subsecs(3)).unwrap_or(user.created_at),
        home_timezone: home_timezone.unwrap_or(user.home_timezone),
        biology: biology.over(user.biology),
        ..user
    }
}
