//! Logs an intake by hand.

use crate::audit;
use crate::ports::storage::{StorageError, UniqueKey};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{FormId, IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLogRecord, Servings};

/// How far ahead of the server's clock an intake may lie.
const MAX_FUTURE: TimeDelta = TimeDelta::hours(1);
/// Earliest time of an intake: 1900.
const EARLIEST: DateTime<Utc> = match DateTime::from_timestamp(-2_208_988_800, 0) {
    Some(earliest) => earliest,
    None => DateTime::UNIX_EPOCH,
};

/// Input of [`LogIntake`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogIntakeCommand {
    /// Owner of the intake.
    pub user_id: UserId,
    /// Id of the form, so that sending it twice adds one entry.
    pub entry: FormId,
    /// The product.
    pub supplement_id: SupplementId,
    /// Time of the intake.
    pub taken_at: DateTime<Utc>,
    /// Amount taken.
    pub servings: Servings,
}

/// Errors of [`LogIntake`] and [`ChangeIntake`](super::ChangeIntake).
#[derive(Debug, thiserror::Error)]
pub enum LogIntakeError {
    /// The catalogue has no such supplement, or it is another person's own product.
    #[error("there is no such supplement")]
    UnknownSupplement,
    /// There is no such entry, or it was not entered by hand.
    #[error("there is no such entry")]
    UnknownEntry,
    /// The time is more than an hour ahead.
    #[error("the time is in the future")]
    Future,
    /// The time is before 1900.
    #[error("the time is before 1900")]
    TooEarly,
    /// The same form was sent before with other values.
    #[error("the form was sent before with other values")]
    SentBefore,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Checks that a time can be that of an intake.
pub(super) fn check_time(taken_at: DateTime<Utc>, now: DateTime<Utc>) -> Result<(), LogIntakeError> {
    if taken_at < EARLIEST {
        return Err(LogIntakeError::TooEarly);
    }
    match now.checked_add_signed(MAX_FUTURE) {
        Some(latest) if taken_at > latest => Err(LogIntakeError::Future),
        _ => Ok(()),
    }
}

crate::audit::use_case! {
    /// Logs intakes by hand.
    LogIntake
}

impl LogIntake {
    /// Returns the id of a new form.
    pub fn new_entry(&self) -> FormId {
        FormId::from_uuid(self.trail.entropy.uuid())
    }

    /// Stores an intake. Does nothing if the same form was sent before with the same values.
    pub async fn run(&self, command: LogIntakeCommand) -> Result<(), LogIntakeError> {
        let LogIntakeCommand { user_id, entry, supplement_id, taken_at, servings } = command;
        check_time(taken_at, self.trail.now())?;
        let record = IntakeLogRecord::by_hand(supplement_id, taken_at, servings, entry)
            .map_err(|_| LogIntakeError::TooEarly)?;
        let log = record.with_id(IntakeLogId::from_uuid(self.trail.entropy.uuid()));
        let mut unit = self.units.begin().await?;
        let found = unit.supplements().find(supplement_id).await?;
        if !found.is_some_and(|(key, _)| key.is_visible_to(user_id)) {
            return unit.refuse(LogIntakeError::UnknownSupplement).await;
        }
        match unit.intake_logs().insert(user_id, std::slice::from_ref(&log)).await {
            Ok(()) => {}
            Err(StorageError::Conflict(UniqueKey::IntakeLog)) => {
                let records = std::slice::from_ref(&log.record);
                let known = unit.intake_logs().find_candidates(user_id, records).await?;
                unit.rollback().await?;
                let is_same = known.iter().any(|known| known.record == log.record);
                return if is_same { Ok(()) } else { Err(LogIntakeError::SentBefore) };
            }
            Err(error) => return Err(error.into()),
        }
        let event = self.trail.event(AuditActor::Person, AuditKind::IntakeLogsWritten);
        audit::commit(unit, &[event.user(user_id).subject(log.id.as_uuid())]).await?;
        Ok(())
    }
}
