//! Changes and deletes intakes that were entered by hand.

use super::LogIntakeError;
use super::log_intake::check_time;
use crate::audit;
use crate::ports::storage::{StorageError, UnitOfWork};
use chrono::{DateTime, Utc};
use domain::audit::{AuditActor, AuditKind};
use domain::id::{IntakeLogId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord, Servings};

crate::audit::use_case! {
    /// Changes and deletes intakes that were entered by hand.
    ChangeIntake
}

impl ChangeIntake {
    /// Changes the time and servings of an entry.
    pub async fn run(
        &self,
        user_id: UserId,
        id: IntakeLogId,
        taken_at: DateTime<Utc>,
        servings: Servings,
    ) -> Result<(), LogIntakeError> {
        check_time(taken_at, self.trail.now())?;
        let mut unit = self.units.begin().await?;
        let Some(known) = find_by_hand(unit.as_mut(), user_id, id).await? else {
            return unit.refuse(LogIntakeError::UnknownEntry).await;
        };
        let key = known.record.external_key().map(str::to_owned);
        let record = IntakeLogRecord::new(known.record.supplement_id(), taken_at, servings, key)
            .map_err(|_| LogIntakeError::TooEarly)?;
        if record == known.record {
            unit.rollback().await?;
            return Ok(());
        }
        unit.intake_logs().update(user_id, &record.with_id(id)).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::IntakeLogsWritten);
        audit::commit(unit, &[event.user(user_id).subject(id.as_uuid())]).await?;
        Ok(())
    }

    /// Deletes an entry.
    pub async fn delete(&self, user_id: UserId, id: IntakeLogId) -> Result<(), LogIntakeError> {
        let mut unit = self.units.begin().await?;
        if find_by_hand(unit.as_mut(), user_id, id).await?.is_none() {
            return unit.refuse(LogIntakeError::UnknownEntry).await;
        }
        unit.intake_logs().delete(user_id, &[id]).await?;
        let event = self.trail.event(AuditActor::Person, AuditKind::IntakeLogDeleted);
        audit::commit(unit, &[event.user(user_id).subject(id.as_uuid())]).await?;
        Ok(())
    }
}

async fn find_by_hand(
    unit: &mut dyn UnitOfWork,
    user_id: UserId,
    id: IntakeLogId,
) -> Result<Option<IntakeLog>, StorageError> {
    let found = unit.intake_logs().find_many(user_id, &[id]).await?;
    Ok(found.into_iter().find(|log| log.record.is_by_hand()))
}
