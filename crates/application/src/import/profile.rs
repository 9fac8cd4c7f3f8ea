//! Stores the profile of a file.

use super::attempt::Attempt;
use super::batch::Numbered;
use crate::model::import_report::Rejection;
use crate::ports::import_source::ImportedProfile;
use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::SubsecRound as _;
use domain::id::UserId;
use domain::user::{BornInTheFuture, ProfileField, ProfileValue, User};

/// Fills the empty fields of the profile with the file's values. A differing field is overwritten if the
/// import was asked to do so or the file is a restore; otherwise the file's value is stored as a proposal.
pub(super) async fn store(
    attempt: &mut Attempt<'_>,
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    profiles: impl Iterator<Item = Numbered<&ImportedProfile>> + Send,
) -> Result<(), StorageError> {
    let mut profiles = profiles.peekable();
    if profiles.peek().is_none() {
        return Ok(());
    }
    let Some(known) = tx.users().find(user_id).await? else { return Ok(()) };
    let mut user = known.clone();
    let mut changes = attempt.run.report.profile.clone();
    if attempt.run.is_dry {
        changes.write_applied(&mut user);
    }
    for (position, profile) in profiles {
        let overwrite = attempt.run.overwrite_profile || profile.is_restore;
        for value in stated(&user, profile) {
            if value.is_in_the_future(attempt.run.now) {
                let reason = format!("{BornInTheFuture}; it was left out");
                attempt.note(position, Rejection { place: profile.place.clone(), reason });
                continue;
            }
            changes.state(&mut user, value, overwrite);
        }
    }
    attempt.profile_read(changes, user != known);
    if user != known {
        tx.users().update(&user).await?;
    }
    Ok(())
}

/// Returns the values in the file, without missing fields.
fn stated(user: &User, profile: &ImportedProfile) -> Vec<ProfileValue> {
    let in_file = User { biology: profile.biology, ..merged(user.clone(), profile) };
    let is_in_file = |value: &ProfileValue| match value {
        ProfileValue::CreatedAt(at) => *at != user.created_at,
        ProfileValue::HomeTimezone(_) => profile.home_timezone.is_some(),
        biological => !biological.is_empty(),
    };
    ProfileField::ALL.into_iter().map(|field| field.read(&in_file)).filter(is_in_file).collect()
}

/// Returns the profile with every value of the file. The creation time is only moved back, for a user from
/// another server.
pub(super) fn merged(user: User, profile: &ImportedProfile) -> User {
    let ImportedProfile { place: _, is_restore: _, created_at, home_timezone, biology } = profile;
    User {
        // Files have milliseconds: a smaller difference means that this server wrote the file.
        created_at: created_at.filter(|at| *at < user.created_at.trunc_subsecs(3)).unwrap_or(user.created_at),
        home_timezone: home_timezone.unwrap_or(user.home_timezone),
        biology: biology.over(user.biology),
        ..user
    }
}
