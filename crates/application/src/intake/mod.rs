//! Intakes of a person: reading them, and entering them by hand with custom products.

mod custom_product;
mod search;
mod show;

#[cfg(test)]
mod tests;

pub use search::{FoundSupplements, RecentSupplement};
pub use show::{Intake, IntakeRange};

use crate::ports::storage::{StorageError, SupplementReader, UniqueKey, UnitOfWork};
use crate::store::{RollBack, Store, transact};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::{ClientId, FormId, IntakeLogId, SupplementId, UserId};
use domain::supplement::{IntakeLog, IntakeLogRecord, Servings};
use std::sync::Arc;
use uuid::Uuid;

/// How far ahead of the server's clock an intake may lie.
const MAX_FUTURE: TimeDelta = TimeDelta::hours(1);
/// Earliest time of an intake: 1900.
const EARLIEST: DateTime<Utc> = match DateTime::from_timestamp(-2_208_988_800, 0) {
    Some(earliest) => earliest,
    None => DateTime::UNIX_EPOCH,
};

/// People's intakes and custom products.
pub struct Intakes {
    /// The store.
    pub store: Store,
    /// Reader of supplements and logs.
    pub reader: Arc<dyn SupplementReader>,
}

/// An intake to log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewIntake {
    /// Id of the form, so that sending it twice adds one entry.
    pub form: FormId,
    /// The product.
    pub supplement_id: SupplementId,
    /// Time of the intake.
    pub taken_at: DateTime<Utc>,
    /// Amount taken.
    pub servings: Servings,
}

/// Why a form about intakes or custom products has no effect.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// There is no such supplement, or the person may not log or change it.
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
    /// The person has as many products as allowed.
    #[error("the limit of products is reached")]
    TooManyProducts,
    /// The same form was sent before with other values.
    #[error("the form was sent before with other values")]
    SentBefore,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Intakes {
    /// Returns the id of a new form.
    pub fn new_form(&self) -> FormId {
        FormId::from_uuid(self.store.entropy().uuid())
    }

    /// Stores an intake. Does nothing if the same form was sent before with the same values.
    pub async fn log(&self, user_id: UserId, new: NewIntake) -> Result<(), IntakeError> {
        let NewIntake { form, supplement_id, taken_at, servings } = new;
        self.check_time(taken_at)?;
        let record = IntakeLogRecord::by_hand(supplement_id, taken_at, servings, form)
            .map_err(|_| IntakeError::TooEarly)?;
        let log = record.with_id(IntakeLogId::from_uuid(self.store.entropy().uuid()));
        let logged = transact!(self.store, |tx| {
            let found = tx.supplements().find(supplement_id).await?;
            if !found.is_some_and(|(key, _)| key.is_visible_to(user_id)) {
                return Err(RollBack(Err(IntakeError::UnknownSupplement)));
            }
            match tx.intake_logs().insert(user_id, std::slice::from_ref(&log)).await {
                Ok(()) => {
                    let event = self.event(AuditKind::IntakeLogsWritten, user_id, log.id.as_uuid());
                    Ok(tx.record(event).await?)
                }
                Err(StorageError::Conflict(UniqueKey::IntakeLog)) => {
                    let records = std::slice::from_ref(&log.record);
                    let known = tx.intake_logs().find_candidates(user_id, records).await?;
                    let is_same = known.iter().any(|known| known.record == log.record);
                    // The store has numbered a change.
                    Err(RollBack(if is_same { Ok(()) } else { Err(IntakeError::SentBefore) }))
                }
                Err(error) => Err(error.into()),
            }
        });
        logged.await.or_else(|RollBack(result)| result)
    }

    /// Changes the time and servings of an entry made by hand.
    pub async fn change(
        &self,
        user_id: UserId,
        id: IntakeLogId,
        taken_at: DateTime<Utc>,
        servings: Servings,
    ) -> Result<(), IntakeError> {
        self.check_time(taken_at)?;
        transact!(self.store, |tx| {
            let known = find_by_hand(tx, user_id, id).await?.ok_or(IntakeError::UnknownEntry)?.record;
            let key = known.external_key().map(str::to_owned);
            let record = IntakeLogRecord::new(known.supplement_id(), taken_at, servings, key)
                .map_err(|_| IntakeError::TooEarly)?;
            if record != known {
                tx.intake_logs().update(user_id, &record.with_id(id)).await?;
                tx.record(self.event(AuditKind::IntakeLogsWritten, user_id, id.as_uuid())).await?;
            }
            Ok(())
        })
        .await
    }

    /// Deletes an entry; returns whether there was one. `client_id` is `None` if the user deletes
    /// it, which deletes only an entry made by hand.
    pub async fn delete(
        &self,
        client_id: Option<ClientId>,
        user_id: UserId,
        id: IntakeLogId,
    ) -> Result<bool, StorageError> {
        let deleted = transact!(self.store, |tx| {
            // Locks the user before the record, as everywhere.
            tx.users().find(user_id).await?;
            let is_other = client_id.is_none() && find_by_hand(tx, user_id, id).await?.is_none();
            if is_other || tx.intake_logs().delete(user_id, &[id]).await? == 0 {
                // The store has numbered a change.
                return Err(RollBack(Ok(false)));
            }
            let event = self.store.event_by(client_id, user_id, AuditKind::IntakeLogDeleted);
            tx.record(event.subject(id.as_uuid())).await?;
            Ok(true)
        });
        deleted.await.or_else(|RollBack(result)| result)
    }

    /// Checks the time of an intake.
    fn check_time(&self, taken_at: DateTime<Utc>) -> Result<(), IntakeError> {
        if taken_at < EARLIEST {
            return Err(IntakeError::TooEarly);
        }
        match self.store.now().checked_add_signed(MAX_FUTURE) {
            Some(latest) if taken_at > latest => Err(IntakeError::Future),
            _ => Ok(()),
        }
    }

    fn event(&self, kind: AuditKind, user_id: UserId, subject: Uuid) -> AuditEvent {
        self.store.event(AuditActor::Person, kind).user(user_id).subject(subject)
    }
}

async fn find_by_hand(
    tx: &mut dyn UnitOfWork,
    user_id: UserId,
    id: IntakeLogId,
) -> Result<Option<IntakeLog>, StorageError> {
    let found = tx.intake_logs().find_many(user_id, &[id]).await?;
    Ok(found.into_iter().find(|log| log.record.is_by_hand()))
}
